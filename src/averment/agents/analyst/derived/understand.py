"""Understanding questions about derived columns: ratios, lengths, pieces of texts, parts of dates."""

from __future__ import annotations

import re
from itertools import pairwise

from averment.agents.analyst.derived.reading import DatePart, DerivedReading
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import Parts, gather, is_one_row, measure_of, which_measure
from averment.agents.analyst.parts.nouns import Dimension, Measure
from averment.language.linking import Link

_RATIO_OF = r"\b(?:the )?ratios? (?:of|between)\b"
_DIVIDED = r"\b(?:divided by|over the number of)\b"
_AS_PERCENT = r"\b(?:as (?:an? )?(?:percent(?:age)?|share|fraction)|in percent|in %) of\b"
_LENGTH = (
    r"\b(?:(?:text |string |character )?lengths?|number of (?:characters|letters))\b"
    r"(?: of| in)?(?: the)?"
)
_PIECES: tuple[tuple[str, str, str], ...] = (
    ("area code", r"\barea codes?\b", r"(?:^|[^0-9])([2-9][0-9]{2})[^0-9]*[0-9]{3}[^0-9]*[0-9]{4}$"),
    ("domain", r"\bdomains?(?: names?)?\b", r"@([A-Za-z0-9.-]+)$"),
    ("first word", r"\bfirst words?\b", r"^([^ ]+)"),
    ("last word", r"\blast words?\b", r"([^ ]+)$"),
    ("first letter", r"\b(?:first letters?|initials?)\b", r"^(.)"),
    ("prefix", r"\bprefix(?:es)?\b", r"^([A-Za-z]+)"),
    ("number", r"\b(?:numeric part|digits)\b", r"([0-9]+)"),
)
_PARTS: tuple[tuple[DatePart, str], ...] = (
    ("hour", r"\b(?:by|per|each|every|across|for each|which)\s+(?:the )?hours?(?: of (?:the )?day)?\b|\bhourly\b"),
    ("weekday", r"\b(?:by|per|each|every|across|which|on which)\s+(?:the )?(?:weekdays?|days? of (?:the )?week)\b"),
    ("day_of_month", r"\b(?:by|per|each|every|across)\s+(?:the )?days? of (?:the )?months?\b"),
    (
        "month_of_year",
        r"\b(?:by|per|each|every|across)\s+(?:the )?(?:months? of (?:the )?year|month names?|calendar months?)\b",
    ),
    ("quarter_of_year", r"\b(?:by|per|each|every|across)\s+(?:the )?quarters? of (?:the )?year\b"),
)
_CHART = re.compile(r"\b(?:bar|pie|line|scatter|bin|axis|x-axis|y-axis)\b")
_FORMULA = re.compile(r"\b(?:minus|plus|times|multiplied by)\b|[*+]|\s-\s")
_OTHERS = re.compile(
    r"\b(?:correlat\w*|growth|moving|rolling|test|share|regress\w*|outliers?|missing|highest|lowest|most|least|top|bottom|"
    r"above|below|odds|ratio test)\b"
)


def read_derived(draft: Draft) -> DerivedReading | Unclear | None:
    """The derived column a question asks for; None when it asks for none."""
    if _OTHERS.search(draft.folded) or _FORMULA.search(draft.folded):
        return None
    return _length(draft) or _piece(draft) or _part(draft) or _ratio(draft)


def _common(parts: Parts) -> dict[str, object]:
    return {
        "splits": tuple(parts.splits),
        "filters": parts.filters,
        "period": parts.times.period,
    }


def _several(parts: Parts) -> Unclear | None:
    if len(parts.times.periods) > 1:
        return Unclear("For which one period? The question names several.")
    return Unclear("By which columns? At most two can be told apart here.") if len(parts.splits) > 2 else None


def _ratio(draft: Draft) -> DerivedReading | Unclear | None:
    of = draft.take(_RATIO_OF) is not None
    percent = not of and draft.take(_AS_PERCENT) is not None
    divided = not of and not percent and draft.take(_DIVIDED) is not None
    pair = None if of or percent or divided else _per(draft)
    if not (of or percent or divided or pair):
        return None
    if pair is not None:
        draft.used.update(range(pair[0].words[0], pair[1].words[-1] + 1))
    parts = gather(draft)
    columns = list(dict.fromkeys(parts.columns)) if pair is None else [pair[0].target, pair[1].target]
    if pair is not None and parts.columns:
        return Unclear(which_measure(draft, parts))
    if len(columns) != 2:
        if divided or of:
            return Unclear(f"A ratio needs two numbers. {which_measure(draft)}")
        return None
    refused = _several(parts)
    if refused is not None:
        return refused
    if parts.loose:
        parts.splits += [Dimension(column=name) for name in parts.loose]
    if parts.aggregate not in {None, "sum", "avg"}:
        return Unclear("A ratio is of totals here. Do you mean the ratio of the totals?")
    return DerivedReading.model_validate(
        {
            "kind": "ratio",
            "table": draft.profile.table,
            "column": columns[0],
            "other": columns[1],
            "measure": Measure(aggregate="sum", column=columns[0]),
            "percent": percent,
            **_common(parts),
        }
    )


