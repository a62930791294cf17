"""Understanding questions about groups of equal size: how many, of what, and what is computed in them."""

from __future__ import annotations

import re

from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import Parts, gather, measure_of, usual_aggregate, which_measure
from averment.agents.analyst.parts.nouns import Measure
from averment.agents.analyst.tiles.reading import TilesReading
from averment.language.linking import Link

_KIND = r"(?:terciles?|tertiles?|quartiles?|quintiles?|deciles?)"
_SIZES = {"tercile": 3, "tertile": 3, "quartile": 4, "quintile": 5, "decile": 10}
_CUT = r"\b(?:split(?:ting)?|divid(?:e|ed|ing)|cut|group(?:ed)?|bucket(?:ed)?|bin(?:ned)?|put|break|segment|sort)\b"
_INTO = re.compile(rf"\b(?:into|in|by)\s+(?:the\s+|equal\s+)?(?P<kind>{_KIND})(?:\s+(?:groups?|buckets?))?\b")
_EQUAL = re.compile(
    r"\b(?:into|in)\s+(?P<n>\d{1,3})\s+(?:(?:equal(?:ly)?[- ]?sized?|same[- ]sized?)\s+(?:groups?|buckets?|bins?|parts)"
    r"|(?:groups?|buckets?|bins?|parts)\s+of\s+(?:about\s+)?(?:equal|the same)\s+(?:size|number|count)s?)\b"
)
_GROUPS = re.compile(r"\b(?:into|in)\s+(?P<n>\d{1,3})\s+(?:equal\s+)?(?:groups?|buckets?|tiers?|segments?)\b")
_AFTER = re.compile(rf"\s+(?P<kind>{_KIND})(?:\s+(?:groups?|buckets?))?\b")
_SPLIT = re.compile(r"\b(?:by|per|each|every|across|for each|in each|within each)\s+(?:the\s+)?$")
_OTHERS = re.compile(
    r"\b(?:inter-?quartile|iqr|(?:first|second|third|lower|upper|top|bottom|1st|2nd|3rd) quartile|"
    r"outliers?|percentiles?|"
    r"correlat\w*|share|percent\w*|compare[ds]?|versus|vs|histogram|scatter|test|equal[- ]width)\b"
)


def read_tiles(draft: Draft) -> TilesReading | Unclear | None:
    """The groups of equal size a question asks for; None when it asks for none."""
    if _OTHERS.search(draft.folded):
        return None
    behind = _behind_a_column(draft)
    if behind is not None:
        return _computed(draft, *behind)
    cut = re.search(_CUT, draft.folded) is not None
    said = draft.take(_INTO) if cut else None
    count = _SIZES[said["kind"].rstrip("s")] if said is not None else None
    if count is None:
        equal = draft.take(_EQUAL)
        count = int(equal["n"]) if equal is not None else None
    if count is None and cut:
        return _entities(draft)
    return None if count is None else _cut(draft, count)


def _behind_a_column(draft: Draft) -> tuple[Link, int] | None:
    """A number that groups are asked by, and how many: "by revenue quartile"."""
    links = [link for link in draft.links() if draft.column(link.target).inferred_type == "measure"]
    draft.doubts.clear()
    for link in links:
        after = _AFTER.match(draft.folded, link.span[1])
        before = draft.folded[: link.span[0]]
        cut = re.search(_CUT, before) is not None and re.search(r"\b(?:into|in)\s+$", before) is not None
        if after is not None and (cut or _SPLIT.search(before)):
            draft.used.update(draft.places((link.span[0], after.end())))
            return link, _SIZES[after["kind"].rstrip("s")]
    return None


def _computed(draft: Draft, link: Link, count: int) -> TilesReading | Unclear:
    draft.take(_CUT)
    parts = gather(draft)
    if not parts.columns and parts.aggregate is None:
        parts.counted = True
    measure = measure_of(draft, parts)
    if measure is None:
        return Unclear(which_measure(draft, parts))
    if measure.column is not None and parts.aggregate == "median":
        return Unclear(f"In groups of equal size I compute totals and averages. The average {measure.column}?")
    return _made(draft, parts, count, column=link.target, measure=None if measure.counts_rows else measure)


def _cut(draft: Draft, count: int) -> TilesReading | Unclear:
    while draft.take(_CUT):
        pass
    entity = _entity(draft)
    parts = gather(draft)
    columns = list(dict.fromkeys(parts.columns))
    if len(columns) != 1:
        return Unclear(f"Which number shall be cut into groups? {which_measure(draft, parts)}")
    if entity is None and not parts.loose:
        if parts.aggregate is not None:
            return Unclear(f"Shall the rows be cut by their {columns[0]}, or groups of them by its {parts.aggregate}?")
        return _made(draft, parts, count, column=columns[0])
    return _of_entity(draft, parts, count, entity)


def _entities(draft: Draft) -> TilesReading | Unclear | None:
    """Values of a column in so many groups by a number: "divide customers into 4 groups by revenue"."""
    entity = _entity(draft)
    said = _GROUPS.search(draft.folded)
    if said is None or entity is None or not re.search(r"\b(?:by|on|according to)\b", draft.folded):
        return None
    draft.take(_GROUPS)
    return _cut_entities(draft, int(said["n"]), entity)


def _cut_entities(draft: Draft, count: int, entity: str) -> TilesReading | Unclear:
    while draft.take(_CUT):
        pass
    return _of_entity(draft, gather(draft), count, entity)


def _of_entity(draft: Draft, parts: Parts, count: int, entity: str | None) -> TilesReading | Unclear:
    who = entity or parts.loose[0]
    parts.loose = [name for name in parts.loose if name != who]
    columns = list(dict.fromkeys(parts.columns))
    if len(columns) != 1:
        return Unclear(f"By which number shall {who} be grouped? {which_measure(draft, parts)}")
    of = Measure(aggregate=parts.aggregate or usual_aggregate(draft.column(columns[0])), column=columns[0])
    return _made(draft, parts, count, entity=who, of=of)


def _entity(draft: Draft) -> str | None:
    """Whose values are cut: a column with several rows each, right behind the word that cuts."""
    for link in draft.links():
        column = draft.column(link.target)
        before = draft.folded[: link.span[0]]
        several = column.inferred_type in {"id", "dimension"} and column.cardinality < draft.profile.row_count
        if several and re.search(rf"{_CUT}\s+(?:the\s+|our\s+|all\s+|my\s+)?$", before):
            draft.used.update(link.words)
            return link.target
    draft.doubts.clear()
    return None


def _made(
    draft: Draft,
    parts: Parts,
    count: int,
    *,
    column: str | None = None,
    entity: str | None = None,
    of: Measure | None = None,
    measure: Measure | None = None,
) -> TilesReading | Unclear:
    if parts.splits or parts.loose or len(parts.times.periods) > 1:
        return Unclear("Groups of equal size can be told for one column at a time. Which one do you mean?")
    if not 2 <= count <= 100:
        return Unclear("Between two and a hundred groups can be made. How many do you want?")
    return TilesReading(
        table=draft.profile.table,
        column=column,
        count=count,
        entity=entity,
        of=of,
        measure=measure,
        filters=parts.filters,
        period=parts.times.period,
    )
