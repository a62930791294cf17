"""Watching saved metrics: the latest complete period beside what its own history makes likely; a drill only outside.

A metric is watched over days, weeks or months. Its expected range comes from earlier periods of the same length, of the
same season where there are years of them. What was looked at once is not looked at again: the state says it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, ValidationError, field_validator

from averment.errors import InvalidRequest
from averment.records.base import Record, derived_id

if TYPE_CHECKING:
    from averment.settings import Settings
    from averment.tables.cubes.cube_sql import Rows
    from averment.tables.engines.engine import Engine
    from averment.tables.metrics.parse import MetricForm

Every = Literal["day", "week", "month"]
WATCH = "5d1f6a3e-3f0c-5b0e-9a57-0c3a5d6e7f81"
"""From this the ids of drills are derived."""
LEAST_HISTORY = 6
_WIDTH = 3.0
_NEAR = 26
_YEARS = 2
_EVER = (date(1700, 1, 1), date(2199, 12, 31))


class WatchedMetric(Record):
    """A saved metric: its name, its files, how it is computed and in which periods."""

    name: str = Field(min_length=1, max_length=100)
    files: tuple[str, ...] = Field(min_length=1)
    sql: str = Field(min_length=1, max_length=2000)
    every: Every = "week"
    unit: str = ""


class KnownEvent(Record):
    """A day on which something known happened; it stands as a note beside a move."""

    day: date
    note: str = Field(min_length=1, max_length=200)


class Notify(Record):
    """Where a digest goes besides the screen; mail goes through a relay that asks for no login."""

    file: str | None = None
    webhook: str | None = None
    mail: tuple[str, ...] = ()
    sender: str = "averment@localhost"
    relay: str = "localhost:25"

    @field_validator("mail", mode="before")
    @classmethod
    def _one_or_many(cls, mail: object) -> object:
        return (mail,) if isinstance(mail, str) else mail


class WatchFile(Record):
    """What a file of saved metrics says."""

    metric: tuple[WatchedMetric, ...] = Field(min_length=1)
    event: tuple[KnownEvent, ...] = ()
    notify: Notify = Notify()


@dataclass(frozen=True, kw_only=True)
class MetricCheck:
    """One metric's latest period beside what was expected of it."""

    metric: WatchedMetric
    period: tuple[date, date]
    before: tuple[date, date]
    value: float
    expected: float | None
    low: float | None
    high: float | None
    notes: tuple[str, ...] = ()

    @property
    def outside(self) -> bool:
        """Whether the value lies outside the expected range."""
        return self.low is not None and self.high is not None and not self.low <= self.value <= self.high

    @property
    def run_id(self) -> str:
        """The id of the drill for this metric and period: the same look begins the same run."""
        return derived_id(WATCH, self.metric.name, self.metric.sql, *(str(day) for day in self.period))


def read_watch_file(path: Path) -> WatchFile:
    """The saved metrics of a TOML file; paths of files are taken from where it lies.

    Raises:
        InvalidRequest: it is no such file.
    """
    try:
        found = WatchFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise InvalidRequest(
            f"{path.name} does not contain saved metrics: {str(error).splitlines()[0]}",
            hint="A metric is a table [[metric]] with name, files and sql.",
        ) from error
    placed = [
        one.changed(files=tuple(each if "://" in each else str((path.parent / each).absolute()) for each in one.files))
        for one in found.metric
    ]
    return found.changed(metric=tuple(placed))


def look_at(
    metric: WatchedMetric, settings: Settings, cache_dir: Path, events: Sequence[KnownEvent] = ()
) -> MetricCheck | None:
    """The latest complete period of a metric; None where the data hold none with one before it.

    Raises:
        SourceError, MetricUnreadable, MissingColumn, NoDateColumn: the metric cannot be computed.
    """
    from averment.tables.engines.engine import Engine
    from averment.tables.sources.opening import open_sources

    catalog = open_sources(list(metric.files), settings=settings, cache_dir=cache_dir)
    engine = Engine(catalog, settings)
    try:
        form, rows = _followed(engine, metric)
        days = _days(engine, form, rows)
        periods = complete_periods(metric.every, min(days), max(days)) if days else []
        if len(periods) < 2:
            return None
        values = _values(engine, form, rows, days, metric.every, periods)
    finally:
        engine.close()
    latest = values[-1]
    if latest is None:
        return None
    expected = expected_range(metric.every, values)
    period = periods[-1]
    return MetricCheck(
        metric=metric,
        period=period,
        before=periods[-2],
        value=latest,
        expected=None if expected is None else expected[0],
        low=None if expected is None else expected[1],
        high=None if expected is None else expected[2],
        notes=tuple(e.note for e in events if period[0] - timedelta(days=1) <= e.day <= period[1]),
    )


