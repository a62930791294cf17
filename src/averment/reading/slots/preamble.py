"""What a request says before it asks: columns it makes up, and columns it names twice.

"Create a new column called margin by subtracting cost from price. What is its mean?" defines a word for this one
question, as if somebody had taught it; "the wind speed (WINDSPEED)" says which column is meant. Both are taken out of
the question, so that what is left is read like any other.
"""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from averment.reading.lattice.cutting import ADVERBS
from averment.reading.slots.bands import without_bands
from averment.reading.slots.formula_glosses import formula_gloss
from averment.reading.slots.steps import without_steps
from averment.reading.slots.wanted_parts import without_wanted
from averment.reading.understand import understand
from averment.reading.words import cues, graded, word_list

if TYPE_CHECKING:
    from averment.plans.meaning import Meaning
    from averment.reading.schema.schema_view import Schema

_NAME = r"[\"'“‘](?P<name>[^\"'”’]+)[\"'”’]|(?P<bare>\w+)"
_NEW = r"(?:new |additional |derived |computed )?(?:feature|column|variable|field|attribute)"
_DEFINES = re.compile(
    rf"(?:^|(?<=[.!?;]\s)|\b(?:by|then|and)\s+)"
    rf"(?:creat\w+|generat\w+|add\w*|mak\w+|comput\w+|construct\w*|deriv\w+|defin\w+|introduc\w+)\s+(?:an?|the)\s+{_NEW}\s*,?\s*"
    rf"(?:called|named|for|:)?\s*(?:{_NAME})\s*,?\s*(?P<how>[^.!?]*(?:\.\d[^.!?]*)*)[.!?]?\s*",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"^(?:by|as|that|which|where|it)?\s*(?:is|are|represents|equals|shows|contains|holds|calculated as|computed as)?\s*"
    r"(?:calculating|computing|taking)?\s*(?:the\s+)?",
    re.IGNORECASE,
)
_WAYS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in (
        (r"^(?:dividing|ratio (?:of|between)|quotient of)\s+(.+?)\s+(?:by|to|and)\s+(.+)$", r"\1 / \2"),
        (r"^(?:multiplying|product of)\s+(.+?)\s+(?:by|and|with)\s+(.+)$", r"\1 * \2"),
        (r"^subtracting\s+(.+?)\s+from\s+(.+)$", r"\2 - \1"),
        (r"^difference (?:between|of)\s+(.+?)\s+and\s+(.+)$", r"\1 - \2"),
        (r"^(?:summing|adding|sum of|total of)\s+(?:up\s+)?(.+)$", r"\1"),
    )
)
_NOISE = re.compile(
    r"[\"'“”‘’]|\b(?:the|columns?|values?|variables?|features?|prices?)\b|\bfor (?:each|every|all)\b.*$|,?\s*$",
    re.IGNORECASE,
)
_AGAIN = re.compile(rf"\b(?:this|the|that)\s+(?:resulting\s+)?new\s+{_NEW}|\bthis\s+{_NEW}", re.IGNORECASE)
_ASIDES = re.compile(
    r"(?:,?\s*\band\s+)?\bround(?:ed|ing)?\s+(?:off\s+)?(?:(?:your|the|all)\s+)?(?:final\s+)?"
    r"(?:(?:answers?|results?|values?|figures?|numbers?|it|them)\s+)?(?:off\s+)?to\s+(?:\d+|one|two|three|four|six)\s+"
    r"decimals?(?:\s+(?:places?|points?|digits?))?\s*[.]?|"
    r"\bif (?:so|yes|any|there are|there are any)\b\s*,?\s*(?=how|which|what|who|list|give|show)"
    r"|\s*\((?:r|rho|std|sd|iqr|n|p)\)",
    re.IGNORECASE,
)
"""What only follows up the question before it, abbreviates the figure's name, or says how it is to be written."""
_THE_YEAR = re.compile(r"\b((?:in|for|of|during)\s+)the\s+year\s+(?=(?:1[5-9]|20)\d\d\b)", re.IGNORECASE)
_LEADS = re.compile(r"^(?:perform|do|using|use|apply)\s+feature engineering\s*(?:by|and|to|,)?\s*", re.IGNORECASE)
_THEN = re.compile(r"^(?:then|next|after that|finally|afterwards)\s*,?\s*", re.IGNORECASE)


def without_preamble(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without what it defines or says twice, and the tables with the words it defines."""
    question, schema = without_bands(*without_steps(_named_once(question, schema), schema))
    text = _THE_YEAR.sub(r"\1", _ASIDES.sub("", question))
    found: list[Meaning] = []
    gloss = formula_gloss(text, schema)
    if gloss is not None:
        text = gloss[0]
        found.append(gloss[1])
    while (match := _DEFINES.search(text)) is not None:
        word = match.group("name") or match.group("bare")
        meaning = _defined(word, match.group("how"), schema)
        if meaning is None:
            return text if not found else _ASIDES.sub("", question), schema
        found.append(meaning)
        rest = f"{_LEADS.sub('', text[: match.start()]).strip()} {text[match.end() :].strip()}".strip()
        text = _AGAIN.sub(word, _THEN.sub("", rest))
    if not text:
        return question, schema
    if found:
        schema = copy.copy(schema)
        schema.taught = (*found, *schema.taught)
    return without_wanted(text, schema)


def _defined(word: str, how: str, schema: Schema) -> Meaning | None:
    """What a made-up column is computed of, or None where that cannot be read."""
    said = _OPENS.sub("", how.strip(), count=1)
    for pattern, written in _WAYS:
        match = pattern.match(said)
        if match is None:
            continue
        if written == r"\1":
            formula = " + ".join(_plain(part) for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", match.group(1)))
        else:
            sides = [_plain(part) for part in match.groups()]
            formula = written.replace(r"\1", sides[0]).replace(r"\2", sides[1])
        return understand(word, formula, schema)
    return understand(word, _plain(said), schema)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", _NOISE.sub(" ", text)).strip()


def _named_once(question: str, schema: Schema) -> str:
    """ "the wind speed (WINDSPEED) column" as the column alone, where the brackets hold just its name."""
    text = question
    for name in sorted({column.name for column in schema.columns}, key=len, reverse=True):
        for bracket in re.finditer(rf"\s*\(\s*[\"'“‘]?{re.escape(name)}[\"'”’]?\s*\)", text):
            before = re.findall(r"[\w'-]+", text[: bracket.start()])
            kept = 0
            while kept < min(4, len(before)) and not _asks(before[-1 - kept].lower()):
                kept += 1
            described = re.escape(" ".join(before[len(before) - kept :])).replace(r"\ ", r"\W+") if kept else ""
            text = re.sub(rf"{described}\s*\(\s*[\"'“‘]?{re.escape(name)}[\"'”’]?\s*\)", f" {name}", text, count=1)
            break
    return re.sub(r"\s+", " ", text).strip() if text != question else question


def _asks(word: str) -> bool:
    """Whether a word is no part of a column's description: it asks for something, or says by what time."""
    return word in _STOPS or word in graded() or (word,) in cues() or word in ADVERBS


_STOPS = word_list("stop") | {"average", "mean", "median", "total", "sum", "between", "and", "or", "by", "each", "per"}