def _per(draft: Draft) -> tuple[Link, Link] | None:
    """Two numbers with "per" between them; one name that holds both words ("price per unit") is a column, no ratio."""
    links = [link for link in draft.links() if draft.column(link.target).inferred_type == "measure"]
    draft.doubts.clear()
    for one, two in pairwise(links):
        if is_one_row(draft, two.words[0]):
            continue  # "price per sale", where a row is a sale, is the average
        between = [draft.normal(place) for place in range(one.words[-1] + 1, two.words[0])]
        if between and between[0] == "per" and set(between[1:]) <= {"the", "a", "each"} and one.target != two.target:
            return one, two
    return None


def _length(draft: Draft) -> DerivedReading | Unclear | None:
    texts = [column.name for column in draft.profile.columns if column.data_type == "string"]
    found = re.search(_LENGTH, draft.folded)
    named = any("length" in column.name.casefold() for column in draft.profile.columns)
    if found is None or named or draft.take(_LENGTH) is None:
        return None
    parts = gather(draft)
    draft.take(r"\b(?:names?|texts?|strings?|column)\b")
    columns = [name for name in parts.loose if name in texts]
    if len(columns) != 1 or parts.columns or len(parts.loose) > 1:
        return Unclear(f"The length of which text? {draft.profile.table} has: {', '.join(texts) or 'none'}.")
    refused = _several(parts)
    if refused is not None:
        return refused
    return DerivedReading.model_validate(
        {
            "kind": "length",
            "table": draft.profile.table,
            "column": columns[0],
            "measure": Measure(aggregate="count"),
            **_common(parts),
        }
    )


def _piece(draft: Draft) -> DerivedReading | Unclear | None:
    for piece, words, pattern in _PIECES:
        if not draft.says(words) or _is_named(draft, piece):
            continue
        if draft.take(words) is None:
            continue
        parts = gather(draft)
        texts = [c.name for c in draft.profile.columns if c.data_type == "string"]
        named = [name for name in (*(s.column for s in parts.splits), *parts.loose) if name in texts]
        column = _source(draft, piece, named, texts)
        if column is None:
            return Unclear(f"The {piece} of which text? {draft.profile.table} has: {', '.join(texts) or 'none'}.")
        parts.splits = [split for split in parts.splits if split.column != column]
        if [name for name in parts.loose if name != column]:
            return Unclear(f"What shall be computed by {piece}? {which_measure(draft)}")
        measure = measure_of(draft, parts) or (Measure(aggregate="count") if not parts.columns else None)
        if measure is None:
            return Unclear(which_measure(draft, parts))
        refused = _several(parts)
        if refused is not None:
            return refused
        return DerivedReading.model_validate(
            {
                "kind": "extract",
                "table": draft.profile.table,
                "column": column,
                "measure": measure,
                "pattern": pattern,
                "piece": piece,
                **_common(parts),
            }
        )
    return None


def _is_named(draft: Draft, piece: str) -> bool:
    """Whether the table has a column of that very name, which needs no deriving."""
    words = set(piece.split())
    return any(words <= set(c.name.casefold().replace("_", " ").split()) for c in draft.profile.columns)


def _source(draft: Draft, piece: str, named: list[str], texts: list[str]) -> str | None:
    if len(named) == 1:
        return named[0]
    wanted = {"area code": ("phone", "tel"), "domain": ("mail",)}.get(piece, ())
    fitting = [name for name in texts if any(word in name.casefold() for word in wanted)]
    return fitting[0] if not named and len(fitting) == 1 else None


def _part(draft: Draft) -> DerivedReading | Unclear | None:
    if _CHART.search(draft.folded):
        return None
    for part, words in _PARTS:
        said = draft.take(words)
        if said is None:
            continue
        parts = gather(draft, opened=draft.places(said.span()))
        name = parts.times.column
        if name is None:
            return Unclear(f"The table {draft.profile.table} has no single date to take the {part} of.")
        if part == "hour" and draft.column(name).data_type != "datetime":
            return Unclear(f"{name} holds days without a time of day, so there are no hours.")
        measure = measure_of(draft, parts)
        if measure is None:
            return Unclear(which_measure(draft, parts))
        if parts.loose:
            return Unclear(f"What about {', '.join(parts.loose)}? Please say “by” before what to split by.")
        refused = _several(parts)
        if refused is not None:
            return refused
        return DerivedReading.model_validate(
            {
                "kind": "part",
                "table": draft.profile.table,
                "column": name,
                "measure": measure,
                "part": part,
                **_common(parts),
            }
        )
    return None
