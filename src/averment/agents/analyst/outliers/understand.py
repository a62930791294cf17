"""Understanding questions about unusual rows: of which number, by which rule, within which groups."""

from __future__ import annotations

import re

from averment.agents.analyst.outliers.reading import USUAL, Method, OutliersReading
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.gather import gather, which_measure
from averment.agents.analyst.parts.words import AMOUNT_WORDS

_KIND = r"\b(?:outliers?|outlying|anomal(?:y|ies|ous)|unusual(?:ly)?|abnormal(?:ly)?|extreme values?)\b"
_NUMBER = r"(?P<{0}>\d{{1,2}}(?:\.\d+)?|two|three|four)"
_STDS = r"(?:standard deviations?|std(?:s| ?dev\w*)?|sigmas?|sds?)"
_Z = re.compile(
    rf"\b(?:by|with|using|via|on|based on|where|whose|having|of)?\s*(?:an?|the|its)?\s*(?:absolute )?z[- ]?scores?"
    rf"(?: (?:method|rule|test|approach|values?))?(?:\s+(?:is|of|with)?\s*(?:an? )?(?:threshold|cut-?off|"
    rf"limit)?\s*(?:of|=)?"
    rf"\s*(?:above|over|beyond|greater than|more than|larger than|exceeding|>)?\s*{_NUMBER.format('a')})?\b"
)
_SIGMA = re.compile(
    rf"\b(?:(?:that |which )?(?:are|is|lie|lying) )?(?:by|using|with|at|more than|over|beyond|outside|"
    rf"above|at least)?\s*"
    rf"(?:of )?{_NUMBER.format('b')}[- ]?{_STDS}\b"
    r"(?:\s+(?:rule|away|off|out|limit|method))?(?:\s*(?:from|of|above|below|around|above or below|"
    r"off) (?:the |its |their )?"
    r"(?:mean|average))?"
)
_IQR = re.compile(
    rf"\b(?:by|with|using|via|on|based on|beyond|outside|of)?\s*(?:the )?(?:{_NUMBER.format('c')}\s*(?:\*|"
    rf"x|×|times)?\s*)?"
    r"(?:the )?(?:iqr|inter-?quartile ranges?|tukey(?:'s)?(?: fences?)?|fences)\b(?: (?:method|rule|test|"
    r"approach|fences?))?"
)
_ASKING = r"\b(?:which|who|that are|considered|detect(?:ed)?|identify|flag(?:ged)?|all|any|statistical(?:ly)?|every)\b"
_TOP = (
    r"\b(?:top|first|biggest|largest|farthest|most extreme) (?P<n>\d{1,4})\b"
    r"|\b(?P<m>\d{1,4}) (?=biggest|largest|most|farthest)"
)
_MOST = r"\b(?:the )?(?:biggest|largest|farthest|most extreme|most)\b"
_ROWS = r"\b(?:rows?|records?|entries|lines?|cases?|points?|observations?|values?|data points?)\b"
_OTHERS = re.compile(
    r"\b(?:how many|number of|counts?|percent\w*|proportion|share|fraction|are there|is there|has any|"
    r"have any|remov\w*|"
    r"exclud\w*|without|after|before|replac\w*|impute\w*|clean\w*|handl\w*|average|mean of|median|"
    r"compare[ds]?|correlat\w*|"
    r"normal|distribution|skew\w*|most common|test|round\w*|decimal\w*|effect|impact|drop|rate|why|"
    r"new column|model)\b|%"
)
_WORDS = {"two": 2.0, "three": 3.0, "four": 4.0}


def read_outliers(draft: Draft) -> OutliersReading | Unclear | None:
    """The unusual rows a question asks for; None where it asks for none, or only how many there are."""
    # "Rows more than 3 standard deviations from the mean" names them as well.
    apart = re.search(rf"{_STDS}\b.{{0,30}}\b(?:mean|average)\b", draft.folded) is not None
    if not draft.says(_KIND) and not (apart and draft.says(_ROWS)):
        return None
    if _OTHERS.search(draft.folded):
        return None
    method, reach = _rule(draft)
    while draft.take(_KIND) or draft.take(_ASKING):
        pass
    top = draft.take(_TOP)
    draft.take(_MOST)
    parts = gather(draft)
    while draft.take(_ROWS):
        pass
    columns = list(dict.fromkeys(parts.columns))
    if not columns and len(draft.measures) == 1 and parts.aggregate is None:
        columns = [draft.measures[0].name]
        draft.used.update(place for place, token in enumerate(draft.tokens) if token.stem in AMOUNT_WORDS)
    if len(columns) != 1 or parts.aggregate is not None:
        return Unclear(f"In which number shall I look for outliers? {which_measure(draft, parts)}")
    if len(parts.splits) > 1 or parts.loose or len(parts.times.periods) > 1:
        return Unclear(
            f"Outliers in {columns[0]} can be judged within the groups of one column. Which one do you mean?"
        )
    limit = int(top["n"] or top["m"]) if top is not None else None
    return OutliersReading(
        table=draft.profile.table,
        column=columns[0],
        shown=tuple(column.name for column in draft.profile.columns),
        method=method,
        reach=reach,
        split=parts.splits[0] if parts.splits else None,
        filters=parts.filters,
        period=parts.times.period,
        limit=limit or None,
    )


def _rule(draft: Draft) -> tuple[Method, float]:
    """The rule that is named, and how far is too far; Tukey's fences where none is."""
    sigma = draft.take(_SIGMA)
    z = draft.take(_Z)
    if sigma is not None or z is not None:
        said = (sigma["b"] if sigma is not None else None) or (z["a"] if z is not None else None)
        return "z", _number(said) or USUAL["z"]
    fences = draft.take(_IQR)
    return "iqr", (_number(fences["c"]) if fences is not None else None) or USUAL["iqr"]


def _number(said: str | None) -> float | None:
    if said is None:
        return None
    return _WORDS[said] if said in _WORDS else float(said)
