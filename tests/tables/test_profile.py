"""Profiles: what a column is and what stands in it, the same in each engine."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from averment.errors import MissingTable
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import TableProfile, data_type_of, infer_role, profile

opened = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("opened.py"))))


@pytest.fixture(params=["duckdb", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request, tmp_path):
    if request.param == "postgres":
        catalog = opened.postgres_catalog(request.getfixturevalue("new_postgres")())
    else:
        catalog = getattr(opened, f"{request.param}_catalog")(tmp_path)
    with Engine(catalog, Settings(home=tmp_path)) as engine:
        yield engine


def test_every_column_gets_its_role_and_type(engine):
    found = {column.name: (column.inferred_type, column.data_type) for column in profile(engine, "sales").columns}
    assert found == {
        "id": ("id", "integer"),
        "order_date": ("timestamp", "date"),
        "state": ("dimension", "string"),
        "region": ("dimension", "string"),
        "product_id": ("id", "integer"),
        "quantity": ("measure", "integer"),
        "amount": ("measure", "float"),
        "channel": ("dimension", "string"),
        "customer_id": ("id", "integer"),
    }
    times = {column.name: (column.inferred_type, column.data_type) for column in profile(engine, "events").columns}
    assert times["ts"] == ("timestamp", "datetime")
    assert times["payload"] == ("dimension", "string")


def test_numbers_are_summed_up(engine):
    amount = profile(engine, "sales").column("AMOUNT")
    assert (amount.cardinality, amount.nulls, amount.nullable) == (40, 0, False)
    assert (amount.minimum, amount.maximum) == (38.56, 878.75)
    assert amount.mean == pytest.approx(355.37225)
    low, middle, high = amount.quantiles
    assert 38.56 < low < middle < high < 878.75


def test_few_values_are_listed_with_their_counts(engine):
    columns = profile(engine, "sales")
    assert columns.column("state").values == (("Arizona", 10), ("Ohio", 10), ("Texas", 10), ("Utah", 10))
    assert columns.column("quantity").values == ((1, 8), (2, 8), (3, 8), (4, 8), (5, 8))
    assert columns.column("channel").sample_values == ("store", "app", "web")
    assert columns.column("order_date").minimum == "2021-01-04"
    assert all(len(column.sample_values) <= 5 for column in columns.columns)


def test_a_profile_is_json_and_comes_back_equal(engine):
    before = profile(engine, "products")
    text = before.model_dump_json()
    assert json.loads(text)["row_count"] == 8
    assert TableProfile.model_validate_json(text) == before


def test_a_view_can_be_profiled_and_an_unknown_table_cannot(engine):
    assert profile(engine, "v_sales").row_count == 40
    with pytest.raises(MissingTable):
        profile(engine, "nowhere")


def _one_table(tmp_path, sql):
    path = tmp_path / "one.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE t AS {sql}")
        types = {row[0]: row[1] for row in connection.execute("DESCRIBE t").fetchall()}
    return opened.catalog("duckdb", "duckdb", str(path), {"t": types}, "main")


def test_nulls_nested_values_and_odd_names_are_profiled(tmp_path):
    sql = (
        'SELECT i AS "Order No.", CASE WHEN i % 4 = 0 THEN NULL ELSE i * 1.5 END AS "a""b", [i] AS l, {\'x\': i} AS s, '
        "i % 2 = 0 AS flag, uuid() AS u, NULL::INTEGER AS empty, '{}'::JSON AS j, i::HUGEINT AS h, "
        "TIME '10:00' AS clock, 'a b'::BLOB AS raw FROM range(400) t(i)"
    )
    with Engine(_one_table(tmp_path, sql), Settings(home=tmp_path)) as engine:
        found = profile(engine, "t")
    kinds = {
        column.name: (column.inferred_type, column.data_type, column.cardinality, column.nulls)
        for column in found.columns
    }
    assert kinds == {
        "Order No.": ("id", "integer", 400, 0),
        'a"b': ("measure", "float", 300, 100),
        "l": ("dimension", "string", 400, 0),
        "s": ("dimension", "string", 400, 0),
        "flag": ("dimension", "string", 2, 0),
        "u": ("id", "string", 400, 0),
        "empty": ("measure", "integer", 0, 400),
        "j": ("dimension", "string", 1, 0),
        "h": ("id", "integer", 400, 0),
        "clock": ("dimension", "string", 1, 0),
        "raw": ("dimension", "string", 1, 0),
    }
    assert found.column("empty").nullable
    assert found.column("empty").sample_values == ()


def test_an_empty_table_is_profiled(tmp_path):
    with Engine(_one_table(tmp_path, "SELECT 1 AS a, 'x' AS b WHERE 1 = 0"), Settings(home=tmp_path)) as engine:
        found = profile(engine, "t")
    assert (found.row_count, [column.cardinality for column in found.columns]) == (0, [0, 0])


def test_a_wide_table_is_profiled_in_several_passes(tmp_path):
    sql = (
        "SELECT "
        + ", ".join(f"i * {n} AS column_with_a_rather_long_name_{n}" for n in range(130))
        + " FROM range(5) t(i)"
    )
    with Engine(_one_table(tmp_path, sql), Settings(home=tmp_path)) as engine:
        assert len(profile(engine, "t").columns) == 130


@pytest.mark.parametrize(
    ("name", "kind", "facts", "role"),
    [
        ("created", "datetime", {}, "timestamp"),
        ("customer_id", "integer", {}, "id"),
        ("orderKey", "string", {}, "id"),
        ("reference", "string", {"engine_type": "UUID"}, "id"),
        ("row", "integer", {"minimum": 1, "maximum": 1000, "cardinality": 1000}, "id"),
        ("hash", "string", {"cardinality": 1000, "shortest": 32, "longest": 32}, "id"),
        ("remark", "string", {"cardinality": 1000, "shortest": 3, "longest": 80}, "dimension"),
        ("year", "integer", {"minimum": 1990, "maximum": 2024, "cardinality": 35}, "dimension"),
        ("zip_code", "integer", {"cardinality": 700}, "dimension"),
        ("active", "integer", {"minimum": 0, "maximum": 1, "cardinality": 2}, "dimension"),
        ("stars", "integer", {"minimum": 1, "maximum": 5, "cardinality": 5}, "dimension"),
        ("quantity", "integer", {"minimum": 1, "maximum": 5, "cardinality": 5}, "measure"),
        ("visitors", "integer", {"minimum": 0, "maximum": 9000, "cardinality": 800}, "measure"),
        ("ratio", "float", {}, "measure"),
        ("is_open", "string", {"engine_type": "BOOLEAN", "cardinality": 2}, "dimension"),
    ],
)
def test_roles_follow_the_rules(name, kind, facts, role):
    known = {"engine_type": "", "rows": 1000, "present": 1000, "cardinality": 100, **facts}
    assert infer_role(name, kind, **known) == role


@pytest.mark.parametrize(
    ("engine_type", "kind"),
    [
        ("BIGINT", "integer"), ("UHUGEINT", "integer"), ("int4", "integer"), ("serial", "integer"),
        ("DECIMAL(18,2)", "float"), ("int4range", "string"),
        ("double precision", "float"), ("REAL", "float"), ("DATE", "date"), ("TIMESTAMP WITH TIME ZONE", "datetime"),
        ("timestamp without time zone", "datetime"), ("DATETIME", "datetime"), ("INTERVAL", "string"),
        ("INTEGER[]", "string"),
        ("STRUCT(a INTEGER)", "string"), ("daterange", "string"), ("VARCHAR", "string"), ("BOOLEAN", "string"),
        ("ANY", "string"),
    ],
)  # fmt: skip
def test_engine_types_become_the_five_data_types(engine_type, kind):
    assert data_type_of(engine_type) == kind
