"""The last steps of a drill: the metric, the two periods, and the start."""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from fastapi import Request
from starlette.responses import Response

from averment.errors import AvermentError, InvalidDateRange, PeriodWithoutData
from averment.faces.web.drill.draft import DrillDraft
from averment.faces.web.drill.field_errors import FieldFault
from averment.faces.web.drill.form_state import DrillForm, Form
from averment.faces.web.drill.preparation import Model, Preview, roles_of
from averment.faces.web.shell.page_access import Fields
from averment.faces.web.shell.pages import Pages, go, show
from averment.records.drilldown.investigation import InvestigationContext
from averment.tables.engines.backend import quote

WIDTH, HEIGHT = 1000, 220
TICKS = 5
PAIRS = ((7, "the last week against the one before"), (28, "the last four weeks against the four before"))

Period = tuple[date, date]


@dataclass(frozen=True)
class Band:
    """A period on the picture."""

    name: str
    x: float
    width: float


@dataclass(frozen=True)
class DayPicture:
    """The line of days in a box of 1000 by 220 that stretches with the page, and the words at its edges."""

    path: str
    area: str
    bands: tuple[Band, ...]
    dates: tuple[str, ...]
    values: tuple[str, ...]
    first: date
    last: date
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class PeriodSuggestion:
    """Two periods under a name."""

    name: str
    baseline: Period
    comparison: Period

    @property
    def key(self) -> str:
        """The four days in one text, as a button sends them."""
        return ",".join(day.isoformat() for day in (*self.baseline, *self.comparison))


def draw_days(
    days: Sequence[tuple[date, float]], baseline: Period | None = None, comparison: Period | None = None
) -> DayPicture:
    """The days as a line; a period is drawn as far as it lies inside."""
    first, last = days[0][0], days[-1][0]
    span = max((last - first).days + 1, 1)
    low, high = _limits([value for _, value in days])
    points = [
        (
            round(WIDTH * ((day - first).days + 0.5) / span, 2),
            round(HEIGHT - HEIGHT * (value - low) / (high - low), 2),
        )
        for day, value in days
    ]
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    area = f"{path}L{points[-1][0]} {HEIGHT}L{points[0][0]} {HEIGHT}Z"
    bands = tuple(
        band
        for name, period in (("baseline", baseline), ("comparison", comparison))
        if period is not None and (band := _band(name, period, first, last, span)) is not None
    )
    steps = [first + timedelta(days=round((span - 1) * number / (TICKS - 1))) for number in range(TICKS)]
    dates = tuple(day.isoformat() for day in dict.fromkeys(steps))
    values = tuple(_compact(value) for value in (high, (high + low) / 2, low))
    return DayPicture(path, area, bands, dates, values, first, last)


