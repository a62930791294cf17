"""What a request does to the rows before it asks: outliers that are taken out, rows without a value that are dropped.

"Remove the outliers in fare by the IQR method, then give me the mean" is one figure over fewer rows. The steps are
taken out of the text, so that what is left is read like any other question, and every reading of it is made over the
rows that the steps leave. Where a step cannot be understood in full, the text stays as it is: its words then find no
place, and the question is asked back.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Literal

from averment.reading.schema.prepared import PreparationStep
from averment.reading.understand import understand
from averment.reading.words import word_list

if TYPE_CHECKING:
    from averment.plans.plan import Value
    from averment.reading.schema.schema_view import Schema


_TAKES = (
    r"(?:remov\w+|dropp?\w*|exclud\w+|eliminat\w+|discard\w*|delet\w+|omitt?\w*|filter\w*(?:\s+out)?|leav\w+\s+out|"
    r"ignor\w+|disregard\w*|without)"
)
_FINDS = r"(?:identify|identifying|detect|detecting|find|finding|locate|locating|spot|spotting)"
_ANY = r"(?:(?:the|any|all|these|those|such|potential|possible|identified|detected|extreme|every)\s+)*"
_END = (
    r"(?=\s+(?:using|with|by|via|based|through|after|before|then|and|what|how|calculate|compute)\b|\s*[,.;:()?!]|\s*$)"
)
_OF = rf"(?:\s+(?:in|from|of|on|for|within)\s+(?:the\s+)?(?P<of>[^,.;:()?!]+?){_END})?"
_REMOVED = (
    re.compile(
        rf"(?:\b{_FINDS}\s+(?:and|then)\s+)?(?:\b(?:after|by|once|when|and)\s+)?\b{_TAKES}\s+{_ANY}"
        rf"(?P<noun>(?:\w+\s+){{0,3}}?)outliers?\b{_OF}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b{_FINDS}\s+{_ANY}outliers?\b{_OF}\s*,?\s*(?:and|then)\s+{_TAKES}\s+them\b(?:\s+from\s+(?:the\s+)?\w+)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:with|once|after|when)?\s*{_ANY}outliers?\b{_OF}\s+(?:(?:are|were|have\s+been|being)\s+)?"
        r"(?:removed|excluded|dropped|left\s+out|filtered\s+out|taken\s+out)\b",
        re.IGNORECASE,
    ),
)
_LOOKED_FOR = re.compile(
    rf"\b(?:(?:perform|do|run|conduct|apply|carry\s+out)\s+)?(?:an?\s+)?outlier\s+(?:detection|analysis|removal)\b{_OF}",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"(?:\b(?:using|with|by|via|through|based\s+on|according\s+to)\s+|\(\s*)(?:the\s+|a\s+)?"
    r"(?P<how>(?:absolute\s+)?z[\s-]?scores?|inter-?quartile\s+range|iqr|tukey(?:'s)?)(?:\s*\(\s*iqr\s*\))?"
    r"(?:\s+(?:methods?|rules?|criteri\w+|approach|technique|fences?))?\s*\)?",
    re.IGNORECASE,
)
_REACH = re.compile(
    r"(?:\b(?:with|and|using)\s+)?\(?\s*(?:an?\s+|the\s+)?(?:threshold|cut-?off|limit)\s*(?:of|is|=|:)?\s*[±]?"
    r"(?P<reach>\d+(?:\.\d+)?)(?:\s+for\s+the\s+(?:absolute\s+)?z[\s-]?scores?)?\s*\)?",
    re.IGNORECASE,
)
_SAID_REACH = re.compile(r"\(\s*(?:outliers?\s+(?:are|is)[^()]*|\|?\s*z\s*\|?[^()]*)\)", re.IGNORECASE)
_ROWS = r"(?:(?:the\s+)?(?:rows?|records?|entries|observations?|cases|lines|samples)\s+)"
_MISSING = r"(?:missing|null|empty|blank|nan|unknown)"
_DROPPED = (
    re.compile(
        rf"\b(?:(?:after|by)\s+)?{_TAKES}\s+{_ANY}{_ROWS}?(?:with|that\s+have|having|containing|which\s+have)?\s*"
        rf"(?:an?\s+|any\s+)?{_MISSING}\s+(?:values?|data|entries)\b{_OF}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:(?:after|by)\s+)?{_TAKES}\s+{_ANY}{_ROWS}(?:where|whose|in\s+which|for\s+which)\s+(?:the\s+)?"
        rf"(?P<of>[^,.;:()?!]+?)\s+(?:is|are|was|has|have)\s+(?:an?\s+)?{_MISSING}(?:\s+values?)?\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:(?:after|by)\s+)?{_TAKES}\s+{_ANY}{_ROWS}(?:with|that\s+have|having)\s+(?:an?\s+|no\s+)"
        rf"{_MISSING}\s+(?P<of>[^,.;:()?!]+?){_END}",
        re.IGNORECASE,
    ),
)
_LEADS = re.compile(
    r"^(?:perform|do|apply|carry\s+out)\s+(?:some\s+|comprehensive\s+)?(?:data\s+)?(?:pre-?processing|cleaning|preparation)"
    r"(?:\s+(?:on|of)\s+the\s+(?:data\s?set|data|table))?\s*(?:,?\s*which\s+includes|by|and|,|:)?\s*",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"[\"'“”‘’]|\b(?:the|columns?|values?|variables?|features?|fields?|data)\b|"
    r"\b(?:of|in|from)\s+(?:the\s+)?(?:provided\s+|given\s+|whole\s+)?(?:data\s?set|data|table|file)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(r"\b(?:the\s+)?(?:cleaned|remaining|filtered|resulting|trimmed)\s+(?=[\w\"'])", re.IGNORECASE)
_AGAIN = re.compile(r"\bre(calculate|compute)\b", re.IGNORECASE)
_EMPTY = frozenset(
    "identify detect find perform do apply first then next and also now please handle clean any all the them these "
    "those from of in on to a an it its by data dataset set table column columns file rows before afterwards".split()
)
"""Words of a sentence that asks for nothing once its step is taken out."""


def without_steps(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without the steps it begins with, and the tables with these steps to be taken."""
    text, steps = question, list[PreparationStep]()
    if re.search(r"\boutliers?\b", text, re.IGNORECASE):
        read = _outliers(text, schema)
        if read is None:
            return question, schema
        text, found = read
        steps += found
    gaps = _gaps(text, schema)
    if gaps is not None:
        text, found = gaps
        steps += found
    if not steps:
        return question, schema
    rest = _rest(text)
    if not rest:
        return question, schema
    made = copy.copy(schema)
    made.steps = tuple(steps)
    return rest, made


