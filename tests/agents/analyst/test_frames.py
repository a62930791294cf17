"""What an analyst's document says beside its claims is one of its frame sentences, around what was recorded."""

import types
from typing import Any

import pytest

from averment.agents.analyst.frames import told_by
from averment.errors import UntrueClaim
from averment.plans.plan import Measure, Plan, Value
from averment.plans.readback import read_back
from averment.records.run import Finding
from averment.runtime.decisions import Conclusion

TIP = Value(table="tips", column="tip")
PLAN = Plan(table="tips", by=(Value(table="tips", column="day"),), measures=(Measure(function="mean", of=TIP),))
FINDING = Finding(finding_id="rows-1", template="", slots={}, text="The average tip is 3.26 for Sun.", method="")


def work(**reading: Any) -> Any:
    call = types.SimpleNamespace(tool_name="sql.run", arguments={"row_limit": 100, "query": "SELECT 1"})
    seen = types.SimpleNamespace(data={"params": ["Sun", 3], "table": {"row_count": 70}})
    column = types.SimpleNamespace(name="tip")
    runs = types.SimpleNamespace(record=lambda *_: None)  # What a summary cost is kept with its run; this one has none.
    return types.SimpleNamespace(
        run_id="run",
        services=types.SimpleNamespace(store=types.SimpleNamespace(runs=runs)),
        request=types.SimpleNamespace(intent=" average tip by day? "),
        catalog=types.SimpleNamespace(
            notes=(types.SimpleNamespace(message="tips.csv: 1 line was left out."),),
            tables=(types.SimpleNamespace(columns=(column,)),),
            dialect="duckdb",
        ),
        state=types.SimpleNamespace(
            answered={"query": (call, seen)},
            plan=types.SimpleNamespace(subtasks=(types.SimpleNamespace(task_id="query"),)),
            reading={
                "skill": "plan",
                "reading": {"plan": PLAN.to_json(), "chart": {"title": "Average tip by day"}},
                **reading,
            },
        ),
    )


CONCLUSION = Conclusion(answer=FINDING.text, findings=(FINDING,), status="completed")


@pytest.mark.parametrize(
    "text",
    [
        FINDING.text,
        "average tip by day?",
        f"Interpreted as: {read_back(PLAN)}.",
        f"Compute {read_back(PLAN)} (sql.run).",
        "Parameters: 'Sun', 3.",
        "The result was cut at the row limit of 100 rows.",
        "Some rows have no value in tip; they are not counted there.",
        "The first 50 of 70 rows; all are in result.csv.",
        "tips.csv: 1 line was left out.",
        "Average tip by day",
        "The query failed: the engine does not accept it.",
    ],
)
def test_frames_around_what_was_recorded_pass(text: str) -> None:
    assert told_by(work(), CONCLUSION, shown_rows=50).loose(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f"{FINDING.text} Sunday's guests are the most generous.",
        "Interpreted as: total tip, by day, in tips.",
        "Compute whatever a model wrote (sql.run).",
        "Compute average tip, by day, in tips (python.run).",
        "Parameters: 'Mon'.",
        "The result was cut at the row limit of 5 rows.",
        "Some rows have no value in salary; they are not counted there.",
        "Tips doubled.",
        "The first 50 of 71 rows; all are in result.csv.",
    ],
)
def test_words_that_nothing_carries_are_refused(text: str) -> None:
    told = told_by(work(in_words=text, read_as=text), CONCLUSION, shown_rows=50)
    with pytest.raises(UntrueClaim):
        told.check([("answer", text)])


def test_what_a_person_taught_is_said_with_the_reading() -> None:
    told = told_by(work(told=["revenue = Total, as you told"]), CONCLUSION, shown_rows=50)
    assert told.loose(f"Interpreted as: {read_back(PLAN)}; revenue = Total, as you told.") is None
