"""Definitions: what the notes to a question say that its terms are, as items and formulas.

"ASP = total sales amount / number of sales", "CR = customer rank by total amount", "PMCS = per month customer signups".
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from averment.agents.analyst.query.mentions import mark
from averment.agents.analyst.query.phrases.ask import Item, Kind
from averment.agents.analyst.query.phrases.items import ItemReader

if TYPE_CHECKING:
    from averment.agents.analyst.query.vocabulary import Vocabulary

_NAME = r"[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*"
_ENTRY = re.compile(
    rf"(?:^|(?<=[\s.;]))(?P<name>{_NAME}(?: change)?)\s*(?:\((?P<gloss>[^)=]{{3,80}})\)\s*)?=\s*(?P<body>.+?)"
    rf"(?=[.;]\s|\s{_NAME}\s*(?:\([^)=]{{3,80}}\)\s*)?=\s|\s(?:To|Truncate|Always|When|This|Weekend|Last|If|For|New)\s|[.;]?$)",
    re.DOTALL,
)
_SAID = re.compile(
    rf"\((?P<name>{_NAME})\)\s+(?:is|are|refers\s+to|represents|denotes)\s+(?:(?:calculated|determined|defined|established|computed)\s+)?"
    r"(?:as\s+|by\s+)?(?:the\s+)?(?P<body>[^.\n;]+)"
)
_DIVIDED = re.compile(
    rf"\((?P<name>{_NAME})\),?\s+divide\s+(?:the\s+)?(?P<top>.+?)\s+by\s+(?:the\s+)?(?P<bottom>.+?)(?P<times>\s+(?:and\s+)?(?:then\s+)?"
    r"multipl\w+\s+by\s+100)?(?=[,.\n]|$)"
)
_TAIL = re.compile(
    r"\s*(?:,|\b(?:in\s+the|in\s+a|within|over\s+a|over\s+the|for\s+a|using|where|expressed|inclusive|for\s+recent|for\s+each|"
    r"who\s+have\s+recently|recently|with\s+rank|with\s+non|during|without|each\s+month|which\s+is|at\s+both|who\s+joined)\b).*$",
    re.DOTALL | re.IGNORECASE,
)
_PER = re.compile(r"^per\s+(month|week|day|year|quarter)\s+", re.IGNORECASE)
_RANK = re.compile(r"\brank(?:ing|ed)?\b(?:.*?)\b(?:by|based\s+on|of)\s+(?:their\s+|the\s+)?(?P<by>.+)$", re.IGNORECASE)
_CHANGE = re.compile(
    r"\b(?:month|year|week|quarter|day)-over-\w+|\b[MYWQ]o[MYWQ]\b|\bprev(?:ious)?[ _]|"
    r"\bchange\s+(?:in|from|of)\b|\bincrease\s+in\b",
    re.IGNORECASE,
)
_OF_CHANGE = re.compile(
    r"\b(?:change|increase|growth|difference)\s+(?:in|of)\s+(?:the\s+)?(?P<what>[^=]+)", re.IGNORECASE
)
_COUNTED = re.compile(r"COUNT\s*\(\s*(?:DISTINCT\s*\(?\s*)?(?:\w+\.)?(?P<column>\w+)", re.IGNORECASE)
_TOKEN = re.compile(r"[()*/+]|\s-\s|×|\bdivided\s+by\b|\bminus\b|\bplus\b|\bmultiplied\s+by\b", re.IGNORECASE)
_SIGNS = {"divided by": "/", "minus": "-", "plus": "+", "multiplied by": "*", "×": "*"}
_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2}


def read_definitions(notes: str, question: str, known: Vocabulary) -> dict[str, Item]:
    """The terms of a question that its notes define; a part of time they are told by is an item's ``grain``."""
    flat = " ".join(
        line.strip() if line.strip().endswith((".", ";")) else f"{line.strip()}."
        for line in notes.split("\n")
        if line.strip()
    )
    bodies: dict[str, str] = {}
    for pattern in (_ENTRY, _SAID):
        for found in pattern.finditer(flat):
            bodies.setdefault(found["name"], found["body"])
    for found in _DIVIDED.finditer(flat):
        times = " * 100" if found["times"] else ""
        bodies.setdefault(found["name"], f"({found['top']} / {found['bottom']}){times}")
    made: dict[str, Item] = {}
    for name, body in bodies.items():
        if not re.search(rf"\b{re.escape(name)}\b", question):
            continue
        item = _item(" ".join(body.split()).strip(" .;"), known)
        if item is not None:
            made[name] = replace(item, whole=name)
    return made


