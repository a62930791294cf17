"""The one entry: a leaf cube and options in, an attribution out.

Row-level metrics are searched factor by factor (row count, rate, value); a ratio by its rate inside segments and by
the mix of segments. Data faults and the calendar are taken out first, and whatever nothing explains is said to be so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from averment.stats.attribution.calendar import Exposure, equal_exposure, estimate_exposure
from averment.stats.attribution.contributions import Counterfactual, share_out
from averment.stats.attribution.cube import LeafCube
from averment.stats.attribution.factors import value_of
from averment.stats.attribution.forecast import attribute_forecast
from averment.stats.attribution.lattice import build_lattice
from averment.stats.attribution.mix_split import split_cube
from averment.stats.attribution.options import Options
from averment.stats.attribution.quality import find_faults
from averment.stats.attribution.search import FoundSegment, search_factors
from averment.stats.attribution.verdict import Attribution, Fault, SegmentExplanation, Verdict

_ROW_FAULTS = ("missing_days", "late_data", "duplicated_load")
_LEAST_ROWS = 12.0
_SAME_EXPOSURE = 1e-3
_GONE = 1e-3
_LEAST_SHARE = 0.1
"""A change of mix that moves a ratio by less than this part of its change explains nothing."""


def attribute(cube: LeafCube, options: Options) -> Attribution:
    """Why the metric of a cube moved: ranked explanations, or honestly none, and the rest.

    The result is the same for every order and labelling of the leaves, and for every unit of the metric.

    Raises:
        InvalidArguments: a forecast cube with negative totals.
    """
    if options.metric == "forecast":
        return attribute_forecast(cube, options)
    return _attribute_rows(cube, options)


def _attribute_rows(cube: LeafCube, options: Options) -> Attribution:
    ratio = options.metric == "ratio"
    scale = (1.0, 1.0) if ratio else options.scale
    before, after = (
        None if value is None else value * factor
        for value, factor in zip(
            (value_of(cube.baseline, ratio=ratio), value_of(cube.comparison, ratio=ratio)), scale, strict=True
        )
    )
    lattice = build_lattice(cube, options.max_dimensions, least_rows=_LEAST_ROWS)
    faults = _faults(options)
    clean = _exposure(options, faults)
    # Days that are missing or came twice change the exposure, not the world.
    seen = replace(clean, ratio=clean.ratio * _rows_factor(faults))
    explanations: list[SegmentExplanation] = []
    change: float | None = None
    if before is not None and after is not None:
        change = after - before
        found = search_factors(cube, lattice, options, seen, faults)
        settled = _exposure(options, faults, undone=_undone(cube, found, seen.ratio))
        if abs(settled.ratio / clean.ratio - 1.0) > _SAME_EXPOSURE:
            # What the named segments lost or gained was taken for growth; without it the days tell another story.
            clean = settled
            seen = replace(clean, ratio=clean.ratio * _rows_factor(faults))
            found = search_factors(cube, lattice, options, seen, faults)
        inside = _score(cube, found, change, ratio=ratio, scale=1.0 if ratio else scale[1] * seen.ratio)
        outside = _outside(cube, options, clean.ratio, seen.ratio, faults)
        explanations = [
            e.changed(share_of_change=e.contribution / change if change else None) for e in (*outside, *inside)
        ]
    return Attribution(
        metric=options.metric,
        baseline=before,
        comparison=after,
        change=change,
        verdict=_overall(explanations),
        explanations=tuple(explanations),
        unexplained=None if change is None else change - sum(e.contribution for e in explanations),
        mix=split_cube(cube) if ratio and change is not None else None,
        faults=faults,
        segments_searched=lattice.segments,
        alpha=options.alpha,
        exposure=seen.ratio,
        daily_growth=seen.daily_growth,
    )


def _exposure(options: Options, faults: Sequence[Fault], *, undone: float = 1.0) -> Exposure:
    """The exposure from the daily series; ``undone`` scales the comparison's days to what they were without causes."""
    if options.daily is None or options.baseline is None or options.comparison is None:
        return equal_exposure(options.exposure)
    faulty = {date.fromisoformat(day) for fault in faults if fault.kind in _ROW_FAULTS for day in fault.days}
    daily = options.daily
    if undone != 1.0:
        after = options.comparison.holds(daily.numbers)
        daily = replace(daily, rows=np.where(after, daily.rows * undone, daily.rows))
    return estimate_exposure(daily, options.baseline, options.comparison, without=faulty)


