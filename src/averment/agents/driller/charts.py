"""The investigation's pictures as Vega-Lite: the waterfall of causes, segments before and after, and the days.

A picture holds numbers of recorded tables only, so that it can be drawn again from them to the same document.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date
from statistics import median
from typing import TYPE_CHECKING, Any

from averment.agents.driller.hypotheses import LOCATED
from averment.agents.driller.reading import ATTRIBUTION, DAILY, reading_of

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

WATERFALL, SEGMENTS, DAYS = "waterfall", "segments", "days"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_UP, _DOWN, _TOTAL = "#2b7a4b", "#b0413e", "#2458a6"
_PALE, _STRONG = "#b9c7dd", "#2458a6"
_USUAL = "#2b7a4b"
LEAST_DAYS, LEAST_WEEKS = 14, 4
"""So many days before the comparison, and so many of a weekday, are needed to say what is usual."""
NEAR, ROOM = 0.35, 0.2
"""Steps smaller than this share of their levels are shown near by, with so much room on either side."""
_WIDTH, _HEIGHT, _LONGEST = 560, 300, 44


def pictures(work: RunContext) -> dict[str, tuple[str, dict[str, Any]]]:
    """Each picture's name with its words and its Vega-Lite document."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    if ATTRIBUTION not in work.state.answered:
        return found
    metric = reading_of(work).metric.text
    found[WATERFALL] = (f"What moved {metric}, part by part", _waterfall(work))
    segments = _segments(work)
    if segments is not None:
        found[SEGMENTS] = ("Named segments on both sides", segments)
    if reading_of(work).groups is None:
        found[DAYS] = (f"{metric} by day, with both periods and the usual range marked", _days(work))
    return found


def _sides(work: RunContext) -> tuple[str, str]:
    """What the two sides are called in a picture."""
    groups = reading_of(work).groups
    if groups is None:
        return "baseline", "comparison"
    return _short(groups.words("baseline")), _short(groups.words("comparison"))


def _waterfall(work: RunContext) -> dict[str, Any]:
    rows = work.table(ATTRIBUTION).to_pylist()
    start, end = float(rows[0]["before"] or 0.0), float(rows[0]["after"] or 0.0)
    first, last = _sides(work)
    bars: list[dict[str, Any]] = [{"part": first, "from": 0.0, "to": start, "kind": "total"}]
    level = start
    for number, row in enumerate(rows[1:], start=1):
        step = float(row["contribution"] or 0.0)
        if row["part"] == "unexplained":
            name = "unexplained"
        elif row["kind"] not in LOCATED:
            name = str(row["fault"] or row["kind"]).replace("_", " ")
        else:
            name = str(row["segment"])
        label = f"{number}. {name}" if row["part"] == "explanation" else name
        kind = "up" if step >= 0 else "down"
        bars.append({"part": _short(label), "from": level, "to": level + step, "kind": kind})
        level += step
    bars.append({"part": last, "from": 0.0, "to": end, "kind": "total"})
    metric = reading_of(work).metric.text[:_LONGEST]
    axis: dict[str, Any] = {"field": "from", "type": "quantitative", "title": metric}
    near = fitting_axis([bar["to"] for bar in bars])
    if near is not None:
        axis["scale"] = {"domain": list(near), "nice": False, "zero": False}
        axis["title"] = [metric, "(axis does not begin at zero)"]
    return _document(
        bars,
        # Whole bars reach to zero; where the axis does not, they are cut at its edge.
        mark={"type": "bar", "clip": True} if near is not None else {"type": "bar"},
        encoding={
            "y": {"field": "part", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 280}},
            "x": axis,
            "x2": {"field": "to"},
            "color": {
                "field": "kind",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": ["total", "up", "down"], "range": [_TOTAL, _UP, _DOWN]},
            },
        },
        height=28 * len(bars),
    )


def fitting_axis(levels: Sequence[float]) -> tuple[float, float] | None:
    """From where to where an axis shows the steps between these levels; None where one from zero does.

    It is cut only where all levels are far from zero for how near they are to each other, and at round numbers.
    """
    low, high = min(levels), max(levels)
    span = high - low
    if not math.isfinite(span) or span <= 0 or low <= 0 <= high or span > NEAR * max(abs(low), abs(high)):
        return None
    power = math.floor(math.log10(span))
    step = 10.0**power / 2
    first = round(math.floor((low - ROOM * span) / step) * step, 1 - power)
    last = round(math.ceil((high + ROOM * span) / step) * step, 1 - power)
    return None if first <= 0 <= last else (first, last)


