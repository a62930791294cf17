"""Caveats: what a reader must know to judge the answer, read off what was planned and what was recorded.

Nothing here looks at the clock, the data or the store: whoever verifies the run comes to the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.whole_periods import ends_left_out
from averment.plans.plan import Plan
from averment.reading.schema.drift import named_in
from averment.tables.read.load_notes import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import Foreseen, JsonObject
    from averment.tables.profile.profiler import TableProfile

FEW_ROWS = 30


def foresee(work: RunContext, reading: JsonObject, profiles: Sequence[TableProfile]) -> Foreseen:
    """What is known of the columns a reading speaks of: gaps, values taken for missing, periods cut short, few rows."""
    tables = named_in(reading, [profile.table for profile in profiles])
    used = [profile for profile in profiles if profile.table in tables] or list(profiles)
    gaps = [column.name for profile in used for column in profile.columns if column.nulls]
    plan = Plan.model_validate(reading["plan"]) if "plan" in reading else None
    computed = set(plan.columns()) if plan is not None else set[tuple[str, str]]()
    marked = [
        note
        for note in work.catalog.notes
        if note.code == MISSING and (note.table or "", note.column or "") in computed
    ]
    return {
        "gaps": list(dict.fromkeys(named_in(reading, gaps))),
        "marks": [note.message for note in marked],
        "ends": ends_left_out(work, plan) if plan is not None else None,
        "few_rows": bool(used) and max(profile.row_count for profile in used) < FEW_ROWS,
    }


def limits(work: RunContext) -> tuple[str, ...]:
    """All caveats of a run, the gravest first."""
    return (*repair_notes(work), *_missing_steps(work), *_cut(work), *_totals(work), *_foreseen(work))


def totals_left_out(work: RunContext) -> list[tuple[str, str]]:
    """The columns whose total rows the plan leaves out, each with what those rows are called."""
    from averment.reading.schema.total_choice import total_tests

    body = (work.state.reading.get("reading") or {}).get("plan")
    tests = total_tests(Plan.model_validate(body)) if body else ()
    return [(test.value.column or "", ", ".join(map(str, test.to))) for test in tests if test.value is not None]


def totals_counted_in(work: RunContext) -> list[tuple[str, str]]:
    """The columns whose total rows count because that was said or chosen, each with what those rows are called."""
    kept = (work.state.reading.get("judged") or {}).get("counted_in", ())
    return [(str(each["column"]), ", ".join(map(str, each["rows"]))) for each in kept]


def _totals(work: RunContext) -> list[str]:
    left_out = [
        f"{column} has rows that add up the others ({names}); they were left out. To see them, ask for them by name."
        for column, names in totals_left_out(work)
    ]
    return [
        *left_out,
        *(
            f"{column} has rows that add up the others ({names}); they are counted too, as was chosen."
            for column, names in totals_counted_in(work)
        ),
    ]


def _missing_steps(work: RunContext) -> list[str]:
    tasks = work.state.plan.subtasks if work.state.plan else ()
    return [
        f"The step {task.task_id} failed and is missing here."
        for task in tasks
        if task.task_id not in work.state.answered
    ]


def _cut(work: RunContext) -> list[str]:
    found: list[str] = []
    for call, observation in work.state.answered.values():
        if call.tool_name == "sql.run" and (observation.data or {}).get("truncated"):
            found.append(f"The result was cut at the row limit of {call.arguments['row_limit']} rows.")
    return list(dict.fromkeys(found))


def told_apart(work: RunContext) -> list[str]:
    """What the answer itself must say of its data: values that count as missing, and ends of a series left out."""
    foreseen = work.state.reading.get("foreseen", {})
    ends = foreseen.get("ends")
    return [*foreseen.get("marks", []), *([ends["said"]] if ends else [])]


def _foreseen(work: RunContext) -> list[str]:
    foreseen = work.state.reading.get("foreseen", {})
    found: list[str] = []
    found += told_apart(work)
    if gaps := foreseen.get("gaps"):
        found.append(f"Some rows have no value in {', '.join(gaps)}; they are not counted there.")
    if foreseen.get("few_rows"):
        found.append("The table has few rows, so averages and tests over it say little about anything beyond it.")
    return found


def repair_notes(work: RunContext) -> tuple[str, ...]:
    """What the queries that were run do otherwise than planned, in sentences."""
    from averment.tables.engines.rewrite_query import sampled_percent

    dialect = work.catalog.dialect
    planned = {task.task_id: task.arguments for task in (work.state.plan.subtasks if work.state.plan else ())}
    found: list[str] = []
    for task_id, (call, _) in work.state.answered.items():
        if call.tool_name != "sql.run":
            continue
        sql, before = str(call.arguments["query"]), planned.get(task_id, {})
        percent = sampled_percent(sql, dialect)
        if percent is not None:
            found.append(f"This is an estimate from a sample of {percent:g} % of the rows, always the same rows.")
        if call.attempt_number == 1:
            continue
        found += _cast_caveats(work, str(before.get("query", "")), sql)
        if int(call.arguments["row_limit"]) < int(before.get("row_limit", 0)):
            found.append("The result was too large to store in full, so fewer rows were requested.")
    return tuple(dict.fromkeys(found))


def _cast_caveats(work: RunContext, before: str, sql: str) -> list[str]:
    from averment.tables.engines.rewrite_query import cast_texts

    cast = cast_texts(before, work.catalog.dialect, work.catalog.schema())
    if cast is None or cast.sql != sql:
        return []
    return [
        f"{column} is text; cells that do not contain a plain {'number' if kind == 'number' else 'date'} were left out."
        for column, kind in cast.columns
    ]