def _undone(cube: LeafCube, found: Sequence[FoundSegment], exposure: float) -> float:
    """How many times its rows the comparison would have had without what the named segments did to them."""
    rows = cube.comparison.rows
    multipliers = np.ones(len(rows))
    for one in found:
        if one.effect.factor == "volume" and one.explanation.segment:
            multipliers[one.effect.leaves] *= one.effect.multiplier
    # A segment that is gone leaves nothing to scale; its past stands in.
    usual = np.where(multipliers > _GONE, rows / np.maximum(multipliers, _GONE), cube.baseline.rows * exposure)
    usual = np.where(multipliers > 1.0 / _GONE, 0.0, usual)
    return float(usual.sum() / rows.sum()) if rows.sum() > 0 else 1.0


def _faults(options: Options) -> tuple[Fault, ...]:
    if options.daily is None or options.baseline is None or options.comparison is None:
        return ()
    return find_faults(options.daily, options.baseline, options.comparison, distinct=options.distinct_rows)


def _rows_factor(faults: Sequence[Fault]) -> float:
    factor = 1.0
    for fault in faults:
        if fault.kind in _ROW_FAULTS:
            factor *= fault.factor if fault.period == "comparison" else 1.0 / fault.factor
    return factor


def _score(
    cube: LeafCube, found: Sequence[FoundSegment], change: float, *, ratio: bool, scale: float
) -> list[SegmentExplanation]:
    """The explanations with what each contributes, the headline first, then the largest; what moves nothing is out.

    A change of volume that leaves a ratio where it was is real, but it does not explain the ratio.
    """
    parts = [scale * part for part in share_out(Counterfactual(cube, [f.effect for f in found], ratio=ratio))]
    size = max(abs(change), max((abs(part) for part in parts), default=0.0))
    scored = [
        (f, f.explanation.changed(contribution=part))
        for f, part in zip(found, parts, strict=True)
        if abs(part) > 0 and (not ratio or f.effect.factor != "volume" or abs(part) >= _LEAST_SHARE * size)
    ]
    if len(scored) < len(found):
        return _score(cube, [f for f, _ in scored], change, ratio=ratio, scale=scale)
    scored.sort(key=lambda pair: (not pair[0].headline, -abs(pair[1].contribution), sorted(pair[1].segment.items())))
    return [explanation for _, explanation in scored]


def _outside(
    cube: LeafCube, options: Options, clean: float, seen: float, faults: Sequence[Fault]
) -> list[SegmentExplanation]:
    """What no segment did: faults of the data, then the calendar."""
    ratio = options.metric == "ratio"
    total = 0.0 if ratio else float(cube.baseline.total.sum())
    explanations: list[SegmentExplanation] = []
    moved = [f for f in faults if f.kind in _ROW_FAULTS]
    gap = options.scale[1] * total * (seen - clean)
    weights = [abs(f.factor - 1.0) for f in moved]
    for fault in faults:
        contribution = 0.0
        if fault in moved and sum(weights) > 0:
            contribution = gap * abs(fault.factor - 1.0) / sum(weights)
        elif fault.kind == "unit_change" and options.daily is not None and not ratio:
            hit = {date.fromisoformat(day) for day in fault.days}
            inside = sum(float(t) for d, t in zip(options.daily.days, options.daily.totals, strict=True) if d in hit)
            contribution = options.scale[1] * inside * (1.0 - 1.0 / fault.factor)
        explanations.append(
            SegmentExplanation(
                segment={},
                verdict="data_fault",
                effect=fault.factor - 1.0,
                contribution=contribution,
                significance=0.0,
                fault=fault,
            )
        )
    calendar = total * (options.scale[1] * clean - options.scale[0])
    if abs(calendar) > 1e-9 * abs(total) * options.scale[0]:
        explanations.append(
            SegmentExplanation(
                segment={},
                verdict="calendar",
                effect=options.scale[1] * clean / options.scale[0] - 1.0,
                contribution=calendar,
                significance=0.0,
            )
        )
    return explanations


def _overall(explanations: Sequence[SegmentExplanation]) -> Verdict:
    """The verdict of the whole: a fault first, then the leading cause, then the calendar, then none."""
    for explanation in explanations:
        if explanation.verdict == "data_fault":
            return "data_fault"
    for explanation in explanations:
        if explanation.verdict != "calendar":
            return explanation.verdict
    return "calendar" if explanations else "no_finding"
