"""Understanding questions about shares and rankings: of what, by what, and whose share is asked."""

from __future__ import annotations

import re

from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.filters import ValueSaid
from averment.agents.analyst.parts.gather import Parts, gather, is_one_row, measure_of, which_measure
from averment.agents.analyst.parts.nouns import Dimension, Measure
from averment.agents.analyst.share.reading import ShareReading

_SHARE = (
    r"\b(?:market )?(?:shares?|percent(?:age)?s?|proportions?|fractions?|portions?|pct)\b"
    r"(?: of)?(?: (?:the )?(?:grand )?(?:total|overall|whole|all)\b(?: of)?)?|%\s*of(?: (?:the )?total)?"
)
_CONTRIBUTION = (
    r"\bcontribut(?:e[sd]?|ions?|ing|ors?)\b|\bbreak ?downs?\b|\bmake(?:s)? up\b|\bmade up\b"
    r"|\bpareto\b(?: (?:analysis|charts?|tables?|diagrams?|rule|principle))?|\b80[/-]20\b(?: (?:analysis|rule|split))?"
)
_CUMULATIVE = (
    r"\b(?:cumulative|running|accumulated) (?:shares?|percent(?:age)?s?|contributions?|proportions?)\b"
    r"(?: of(?: the)? (?:grand )?total(?: of)?\b)?"
)
_REACH = (
    r"\b(?:that |which |who )?(?:together |jointly )?(?:make[s]?(?: up)?|made(?: up)?|making(?: up)?|"
    r"generat(?:e[sd]?|ing)|"
    r"account(?:s|ed|ing)? for|(?:are |is )?responsible for|bring(?:s|ing)?(?: in)?|brought(?: in)?|"
    r"contribut(?:e[sd]?|ing)"
    r"(?: to)?|driv(?:e[s]?|ing)|produc(?:e[sd]?|ing)|cover(?:s|ed|ing)?|represent(?:s|ed|ing)?|earn(?:s|ed|ing)?|"
    r"give[s]?|giving|deliver(?:s|ed|ing)?|behind) (?:together |the (?:first|top) |about |around |at least |our )?"
    r"(?:(?P<p>\d{1,3}(?:\.\d+)?)\s*(?:%|percent\b|per cent\b|pct\b)|half\b)(?: of)?(?: (?:the|our|all|total))*"
)
_OF_TOTAL = r"\b(?:as )?(?:an? )?(?:share|percent(?:age)?|%|fraction) of (?:the )?(?:grand )?(?:total|whole)\b"
_COMPARE = r"^(?:please )?compare\b"
_VALUES = (
    r"\b(?:frequency )?distributions?\b(?: of)?|\bdistributed (?=by\b|across\b|over\b|among\b)"
    r"|\bfrequency (?:table )?of\b|\bfrequencies of\b"
)
_RANK = (
    r"\brank(?:ing|ings)?\b(?: of)?(?= (?:the |all |our )?\w+(?: \w+)? (?:by|on|according to)\b)|\branked by\b"
    r"|\bleague table\b"
)
_TOP = r"\btop (?P<n>\d+)\b"
_COME = r"\b(?:comes?|came|coming|due|attributable|accounts?|accounted|belongs?|represents?|went|goes|originates?)\b"
_OTHERS = re.compile(
    r"\b(?:change[sd]?|growth|grew|grow|increase[sd]?|decrease[sd]?|versus|vs|correlat\w*|points?|missing|least|normal|"
    r"greater|differences?|"
    r"null|empty|outliers?|duplicat\w*|unique|distinct|moving|rolling|cumulative|error|spearman|pearson|over time)\b"
)


def read_share(draft: Draft) -> ShareReading | Unclear | None:
    """The parts of a whole a question asks for; None when it asks for none."""
    cumulative = draft.take(_CUMULATIVE) is not None
    others = re.sub(_CUMULATIVE, " ", draft.folded)
    reach = draft.take(_REACH)
    others = others if reach is None else others.replace("at least", "")
    if _OTHERS.search(others) or any("%" in column.name for column in draft.profile.columns):
        return None
    if reach is not None:
        return _read_reach(draft, float(reach["p"] or 50))
    compared = draft.take(_COMPARE) is not None
    if not compared and draft.says(r"\bcompar"):
        return None
    ranked = draft.take(_RANK) is not None or compared
    whole = draft.take(_OF_TOTAL) is not None
    shared = whole or draft.take(_SHARE) is not None
    shared = draft.take(_CONTRIBUTION) is not None or shared or cumulative
    counted = not shared and not ranked and _is_of_values(draft)
    if not shared and not ranked and not counted:
        return None
    shared = shared or counted
    if shared:
        draft.take(_SHARE)
        draft.take(_COME)
        draft.take(r"\bof (?:the )?(?:grand )?total\b")
    top = draft.take(_TOP)
    if draft.take(r"\b(?:the )?(?:most|highest|largest|biggest)\b") and top is None:
        ranked = True
    if ranked or shared:
        draft.take(r"\bwhich\b")
    within = next((place for place, token in enumerate(draft.tokens) if token.normal == "within"), None)
    parts = gather(draft)
    if compared and (parts.values or len(parts.times.periods) > 1):
        return None  # two sides are compared, which is a contrast
    if cumulative and parts.times.grain is not None:
        return None  # along the calendar, and not from the greatest on
    splits, asked = _splits(draft, parts)
    if isinstance(splits, Unclear):
        return splits
    measure = measure_of(draft, parts) or _counted(parts, asked)
    if measure is None and not parts.columns and (counted or _names_the_table(draft)):
        measure = Measure(aggregate="count")
    if counted and measure is not None and measure.column is not None:
        return None
    if measure is None:
        return Unclear(which_measure(draft, parts))
    refused = _refused(draft, measure) if shared else None
    if refused is not None:
        return refused
    own = {each.column for each in splits}
    within_rows = [each for each in parts.filters if each.column not in own]
    if shared and measure.counts_rows and within_rows and asked is None:
        which = within_rows[0].said
        return Unclear(f"Of the rows with {which} the share of each group, or in each group the share with {which}?")
    if len(parts.times.periods) > 1:
        return Unclear("For which one period? The question names several.")
    own = asked.column if asked is not None else None
    return ShareReading(
        table=draft.profile.table,
        measure=measure,
        splits=splits,
        within=_within(parts, within),
        filters=tuple(each for each in parts.filters if each.column != own),
        period=parts.times.period,
        asked=asked.value if asked is not None else None,
        ranked=ranked,
        limit=int(top["n"]) if top is not None and 0 < int(top["n"]) <= 1000 else None,
        shared=shared,
    )