def suggest(first: date, last: date) -> tuple[PeriodSuggestion, ...]:
    """Pairs of periods that lie inside the data, the later one last."""
    found: list[PeriodSuggestion] = []
    for length, name in PAIRS:
        later = (last - timedelta(days=length - 1), last)
        before = (later[0] - timedelta(days=length), later[0] - timedelta(days=1))
        if before[0] >= first:
            found.append(PeriodSuggestion(name, before, later))
    month = _whole_month(last)
    before = _whole_month(month[0] - timedelta(days=1))
    if before[0] >= first and all(one.comparison != month for one in found):
        found.append(PeriodSuggestion(f"{month[0]:%B} against {before[0]:%B}", before, month))
    half = (last - first).days + 1
    if half >= 4 and all(one.baseline[0] != first for one in found):
        middle = first + timedelta(days=half // 2)
        before = (first, middle - timedelta(days=1))
        found.append(PeriodSuggestion("the second half against the first", before, (middle, last)))
    return tuple(found)


def _whole_month(day: date) -> Period:
    """The last month that is over by that day."""
    if day.day != monthrange(day.year, day.month)[1]:
        day = day.replace(day=1) - timedelta(days=1)
    return day.replace(day=1), day


def _band(name: str, period: Period, first: date, last: date, span: int) -> Band | None:
    start, end = max(period[0], first), min(period[1], last)
    if end < start:
        return None
    return Band(name, round(WIDTH * (start - first).days / span, 2), round(WIDTH * ((end - start).days + 1) / span, 2))


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """The range of the axis: down to zero where that costs no more than half of the picture."""
    low, high = min(values), max(values)
    if low == high:
        return (min(low, 0.0), max(high, 0.0)) if low else (-1.0, 1.0)
    if low >= 0 and low < high / 2:
        return 0.0, high
    room = (high - low) * 0.08
    return low - room, high + room


def _compact(value: float) -> str:
    """A value at an axis: three digits and a letter."""
    if not math.isfinite(value):
        return ""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


router = Pages()


# --- the metric -------------------------------------------------------------------------------------------------------


@router.get("/drill/{session_id}/metric")
def show_metric(request: Request, form: Form) -> Response:
    """The metric, with what it gives once it is there."""
    return _metric_page(request, form)


@router.post("/drill/{session_id}/metric")
def keep_metric(request: Request, fields: Fields, form: Form) -> Response:
    """Keep the metric; it is shown first, or gone on from when it holds."""
    kept = form.keep(
        metric=(fields.get("example") or fields.get("metric", "")).strip()[:2000],
        background=fields.get("background", "").strip()[:5000],
        prompt=fields.get("prompt", "").strip()[:2000],
    )
    if fields.get("act") != "next":
        return _metric_page(request, kept, asked=True)
    try:
        _ = kept.preview
    except AvermentError:
        return _metric_page(request, kept, asked=True)
    return go(f"/drill/{form.session_id}/periods")


def _metric_page(request: Request, form: DrillForm, *, asked: bool = False) -> Response:
    found: Preview | None = None
    fault: FieldFault | None = None
    if form.draft.metric or asked:
        try:
            found = form.preview
        except AvermentError as error:
            fault = form.fault(error)
    return show(
        request,
        "drill/metric.html",
        status=422 if fault else 200,
        session_id=form.session_id,
        draft=form.draft,
        fault=fault,
        preview=found,
        picture=draw_days(found.days) if found and found.days else None,
        examples=_examples(form.model, form.draft),
        step="metric",
    )


def _examples(model: Model, draft: DrillDraft) -> list[str]:
    """Metrics that these tables can give, those of the longest first: sums of numbers, counts, and a mean."""
    tables = sorted(model.tables, key=lambda table: -table.file.row_count)
    columns = [(table, column) for table in tables for column in table.columns]
    names = [column.name for _, column in columns]

    def written(table: str, name: str) -> str:
        plain = name.isidentifier() and name.isascii()
        return (name if plain else quote(name)) if names.count(name) == 1 else f"{quote(table)}.{quote(name)}"

    role = draft.role
    numbers = [written(table.name, one.name) for table, one in columns if role(table.name, one) == "measure"]
    keys = [
        written(table.name, column.name)
        for table, column in columns
        if role(table.name, column) == "id" and column.cardinality < table.file.row_count
    ]
    found = [f"SUM({name})" for name in numbers[:3]] + ["COUNT(*)"]
    found += [f"AVG({name})" for name in numbers[:1]] + [f"COUNT(DISTINCT {name})" for name in keys[:1]]
    return found


# --- the periods and the start ----------------------------------------------------------------------------------------


@router.get("/drill/{session_id}/periods")
def show_periods(request: Request, form: Form) -> Response:
    """The metric day by day, and the two periods on it."""
    return _periods_page(request, form)


@router.post("/drill/{session_id}/periods")
def keep_periods(request: Request, fields: Fields, form: Form) -> Response:
    """Keep the periods, and start the investigation when that was asked for."""
    days = fields.get("suggested", "").split(",")
    if len(days) != 4:
        days = [fields.get(name, "")[:10] for name in ("before_start", "before_end", "after_start", "after_end")]
    kept = form.keep(
        baseline=(days[0], days[1]),
        comparison=(days[2], days[3]),
        flag=fields.get("flag", "")[:600],
        control=fields.get("control", "").strip()[:300],
        test=fields.get("test", "").strip()[:300],
    )
    if fields.get("act") != "start":
        return _periods_page(request, kept)
    try:
        _start(kept)
    except AvermentError as error:
        return _periods_page(request, kept, error)
    return go(f"/drill/{form.session_id}")


def _start(form: DrillForm) -> str:
    """Check both periods against the data, leave out the files that take no part, and start."""
    found, draft, sessions = form.preview, form.draft, form.workbench.sessions
    context: dict[str, Any] = {
        "metric_sql": found.metric,
        **_compared(draft),
        "business_context": draft.background or None,
        "investigation_prompt": _prompt(draft) or None,
    }
    checked = InvestigationContext.checked({**context, "session_id": form.session_id})
    for name, period in (("baseline", checked.baseline_period), ("comparison", checked.comparison_period)):
        if checked.groups is None and not found.total(period.start, period.end):
            raise PeriodWithoutData(
                f"The {name} period holds no day with data.",
                hint=f"The data run from {found.first} to {found.last}.",
                details={"period": name, "first": str(found.first), "last": str(found.last)},
            )
    taking_part = [table.name for table in form.model.tables if table.file.file_id not in found.apart]
    roles: dict[str, str] = {**roles_of(draft, taking_part)}
    if sessions.get(form.session_id).status == "completed":
        # Earlier investigations read those files; here they are only looked away from.
        apart = [table for table in form.model.tables if table.name not in taking_part]
        roles |= {f"{table.name}.{column.name}": "ignore" for table in apart for column in table.columns}
    else:
        for file_id in found.apart:
            sessions.remove_file(form.session_id, file_id)
    return sessions.start(form.session_id, context, column_roles=roles)


def _compared(draft: DrillDraft) -> dict[str, Any]:
    """The two periods or, where a flag was chosen, the two groups."""
    if draft.flag:
        return {"groups": {"column": draft.flag, "baseline": draft.control, "comparison": draft.test}}
    return {
        "baseline_period": {"start": draft.baseline[0], "end": draft.baseline[1]},
        "comparison_period": {"start": draft.comparison[0], "end": draft.comparison[1]},
    }


FEWEST, MOST = 2, 50
"""So many values a column has that tells groups apart."""


def _flags(model: Model) -> list[dict[str, Any]]:
    """The columns that may tell two groups apart, with some of their values."""
    return [
        {"name": f"{table.name}.{column.name}", "sample_values": column.sample_values}
        for table in model.tables
        for column in table.columns
        if FEWEST <= column.cardinality <= MOST and column.inferred_type != "timestamp"
    ]


def _prompt(draft: DrillDraft) -> str:
    """What the person asked for, and the columns that were marked, by which the driller looks there first."""
    columns = [name.partition(".")[2] for name in draft.focus]
    marked = f"Look at {', '.join(columns)}." if columns else ""
    return " ".join(part for part in (draft.prompt, marked) if part)[:2000]


def _periods_page(request: Request, form: DrillForm, error: AvermentError | None = None) -> Response:
    try:
        found = form.preview
    except AvermentError:
        return go(f"/drill/{form.session_id}/metric")
    draft = form.draft
    suggestions = suggest(found.first, found.last) if found.days else []
    if not any((*draft.baseline, *draft.comparison)) and suggestions:
        first = suggestions[-1]
        draft = form.keep(
            baseline=tuple(day.isoformat() for day in first.baseline),
            comparison=tuple(day.isoformat() for day in first.comparison),
        ).draft
    baseline, comparison = _period(draft.baseline), _period(draft.comparison)
    fault = None if error is None else form.fault(error)
    return show(
        request,
        "drill/periods.html",
        status=422 if fault else 200,
        session_id=form.session_id,
        draft=draft,
        preview=found,
        picture=draw_days(found.days, baseline, comparison) if found.days else None,
        flags=_flags(form.model),
        suggestions=suggestions,
        sides=_sides(found, draft, error),
        fault=fault,
        general=fault is not None and not isinstance(error, InvalidDateRange | PeriodWithoutData),
        step="periods",
    )


def _sides(found: Preview, draft: DrillDraft, error: AvermentError | None) -> list[dict[str, Any]]:
    """Both periods with what stands at their fields."""
    sides: list[dict[str, Any]] = []
    for name, key, given in (("baseline", "before", draft.baseline), ("comparison", "after", draft.comparison)):
        period = _period(given)
        is_bad = isinstance(error, InvalidDateRange) and period is None
        is_bad |= isinstance(error, PeriodWithoutData) and error.details.get("period") == name
        sides.append(
            {
                "name": name,
                "key": key,
                "start": given[0],
                "end": given[1],
                "days": 0 if period is None else (period[1] - period[0]).days + 1,
                "filled": 0 if period is None else found.total(*period),
                "bad": is_bad,
            }
        )
    return sides


def _period(given: tuple[str, str]) -> Period | None:
    try:
        start, end = (date.fromisoformat(text) for text in given)
    except ValueError:
        return None
    return (start, end) if start <= end else None
