"""Understanding questions about the spread of values: a histogram, or which quantiles."""

from __future__ import annotations

import re

from averment.agents.analyst.distribution.reading import USUAL_BINS, DistributionReading
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import gather, which_measure

_SPREAD = r"\b(?:frequency )?(?:histograms?|distribut(?:ions?|ed))\b"
_BINS = (
    r"\b(?:with|in|into|using|over|and)? ?(?P<n>\d+) (?:equal(?:[- ](?:width|sized?))? )?"
    r"(?:bins?|buckets?|classes|intervals?)\b"
)
_PERCENTILES = re.compile(r"\b(?P<p>\d{1,3}(?:\.\d+)?)(?:st|nd|rd|th)?[- ]percentiles?\b|\bp(?P<short>\d{2})\b")
_LISTED = re.compile(
    r"\b(?P<many>\d{1,2}(?:st|nd|rd|th)?(?:(?:,? and |, ?)\d{1,2}(?:st|nd|rd|th)?)+) percentiles?\b"
    r"|\bpercentiles? (?P<after>\d{1,2}(?:(?:,? and |, ?)\d{1,2})*)"
)
_NAMED: tuple[tuple[str, tuple[float, ...]], ...] = (
    (r"\b(?:first|lower|bottom|1st) quartile\b", (0.25,)),
    (r"\b(?:third|upper|top|3rd) quartile\b", (0.75,)),
    (r"\bquartiles?\b", (0.25, 0.5, 0.75)),
    (r"\bquintiles?\b", (0.2, 0.4, 0.6, 0.8)),
    (r"\bdeciles?\b", tuple(round(n / 10, 1) for n in range(1, 10))),
    (r"\bfive[- ]number summary\b", (0.0, 0.25, 0.5, 0.75, 1.0)),
    (
        r"^(?:please )?(?:describe|summari[sz]e)\b|\b(?:summary|descriptive)(?: statistics| stats)?(?= (?:of|for)\b)"
        r"|^(?:statistics|stats)(?= (?:of|for)\b)",
        (0.0, 0.25, 0.5, 0.75, 1.0),
    ),
    (r"\b(?:quantiles|percentiles)\b", (0.05, 0.25, 0.5, 0.75, 0.95)),
)
_OTHERS = re.compile(
    r"\b(?:normal(?:ly|ity)?|skew\w*|kurtosis|test|correlat\w*|outliers?|interquartile|iqr|gaussian|uniform\w*|above|below|"
    r"over the|greater|less|rows|records in|versus|vs|compar\w*|fences?)\b"
)
_MOST_BINS = 100


def read_distribution(draft: Draft) -> DistributionReading | Unclear | None:
    """The spread a question asks for; None when it asks for none."""
    if _OTHERS.search(draft.folded):
        return None
    at = _quantiles(draft)
    spread = not at and draft.take(_SPREAD) is not None
    if not at and not spread:
        return None
    bins = draft.take(_BINS) if spread else None
    draft.take(_SPREAD)
    parts = gather(draft)
    columns = list(dict.fromkeys(parts.columns))
    if len(columns) != 1 or parts.counted or parts.aggregate is not None:
        if not columns and len([*parts.loose, *parts.splits]) == 1 and spread:
            return None  # the values of a dimension are counted, which is a share
        return Unclear(which_measure(draft, parts))
    if len(parts.splits) > 1 or parts.loose or len(parts.times.periods) > 1:
        return Unclear(f"The distribution of {columns[0]} can be split by one column. Which one do you mean?")
    if bins is not None and not 1 <= int(bins["n"]) <= _MOST_BINS:
        return Unclear(f"Between one and {_MOST_BINS} bins can be drawn. How many do you want?")
    split = parts.splits[0] if parts.splits else None
    if spread and split is not None:
        # By groups a spread is told by its quantiles, which can be set side by side.
        at = (0.0, 0.25, 0.5, 0.75, 1.0)
    return DistributionReading(
        table=draft.profile.table,
        column=columns[0],
        bins=int(bins["n"]) if bins is not None else USUAL_BINS,
        at=at,
        split=split,
        filters=parts.filters,
        period=parts.times.period,
    )


def _quantiles(draft: Draft) -> tuple[float, ...]:
    listed = draft.take(_LISTED)
    if listed is not None:
        numbers = re.findall(r"\d+", listed["many"] or listed["after"])
        return tuple(sorted({int(number) / 100 for number in numbers}))
    found: list[float] = []
    while (one := draft.take(_PERCENTILES)) is not None:
        value = float(one["p"] or one["short"])
        if value > 100:
            return ()
        found.append(value / 100)
    if found:
        return tuple(sorted(set(found)))
    for pattern, at in _NAMED:
        if draft.take(pattern):
            return at
    return ()