def _outliers(text: str, schema: Schema) -> tuple[str, list[PreparationStep]] | None:
    """The text without what takes outliers out; None where they are looked for and not only taken out."""
    of: list[str] = []
    taken = False
    for pattern in _REMOVED:
        while (match := pattern.search(text)) is not None:
            taken = True
            named = [each for name, each in match.groupdict().items() if name in {"of", "noun"} and each]
            of += named
            text = f"{text[: match.start()]} {text[match.end() :]}"
    if not taken:
        return None
    while (match := _LOOKED_FOR.search(text)) is not None:
        of += [match.group("of")] if match.group("of") else []
        text = f"{text[: match.start()]} {text[match.end() :]}"
    said = {float(each) for inside in _SAID_REACH.findall(text) for each in re.findall(r"\d+(?:\.\d+)?", inside)}
    text = _SAID_REACH.sub(" ", text)
    how = {match.group("how").lower() for match in _METHOD.finditer(text)}
    said |= {float(match.group("reach")) for match in _REACH.finditer(text)}
    text = _REACH.sub(" ", _METHOD.sub(" ", text))
    methods = {"z" if each.lstrip().startswith(("z", "absolute")) else "iqr" for each in how}
    if re.search(r"\boutlier|\bz[\s-]?score|\bquartile", text, re.IGNORECASE) or len(methods) > 1 or len(said) > 1:
        return None
    values = _values(of, schema)
    if values is None:
        return None
    method: Literal["iqr", "z"] = "z" if "z" in methods else "iqr"
    reach = next(iter(said), None)
    return text, [PreparationStep("outliers", value, method, reach) for value in values or (None,)]


def _gaps(text: str, schema: Schema) -> tuple[str, list[PreparationStep]] | None:
    """The text without what drops rows that lack a value."""
    steps: list[PreparationStep] = []
    for pattern in _DROPPED:
        while (match := pattern.search(text)) is not None:
            values = _values([match.group("of")] if match.group("of") else [], schema)
            if values is None:
                return None
            steps += [PreparationStep("gaps", value) for value in values or _lacking(schema)]
            text = f"{text[: match.start()]} {text[match.end() :]}"
    return (text, steps) if steps else None


def _lacking(schema: Schema) -> list[Value]:
    """Every column of the one table that lacks a value somewhere."""
    only = next(iter(schema.tables.values())) if len(schema.tables) == 1 else None
    return [column.value for column in only.columns if column.filled < column.rows] if only is not None else []


def _values(named: list[str], schema: Schema) -> list[Value] | None:
    """The columns that a step names; None where a name is none of them."""
    found: list[Value] = []
    for each in named:
        said = re.sub(r"\s+", " ", _NOISE.sub(" ", each)).strip()
        if not said or all(word in _EMPTY | word_list("row") | word_list("stop") for word in said.lower().split()):
            continue
        meaning = understand("step", said, schema)
        if meaning is None or meaning.value is None:
            return None
        found.append(meaning.value)
    return list(dict.fromkeys(found))


def _rest(text: str) -> str:
    """What is left to be read: the sentences that still say something."""
    text = _AGAIN.sub(r"\1", _LEFT.sub("", _LEADS.sub("", text.strip())))
    kept: list[str] = []
    for sentence in re.split(r"(?<=[.!?;])\s+", re.sub(r"\s+([,.;!?])", r"\1", re.sub(r"\s+", " ", text)).strip()):
        said = re.sub(r"^(?:[\s,.;:]|\b(?:and|then|next|finally|afterwards|after\s+that)\b)+", "", sentence, flags=re.I)
        said = re.sub(r"[\s,]+(?=[.!?;]*$)", "", said)
        if any(word not in _EMPTY for word in re.findall(r"[\w']+", said.lower())):
            kept.append(said)
    return re.sub(r",\s*,", ",", " ".join(kept)).strip(" ,;")
