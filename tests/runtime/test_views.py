"""A view is no way round the policy: what counts is the column it reads underneath."""

from pathlib import Path

import duckdb
import pytest
from scripted import Scripted, Stage, sql


@pytest.fixture
def viewed(tmp_path: Path, stage: Stage) -> Stage:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t(region TEXT, amount DECIMAL(10,2))")
        connection.execute("INSERT INTO t VALUES ('West', 1.50), ('East', 2.25)")
        connection.execute("CREATE VIEW harmless AS SELECT region AS amount FROM t")
        connection.execute("CREATE VIEW deeper AS SELECT upper(amount) AS amount FROM harmless")
        connection.execute("CREATE VIEW honest AS SELECT amount FROM t")
    stage.source = path
    return stage


@pytest.mark.parametrize("view", ["harmless", "deeper"])
@pytest.mark.parametrize("columns", ["amount", "*", "count(amount) AS n"])
def test_a_view_that_renames_a_forbidden_column_is_refused(viewed: Stage, view: str, columns: str) -> None:
    row = viewed.play(Scripted([sql("one", f"SELECT {columns} FROM {view}")]), policy={"allowed_columns": ["amount"]})
    assert row.status == "failed"
    assert row.error["code"] == "COLUMN_NOT_ALLOWED"


def test_a_view_over_allowed_columns_is_read(viewed: Stage) -> None:
    agent = Scripted([sql("one", "SELECT sum(amount) AS s FROM honest")])
    assert viewed.play(agent, policy={"allowed_columns": ["amount"]}).status == "completed"
