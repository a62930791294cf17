"""Which dimensions may be named: no labels of time, identifiers, siblings of the outcome, copies, or persons."""

from __future__ import annotations

import re

import numpy as np

from averment.stats.attribution.facts import NONE, OTHER, CodedAxis, Codes, Facts

MOST_VALUES = 400
_FEW_NUMBERS = 12
_MANY, _THIN = 60, 12
_WITH_OUTCOME = 0.25
_MOSTLY = 0.9
_TURNED = 0.25
_MANY_SHORT, _MOST_SHORT, _SHORT = 8, 0.6, 0.35
_PERSONAL = re.compile(
    r"((first|last|middle|sur|full|given|family)[ _]?name|phone|fax|e-?mail|address|street|zip|postal|postcode|url"
    r"|latitude|longitude|^lat$|^lon$|^lng$|ssn|birth)",
    re.IGNORECASE,
)
_ID = re.compile(r"((^|[_ .])(id|uuid|key|no|nr|code)$|Id$|ID$)")


def clean_dimensions(facts: Facts) -> tuple[tuple[str, ...], dict[str, str]]:
    """The names of dimensions that may be told, readable ones first, and the others with the reason."""
    refused: dict[str, str] = {}
    kept: list[str] = []
    for name, axis in facts.axes.items():
        reason = _unfit(facts, name, axis)
        if reason is None:
            kept.append(name)
        else:
            refused[name] = reason
    kept.sort(key=lambda name: (_numeric(facts.axes[name]) is not None, bool(_ID.search(name))))
    told: list[str] = []
    for name in kept:
        twin = next((other for other in told if _copies(facts, name, other)), None)
        if twin is None:
            told.append(name)
        else:
            refused[name] = f"always goes together with {twin}"
    return tuple(told), refused


def _unfit(facts: Facts, name: str, axis: CodedAxis) -> str | None:
    both = facts.both
    codes = axis.codes[both]
    values = np.unique(codes)
    rows = float(facts.rows[both].sum())
    if name in facts.inputs:
        return "the metric itself is made of it"
    if len(values) < 2:
        return "one value only in both periods"
    if _PERSONAL.search(name):
        return "it identifies persons"
    if len(values) > MOST_VALUES or (len(values) > 0.5 * rows and rows > 12):
        return "it has a value of its own for most rows"
    if OTHER in axis.labels and float(facts.rows[both][codes == axis.code(OTHER)].sum()) > _MOSTLY * rows:
        return "it has a value of its own for most rows"
    if _ID.search(name) and len(values) > 60 and not facts.panel:
        return "it has a value of its own for most rows"
    if not facts.panel and len(values) > _MANY and rows / len(values) < _THIN:
        return "its values have too few rows each"
    if _labels_time(facts, codes):
        return "it only gives the date"
    if not facts.panel and not facts.grouped and _is_short_lived(facts, codes):
        return "its values come and go with the days"
    if not facts.grouped and _began_or_ceased(facts, axis):
        return "it is filled in on one side only, so its values come and go with that"
    numbers = _numeric(axis)
    if numbers is None or facts.panel:
        return None
    if not _ID.search(name) and len(values) > _FEW_NUMBERS:
        return "it is a measure"
    if not _ID.search(name) and len(values) > 2:
        mine, outcome = numbers[codes], facts.num[both]
        known = np.isfinite(mine)
        varied = known.sum() > 2 and mine[known].std() > 0 and outcome[known].std() > 0
        if varied and abs(float(np.corrcoef(mine[known], outcome[known])[0, 1])) > _WITH_OUTCOME:
            return "it goes with the outcome"
    return None


def _is_short_lived(facts: Facts, codes: Codes) -> bool:
    """Whether most rows belong to values that are there for a short while on one side only: storms, batches."""
    day, rows = facts.day[facts.both], facts.rows[facts.both]
    size = int(codes.max()) + 1
    later = day >= facts.periods[1][0]
    before, after = (np.bincount(codes[side], rows[side], size) for side in (~later, later))
    alone = ((before == 0) | (after == 0)) & (before + after > 0)
    if alone.sum() < _MANY_SHORT or (before + after)[alone].sum() < _MOST_SHORT * rows.sum():
        return False
    first, last = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(first, codes, day)
    np.maximum.at(last, codes, day)
    return bool(np.median((last - first + 1)[alone]) < _SHORT * min(facts.days))


def _began_or_ceased(facts: Facts, axis: CodedAxis) -> bool:
    """Whether a column began or ceased to be filled in: its empty rows turn into others, and the whole hardly moves."""
    if NONE not in axis.labels:
        return False
    empty = axis.codes == axis.code(NONE)
    sides = [(float(facts.rows[inside & empty].sum()), float(facts.rows[inside].sum())) for inside in facts.inside]
    (none_before, before), (none_after, after) = sides
    if not before or not after:
        return False
    turned = abs(none_after / after - none_before / before)
    return turned >= _TURNED and abs(after - before) <= 0.5 * abs(none_after - none_before)


def _labels_time(facts: Facts, codes: Codes) -> bool:
    day = np.searchsorted(facts.stamps, facts.day[facts.both])
    dates = np.unique(day)
    pairs = np.unique(codes * (len(facts.stamps) + 1) + day)
    if len(pairs) == len(dates) and len(codes) > 1.5 * len(dates):
        return True
    if facts.grouped:
        # Values that stand on one side alone are another way to write the flag.
        return len(pairs) == len(np.unique(codes))
    if len(dates) <= 3:
        return False
    if len(pairs) == len(dates) and not facts.panel:
        # One value a day: a label where the same value fills runs of days, a category where values come and go.
        order = np.argsort(day, kind="stable")
        turns = int((np.diff(codes[order]) != 0).sum())
        return turns < 2 * len(np.unique(codes))
    return not facts.panel and len(pairs) == len(np.unique(codes)) and len(pairs) > 3


def _numeric(axis: CodedAxis) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """The values as numbers, where all of them are."""
    found: list[float] = []
    for label in axis.labels:
        if label == NONE:
            found.append(float("nan"))
            continue
        try:
            found.append(float(label))
        except ValueError:
            return None
    return np.array(found)


def _copies(facts: Facts, name: str, other: str) -> bool:
    one, two = facts.axes[name].codes[facts.both], facts.axes[other].codes[facts.both]
    size = len(facts.axes[other].labels) + 1
    pairs = len(np.unique(one * size + two))
    return pairs == len(np.unique(one)) == len(np.unique(two))
