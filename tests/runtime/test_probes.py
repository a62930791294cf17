"""Whatever an agent looks at while it makes up its mind is in the ledger, one entry a step."""

from typing import Any

import pytest
from scripted import Scripted, Stage, sql

from averment.errors import AvermentError, ColumnNotAllowed
from averment.runtime.decisions import Planned
from averment.runtime.run_queries import LISTED

GOOD = "SELECT region, sum(amount) AS total FROM t GROUP BY region ORDER BY region"


class Curious(Scripted):
    """Looks into the data before it plans."""

    def __init__(self, looks: Any) -> None:
        super().__init__([sql("one", GOOD)])
        self.looks = looks
        self.seen: Any = None

    def plan(self, work: Any) -> Planned:
        self.seen = self.looks(work)
        return super().plan(work)


def probed(stage: Stage) -> list[dict[str, Any]]:
    return [entry.event_data for entry in stage.entries() if entry.event_data.get("kind") == "probe"]


def test_the_probes_of_a_step_are_one_entry_with_each_query_and_how_it_ended(stage_on_each: Stage) -> None:
    queries = [("SELECT count(*) AS n FROM t WHERE region = ?", ["West"]), ("SELECT nothing FROM t", [])]
    agent = Curious(lambda work: work.queries.probe_many(queries))
    assert stage_on_each.play(agent).status == "completed"
    found, error = agent.seen
    assert found.table.to_pylist() == [{"n": 2}]
    assert isinstance(error, AvermentError)
    (entry,) = probed(stage_on_each)
    assert (entry["step"], entry["count"]) == ("plan", 2)
    counted, failed = entry["arguments"]["queries"]
    assert counted["params"] == ["West"]
    assert counted["rows"] == 1
    assert counted["query_hash"] == found.query_hash
    assert failed == {"sql": "SELECT nothing FROM t", "error": "MISSING_COLUMN"}


def test_a_query_that_goes_around_the_tools_is_a_probe_too(stage: Stage) -> None:
    stage.play(Curious(lambda work: work.queries.engine().run("SELECT max(amount) AS m FROM t")))
    (entry,) = probed(stage)
    assert [each["sql"] for each in entry["arguments"]["queries"]] == ["SELECT max(amount) AS m FROM t"]


def test_a_run_that_looks_at_nothing_has_no_probe_entry(stage: Stage) -> None:
    stage.play(Scripted([sql("one", GOOD)]))
    assert probed(stage) == []


def test_of_many_probes_the_entry_lists_some_and_holds_all_by_their_hash(stage: Stage) -> None:
    queries = [(f"SELECT count(*) AS n FROM t WHERE amount > {number}", []) for number in range(LISTED + 5)]
    stage.play(Curious(lambda work: work.queries.probe_many(queries)))
    (entry,) = probed(stage)
    assert entry["count"] == LISTED + 5
    assert len(entry["arguments"]["queries"]) == LISTED
    assert len(entry["queries_sha256"]) == 64


def test_a_probe_is_under_the_policy_of_its_run_and_the_refusal_is_recorded(stage: Stage) -> None:
    def look(work: Any) -> None:
        with pytest.raises(ColumnNotAllowed):
            work.queries.probe("SELECT max(region) AS r FROM t")

    stage.play(Curious(look), policy={"allowed_columns": ["amount"], "blocked_patterns": []})
    (entry,) = probed(stage)
    assert entry["arguments"]["queries"][0]["error"] == "COLUMN_NOT_ALLOWED"


def test_what_was_looked_at_before_a_run_failed_is_recorded(stage: Stage) -> None:
    def look(work: Any) -> None:
        work.queries.probe("SELECT count(*) AS n FROM t")
        raise ValueError("the agent broke")

    assert stage.play(Curious(look)).status == "failed"
    (entry,) = probed(stage)
    assert entry["count"] == 1
