"""Words for segments, factors and faults; no numbers of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from averment.plans.registry import aggregate_of_sql
from averment.tools.metric_attribute import segment_text

if TYPE_CHECKING:
    from averment.agents.driller.reading import InvestigationSetup, MetricReading


def clipped(text: str, most: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def whole_sentences(text: str, most: int) -> str:
    """As many whole sentences of a text as fit; a number is never cut in two."""
    if len(text) <= most:
        return text
    kept = text[:most].rfind(". ")
    return text[: kept + 1] if kept > 0 else clipped(text[:most].rpartition(" ")[0], most)


def beginnings(text: str) -> Iterator[str]:
    """A text and the whole sentences it begins with: a record has room for so many letters only."""
    yield text
    for at in range(len(text)):
        if text.startswith(". ", at):
            yield text[: at + 1]


def segment_words(segment: Mapping[str, str]) -> str:
    """A segment as a reader sees it, the same as in the attribution's table."""
    return segment_text(dict(segment))


_PLAIN = re.compile(r"(sum|avg|mean|median)\((?:\w+\.)?\"?([A-Za-z][\w ]*?)\"?\)", re.IGNORECASE)
_DISTINCT = re.compile(r"count\(distinct (?:\w+\.)?\"?([A-Za-z][\w ]*?)\"?\)", re.IGNORECASE)


def metric_words(reading: InvestigationSetup) -> str:
    """The metric as a sentence begins with it: in the user's words, or in plain ones for a plain aggregate."""
    metric = reading.metric
    text = " ".join(metric.text.split())
    if metric.name:
        return metric.name
    if metric.from_words:
        return text[:1].upper() + text[1:]
    if (found := _PLAIN.fullmatch(text)) and (aggregate := aggregate_of_sql(found[1])) is not None:
        return f"{aggregate.words.capitalize()} {found[2].replace('_', ' ')}"
    if found := _DISTINCT.fullmatch(text):
        return f"The number of different {found[1].replace('_', ' ')}"
    if text.replace(" ", "").casefold() in {"count(*)", "count(1)"}:
        return f"The number of rows in {reading.base}"
    return text


def factor_words(factor: str | None, metric: MetricReading) -> str:
    """What moved inside a segment."""
    unit = "units" if metric.counts_units else "rows"
    if metric.quantile is not None and factor != "volume":
        return "the share of rows above, on the percentile's scale,"
    if metric.kind == "ratio":
        return f"the number of {unit}" if factor == "volume" else "the metric itself"
    return {
        "volume": f"the number of {unit}",
        "rate": f"the share of {unit} that have a value",
        "value": "the value of each",
    }.get(factor or "", "the metric")