def _read_reach(draft: Draft, percent: float) -> ShareReading | Unclear:
    """The fewest groups that make up so many percent: whose, and of what."""
    keys = [link for link in draft.links() if draft.column(link.target).inferred_type == "id"]
    keys = [link for link in keys if draft.column(link.target).cardinality < draft.profile.row_count]
    for link in keys:
        draft.used.update(link.words)
    draft.take(r"\bhow many\b|\b(?:the )?(?:number|count) of\b")
    draft.take(r"^(?:which|what|who)\b")
    draft.take(r"\b(?:the )?(?:top|fewest|few|best|biggest|largest|main|smallest (?:set|number|group) of)\b")
    parts = gather(draft)
    splits = [*parts.splits, *(Dimension(column=name) for name in parts.loose)]
    splits += [Dimension(column=link.target) for link in keys]
    if len({each.label for each in splits}) != 1:
        return Unclear(f"Whose share? {draft.profile.table} has: {', '.join(c.name for c in draft.dimensions)}.")
    measure = measure_of(draft, parts)
    if measure is None:
        return Unclear(which_measure(draft, parts))
    if not 0 < percent <= 100:
        return Unclear("A share of the whole lies between 0 and 100 percent. How much shall it be?")
    if len(parts.times.periods) > 1:
        return Unclear("For which one period? The question names several.")
    return _refused(draft, measure) or ShareReading(
        table=draft.profile.table,
        measure=measure,
        splits=(splits[0],),
        filters=parts.filters,
        period=parts.times.period,
        reach=percent,
    )


def _is_of_values(draft: Draft) -> bool:
    """Whether the distribution of a column without numbers is asked for: each value with its rows."""
    if draft.take(_VALUES) is None:
        return False
    named = [draft.column(link.target).inferred_type for link in draft.links()]
    return "dimension" in named and "measure" not in named


def _splits(draft: Draft, parts: Parts) -> tuple[tuple[Dimension, ...] | Unclear, ValueSaid | None]:
    named = [*parts.splits, *(Dimension(column=name) for name in parts.loose)]
    columns = {each.column for each in named}
    if named and len(named) <= 3:
        asked = [value for value in parts.values if value.column in columns and not value.negated]
        return tuple(named), asked[0] if len(asked) == 1 else None
    if not named and parts.values:
        positive = [value for value in parts.values if not value.negated]
        asked = _asked(draft, positive)
        if asked is not None:
            return (Dimension(column=asked.column),), asked
        return Unclear("Whose share of what? Please name one value, or a column to split by."), None
    names = ", ".join(column.name for column in draft.dimensions)
    return Unclear(f"By what shall the whole be split? {draft.profile.table} has: {names or 'no such column'}."), None


def _asked(draft: Draft, values: list[ValueSaid]) -> ValueSaid | None:
    """The value whose share is asked: the only one, or the one behind the verb."""
    if len(values) == 1:
        return values[0]
    verbs = [p for p, t in enumerate(draft.tokens) if t.normal in {"is", "are", "was", "were", "comes", "came"}]
    verbs = [place for place in verbs if place > 1]
    behind = [value for value in values if verbs and value.first > verbs[-1]]
    return behind[0] if len(behind) == 1 else None


def _counted(parts: Parts, asked: ValueSaid | None) -> Measure | None:
    """Without a number the rows are counted where the question speaks of one value."""
    return Measure(aggregate="count") if asked is not None and not parts.columns and parts.counted else None


def _refused(draft: Draft, measure: Measure) -> Unclear | None:
    if not measure.adds_up:
        return Unclear(
            f"The {measure.words} of parts does not add up to a whole. Do you mean the total {measure.column}?"
        )
    column = draft.column(measure.column) if measure.column is not None else None
    if column is not None and isinstance(column.minimum, int | float) and column.minimum < 0:
        return Unclear(
            f"{column.name} has values below zero, so shares of its total would mislead. Shall I show totals?"
        )
    return None


def _names_the_table(draft: Draft) -> bool:
    """Whether rows are spoken of by their table's name: "percentage of readings by status"."""
    return any(is_one_row(draft, place, plural=True) for place in range(len(draft.tokens)))


def _within(parts: Parts, place: int | None) -> str | None:
    if place is None:
        return None
    behind = [i for i, at in enumerate(parts.split_places) if at > place]
    return parts.splits[behind[0]].label if behind and len(parts.splits) + len(parts.loose) > 1 else None
