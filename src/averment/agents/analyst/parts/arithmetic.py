"""Formulas in a question: two or more numbers of a row joined by signs or by words for them, perhaps under a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.draft import Unclear
from averment.agents.analyst.parts.formula import Formula, Sign

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft
    from averment.language.linking import Link
    from averment.language.tokens import Span

_SIGNS: dict[str, Sign] = {
    "minus": "-",
    "less": "-",
    "-": "-",
    "plus": "+",
    "+": "+",
    "times": "*",
    "multiplied by": "*",
    "*": "*",
    "x": "*",
    "×": "*",
    "divided by": "/",
    "over": "/",
    "/": "/",
    "÷": "/",
}
_SIGN = r"minus|less|plus|times|multiplied\s+by|divided\s+by|over|[-+*/x×÷]"
_FILLER = r"(?:(?:the|total|sum\s+of|our)\s+)*"
_BETWEEN = re.compile(rf"\s*(?P<close>\)*)\s*(?P<sign>{_SIGN})\s*(?P<open>\(*)\s*{_FILLER}")
_PAIRED: tuple[tuple[re.Pattern[str], Sign], ...] = (
    (re.compile(r"\b(?:the )?(?:difference|gap)s? (?:between|of|in) (?:the |total )*$"), "-"),
    (re.compile(r"\b(?:the )?product of (?:the )?$"), "*"),
)
_NAMED = re.compile(
    r"(?P<name>[a-z][a-z_]*(?: [a-z][a-z_]*)?)\s*"
    r"(?:=|:|\(\s*(?:i\.?e\.?,?|=|that is,?)?|,?\s+(?:which\s+is|defined\s+as|as|is|meaning))\s*\(*\s*"
    r"(?:(?:the|total)\s+)*$"
)
_NO_NAME = frozenset(
    "the of by what is show give average total sum mean me compute calculate each per for a an".split()
)


@dataclass(frozen=True)
class Named:
    """A formula that a question asks about, and what the question calls it."""

    formula: Formula
    name: str | None


def read_formula(draft: Draft) -> Named | Unclear | None:
    """The first formula of a question, whose words count as understood; None when it has none."""
    links = [link for link in draft.links() if draft.column(link.target).inferred_type == "measure"]
    draft.doubts.clear()
    for place, link in enumerate(links):
        run, signs = _run(draft, links[place:])
        if len(run) > 1:
            return _made(draft, run, signs)
        paired = _pair(draft, link, links[place + 1 : place + 2])
        if paired is not None:
            return paired
    return None


def _run(draft: Draft, links: list[Link]) -> tuple[list[Link], list[re.Match[str]]]:
    """Links with nothing but a sign between each two."""
    run, signs = links[:1], list[re.Match[str]]()
    for one, two in pairwise(links):
        between = _BETWEEN.fullmatch(draft.folded, one.span[1], two.span[0])
        if between is None:
            break
        run.append(two)
        signs.append(between)
    return run, signs


def _pair(draft: Draft, link: Link, rest: list[Link]) -> Named | None:
    """ "The difference between revenue and cost", "the product of price and quantity"."""
    if not rest or re.fullmatch(r"\s+and\s+(?:the |total )*", draft.folded[link.span[1] : rest[0].span[0]]) is None:
        return None
    for opening, sign in _PAIRED:
        found = opening.search(draft.folded[: link.span[0]])
        if found is not None and link.target != rest[0].target:
            _take(draft, (found.start(), rest[0].span[1]))
            parts = (Formula(column=link.target), Formula(column=rest[0].target))
            return Named(Formula(sign=sign, parts=parts), None)
    return None


def _made(draft: Draft, run: list[Link], signs: list[re.Match[str]]) -> Named | Unclear:
    start = run[0].span[0]
    opened = re.search(r"(?:\(\s*)+(?:(?:the|total)\s+)*$", draft.folded[:start])
    depth = opened.group().count("(") if opened else 0
    after = re.match(r"\s*\)*", draft.folded[run[-1].span[1] :])
    tokens: list[str] = ["("] * depth + [run[0].target]
    for sign, link in zip(signs, run[1:], strict=True):
        tokens += [")"] * len(sign["close"]) + [f"\0{_sign(sign)}"] + ["("] * len(sign["open"]) + [link.target]
    closing = after.group().count(")") if after else 0
    missing = tokens.count("(") - tokens.count(")")
    tokens += [")"] * min(closing, max(0, missing))
    tokens = ["("] * max(0, tokens.count(")") - tokens.count("(")) + tokens
    tokens += [")"] * max(0, tokens.count("(") - tokens.count(")"))
    worded = all(sign["sign"].isalpha() or " " in sign["sign"] for sign in signs)
    kinds = {"+-" if _sign(sign) in "+-" else "*/" for sign in signs}
    if len(kinds) > 1 and "(" not in tokens and not worded:
        return Unclear("Which part of the formula comes first? Please put it in brackets.")
    name = _name(draft, start)
    begin = opened.start() if opened else start
    _take(draft, (begin, run[-1].span[1]))
    # In words a formula is said in the order in which it is computed: "revenue minus cost over revenue".
    formula, _ = _parse(tokens, 0, flat=worded)
    return Named(formula, name)


def _sign(found: re.Match[str]) -> Sign:
    return _SIGNS[" ".join(found["sign"].split())]


def _parse(tokens: list[str], at: int, *, flat: bool) -> tuple[Formula, int]:
    """A sum of products; ``flat`` takes the signs as they come."""
    found, at = _factor(tokens, at, flat=flat) if flat else _product(tokens, at)
    while at < len(tokens) and tokens[at].startswith("\0"):
        sign: Sign = next(each for each in _SIGNS.values() if each == tokens[at][1:])
        other, at = _factor(tokens, at + 1, flat=flat) if flat else _product(tokens, at + 1)
        found = Formula(sign=sign, parts=(found, other))
    return found, at


def _product(tokens: list[str], at: int) -> tuple[Formula, int]:
    found, at = _factor(tokens, at, flat=False)
    while at < len(tokens) and tokens[at] in {"\0*", "\0/"}:
        sign: Sign = "*" if tokens[at] == "\0*" else "/"
        other, at = _factor(tokens, at + 1, flat=False)
        found = Formula(sign=sign, parts=(found, other))
    return found, at


def _factor(tokens: list[str], at: int, *, flat: bool) -> tuple[Formula, int]:
    if tokens[at] == "(":
        found, at = _parse(tokens, at + 1, flat=flat)
        return found, at + 1
    return Formula(column=tokens[at]), at + 1


def _name(draft: Draft, start: int) -> str | None:
    """What stands before a formula as its name: "profit = …", "margin (…)"; its words count as understood."""
    found = _NAMED.search(draft.folded[:start])
    if found is None:
        return None
    words = found["name"].split()
    while words and words[0] in _NO_NAME:
        words.pop(0)
    name = " ".join(words)
    if not name or any(word in _NO_NAME for word in words):
        return None
    begin = found.start("name") + found["name"].rindex(name)
    places = draft.places((begin, found.end("name")))
    if not places or not draft.free(places) or any(draft.tokens[place].stem in draft.named for place in places):
        return None
    _take(draft, (begin, found.end()))
    return name


def _take(draft: Draft, span: Span) -> None:
    draft.used.update(draft.places(span))
