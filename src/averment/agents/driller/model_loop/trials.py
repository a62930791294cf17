"""How a proposed hypothesis is tested: the tasks of its round, what its result means, and how that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.driller.cause_claims import percent_of
from averment.agents.driller.cells import Cells
from averment.agents.driller.model_loop.forms import Spec
from averment.agents.driller.model_loop.queries import cut_sql, series_sql
from averment.agents.driller.model_loop.trial_scripts import DAYS, GROUPS, LAG
from averment.agents.driller.reading import CUBE, DAILY, query_task, reading_of
from averment.agents.driller.scripts import written
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.records.claim import ClaimValue
    from averment.runtime.run_context import RunContext

SECONDS, LIMIT = 0.5, 30
LEAST_ERRORS = {"segment": 5.0, "derived": 5.0, "other_table": 5.0, "lag": 4.0, "calendar": 3.5}
"""So many standard errors a result must lie away from chance: many groups and days are looked at."""
LEAST_APART = 0.1
LEAST_ROWS = 0.01
LEAST_CORRELATION = 0.3
LEAST_DAYS = 20
"""A difference from the rest, a share of the rows, a correlation and so many days below which nothing is confirmed."""


def tasks_of(work: RunContext, spec: Spec, number: int) -> tuple[Subtask, ...]:
    """The query and the script of the round that tests a spec; the last task holds the result."""
    reading = reading_of(work)
    question, name = f"Round {number}: {spec.title}?", f"round_{number:02d}"
    ratio, wanted = reading.metric.kind == "ratio", f"Rows for: {spec.title}"
    match spec.kind:
        case "segment":
            constants: dict[str, Any] = {"CUT": CUBE, "AXIS": None, "SEGMENT": dict(sorted(spec.segment.items()))}
            code = written(GROUPS, question, {**constants, "FIGURE": ("total", "weight" if ratio else None)})
            return (_python(name, spec, code, [CUBE]),)
        case "derived" | "other_table":
            cut = f"cut_{number:02d}"
            constants = {"CUT": cut, "AXIS": spec.axis_name, "SEGMENT": None}
            code = written(GROUPS, question, {**constants, "FIGURE": ("total", "weight" if ratio else None)})
            return query_task(work, cut, wanted, cut_sql(work, spec), SECONDS), _python(name, spec, code, [cut])
        case "lag":
            series = f"series_{number:02d}"
            code = written(LAG, question, {"SERIES": series, "DAYS": spec.days, "RATIO": ratio})
            query = query_task(work, series, wanted, series_sql(work, spec), SECONDS)
            return query, _python(name, spec, code, [series, DAILY])
        case "calendar":
            assert spec.first is not None
            assert spec.last is not None
            rows = reading.parsed_rows()
            period = next(one for one in (rows.baseline, rows.comparison) if one[0] <= spec.first <= one[1])
            constants = {
                "FIRST": spec.first.isoformat(),
                "LAST": spec.last.isoformat(),
                "PERIOD": [day.isoformat() for day in period],
                "RATIO": ratio,
            }
            return (_python(name, spec, written(DAYS, question, constants), [DAILY]),)


def holds(work: RunContext, task: str, spec: Spec) -> bool:
    """Whether a result is far enough from chance, and large enough, to confirm the hypothesis."""
    result = Cells(work, task)
    if abs(result.number(0, "standard_errors")) < LEAST_ERRORS[spec.kind]:
        return False
    match spec.kind:
        case "segment" | "derived" | "other_table":
            apart = abs(result.number(0, "relative") - result.number(0, "rest")) >= LEAST_APART
            return apart and result.number(0, "share_of_rows") >= LEAST_ROWS
        case "lag":
            enough = result.number(0, "days_compared") >= LEAST_DAYS
            return enough and abs(result.number(0, "correlation")) >= LEAST_CORRELATION
        case "calendar":
            usual = abs(result.number(0, "mean_outside"))
            return abs(result.number(0, "mean_inside") - result.number(0, "mean_outside")) >= LEAST_APART * usual


def told_of(result: Cells, spec: Spec, figure: str) -> tuple[str, list[ClaimValue], dict[str, str], str]:
    """The relation a result is told by, with its values, words and figure."""
    errors = [result.told("errors", 0, "standard_errors", "number:1")] if result.has(0, "standard_errors") else []
    match spec.kind:
        case "segment" | "derived" | "other_table":
            values = [result.told("value", 0, "value"), *result.told_apart(0, {"before": "before", "after": "after"})]
            values += percent_of(result, 0, "before", "after")
            values += [result.told("rest", 0, "rest", "fraction")] if result.has(0, "rest") else []
            return "tested_cut", [*values, *errors], {"cut": ", ".join(sorted(spec.segment)) or spec.axis_name}, figure
        case "lag":
            values = [
                result.told("earlier", 0, "days_earlier", "count"),
                result.told("days", 0, "days_compared", "count"),
            ]
            values += [result.told("correlation", 0, "correlation", "number:2")] if result.has(0, "correlation") else []
            what = f"rows of {spec.table}" if spec.function == "rows" else f"{spec.function} of {spec.axis_name}"
            return "tested_lag", [*values, *errors], {"series": what}, figure
        case "calendar":
            values = [
                result.told("first", 0, "first"),
                result.told("last", 0, "last"),
                result.told("days", 0, "days", "count"),
                result.told("others", 0, "other_days", "count"),
                *result.told_apart(0, {"inside": "mean_inside", "outside": "mean_outside"}),
            ]
            return "tested_days", [*values, *errors], {}, figure


METHODS = {
    "segment": "The segment's figure in both periods against what the rest of the data leads one to expect.",
    "derived": "Each group's figure in both periods against what the rest of the data leads one to expect.",
    "other_table": "Each group's figure in both periods against what the rest of the data leads one to expect.",
    "lag": "Day-to-day moves of both series, each freed of its weekdays, correlated at that distance.",
    "calendar": "The days' mean against the other days of the period, each day beside its own weekday.",
}


def _python(name: str, spec: Spec, code: str, inputs: list[str]) -> Subtask:
    return Subtask(
        task_id=name,
        description=spec.title,
        tool_name="python.run",
        dependencies=tuple(one for one in inputs if one not in {CUBE, DAILY}),
        estimated_cost_seconds=SECONDS,
        arguments={"code": code, "inputs": inputs, "timeout": LIMIT},
    )