def _item(body: str, known: Vocabulary) -> Item | None:
    per = _PER.match(body)
    if per is not None:
        inner = _item(body[per.end() :], known)
        return None if inner is None else replace(inner, grain=per[1].lower())
    counted = _COUNTED.search(body)
    if counted is not None:
        return _plain(f"number of distinct {counted['column']}", known)
    rank = _RANK.search(body)
    if rank is not None:
        by = _plain(_TAIL.sub("", rank["by"]), known)
        return None if by is None else Item("rank", by=by)
    if _CHANGE.search(body):
        of = _OF_CHANGE.search(body)
        by = _plain(_TAIL.sub("", re.sub(r"\bcompared\b.*", "", of["what"])), known) if of is not None else None
        return Item("change", by=by, relative="/" in body or "percent" in body.casefold())
    ratio = re.match(r"ratio\s+of\s+(?:the\s+)?(.+?)\s+to\s+(?:the\s+)?(.+)$", body, re.IGNORECASE)
    if ratio is not None:
        body = f"{ratio[1]} / {_TAIL.sub('', ratio[2])}"
    if _TOKEN.search(body) and re.search(r"/|divided|\s-\s|minus|\*", body):
        tree = _tree(body, known)
        return None if tree is None else Item("formula", tree=tree)
    return _plain(_TAIL.sub("", body), known)


def _plain(words: str, known: Vocabulary) -> Item | None:
    """A phrase of a definition; what is not computed there is counted, or added up."""
    words = re.sub(r"^(?:calculate|compute|aggregate|cohort|the)\s+", "", words.strip(" ()"), flags=re.IGNORECASE)
    reader = ItemReader(mark(words.casefold() if words.isupper() else words, known), known.names)
    item = reader.head(0, len(reader.text))
    if item is None or (not item.words and item.kind != "count"):
        return None
    ranked = known.names.rank(item.words)
    added: Kind = "count" if ranked and ranked[0].column is None else "sum"
    kind = added if item.kind == "dim" else item.kind
    return replace(item, kind=kind, places=(), whole="", narrowed=words)


def _tree(body: str, known: Vocabulary) -> object:
    """A formula by its operations, those that bind closest first; None when a side names nothing."""
    parts: list[str] = []
    place = 0
    for found in _TOKEN.finditer(body):
        parts += [body[place : found.start()].strip(), found.group(0).strip().casefold()]
        place = found.end()
    parts = [part for part in (*parts, body[place:].strip()) if part]
    values: list[object] = []
    waiting: list[str] = []

    def apply() -> bool:
        sign = waiting.pop()
        if len(values) < 2:
            return False
        right, left = values.pop(), values.pop()
        values.append((sign, left, right))
        return True

    for part in parts:
        sign = _SIGNS.get(" ".join(part.split()), part)
        if sign == "(":
            waiting.append(sign)
        elif sign == ")":
            while waiting and waiting[-1] != "(":
                if not apply():
                    return None
            if waiting:
                waiting.pop()
        elif sign in _LEVEL:
            while waiting and waiting[-1] != "(" and _LEVEL[waiting[-1]] >= _LEVEL[sign]:
                if not apply():
                    return None
            waiting.append(sign)
        elif re.fullmatch(r"\d+(?:\.\d+)?%?", part):
            values.append(float(part.rstrip("%")))
        else:
            words = _TAIL.sub("", part) or part
            item = _plain(words, known)
            if item is None:
                if values and not waiting:
                    break
                return None
            values.append(item)
    while waiting:
        if waiting[-1] == "(":
            waiting.pop()
        elif not apply():
            return None
    return values[0] if len(values) == 1 and isinstance(values[0], tuple) else None
