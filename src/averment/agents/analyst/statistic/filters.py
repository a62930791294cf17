"""Which rows a question keeps: comparisons next to a column's name, and values it names."""

from __future__ import annotations

import re
from typing import Any

from averment.agents.analyst.statistic.columns import Mention
from averment.agents.analyst.statistic.wording import Wording
from averment.language.numbers.comparisons import find_comparisons
from averment.language.tokens import STOP_WORDS

Step = dict[str, Any]

ABOUT_RESULTS = re.compile(
    r"p-?\s?value|(?:\d|three|two) standard deviations?|twice|significan|coefficient|\br\b|\|r\||skewness|"
    r"kurtosis|z-?\s?score|"
    r"outlier|quartile|\biqr\b|alpha|"
    r"decimal|threshold|consider (?:the )?(?:relationship|distribution|correlation)|random|training|train/|"
    r"categoriz|split|"
    r"percentile|normali|range (?:of|between|from) 0|between -?\d and \d|indicat|categor(?:y|ies)\b.*\(",
    re.IGNORECASE,
)
_GLUE = re.compile(
    r"^[\s\"'”’`,)]*(?:columns?|values?|is|are|was|were|of|that|equals?|with|a|an|the|exactly|has|have|having|"
    r"degrees|=|\s)*[\s\"'“‘`(]*$",
    re.IGNORECASE,
)
_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=", "ne": "<>"}
_EQUAL = re.compile(
    r"^[\s\"'”’`),]*(?:columns?|values?)?\s*(?:is|are|was|were|of|=|==)?\s*(?:exactly\s+)?(?:equals?(?: to)?|of|=|"
    r"==|is)\s*[\"'“‘`]?"
    r"(?P<value>-?\d+(?:\.\d+)?)\b(?!\s*(?:or|and)\s+(?:higher|more|above|over|up|greater|lower|less|below|fewer|under))",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:for|where|with|whose|among|only|having|in|of|from|by|within|source|category|equal)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“'‘`]([^\"”'’`\n]{1,80})[\"”'’`]")


def read_filters(wording: Wording) -> list[Step]:
    """The conditions of the text, each once."""
    found: list[Step] = []
    for place, sentence in enumerate(wording.sentences):
        mentions = wording.columns.mentions(sentence)
        here = _values(sentence, mentions, wording)
        here += _years(sentence, wording)
        if not ABOUT_RESULTS.search(sentence):
            here += _comparisons(sentence, wording.columns.mentions(sentence, minimum=0.6), wording)
        for step in here:
            # A later statement about the same side of the same column is the more exact one.
            found = [one for one in found if not _replaces(step, one)]
            found.append(step)
            wording.read.add(place)
    return found


_YEAR = re.compile(
    r"(?P<from>(?:19|20)\d\d)\s*(?:and|or)\s*(?:beyond|later|after|onwards?|above)|(?:since|"
    r"from)\s+(?:the year )?(?P<since>(?:19|20)\d\d)"
    r"(?!\s*(?:to|-|until|through))|\b(?:after|beyond)\s+(?:the year )?(?P<after>(?:19|20)\d\d)|"
    r"\bbefore\s+(?:the year )?"
    r"(?P<before>(?:19|20)\d\d)|(?:(?:between|from)\s+)?(?:the years? )?(?P<low>(?:19|20)\d\d)\s*(?:and|to|-|until|"
    r"through)\s*"
    r"(?P<high>(?:19|20)\d\d)|(?:in|for|of|year)\s+(?:the\s+)?(?:year\s+)?(?P<in>(?:19|20)\d\d)(?![\w-])",
    re.IGNORECASE,
)


