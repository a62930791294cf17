"""How a cluster is named and refused, and how guarded text is put into its SQL so that it means the same there.

That the answers are the same is shown in test_same_answers, and what travels in test_push_down.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from averment.errors import SourceNotFound, UnsupportedSource
from averment.settings import Settings
from averment.tables.engines.backend import BackendFailure
from averment.tables.engines.backend_spark import is_ordered, to_spark
from averment.tables.sources.locations import full_url, remember_url
from averment.workbench import Workbench


def test_a_cluster_that_does_not_answer_and_a_mix_of_sources_are_refused(home: Settings, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="Spark's client is not installed")
    table = tmp_path / "orders.csv"
    table.write_text("id,amount\n1,2\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    with Workbench(settings=home) as bench:
        with pytest.raises(UnsupportedSource):
            bench.analyze("total amount", [f"sc://127.0.0.1:{port}", table])
        with pytest.raises(SourceNotFound):
            bench.analyze("total amount", [f"sc://127.0.0.1:{port}"])


def test_the_client_alone_does_not_join_a_standalone_cluster(home: Settings) -> None:
    pyspark = pytest.importorskip("pyspark.util", reason="Spark's client is not installed")
    assert pyspark.is_remote_only()
    with socket.create_server(("127.0.0.1", 0)) as master, Workbench(settings=home) as bench:
        with pytest.raises(UnsupportedSource):
            bench.analyze("total amount", [f"spark://127.0.0.1:{master.getsockname()[1]}"])


def test_a_token_is_kept_out_of_the_name() -> None:
    safe = remember_url("sc://cluster:15002/;token=secret-word?folder=/data/sales")
    assert "secret-word" not in safe
    assert "secret-word" in full_url(safe)


def test_values_go_to_the_places_their_numbers_name() -> None:
    asked = 'SELECT $2 AS "a b" FROM t WHERE (x = $1 OR (y < $3 AND x = $1)) ORDER BY d'
    text = to_spark(asked, ["it's", 2.5, 3])
    assert text == ("SELECT 2.5 AS `a b` FROM t WHERE (x = 'it\\'s' OR (y < 3 AND x = 'it\\'s')) ORDER BY d NULLS LAST")


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("avg(a)", "AVG(CAST(a AS DOUBLE))"),
        ("avg(DISTINCT a)", "AVG(DISTINCT CAST(a AS DOUBLE))"),
        ("extract(dow FROM d)", "(DAYOFWEEK(d) - 1)"),
        ("dayofweek(d)", "(DAYOFWEEK(d) - 1)"),
        ("weekday(d)", "(DAYOFWEEK(d) - 1)"),
        ("date_part('dow', d)", "(DAYOFWEEK(d) - 1)"),
        ("isodow(d)", "((DAYOFWEEK(d) + 5) % 7 + 1)"),
        ("date_part('year', d)", "EXTRACT(YEAR FROM d)"),
        ("epoch(d)", "CAST(CAST(d AS TIMESTAMP_LTZ) AS DOUBLE)"),
        ("CAST(a AS DATE) - CAST(b AS DATE)", "DATEDIFF(CAST(a AS DATE), CAST(b AS DATE))"),
        ("try_strptime(a, '%m/%d/%Y')", "TRY_TO_TIMESTAMP(a, 'M/d/yyyy')"),
        ("quantile_cont(a, 0.9)", "PERCENTILE(a, 0.9)"),
    ],
)
def test_what_spark_would_understand_otherwise_is_written_anew(asked: str, written: str) -> None:
    assert to_spark(f"SELECT {asked} AS it FROM t", []) == f"SELECT {written} AS it FROM t"


def test_a_sort_key_that_is_shown_is_called_by_its_heading() -> None:
    text = to_spark('SELECT DISTINCT "a" AS "it" FROM t ORDER BY "a", "b"', [])
    assert text.endswith("ORDER BY `it` NULLS LAST, `b` NULLS LAST")


def test_a_sample_depends_on_the_rows_and_not_on_how_they_are_cut_up() -> None:
    text = to_spark("SELECT count(*) AS n FROM t TABLESAMPLE SYSTEM (2 PERCENT) REPEATABLE (7)", [])
    assert text == "SELECT COUNT(*) AS n FROM (SELECT * FROM t WHERE PMOD(XXHASH64(*), 50) = 0) AS t"


@pytest.mark.parametrize(
    "asked",
    [
        "SELECT row_number() OVER () AS place FROM t",
        "SELECT lag(a) OVER (PARTITION BY b) AS earlier FROM t",
        "SELECT try_strptime(a, '%H o''clock') AS moment FROM t",
        "SELECT a FROM t TABLESAMPLE (10 ROWS)",
    ],
)
def test_what_has_no_like_in_spark_is_refused(asked: str) -> None:
    with pytest.raises(BackendFailure) as refused:
        to_spark(asked, [])
    assert refused.value.kind == "sql_syntax"


def test_only_an_order_of_the_whole_statement_counts_as_one() -> None:
    assert is_ordered("SELECT a FROM t ORDER BY a")
    assert not is_ordered("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3) AS s")