def expected_range(every: Every, values: Sequence[float | None]) -> tuple[float, float, float] | None:
    """The middle and the ends of what the last value was to be, by those before it; None with too few of them."""
    past = list(values[:-1])
    seasons, lately = _looked_at(every, len(past))
    same_season = [value for at in seasons if (value := past[at]) is not None]
    near = [value for at in lately if (value := past[at]) is not None]
    chosen = near
    if len(same_season) >= _YEARS and len(near) >= LEAST_HISTORY:
        level = float(np.median(near[:4])) / max(float(np.median(near)), 1e-300)
        chosen = [value * level for value in same_season] + near[:3]
    if len(chosen) < min(LEAST_HISTORY, _YEARS + 3):
        return None
    middle = float(np.median(chosen))
    scatter = max(1.4826 * float(np.median(np.abs(np.array(chosen) - middle))), 0.02 * abs(middle))
    return middle, middle - _WIDTH * scatter, middle + _WIDTH * scatter


def _looked_at(every: Every, count: int) -> tuple[list[int], list[int]]:
    """The places of the same season in other years, and of the nearest past, among so many periods before one."""
    year = {"day": 364, "week": 52, "month": 12}[every]
    step = 7 if every == "day" else 1
    near = list(range(count))[::-1][step - 1 :: step][:_NEAR]
    return [count - year * back for back in range(1, 6) if year * back <= count], near


def complete_periods(every: Every, first: date, last: date) -> list[tuple[date, date]]:
    """The whole days, weeks (from Monday) or months between two days, in order."""
    found: list[tuple[date, date]] = []
    start = first
    if every == "week":
        start = first + timedelta(days=-first.weekday() % 7)
    elif every == "month" and first.day > 1:
        start = _next_month(first)
    while True:
        after = start + timedelta(days=1 if every == "day" else 7) if every != "month" else _next_month(start)
        if after - timedelta(days=1) > last:
            return found
        found.append((start, after - timedelta(days=1)))
        start = after


def _next_month(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _followed(engine: Engine, metric: WatchedMetric) -> tuple[MetricForm, Rows]:
    """A metric, given as SQL or in words, and its rows with their day."""
    from dataclasses import replace

    from averment.agents.driller.metric_reading import Unsure, resolve_metric
    from averment.tables.cubes.cube_sql import Rows
    from averment.tables.cubes.date_column import find_day
    from averment.tables.metrics.joins import place_metric
    from averment.tables.profile.profiler import profile
    from averment.tables.profile.relationships import relate

    profiles = [profile(engine, table.name) for table in engine.catalog.tables]
    try:
        form, _ = resolve_metric(metric.sql, engine, profiles, ())
    except Unsure as unsure:
        raise InvalidRequest(
            f"{metric.name} is not clear. {unsure.question}", hint="Give an aggregate such as SUM(amount)."
        ) from unsure
    source = place_metric(engine, form, relate(engine, profiles))
    rows = Rows.undated(engine.catalog.dialect, source, form, _EVER, _EVER)
    day = find_day(engine, rows, profiles)
    return form, replace(rows, day_sql=day.sql, day_table=day.table)


def _days(engine: Engine, form: MetricForm, rows: Rows) -> dict[date, tuple[float, float | None]]:
    """The metric's numerator and denominator by day."""
    from averment.tables.cubes.cube_sql import daily_sql

    table: list[dict[str, Any]] = engine.run(daily_sql(rows, _EVER), timeout=120.0).table.to_pylist()
    ratio = form.kind == "ratio"
    found: dict[date, tuple[float, float | None]] = {}
    for row in table:
        at = row["day"] if isinstance(row["day"], date) else date.fromisoformat(str(row["day"])[:10])
        found[at] = (form.scale * float(row["total"]), float(row["weight"]) if ratio else None)
    return found


def _values(
    engine: Engine,
    form: MetricForm,
    rows: Rows,
    days: dict[date, tuple[float, float | None]],
    every: Every,
    periods: Sequence[tuple[date, date]],
) -> list[float | None]:
    """The metric in each period; a percentile, whose days do not add up, is asked for where it is looked at."""
    if form.quantile is None:
        return [_value(days, period) for period in periods]
    from averment.tables.metrics.quantile import quantile_of

    seasons, lately = _looked_at(every, len(periods) - 1)
    asked = {*seasons, *lately, len(periods) - 1}
    return [
        quantile_of(engine, rows, form.quantile, period) if at in asked else None for at, period in enumerate(periods)
    ]


def _value(days: dict[date, tuple[float, float | None]], period: tuple[date, date]) -> float | None:
    inside = [pair for day, pair in days.items() if period[0] <= day <= period[1]]
    if not inside:
        return None
    top = sum(pair[0] for pair in inside)
    if inside[0][1] is None:
        return top
    bottom = sum(pair[1] or 0.0 for pair in inside)
    return top / bottom if bottom else None