def _years(sentence: str, wording: Wording) -> list[Step]:
    """Years said of a column of years, or of the one column of dates."""
    columns = wording.columns.profile.columns
    years = [
        c.name
        for c in columns
        if re.fullmatch(r"(?:\w+[ _])?years?", c.name, re.IGNORECASE) and c.data_type == "integer"
    ]
    dates = [c.name for c in columns if c.data_type in ("date", "datetime")]
    if len(years) != 1 and len(dates) != 1:
        return []
    taken = wording.columns.mentions(sentence)
    if len({found["in"] for found in _YEAR.finditer(sentence) if found["in"]}) > 1:
        return []  # Several single years are several values, each of which names its own.
    for found in _YEAR.finditer(sentence):
        at = found.end() - 4
        if any(one.start <= at < one.end and one.column not in years for one in taken):
            continue
        name, said = next((name, year) for name, year in found.groupdict().items() if year)
        year = int(said)
        if len(years) == 1:
            signs: dict[str, list[tuple[str, int]]] = {
                "from": [(">=", year)], "since": [(">=", year)], "after": [(">", year)], "before": [("<", year)],
                "in": [("=", year)], "low": [(">=", year), ("<=", int(found["high"] or 0))],
            }  # fmt: skip
            return [_step(years[0], sign, limit) for sign, limit in signs[name]]
        low = {"from": year, "since": year, "after": year + 1, "in": year, "low": year}.get(name)
        high = {"before": year, "in": year + 1, "low": int(found["high"] or 0) + 1}.get(name)
        lows = [_step(dates[0], ">=", f"{low}-01-01")] if low else []
        return lows + ([_step(dates[0], "<", f"{high}-01-01")] if high else [])
    return []


def _replaces(step: Step, other: Step) -> bool:
    return step["column"] == other["column"] and str(step["is"])[0] == str(other["is"])[0]


def _comparisons(sentence: str, mentions: list[Mention], wording: Wording) -> list[Step]:
    steps: list[Step] = []
    for one in mentions:
        if not wording.columns.is_number(one.column) or one.column in wording.columns.derived:
            continue
        exact = _EQUAL.match(sentence[one.end :])
        if exact:
            steps.append(_step(one.column, "=", float(exact["value"])))
    for one in mentions:
        column = wording.columns.of(one.column)
        beside = re.match(r"\s+(\d+)\b(?!\s*(?:[-:.%/]|and\b|or\b|to\b))", sentence[one.end :])
        cue = re.search(
            r"\b(?:in|for|of|with|where)\s+(?:the\s+)?[\"'“‘]?$", sentence[max(0, one.start - 12) : one.start]
        )
        if column is not None and beside and cue and any(str(value) == beside[1] for value, _ in column.values or ()):
            steps.append(_step(one.column, "=", int(beside[1])))
    for compared in find_comparisons(sentence):
        start, end = compared.span
        near = [one for one in mentions if _touches(one, start, end, sentence)]
        near = [
            one for one in near if one.column not in wording.columns.derived and wording.columns.is_number(one.column)
        ]
        if not near or any(step["column"] == near[0].column and step["is"] == "=" for step in steps):
            continue
        column = near[0].column
        if compared.op in _SIGNS:
            bound = compared.low if compared.low is not None else compared.high
            if bound is not None:
                steps.append(_step(column, _SIGNS[compared.op], float(bound)))
        elif compared.low is not None and compared.high is not None:
            steps += [_step(column, ">=", float(compared.low)), _step(column, "<=", float(compared.high))]
    return steps


def _step(column: str, sign: str, value: Any) -> Step:
    return {"do": "filter", "column": column, "is": sign, "value": value}


def _touches(one: Mention, start: int, end: int, sentence: str) -> bool:
    """Whether a comparison stands directly behind or before a column's name."""
    if one.end <= start:
        return bool(_GLUE.match(sentence[one.end : start]))
    return one.start >= end and bool(_GLUE.match(sentence[end : one.start]))


_PROPER = re.compile(r"\b(?:in|for|of|from|by|is|source|country|city|named)\s+(?:the\s+)?((?:[A-Z][\w&.'-]+\s?){1,4})")
_LOOKED_UP = 5


