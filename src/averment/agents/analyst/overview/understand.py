"""Understanding open requests: a profile of the table, or what stands out in it."""

from __future__ import annotations

from averment.agents.analyst.overview.reading import ColumnAsked, OverviewReading
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import gather, measure_of, usual_aggregate, which_measure
from averment.agents.analyst.parts.nouns import Dimension, Measure
from averment.agents.analyst.parts.words import MONEY
from averment.agents.analyst.series.understand import usual_grain
from averment.language.tokens import split_words

_DATA = r"(?:(?:this|the|my|our|these|whole|entire)\s+)*(?:data(?: ?sets?)?|tables?|files?|records|rows|csv)\b"
_NOTABLE = (
    r"\b(?:what(?:'s| is| are)?|anything|something)(?: that)? (?:stands?|sticks?|jumps?) out\b"
    r"|\b(?:what(?:'s| is| are)|anything|something) (?:the )?(?:most )?(?:interesting|unusual|notable|noteworthy|odd|"
    r"strange|remarkable|surprising|special|important|going on)\b(?: (?:facts?|things?|findings?|points?))?"
    r"|\b(?:(?:key|main|top|most important|interesting|notable) )*(?:insights?|takeaways?|findings|highlights)\b"
    rf"|\b(?:explore|anal[yi][sz]e|look at|investigate) {_DATA}|\bwhat can you (?:tell me|say) about {_DATA}"
    rf"|\btell me about {_DATA}|\bwhat should i know about {_DATA}|\bexplore\b"
)
_PROFILE = (
    rf"\bprofil(?:e|ing)\b(?: of)?(?: {_DATA})?|\b(?:describe|summari[sz]e) {_DATA}"
    rf"|\b(?:overview|summary)(?: of)? {_DATA}|\bdata (?:profile|quality|overview|summary)\b"
    rf"|\bwhat(?:'s| is) in {_DATA}|\bcolumn (?:summary|overview|profiles?)\b"
    r"|\b(?:overview|summary)\b$|\bwhat columns (?:are there|does it have|do we have|exist)\b"
    r"|\b(?:describe|summari[sz]e) (?:it|this|everything)\b"
)
MOST_COLUMNS, MOST_DIMENSIONS, MOST_NUMBERS = 60, 3, 3
FEWEST_GROUPS, MOST_GROUPS = 2, 50


def read_overview(draft: Draft) -> OverviewReading | Unclear | None:
    """The overview a request asks for; None when it asks for none."""
    notable = draft.take(_NOTABLE) is not None
    if not notable and draft.take(_PROFILE) is None:
        return None
    draft.take(_DATA)
    if not notable and not draft.unread():
        return _made(draft, "profile", _main(draft), ())
    parts = gather(draft)
    if parts.filters or parts.times.periods:
        return Unclear(f"An overview is of the whole table {draft.profile.table}. Shall I look at all of it?")
    named = measure_of(draft, parts)
    if named is None and parts.columns:
        return Unclear(which_measure(draft, parts))
    dimensions = tuple(dict.fromkeys([*(s.column for s in parts.splits if s.grain is None), *parts.loose]))
    return _made(draft, "notable" if notable else "profile", named or _main(draft), dimensions)


def _made(draft: Draft, kind: str, measure: Measure, named: tuple[str, ...]) -> OverviewReading | Unclear:
    columns = draft.profile.columns
    if len(columns) > MOST_COLUMNS:
        return Unclear(f"{draft.profile.table} has more than {MOST_COLUMNS} columns. Which of them shall I look at?")
    usual = [c.name for c in draft.dimensions if FEWEST_GROUPS < c.cardinality <= MOST_GROUPS]
    when = draft.timestamps[0].name if len(draft.timestamps) == 1 else None
    time = Dimension(column=when, grain=usual_grain(draft, when)) if when is not None else None
    numbers = [c.name for c in draft.measures]
    if measure.column in numbers:
        numbers = [measure.column, *(name for name in numbers if name != measure.column)]
    return OverviewReading.model_validate(
        {
            "kind": kind,
            "table": draft.profile.table,
            "columns": [ColumnAsked(name=c.name, numeric=c.data_type in {"integer", "float"}) for c in columns],
            "measure": measure,
            "time": time,
            "dimensions": (named or tuple(usual))[:MOST_DIMENSIONS]
            if measure.adds_up and not _signed(draft, measure)
            else (),
            "numbers": tuple(numbers[:MOST_NUMBERS]),
        }
    )


def _signed(draft: Draft, measure: Measure) -> bool:
    low = draft.column(measure.column).minimum if measure.column is not None else None
    return isinstance(low, int | float) and low < 0


def _main(draft: Draft) -> Measure:
    """The table's amount, or its first number, or its rows."""
    money = [c for c in draft.measures if {word.stem for word in split_words(c.name)} & MONEY]
    chosen = (money or draft.measures)[:1]
    if not chosen:
        return Measure(aggregate="count")
    return Measure(aggregate=usual_aggregate(chosen[0]), column=chosen[0].name)
