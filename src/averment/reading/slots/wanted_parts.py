"""The last sentence of a request that says what its answer must tell: "Return their id, name and total sales." """

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from averment.reading.reader import read
from averment.reading.schema.prepared import WantedFigure
from averment.reading.understand import figures

if TYPE_CHECKING:
    from averment.plans.plan import Measure
    from averment.reading.schema.schema_view import Schema

_LAST = re.compile(
    r"(?P<asked>.*\S[.?!])\s+(?:please\s+)?(?:return|show|give|list|report|display|provide|include|output)\s+"
    r"(?:me\s+)?(?:both\s+)?(?P<items>[^.?!\n]+?)\s*[.?!]?\s*",
    re.IGNORECASE | re.DOTALL,
)
_PARTS = re.compile(
    r"\s*,\s*(?:and\s+|as\s+well\s+as\s+)?|\s+and\s+|\s+along\s+with\s+|\s+as\s+well\s+as\s+", re.IGNORECASE
)
_OWN = re.compile(
    r"\b(?:the|their|its|his|her|or|both|all|respective|corresponding|each)\b|\(\s*as\s+an?\s+\w+\s*\)", re.I
)
_FIGURE = re.compile(
    r"\b(?:number|count|total|sum|average|mean|median|maximum|minimum|max|min|highest|lowest)\b", re.IGNORECASE
)
_COUNT = re.compile(r"^(?:total\s+)?(?P<of>.+?)\s+count$", re.IGNORECASE)
_DONE = re.compile(r"\s+(?:made|issued|received|sent|sold|placed|taken|\w+ed)$", re.IGNORECASE)
_ASKS_MORE = re.compile(
    r"\b(?:charts?|graphs?|plots?|histograms?|diagrams?|sort\w*|ordered|ordering|ranked|by|for|in|only|top|results?|where|with|"
    r"whose|who|that|which|from|per|correlation|relationship|than|if)\b",
    re.IGNORECASE,
)
"""Words of a last sentence that does more than name what is to be told."""


def without_wanted(question: str, schema: Schema) -> tuple[str, Schema]:
    """The question without its last sentence, and the tables with what that says the answer must tell.

    The text stays whole where the sentence says anything else, or where what is left or what it names is not read.
    """
    match = _LAST.fullmatch(question.strip())
    if match is None or _ASKS_MORE.search(match.group("items")):
        return question, schema
    items = [re.sub(r"\s+", " ", _OWN.sub(" ", each)).strip() for each in _PARTS.split(match.group("items"))]
    wanted = tuple(WantedFigure(each, _figures(each, schema)) for each in items if each)
    made = copy.copy(schema)
    made.wanted = wanted
    rest = match.group("asked").strip()
    found = read(rest, made) if wanted else []
    return (rest, made) if found and not found[0].left else (question, schema)


def _figures(item: str, schema: Schema) -> tuple[Measure, ...]:
    """What a figure's words can mean."""
    if not _FIGURE.search(item):
        return ()
    counted = _COUNT.match(item)
    said = f"number of {counted.group('of')}s" if counted is not None else item
    return tuple(figures(said, schema) or figures(_DONE.sub("", said), schema))