def _proper_names(sentence: str, mentions: list[Mention]) -> list[str]:
    """Quoted words and capitalised names behind a preposition that name no column: they may be values."""
    found = [*_QUOTED.finditer(sentence), *_PROPER.finditer(sentence)]
    free = [one for one in found if not any(m.start < one.end(1) and one.start(1) < m.end for m in mentions)]
    return list(dict.fromkeys(one[1].strip(" .,") for one in free if len(one[1].strip(" .,")) > 2))[:_LOOKED_UP]


def _squash(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _truth(sentence: str, column: str, mentions: list[Mention]) -> list[Step]:
    """``smoker is "yes"``: a truth value said of its column."""
    for one in mentions:
        found = re.match(
            r"[\"'”’`]?\s*(?:column|value)?\s*(?:is|=|==|are|equals?|equal to)\s*[\"'“‘`]?(yes|no|true|false|1|0)\b",
            sentence[one.end :],
            re.IGNORECASE,
        )
        said = sentence[one.start : one.end]
        if one.column == column and said.lower().endswith("s") and not column.lower().endswith("s"):
            ahead = sentence[max(0, one.start - 14) : one.start].lower()
            cue = re.search(r"\b(?:of|for|among|only|all|are)\s+(?:the\s+)?(non-?\s?)?$", ahead)
            both = re.search(rf"non-?\s?{re.escape(said)}", sentence, re.IGNORECASE) and not (cue and cue[1])
            if cue and not both:
                return [_step(column, "=", not cue[1])]
        if one.column == column and found:
            return [_step(column, "=", found[1].lower() in {"yes", "true", "1"})]
    return []


def _values(sentence: str, mentions: list[Mention], wording: Wording) -> list[Step]:
    """Values of text columns that the sentence names, quoted or as they are written, behind a word that restricts."""
    steps: list[Step] = []
    by_column: dict[str, list[tuple[Any, int]]] = {}
    names = {one.column.casefold() for one in mentions}
    for column in wording.columns.profile.columns:
        if column.type == "BOOLEAN":
            steps += _truth(sentence, column.name, mentions)
        if column.data_type not in ("string",) or not column.values or column.type == "BOOLEAN":
            continue
        for value, _ in column.values:
            text = str(value)
            if len(text) < 3 or text.casefold() in STOP_WORDS or text.casefold() in names or text.isdigit():
                continue
            found = re.search(rf"(?<![\w@]){re.escape(text)}(?!\w)", sentence, 0 if len(text) < 5 else re.IGNORECASE)
            if found and not any(one.start < found.end() and found.start() < one.end for one in mentions):
                by_column.setdefault(column.name, []).append((value, found.start()))
    for one in _QUOTED.finditer(sentence):
        ahead = [
            m
            for m in mentions
            if m.end <= one.start()
            and re.fullmatch(r"[\s\"'”’`]*(?:is|=|==|of|column|category)?\s*", sentence[m.end : one.start()])
        ]
        column = wording.columns.of(ahead[-1].column) if ahead else None
        if column is not None and column.data_type == "string" and column.values and column.name not in by_column:
            same = [value for value, _ in column.values if _squash(str(value)) == _squash(one[1])]
            steps += [_step(column.name, "=", same[0])] if same else []
    placed = {_squash(str(step["value"])) for step in steps} | {
        _squash(str(v[0])) for vs in by_column.values() for v in vs
    }
    for said in _proper_names(sentence, mentions):
        if _squash(said) in placed:
            continue
        held = [name for name in wording.columns.large_texts() if wording.columns.holds(name, said) is not None]
        if len(held) == 1:
            steps.append(_step(held[0], "=", wording.columns.holds(held[0], said)))
    for column, values in by_column.items():
        value, at = values[0]
        quoted = at > 0 and sentence[at - 1] in "\"'“‘`"
        behind = sentence[at + len(str(value)) : at + len(str(value)) + 9]
        if re.match(r"[\"'”’`]?\s*column", behind):
            continue
        if len(values) == 1 and (quoted or _CUE.search(sentence[max(0, at - 25) : at])):
            steps.append(_step(column, "=", value))
    return steps
