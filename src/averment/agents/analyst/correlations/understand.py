"""Understanding questions about correlations: of all numbers, of those named, or of one with the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.correlations.reading import CorrelationsReading, Method
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import gather
from averment.tables.layers import MOST_CORRELATED

if TYPE_CHECKING:
    from averment.tables.profile import ColumnProfile

_KIND = r"\b(?P<kind>spearman|pearson|kendall)(?:'s)?(?: rank| tau| rho)?\b"
_MATRIX = (
    r"\b(?:pair-?wise )?(?:cross[- ])?correlation (?:matrix|table|heat ?map|coefficients?)\b|"
    r"\bpair-?wise correlations?\b"
    r"|\bcorrelat\w+ heat ?map\b|\bheat ?map of (?:the )?correlations?\b"
)
_SHEET = r"\b(?:matrix|table|heat ?map|pair-?wise)\b"
_WORD = r"\b(?:inter-?)?correlat(?:ions?|es?|ed|ing)\b|\brelat(?:ed|es?|ionships?)\b"
_ALL = (
    r"\b(?:between|of|among|amongst|across|for|with|to)?\s*(?:all|every|each|any|the)?(?: of the| the| pairs? of)?\s*"
    r"(?:other |different )?(?:numeric(?:al)?|number|quantitative|continuous)\s+"
    r"(?:columns?|variables?|features?|fields?|measures?|values?|attributes?)\b"
    r"|\b(?:between|of|among|amongst|across|for|with|to)\s+(?:all|every|each|any)(?: of)?(?: the)?(?: other)? "
    r"(?:columns?|variables?|features?|fields?|measures?|numbers?|attributes?|others?|rest)\b"
    r"|\b(?:with|and|to|between)\s+(?:everything|all)(?: else)?\b|\bthe (?:others?|rest)\b"
)
_WHICH = (
    r"\b(?:which|what) (?:other )?(?:numeric(?:al)? )?"
    r"(?:columns?|variables?|features?|fields?|measures?|factors?|attributes?|numbers?)\b"
)
_WHAT = r"^what (?:is|are)\b"
_PAIRS = r"\b(?:which|what) (?:two |pairs? of )?(?:columns?|variables?|features?|fields?|measures?|numbers?|pairs?)\b"
_SEVERAL = re.compile(
    r"\b(?:strongest|highest|biggest|largest|closest|top \d+|\d+ (?:strongest|highest)) correlations\b"
    r"|^(?:show |list |give |find |compute )?(?:me )?(?:the |all )*correlations\W*$"
    r"|^are (?:there )?any (?:\w+ )?(?:columns?|variables?|correlations|features?|fields?|numbers?)\b"
)
_STRONGEST = r"\b(?:most|more)? ?(?:strong(?:ly|est)?|close(?:ly|st)?|high(?:ly)?|best|most|top|biggest|largest)\b"
_HIGHEST = r"\b(?:most |highest )?positive(?:ly)?\b"
_LOWEST = r"\b(?:most |lowest )?negative(?:ly)?\b|\binverse(?:ly)?\b"
_TOP = r"\btop (?P<n>\d{1,2})\b|\b(?P<m>\d{1,2}) (?=most|strongest|highest|closest|best)"
_PARTS = (
    r"\b(?:any|columns?|variables?|features?|fields?|each other|one another|together|strength|coefficients?|"
    r"correlation|matrix|pairs?|if any)\b"
)
_OTHERS = re.compile(
    r"\b(?:p-?values?|significan\w*|test|auto-?correlat\w*|lag(?:ged)?|partial|how many|caus\w+|"
    r"predict\w*|regress\w*|scatter|round\w*|decimal\w*|impute\w*|outliers?|chi)\b|^(?:is|are|does|"
    r"do)\b(?! (?:any|there any|some)\b)"
)


def read_correlations(draft: Draft) -> CorrelationsReading | Unclear | None:
    """The correlations a question asks for; None where it asks for none, or for that of two columns."""
    if not draft.says(r"correlat|\brelated\b|\brelationship") or _OTHERS.search(draft.folded):
        return None
    matrix = draft.take(_MATRIX) is not None
    every = draft.take(_ALL) is not None
    which = draft.take(_WHICH) is not None
    what = not which and draft.take(_WHAT) is not None
    pairs = not which and draft.take(_PAIRS) is not None
    if not (matrix or every or which or what or pairs or _SEVERAL.search(draft.folded)):
        return None
    if not matrix and not re.search(r"correlat", draft.folded) and not every and not which and not what:
        return None
    kind = draft.take(_KIND)
    top = draft.take(_TOP)
    ends = _ends(draft)
    while draft.take(_WORD) or draft.take(_STRONGEST) or draft.take(_PARTS):
        pass
    numbers = [column for column in draft.profile.columns if is_number(column)]
    parts = gather(draft)
    named = [name for name in dict.fromkeys(parts.columns) if name in {column.name for column in numbers}]
    if len(named) == 2 and not (every or which or re.search(_SHEET, draft.folded)):
        return None  # One correlation of two columns is a statistic's.
    if kind is not None and kind["kind"] == "kendall":
        return Unclear("Of several columns at once I compute Pearson's or Spearman's correlation. Which one?")
    if parts.splits or parts.loose or parts.aggregate is not None or len(parts.times.periods) > 1:
        return Unclear("Correlations are of numbers over the rows as they are. Which columns do you mean?")
    columns = tuple(column.name for column in numbers)
    against = None
    if len(named) == 1:
        against = named[0]
    elif len(named) > 1:
        if which:
            return Unclear(f"With which one shall the others be correlated: {', '.join(named)}?")
        columns = tuple(named)
    elif (which or what) and not every and not _is_of_pairs(draft):
        return Unclear(f"With which column? {draft.profile.table} has: {', '.join(columns) or 'no numbers'}.")
    if len(columns) < 2:
        return Unclear(f"The table {draft.profile.table} has no two numbers to correlate.")
    if len(columns) > MOST_CORRELATED:
        return Unclear(f"At most {MOST_CORRELATED} columns are correlated at once. Which ones do you mean?")
    method: Method = "spearman" if kind is not None and kind["kind"] == "spearman" else "pearson"
    return CorrelationsReading(
        table=draft.profile.table,
        columns=columns,
        against=against,
        method=method,
        ends=ends,
        limit=int(top["n"] or top["m"]) if top is not None and int(top["n"] or top["m"]) else None,
        filters=parts.filters,
        period=parts.times.period,
    )


def is_number(column: ColumnProfile) -> bool:
    """Whether a column's values are amounts: keys and codes are numbers too, and say nothing."""
    if column.data_type not in {"integer", "float", "decimal"} or column.inferred_type in {"id", "timestamp"}:
        return False
    return column.inferred_type == "measure"


def _ends(draft: Draft) -> Literal["strongest", "highest", "lowest"]:
    if draft.take(_LOWEST) is not None:
        return "lowest"
    return "highest" if draft.take(_HIGHEST) is not None else "strongest"


def _is_of_pairs(draft: Draft) -> bool:
    """Whether any two columns are meant: "which columns are correlated", and not with what."""
    return re.search(r"correlat\w*(?: with each other| with one another| together)?\W*$", draft.folded) is not None
