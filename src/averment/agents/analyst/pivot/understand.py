"""Understanding questions for a table of two directions: what goes down, what goes across."""

from __future__ import annotations

import re

from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import Parts, gather, measure_of, which_measure
from averment.agents.analyst.parts.nouns import Dimension, Measure
from averment.agents.analyst.pivot.reading import PivotReading

_PIVOT = (
    r"\b(?:as )?(?:an? )?(?:pivot(?: ?tables?|ed)?|cross[- ]?tab(?:s|le|ulat\w+|ulation)?|contingency table|"
    r"two[- ]way table|matrix)\b(?: of)?"
)
_TABLE = r"\b(?:as|in) an? table\b"
_ROLES = r"\b(?:as|in|on) (?:the )?(?:rows|columns)\b|\b(?:down|across) the (?:side|top)\b"
_OTHERS = re.compile(r"\b(?:correlat\w*|chi|test|confusion|independen\w*|growth|share|percent\w*|moving|rolling)\b")
_MOST_COLUMNS = 30


def read_pivot(draft: Draft) -> PivotReading | Unclear | None:
    """The table of two directions a question asks for; None when it asks for none."""
    if _OTHERS.search(draft.folded):
        return None
    pivot = draft.take(_PIVOT) is not None
    plain = not pivot and draft.take(_TABLE) is not None
    if not pivot and not plain:
        return None
    across = re.search(r"(\w+) (?:as|in|on) (?:the )?columns", draft.folded)
    while draft.take(_ROLES):
        pass
    parts = gather(draft)
    dimensions = [*parts.splits, *(Dimension(column=name) for name in parts.loose)]
    if plain and len(dimensions) < 2:
        return None
    if not 2 <= len(dimensions) <= 3:
        names = ", ".join(column.name for column in draft.dimensions)
        return Unclear(f"A pivot needs two columns, one down and one across. {draft.profile.table} has: {names}.")
    measure = measure_of(draft, parts)
    if measure is None and not parts.columns:
        measure = Measure(aggregate="count")
    if measure is None:
        return Unclear(which_measure(draft, parts))
    return _made(draft, parts, measure, dimensions, across[1] if across is not None else None)


def _made(
    draft: Draft, parts: Parts, measure: Measure, dimensions: list[Dimension], said: str | None
) -> PivotReading | Unclear:
    able = [each for each in dimensions if each.grain is None and draft.column(each.column).values]
    named = [each for each in able if said is not None and said.rstrip("s") in each.column.casefold()]
    if said is not None and not named:
        return Unclear(f"The values of {said} cannot be laid out as columns. Which column shall go across?")
    if not able:
        return Unclear("None of these has few enough values to be laid out as columns. Which column shall go across?")
    across = named[0] if named else able[-1]
    values = sorted(str(value) for value, _ in draft.column(across.column).values or () if value is not None)
    own = {str(each.value) for each in parts.filters if each.column == across.column and each.operator == "="}
    own |= {other for each in parts.filters if each.column == across.column for other in each.others}
    if own:
        values = [value for value in values if value in own]
    if len(values) > _MOST_COLUMNS:
        return Unclear(f"{across.column} has more than {_MOST_COLUMNS} values; which column shall go across instead?")
    if len(parts.times.periods) > 1:
        return Unclear("For which one period? The question names several.")
    return PivotReading(
        table=draft.profile.table,
        measure=measure,
        down=tuple(each for each in dimensions if each != across),
        across=across,
        values=tuple(values),
        filters=parts.filters,
        period=parts.times.period,
    )
