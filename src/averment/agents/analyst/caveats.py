"""Caveats: what a reader must know to judge the answer, read off what was planned and what was recorded.

Nothing here looks at the clock, the data or the store: whoever verifies the run comes to the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from averment.claims.speech import listed
from averment.errors import PolicyError, ToolError
from averment.evidence.formats import write
from averment.plans.columns import part_kind
from averment.plans.compile import compile_plan
from averment.plans.plan import Measure, Plan, Value, Window
from averment.plans.registry import WINDOWS
from averment.reading.schema.drift import named_in
from averment.tables.read.staging import MISSING

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import EndsLeftOut, Foreseen, JsonObject
    from averment.tables.profile.profiler import TableProfile


MOST_DAYS = 20_000
FEW_PERIODS = 4
"""From so many other periods on an end is held against them, and not against the days between rows."""

UNUSUAL = 3
"""So many standard deviations over what is usual are more than chance."""

LEAST_SHARE = 0.05
"""A period that lacks less of its time than this is as good as whole."""

Spans = Mapping[datetime, tuple[datetime, datetime]]
"""The periods that have rows: when each begins, and the first and last moment of its rows."""


def ends_left_out(work: RunContext, plan: Plan) -> EndsLeftOut | None:
    """The first and last period of a series in time that are not whole, and how that is said; None if both are."""
    keys = [value for value in plan.by if value.kind == "part" and value.part in _LENGTHS and value.number is None]
    other = plan.statistic or plan.rank or plan.asks
    if (
        len(keys) != 1
        or not plan.measures
        or other
        or (plan.window is not None and not compares_neighbours(plan.window))
    ):
        return None
    key = keys[0]
    # What is asked about has ends of its own, as in "since 20 April"; other conditions say nothing of the calendar.
    dated = tuple(test for test in plan.where if set(test.columns()) == {(key.table, key.column)})
    try:
        spans, between = _covered(work, Plan(table=key.table or "", where=dated, by=(key,)), key)
        answered = spans if dated == plan.where else _covered(work, plan, key)[0]
    except (ToolError, PolicyError):
        return None
    if len(spans) < 2:
        return None
    first, last = min(spans), max(spans)
    part, kind = key.part or "", part_kind(key)
    begins, ends = spans[first][0], spans[last][1] - (timedelta() if part == "day" else timedelta(days=1))
    told: list[tuple[datetime, str]] = []
    if first in answered and _is_short(spans, between, part, first, late=True):
        told.append((first, f"begin on {_written(begins, part)}"))
    if last in answered and _is_short(spans, between, part, last):
        told.append((last, f"end on {_written(ends, part)}"))
    if not told:
        return None
    periods = [str(start.year) if part == "year" else str(start.date()) for start, _ in told]
    names = listed([write(each, kind) for each in periods])
    are = "is not whole and is" if len(told) == 1 else "are not whole and are"
    data = "The rows asked about" if dated else "The data"
    said = f"{data} {' and '.join(how for _, how in told)}, so {names} {are} left out of the comparison."
    return {"periods": periods, "said": said}


def compares_neighbours(window: Window) -> bool:
    """Whether a window sets each period against an earlier one."""
    return bool(WINDOWS[window.kind].compares) and window.span is None


def _written(moment: datetime, part: str) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if part == "day" else f"{moment:%Y-%m-%d}"


def _covered(work: RunContext, plan: Plan, key: Value) -> tuple[dict[datetime, tuple[datetime, datetime]], list[float]]:
    """The periods that have rows, and how many days lie between one day with rows and the next."""
    by = key.model_copy(update={"part": "day"})
    column = Value(table=key.table, column=key.column)
    measures = (Measure(function="min", of=column), Measure(function="max", of=column))
    days = Plan(table=plan.table, joins=plan.joins, where=plan.where, by=(by,), measures=measures)
    composed = compile_plan(days).compose(work.catalog.dialect)
    table = work.queries.probe(composed.sql, composed.params, row_limit=MOST_DAYS, timeout=10.0).table
    rows = [[_moment(value) for value in row.values()] for row in table.to_pylist()]
    known = sorted(tuple(each for each in row if each is not None) for row in rows if None not in row)
    spans: dict[datetime, tuple[datetime, datetime]] = {}
    for day, first, last in known:
        start = _start(day, key.part or "")
        begins, ends = (first, last) if key.part == "day" else (day, day + timedelta(days=1))
        spans[start] = (spans[start][0] if start in spans else begins, ends)
    return spans, [float((two[0] - one[0]).days - 1) for one, two in pairwise(known)]


def _is_short(spans: Spans, between: Sequence[float], part: str, end: datetime, *, late: bool = False) -> bool:
    """Whether the data begin too late in their first period, or end too early in their last."""

    def lacks(start: datetime) -> float:
        begins, ends = spans[start]
        return ((begins - start) if late else (_end(start, part) - ends)) / timedelta(days=1)

    missing, others = lacks(end), [lacks(start) for start in spans if start != end]
    if missing < LEAST_SHARE * ((_end(end, part) - end) / timedelta(days=1)):
        return False
    usual = others if len(others) >= FEW_PERIODS or part == "day" else between
    return len(usual) >= FEW_PERIODS and missing > max(usual) and missing >= fmean(usual) + UNUSUAL * pstdev(usual)


def _start(day: datetime, part: str) -> datetime:
    match part:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day


_LENGTHS = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}
"""The periods of a calendar, and how many days each has at most."""


def _end(start: datetime, part: str) -> datetime:
    """When the period ends: where the next one begins."""
    exact = part in {"day", "week"}
    return start + timedelta(days=_LENGTHS[part]) if exact else _start(start + timedelta(days=_LENGTHS[part]), part)


def _moment(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else None


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
