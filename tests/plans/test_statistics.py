"""Every statistic of the registry: its fields are its own, and schema, text, query and read-back follow from it."""

import duckdb
import jsonschema
import pytest

from averment.errors import InvalidArguments
from averment.plans.compile import compile_plan
from averment.plans.operations import AddedStatistic
from averment.plans.plan import Plan, parse_plan
from averment.plans.readback import read_back
from averment.plans.statistics import OWN
from averment.plans.text import any_plan, to_text

COLUMNS = ("region", "product", "customer", "day", "price", "amount")
EXAMPLES = {name: any_plan(f"from sales statistic {name} {kind.example}") for name, kind in OWN.items() if kind.example}
EXAMPLES["overview"] = parse_plan(
    {
        "table": "sales",
        "show": [{"table": "sales", "column": name} for name in COLUMNS],
        "statistic": {"kind": "overview"},
    }
)
OLD_BAG = {
    "by": {"table": "sales", "column": "region"},
    "against": {"table": "sales", "column": "price"},
    "within": [{"table": "sales", "column": "region"}],
    "bins": 7,
    "reach": 2.0,
    "step": "month",
    "span": ["2024-01-01", "2024-12-31"],
}
SCHEMA = Plan.model_json_schema()


@pytest.fixture(scope="module")
def sales() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE sales AS SELECT chr(65 + n::INT % 2) AS region, chr(97 + n::INT % 3) AS product, "
        "n % 5 AS customer, n % 7 AS price, n * n % 31 AS amount, DATE '2024-01-01' + n::INTEGER AS day "
        "FROM range(90) r(n)"
    )
    return connection


@pytest.mark.parametrize("name", OWN)
def test_a_statistic_survives_its_json_and_its_line(name: str) -> None:
    plan = EXAMPLES[name]
    assert parse_plan(plan.to_json()) == plan
    assert any_plan(to_text(plan)) == plan
    assert type(plan.statistic) is OWN[name]
    jsonschema.validate(plan.to_json(), SCHEMA)


@pytest.mark.parametrize("name", OWN)
def test_a_statistic_has_a_query_that_runs_and_words(name: str, sales: duckdb.DuckDBPyConnection) -> None:
    plan = EXAMPLES[name]
    compiled = compile_plan(plan)
    composed = compiled.compose("duckdb")
    headings = [each[0] for each in sales.execute(composed.sql, list(composed.params)).description or ()]
    given = headings if compiled.program is None else [*compiled.keys, *compiled.figures]
    assert {*compiled.keys, *compiled.figures} <= set(given)
    assert set(OWN[name].figures) <= set(compiled.figures)
    assert "{" not in read_back(plan)
    assert read_back(plan).endswith("in sales")


@pytest.mark.parametrize("name", OWN)
def test_a_field_of_another_kind_is_refused_unless_the_plan_was_kept(name: str) -> None:
    body = EXAMPLES[name].to_json()
    kept = {**body, "statistic": {**OLD_BAG, **body["statistic"]}}
    read = parse_plan(kept)
    assert type(read.statistic) is OWN[name]
    others = AddedStatistic.model_fields.keys() - OWN[name].model_fields.keys() - {"method"}
    assert others == OLD_BAG.keys() - OWN[name].model_fields.keys()
    with pytest.raises(InvalidArguments):
        any_plan(kept)


def test_the_chi_square_that_earlier_versions_wrote_is_read() -> None:
    body = EXAMPLES["independence"].to_json()
    kept = {**body, "statistic": {**body["statistic"], "method": "chi_square"}}
    assert parse_plan(kept) == EXAMPLES["independence"]


@pytest.mark.parametrize("statistic", [{"kind": "no_such"}, {"of": []}, {"kind": "trend", "of": []}, "trend", None, 3])
def test_what_is_no_statistic_is_refused(statistic: object) -> None:
    with pytest.raises(InvalidArguments):
        parse_plan({"table": "sales", "statistic": statistic})


def test_the_schema_tells_the_kinds_apart() -> None:
    statistic = SCHEMA["$defs"]["Plan"]["properties"]["statistic"]["anyOf"][0]
    assert statistic["discriminator"] == {"propertyName": "kind"}
    assert [body["properties"]["kind"]["const"] for body in statistic["oneOf"]] == list(OWN)
