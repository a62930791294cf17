"""Charts asked for in words: kind, sorted axis and bins, taken out of the question before the rest is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.agents.analyst.query.draft import Draft, Measure, Sorting, Split
from averment.agents.analyst.query.vocabulary import Place, Vocabulary

ChartKind = Literal["bar", "pie", "line", "scatter", "stacked bar", "grouping line", "grouping scatter"]
Axis = Literal["x", "y"]

_KIND = re.compile(
    r"\b(?P<group>stacked|stack|grouping|grouped|multi[- ]series|group)?\s*"
    r"(?P<kind>bar|bars|histogram|pie|line|lines|scatter|column)\s*-?(?:chart|graph|plot|plots|charts|graphs)?s?\b"
)
_COMMAND = re.compile(
    r"(?:[,.?!]?\s*(?:and\s+)?(?:please\s+)?(?:(?:can|could) you\s+)?(?:i (?:want|would like)(?: to see)?\s+)?)?"
    r"(?:\b(?:show|display|visualize|visualise|plot|draw|give|create|return|present|make|use|using|in|by|with|as|"
    r"through|via|into|of)\b"
    r"\s+(?:me\s+)?(?:them\s+|it\s+|the results?\s+|the data\s+|that\s+)?(?:as|by|with|in|using|through|via|into)?\s*)?"
    r"(?:\b(?:a|an|the)\s+)?"
    r"\b(?:stacked|stack|grouping|grouped|multi[- ]series|group)?\s*"
    r"\b(?:bar|histogram|pie|line|scatter|column)\b\s*-?(?:\s*(?:chart|graph|plot)s?)?"
    r"(?:\s+(?:chart|graph|plot)s?)?"
    r"(?:\s+(?:to (?:show|compare|visualize|display)|showing|shows?|that shows?|about|of|on|"
    r"for (?:showing|visualizing|visualising|listing|returning|me)|for|with))?"
    r"(?:\s+(?:the\s+)?(?:change|trend|distribution|correlation|relationship|"
    r"proportion|tendency)\s+(?:of|about|between)\s+)?",
    re.IGNORECASE,
)
_SORT = re.compile(
    r"[,.?!]?\s*(?:\band\s+)?(?:\bi (?:want|would like) to\s+)?(?:\b(?:could|can|would) you\s+)?(?:\bplease\s+)?"
    r"\b(?:rank|sort|order|list|display|show|arrange|ordered|sorted|ranked|ranking|sorting)\b"
    r"(?P<what>(?:(?!\b(?:rank|sort|order|arrange)(?:ed|ing)?\b)[^,.?!])*?)"
    r"\b(?P<way>ascending|descending|asc|desc|low(?:est)? to (?:the )?high(?:est)?|"
    r"high(?:est)? to (?:the )?low(?:est)?|"
    r"alphabetical(?:ly)?|increasing|decreasing)\b(?P<rest>[^,.?!]*)",
    re.IGNORECASE,
)
_BIN = re.compile(
    r"[,(]?\s*(?:\band\s+)?(?:\bi want to\s+)?(?:\bplease\s+)?(?:\bthat\s+)?\b(?:bins?|binning|binned)\b\s+"
    r"(?P<what>[^,.?!]*?)\s*"
    r"\b(?:into|by|with|in)\b\s*(?:the\s+)?(?:a\s+)?(?P<unit>years?|months?|weekdays?|"
    r"day of (?:the )?week|days?|quarters?|time)\b"
    r"(?:\s+(?:intervals?|bins?))?\)?",
    re.IGNORECASE,
)
_BY_UNIT = re.compile(
    r"\b(?:by|per|each|every|over)\s+(?:each\s+)?(?P<unit>year|month|weekday|quarter|day of the week)\b", re.IGNORECASE
)
_COLOR = re.compile(
    r"[,]?\s*(?:and\s+)?\b(?:group(?:ed|ing)?\s+by\s+(?:the\s+)?attribute|"
    r"colou?r(?:ed)?\s+by|stack(?:ed)?\s+by|split\s+by)\s+(?:the\s+)?",
    re.IGNORECASE,
)
_SAID_AXIS = re.compile(r"\b[xy][ -]axis\b|\b(?:by|in|on) the [xy]\b|\b[xy] (?:in|from)\b")
_THE_NUMBER = re.compile(
    r"\b(?:the\s+)?(?:total\s+)?number\b(?:\s+of(?=\s+each\b)|(?=\s+(?:by|from|across|for|in|per)\b|\s*[,.?]|\s*$))",
    re.IGNORECASE,
)
_COUNT_THEM = re.compile(
    r"[,]?\s*\b(?:and\s+)?(?:count|counting|group and count)\s+(?:them|the number|it)\b", re.IGNORECASE
)
_PARTS_OF_WHOLE = re.compile(r"\b(?:proportion|percentage|share)s?\b")
_AXES = re.compile(
    r"\b(?:the\s+)?(?P<axis>[xy])[\s-]*axis\s+(?:is|are|being|as|represents?)?\b|"
    r"\b(?:on|for|in)\s+the\s+(?P<other>[xy])[\s-]*axis\b",
    re.IGNORECASE,
)
_NAMES: dict[str, ChartKind] = {
    "bar": "bar",
    "histogram": "bar",
    "column": "bar",
    "pie": "pie",
    "line": "line",
    "scatter": "scatter",
}
_UNITS = {
    "year": "year_number",
    "month": "month_name",
    "weekday": "weekday_name",
    "day of": "weekday_name",
    "day": "day",
    "quarter": "quarter",
    "time": "year_number",
}


_OPENING = 8
"""A question that opens with "list" or "show" commands; it does not sort yet."""

MANY_MOMENTS = 30
"""Up to this many different times are plotted as they are."""


@dataclass(frozen=True)
class ChartAsk:
    """What was said about the chart, and the question without it."""

    text: str
    kind: ChartKind | None = None
    grouped: bool = False
    sort_axis: Axis | None = None
    sort_words: str = ""
    descending: bool = False
    unit: str | None = None
    counts: bool = False
    color_words: bool = False
    marked: bool = False


def read_chart(text: str, *, chart: bool = False) -> ChartAsk:
    """The chart a question asks for; ``marked`` is false when it speaks of none, ``chart`` says that one is wanted."""
    folded = text.casefold()
    kinds = [found for found in _KIND.finditer(folded) if _is_chart(found.group(), folded)]
    kind: ChartKind | None = None
    grouped = False
    if kinds:
        word = kinds[0].group("kind").removesuffix("s")
        grouped = any(found.group("group") for found in kinds)
        kind = _NAMES[word]
    elif chart and _PARTS_OF_WHOLE.search(folded):
        kind = "pie"
    wanted = bool(kinds) or chart
    rest = text
    unit = None
    binned = _BIN.search(rest)
    if binned is not None:
        unit = _unit(binned.group("unit"))
        keep = binned.group("what")
        rest = f"{rest[: binned.start()]} {'' if _names_axis(keep) else keep} {rest[binned.end() :]}"
    elif wanted and (said := _BY_UNIT.search(rest)):
        unit = _unit(said.group("unit"))
    axis, words, down = None, "", False
    sort = _last(_SORT, rest) if wanted or binned or _SAID_AXIS.search(folded) else None
    if sort is not None and (kinds or binned or sort.start() > _OPENING):
        words = f"{sort.group('what')} {sort.group('rest')}".strip()
        down = bool(re.match(r"desc|high|decreas", sort.group("way"), re.IGNORECASE))
        axis = _axis(words)
        rest = f"{rest[: sort.start()]} {rest[sort.end() :]}"
    counts = bool(_COUNT_THEM.search(rest)) and bool(wanted or binned)
    if counts:
        rest = _COUNT_THEM.sub(" ", rest)
    if (wanted or binned) and _THE_NUMBER.search(rest):
        counts = True
        rest = _THE_NUMBER.sub(" ", rest)
    color = bool(_COLOR.search(rest))
    if kinds:
        rest = _COMMAND.sub(" ", rest)
        rest = _COLOR.sub(" for each ", rest)
        rest = _AXES.sub(" , ", rest)
        rest = re.sub(r"\bversus\b|\bvs\b", " and ", rest)
    elif chart or "axis" in folded:
        rest = _COLOR.sub(" for each ", rest)
        rest = _AXES.sub(" , ", rest)
    return ChartAsk(
        text=" ".join(rest.split()),
        kind=kind,
        grouped=grouped,
        sort_axis=axis,
        sort_words=words,
        descending=down,
        unit=unit,
        counts=counts,
        color_words=color,
        marked=bool(kinds or binned),
    )


def _is_chart(said: str, text: str) -> bool:
    words = said.split()
    return (
        len(words) > 1
        or words[0] in {"histogram", "scatter", "pie"}
        or f"{words[0]} for" in text
        or f"a {words[0]} " in text
    )


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def _unit(said: str) -> str:
    folded = said.casefold().rstrip("s")
    return next(unit for word, unit in _UNITS.items() if folded.startswith(word))


def _names_axis(said: str) -> bool:
    return bool(re.search(r"\b[xy]\b", said.casefold()))


def _axis(words: str) -> Axis | None:
    folded = f" {words.casefold()} "
    if re.search(r"\bx\b|\bbars?\b|\bx-?axis\b|\bnames?\b", folded):
        return "x"
    if re.search(
        r"\by\b|\by-?axis\b|\bnumber\b|\bcount\b|\bhow many\b|\btotal\b|\baverage\b|\bsum\b|\bmax|\bmin", folded
    ):
        return "y"
    return None


def shape(draft: Draft, ask: ChartAsk, vocabulary: Vocabulary) -> Draft:
    """A draft turned into what a chart plots: one thing across, one number up, perhaps one for the colours."""
    if ask.counts and not any(measure.function == "count" for measure in draft.measures):
        draft.measures.append(Measure("count"))
    outputs = list(dict.fromkeys(draft.outputs))
    if not draft.splits and not outputs:
        outputs = [m.place for m in draft.measures if m.place is not None and m.function == "count"]
    splits = [_plain_split(s, draft, vocabulary) for s in draft.splits]
    shown = {place.table for place in outputs}
    splits = [s for s in splits if s.column is not None or s.table not in shown]
    draft.present = []
    draft.measures = [_plain_count(measure) for measure in draft.measures]
    if not draft.measures and len(outputs) == 1 and not splits:
        draft.measures = [Measure("count")]
    if not draft.measures and len(outputs) == 1 and len(splits) == 1 and splits[0].column is not None:
        first = vocabulary.column(outputs[0])
        if first.inferred_type != "measure":
            draft.measures = [Measure("count")]
    if not draft.measures and len(outputs) == 1 and len(splits) == 1 and splits[0].column is not None:
        across = Place(splits[0].table, splits[0].column)
        outputs, splits = [across, outputs[0]], []
    if draft.measures:
        splits += [
            Split(p.table, p.column) for p in outputs if all((s.table, s.column) != (p.table, p.column) for s in splits)
        ]
        draft.measures = draft.measures[-1:]
        outputs = []
    elif len(outputs) >= 2:
        outputs = _numbers_last(outputs[:3], vocabulary)
    draft.outputs = outputs
    splits = _useful(splits, draft, vocabulary) if draft.measures else splits
    splits = [_cut(split, ask, vocabulary) for split in splits] if draft.measures else []
    # Time runs across; what else there is colours.
    draft.splits = sorted(splits, key=lambda split: not _is_time(split, vocabulary) if ask.kind == "line" else False)
    draft.limit = None
    draft.sorting = []
    return draft


def _useful(splits: list[Split], draft: Draft, vocabulary: Vocabulary) -> list[Split]:
    """Splits that tell points apart: each once, none by a column held to one value, references for their keys."""
    held = {(c.term.table, c.term.column) for c in draft.conditions if c.term is not None and c.operator == "="}
    held |= {(m.place.table, m.place.column) for m in draft.measures if m.place is not None and m.function != "count"}
    times = [s for s in splits if s.column is not None and _is_stamp(s, vocabulary)]
    kept: list[Split] = []
    for split in splits:
        if split in times[:-1]:
            continue
        one = _referring(split, draft, splits, vocabulary)
        if len(splits) > 1 and (one.table, one.column) in held:
            continue
        if all((one.table, one.column) != (each.table, each.column) for each in kept):
            kept.append(one)
    return kept[:2] or splits[:1]


def _referring(split: Split, draft: Draft, splits: list[Split], vocabulary: Vocabulary) -> Split:
    """A key that another table of the chart refers to, or that would only count ones, is read where it refers."""
    if split.column is None:
        return split
    place = Place(split.table, split.column)
    measured = {m.place.table if m.place else m.table for m in draft.measures}
    others = {s.table for s in splits if s.column is not None} | (measured - {None})
    found = [one for one in vocabulary.relations if (one.right, one.right_column) == (place.table, place.column)]
    for one in found:
        if one.left in others:
            return Split(one.left, one.left_column, split.grain)
    alone = measured <= {None, split.table} and all(m.function == "count" for m in draft.measures)
    if alone and len(splits) == 1 and found and vocabulary.keys.get(split.table) == split.column:
        bare = all(c.term is None or c.term.table != split.table for c in draft.conditions)
        if bare:
            return Split(found[0].left, found[0].left_column, split.grain)
    return split


def _is_stamp(split: Split, vocabulary: Vocabulary) -> bool:
    return vocabulary.column(Place(split.table, split.column or "")).inferred_type == "timestamp"


def _is_time(split: Split, vocabulary: Vocabulary) -> bool:
    if split.column is None:
        return False
    column = vocabulary.column(Place(split.table, split.column))
    years = bool(column.sample_values) and all(re.fullmatch(r"[12]\d{3}", value) for value in column.sample_values)
    return column.inferred_type == "timestamp" or column.data_type == "integer" or years


def _plain_count(measure: Measure) -> Measure:
    """A chart of how many counts rows, also where the question names the column it splits by."""
    return Measure("count") if measure.function == "count" and measure.place is not None else measure


def _plain_split(split: Split, draft: Draft, vocabulary: Vocabulary) -> Split:
    """The rows of a table told apart by the code that the counted table itself holds, where it has one."""
    tables = {m.place.table if m.place else m.table for m in draft.measures}
    for one in vocabulary.relations:
        if split.column is not None or one.right != split.table or one.left not in tables:
            continue
        if vocabulary.column(Place(one.left, one.left_column)).data_type == "string":
            return Split(one.left, one.left_column, split.grain)
    return split


def _numbers_last(places: list[Place], vocabulary: Vocabulary) -> list[Place]:
    first, second = vocabulary.column(places[0]), vocabulary.column(places[1])
    if first.inferred_type == "measure" and second.inferred_type != "measure" and second.data_type == "string":
        return [places[1], places[0], *places[2:]]
    return places


def _cut(split: Split, ask: ChartAsk, vocabulary: Vocabulary) -> Split:
    if split.column is None:
        return split
    column = vocabulary.column(Place(split.table, split.column))
    if column.inferred_type != "timestamp":
        return Split(split.table, split.column)
    # A bar for each of many moments says nothing: without a word about it, time is cut to years.
    many = ask.kind == "line" or column.cardinality > MANY_MOMENTS
    unit = ask.unit or split.grain or ("year_number" if many else None)
    return Split(split.table, split.column, unit)


def sorting_of(ask: ChartAsk, x: Place | None, y: Measure | Place | None) -> Sorting | None:
    """The order of the points that was asked for."""
    if not ask.sort_words or (x is None and y is None):
        return None
    axis = ask.sort_axis
    words = set(re.findall(r"\w+", ask.sort_words.casefold().replace("_", " ")))
    if x is not None and set(x.column.casefold().replace("_", " ").split()) <= words:
        axis = "x"
    if axis == "y" and isinstance(y, Measure):
        return Sorting(ask.descending, measure=y)
    if axis == "y" and isinstance(y, Place):
        return Sorting(ask.descending, y)
    return Sorting(ask.descending, x) if x is not None else None