def _segments(work: RunContext) -> dict[str, Any] | None:
    points: list[dict[str, Any]] = []
    for row in work.table(ATTRIBUTION).to_pylist():
        if row["part"] == "explanation" and row["kind"] in LOCATED:
            label = _short(f"{row['rank']}. {row['segment']}: {row['kind']}")
            for side, period in zip(("before", "after"), _sides(work), strict=True):
                if row[side] is not None:
                    points.append({"segment": label, "period": period, "value": float(row[side])})
    if not points:
        return None
    return _document(
        points,
        mark={"type": "bar"},
        encoding={
            "y": {"field": "period", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "value", "type": "quantitative", "title": "level of the factor"},
            "row": {
                "field": "segment",
                "type": "nominal",
                "sort": None,
                "title": None,
                "header": {"labelAngle": 0, "labelAlign": "left", "labelOrient": "top"},
            },
            "color": {
                "field": "period",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": list(_sides(work)), "range": [_PALE, _STRONG]},
            },
        },
        height=44,
        independent=True,
    )


def _days(work: RunContext) -> dict[str, Any]:
    reading = reading_of(work)
    rows = reading.parsed_rows()
    ratio = reading.metric.kind == "ratio"
    points: list[dict[str, Any]] = []
    for row in work.table(DAILY).to_pylist():
        weight = float(row["weight"] or 0.0)
        if ratio and not weight:
            continue
        value = float(row["total"]) / weight if ratio else float(row["total"])
        points.append({"day": str(row["day"])[:10], "value": value})
    spans = [
        {"from": first.isoformat(), "to": last.isoformat(), "period": name}
        for name, (first, last) in (("baseline", rows.baseline), ("comparison", rows.comparison))
    ]
    title = reading.metric.text[:_LONGEST]
    x = {"field": "day", "type": "temporal", "title": None}
    band = {
        "data": {"values": spans},
        "mark": {"type": "rect", "opacity": 0.35},
        "encoding": {
            "x": {"field": "from", "type": "temporal"},
            "x2": {"field": "to"},
            "color": {
                "field": "period",
                "type": "nominal",
                "title": None,
                "scale": {"domain": ["baseline", "comparison"], "range": ["#d9d9d9", "#f3d9b1"]},
            },
        },
    }
    line = {
        "data": {"values": points},
        "mark": {"type": "line", "point": True, "color": _STRONG},
        "encoding": {"x": x, "y": {"field": "value", "type": "quantitative", "title": title}},
    }
    usual = usual_band(points, rows.comparison, reading.holidays)
    layers = [band, line]
    if usual:
        area = {
            "data": {"values": usual},
            "mark": {"type": "area", "opacity": 0.3, "color": _USUAL},
            "encoding": {
                "x": x,
                "y": {"field": "low", "type": "quantitative", "title": title},
                "y2": {"field": "high"},
            },
        }
        layers = [band, area, line]
    return {"$schema": _SCHEMA, "width": _WIDTH, "height": _HEIGHT, "layer": layers}


SUNDAY, HOLIDAY = 6, 7


def usual_band(
    points: Sequence[dict[str, Any]], comparison: tuple[date, date], holidays: Sequence[date] = ()
) -> list[dict[str, Any]]:
    """For each day of the comparison the range its weekday had before it; none with too few days to tell.

    The range is the median and twice the usual distance from it, by weekday where each has enough days. A public
    holiday is held against those before it or, with too few of them, against Sundays.
    """
    past: dict[int, list[float]] = {}
    free = frozenset(holidays)
    days = [(date.fromisoformat(point["day"]), float(point["value"])) for point in points]
    for day, value in days:
        if day < comparison[0]:
            past.setdefault(HOLIDAY if day in free else day.weekday(), []).append(value)
    every = [value for values in past.values() for value in values]
    if len(every) < LEAST_DAYS or not set(range(7)) <= set(past):
        return []
    found: list[dict[str, Any]] = []
    for day, _ in days:
        if comparison[0] <= day <= comparison[1]:
            kind = day.weekday()
            if day in free:
                kind = HOLIDAY if len(past.get(HOLIDAY, ())) >= LEAST_WEEKS else SUNDAY
            own = past[kind] if len(past[kind]) >= LEAST_WEEKS else every
            middle = median(own)
            width = 2 * 1.4826 * median([abs(value - middle) for value in own])
            found.append({"day": day.isoformat(), "low": middle - width, "high": middle + width})
    return found


def _document(
    values: list[dict[str, Any]],
    *,
    mark: dict[str, Any],
    encoding: dict[str, Any],
    height: int,
    independent: bool = False,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "$schema": _SCHEMA,
        "width": _WIDTH,
        "height": height,
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
    }
    if independent:
        # Segments differ in size and unit; each has an axis of its own.
        document["resolve"] = {"scale": {"x": "independent"}}
    return document


def picture_bytes(document: dict[str, Any]) -> bytes:
    """The document as it is kept: the same values always give the same bytes."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False, indent=1).encode()


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
