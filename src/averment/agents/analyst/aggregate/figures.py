"""Understanding a figure of one table: what is computed, for which rows, by what, and which end of it is wanted.

Where a question holds a condition that is not understood it is never answered without it: words that found no place
leave the reading unsure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.aggregate.reading import Reading
from averment.agents.analyst.parts.arithmetic import Named, read_formula
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.ends import Ends, read_ends
from averment.agents.analyst.parts.gather import (
    Parts,
    counted_keys,
    formula_measure,
    gather,
    is_one_row,
    is_row_word,
    usual_aggregate,
    which_measure,
)
from averment.agents.analyst.parts.nouns import Dimension, Either, Filter, Measure
from averment.agents.analyst.parts.presence import read_presence
from averment.agents.analyst.parts.times import event_words, is_other_event
from averment.agents.analyst.parts.words import AGGREGATES
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.parts.filters import ValueSaid

MOST_SPLITS = 3
_OTHERS = re.compile(
    r"\b(?:correlat\w*|trend\w*|growth|grew|growing|grow|shares?|percent\w*|proportion\w*|fraction|compar\w*|versus|vs|"
    r"differ(?:s|ent from)|moving|rolling|cumulative|running|histogram|distribut\w*|quartiles?|percentiles?|outliers?|"
    r"anomal\w*|duplicate\w*|test|regress\w*|predict\w*|forecast\w*|normal(?:ly|ity)?|deviation|std|stdev|variance|"
    r"rank(?:ing|ed|s)?|pivot|crosstab|analy[sz]e|trends|profile|overview|stands? out|unusual|both|range|skew\w*|"
    r"kurtosis|"
    r"mode|bins?|binned|buckets?|ratio|per cent|change[sd]?|impute\w*|replace\w*|fill\w*|standardi[sz]\w*|"
    r"normali[sz]\w*|next|previous|consecutive|never|but not|"
    r"(?:above|below|over|under|than) (?:the |its |their |our )?(?:overall |own )?(?:average|mean|median))\b"
)
_CHART = re.compile(r"\b(?:bar|pie|line|scatter|x-axis|y-axis|visuali[sz]e|graph|axis)\b")
_LISTING = re.compile(r"^\s*(?:list|which|who|where|when|find|name|return|what are|show me all|show all)\b")
_LISTED = re.compile(r"\b(?:top|bottom)\b")
_COUNTED = re.compile(r"\bhow many\b|\bnumber of\b|\bcounts?\b|\bhead ?count\b")
_DISTINCT = r"\b(?:distinct|unique|different)\b"
_MADE = re.compile(
    r"\b(?:make|made|earn|earned|sell|sold|generate[sd]?|bring in|brought in|get|got|via|through|where|whose|which|"
    r"that|who|when|broken down|split up)\b"
)
_PER_ROW = re.compile(r"\b(?:average|mean) (?:daily|weekly|monthly|quarterly|yearly|annual)\b")


def read_figures(draft: Draft) -> Reading | Unclear | None:
    """The figure a question asks for; None when it asks for something else."""
    named = None if _CHART.search(draft.folded) else read_formula(draft)
    if isinstance(named, Unclear):
        return named
    if _CHART.search(draft.folded) or _PER_ROW.search(draft.folded):
        return None
    if named is None and _OTHERS.search(draft.folded):
        return None
    listing = _LISTING.search(draft.folded) is not None
    ends = read_ends(draft)
    each_row = _each_row(draft)
    counted = _entity(draft)
    tested = read_presence(draft)
    distinct = draft.take(_DISTINCT) is not None
    most = _most_of(draft) if ends is not None else None
    parts = gather(draft)
    if counted is not None and counted in {each.column for each in tested} and not parts.loose:
        parts.loose.append(counted)
    valued = {each.column for each in parts.values}
    # "The revenue of states other than Utah": what the values are of is no split.
    parts.loose = [name for name in parts.loose if name not in valued or parts.counted]
    while draft.take(_MADE) is not None:
        pass
    if each_row and parts.aggregate not in {None, "avg"}:
        return (
            None
            if draft.unread()
            else Unclear(f"Each row of {draft.profile.table} is one of these. Do you mean the average?")
        )
    parts.aggregate = "avg" if each_row else parts.aggregate
    if most is not None and not parts.columns and parts.aggregate is None:
        measure = Measure(aggregate="count_distinct", column=most)
    elif named is not None:
        measure = _formula(draft, parts, named)
    else:
        measure = _measure(draft, parts, ends, distinct, listing)
    if isinstance(measure, Unclear):
        # What is not clear is asked about only where all else is: half a question is for others to read.
        return None if draft.unread() else measure
    if measure is None:
        return None
    splits = [*parts.splits, *(Dimension(column=name) for name in parts.loose)]
    periods = [each for each in splits if each.grain is not None]
    if measure.counts_rows and any(is_other_event(draft.profile, each.column, _said(draft)) for each in periods):
        return Unclear(f"Each row of {draft.profile.table} is not one of these. What shall I count?")
    of_one = ends is not None and ends.of_one and not (periods and len(splits) == 1)
    if of_one and parts.aggregate is None and measure.aggregate == "sum":
        return None if draft.unread() else _total_or_average(measure, splits)
    if measure.aggregate == "count_distinct":
        splits = [each for each in splits if each.column != measure.column]
    if parts.loose and ends is None and measure.aggregate != "count_distinct":
        return None
    if len(splits) > MOST_SPLITS or len(parts.times.periods) > 1 or (ends is not None and len(splits) != 1):
        return None if ends is None or ends.plain or draft.unread() else _ranked_by_what(draft, splits)
    return Reading(
        table=draft.profile.table,
        measure=measure,
        dimensions=tuple(splits),
        filters=(*_together(draft, parts), *tested),
        period=parts.times.period,
        order=_order(ends, splits),
        limit=ends.limit if ends is not None else None,
        score=1.0,
    )


def _total_or_average(measure: Measure, splits: list[Dimension]) -> Unclear:
    by = f", by {splits[0].label}" if len(splits) == 1 else ""
    return Unclear(f"The highest or lowest total {measure.column}, or the average {measure.column}{by}?")


def _order(ends: Ends | None, splits: list[Dimension]) -> Literal["value_desc", "value_asc", "group"]:
    if ends is not None:
        return ends.order
    return "group" if not splits or any(each.grain for each in splits) else "value_desc"


def _formula(draft: Draft, parts: Parts, named: Named) -> Measure | Unclear:
    if parts.columns or parts.counted:
        return Unclear(f"What has {', '.join(parts.columns) or 'the count'} to do with {named.formula.text}?")
    return formula_measure(draft, parts, named)


def _measure(draft: Draft, parts: Parts, ends: Ends | None, distinct: bool, listing: bool) -> Measure | Unclear | None:
    columns = list(dict.fromkeys(parts.columns))
    if not columns and not parts.counted and parts.aggregate is not None:
        # A column may be called "total" itself.
        columns = [each.name for each in draft.measures if AGGREGATES.get(each.name.casefold()) == parts.aggregate]
    if distinct:
        return _distinct(draft, parts)
    if len(columns) > 1:
        return None
    if parts.aggregate is not None and columns and not _COUNTED.search(draft.folded):
        parts.counted = False  # "the average order amount" speaks of rows and does not count them
    if ends is not None and not ends.plain and not columns:
        # The best of something is asked back; the top of a list may be its first row, and is for others to read.
        named = bool(parts.loose or parts.splits or parts.counted) and not draft.unread()
        return _ranked_by_what(draft, []) if named and not _LISTED.search(ends.said) else None
    if parts.counted and not _COUNTED.search(draft.folded) and (columns or ends is not None or not parts.splits):
        return None  # rows are named and not counted: they are to be listed
    if parts.counted:
        return _counted(draft, parts, columns)
    if not columns and parts.aggregate is None and ends is None and _counts_events(draft, parts):
        return Measure(aggregate="count")
    if not columns:
        return None
    usual = usual_aggregate(draft.column(columns[0]))
    if parts.aggregate is None and ends is not None and usual != "sum":
        return None
    explicit = parts.aggregate is not None or ends is not None or bool(parts.splits)
    if not explicit and (usual != "sum" or listing):
        return None
    return Measure(aggregate=parts.aggregate or usual, column=columns[0])


def _each_row(draft: Draft) -> bool:
    """ "Amount per order", where a row is an order: the average."""
    for found in re.finditer(r"\bper (?P<row>\w+)\b", draft.folded):
        place = draft.places(found.span("row"))[0]
        if is_one_row(draft, place) and draft.free([place]):
            draft.used.update(draft.places(found.span()))
            return True
    return False


def _entity(draft: Draft) -> str | None:
    """The column whose values are counted: "how many customers …"."""
    found = re.search(r"\b(?:how many|number of|count of)\s+(?:the |our |distinct |unique |different )*", draft.folded)
    if found is None:
        return None
    links = [link for link in draft.links() if link.span[0] == found.end()]
    draft.doubts.clear()
    return links[0].target if links and draft.column(links[0].target).inferred_type == "dimension" else None


def _said(draft: Draft) -> set[str]:
    return {token.stem for token in draft.tokens}


def _counts_events(draft: Draft, parts: Parts) -> bool:
    """Whether rows are called after their date: "hires per year" counts the rows by hire_date."""
    periods = [each for each in parts.splits if each.grain is not None]
    return len(periods) == 1 and not parts.loose and bool(event_words(periods[0].column) & _said(draft))


def _most_of(draft: Draft) -> str | None:
    """Whose values are counted where a group has the most of them: "which state has the most customers"."""
    found = re.search(r"\b(?:most|fewest)\s+(?:distinct |different |unique )?", draft.folded)
    if found is None:
        return None
    links = [link for link in draft.links() if link.span[0] == found.end()]
    draft.doubts.clear()
    if not links or is_row_word(draft, links[0].target):
        return None
    column = draft.column(links[0].target)
    if column.inferred_type not in {"dimension", "id"} or 2 * column.cardinality > draft.profile.row_count:
        return None  # where a value stands in about one row each, values and rows are not told apart
    draft.used.update(links[0].words)
    return column.name


def _distinct(draft: Draft, parts: Parts) -> Measure | None:
    named = [*parts.columns, *parts.loose, *dict.fromkeys(parts.keys)]
    if len(named) != 1 or not (parts.counted or parts.splits) or parts.aggregate is not None:
        return None
    return Measure(aggregate="count_distinct", column=named[0])


def _counted(draft: Draft, parts: Parts, columns: list[str]) -> Measure | Unclear | None:
    if columns and parts.aggregate == "sum":
        return Measure(aggregate="sum", column=columns[0])  # "the total number of passengers"
    if columns and _is_noun(draft, columns[0]):
        return None  # "the number of points" may be a cell, a total or a count
    if columns:
        said = columns[0]
        return Unclear(f"Do you mean the number of rows in which {said} is given, or the total {said}?")
    if parts.aggregate not in {None, "sum"}:
        return None
    if parts.aggregate == "sum" and any(AGGREGATES.get(each.name.casefold()) == "sum" for each in draft.measures):
        return Unclear("Do you mean the number of rows, or the sum of the column called so?")
    if not parts.loose:
        return counted_keys(parts) or Measure(aggregate="count")
    # "How many customers": a column of the table is counted by its values, unless a row is one of them.
    name = parts.loose[0]
    if re.search(rf"\b{re.escape(name.replace('_', ' ').casefold())} counts?\b", draft.folded):
        return Unclear(f"How many rows there are of each {name}, or how many different {name} there are?")
    if any(each.column == name and not each.negated for each in parts.values):
        return None  # "how many won gold medals": one value of the column is named, and rows are counted
    often = 2 * draft.column(name).cardinality <= draft.profile.row_count
    if len(parts.loose) > 1 or is_row_word(draft, name) or not often:
        return None  # where a value stands in about one row each, values and rows are not told apart
    return Measure(aggregate="count_distinct", column=name)


def _is_noun(draft: Draft, name: str) -> bool:
    """Whether a column is what "how many" stands before."""
    found = re.search(r"\b(?:how many|number of|counts? of)\s+(?:more |the |total )*(?P<noun>\w+)", draft.folded)
    return found is not None and bool(
        {word.stem for word in split_words(found["noun"])} & {word.stem for word in split_words(name)}
    )


def _ranked_by_what(draft: Draft, splits: list[Dimension]) -> Unclear:
    if splits:
        return Unclear("A ranking is of one column. Which one do you mean?")
    return Unclear(f"Ranked by what? {which_measure(draft)}")


def _together(draft: Draft, parts: Parts) -> tuple[Filter | Either, ...]:
    """The conditions; values of two columns with nothing but "or" between them are a choice."""
    found = parts.filters
    for one, two in zip(parts.values, parts.values[1:], strict=False):
        if one.column != two.column and _is_choice(draft, one, two):
            pair = tuple(each for each in found if each.column in {one.column, two.column})
            if len(pair) == 2 and not one.negated and not two.negated:
                rest = tuple(each for each in found if each not in pair)
                return (Either(choices=pair), *rest)
            draft.doubts.append(f"Must both hold, {one.words} and {two.words}, or is one of them enough?")
    return found


def _is_choice(draft: Draft, one: ValueSaid, two: ValueSaid) -> bool:
    return "or" in {draft.normal(place) for place in range(one.last + 1, two.first)}
