"""A sentence that rests on several facts: statements set beside each other, each of which one of the facts makes.

Every statement must say what one fact says (``restates``), every fact must carry one, and what joins them adds no
reason, no condition and no measure. So every number and name is one of the facts' or the name of a fact's document, and
who says what stays with its source: "this document proposes" may be told under the document's name, and a statement
that names a document must be that document's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.claims.of_restatements import restates
from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.evidence.bind import literal
from averment.language.retelling.joined import Tokens, pairs_of, plainer, tokens_of
from averment.language.retelling.synonyms import base_of, words_of
from averment.records.claim import Claim

MOST_FACTS = 4
_DEPTH = MOST_FACTS - 1
_ITSELF = re.compile(
    r"^(?:This|The present) (?:PEP|RFC|document|proposal|guide|page|paper|report|standard|specification|package|"
    r"library|module|licen[cs]e|policy|article|note)\b"
)
_HEAD = re.compile(r"\s+[–—-]\s+|:\s+")
_SPEAKS = frozenset("says states notes reports writes explains".split())


@dataclass(frozen=True, slots=True)
class Premise:
    """A fact that a sentence may rest on: its words, those of the sentence that names its subject, and its document."""

    quote: str
    before: str = ""
    title: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What its document is called: its title, and what stands before a dash or colon in it."""
        title = " ".join(self.title.split())
        return tuple(dict.fromkeys(name for name in (title, _HEAD.split(title)[0]) if name))

    def says(self, tokens: Tokens) -> bool:
        """Whether it makes a statement, in its own words or under its document's name."""
        stated = [tokens, *(rest for name in self.names for rest in _under(tokens, name))]
        quotes = [self.quote]
        if (itself := _ITSELF.match(self.quote.strip())) is not None:
            quotes += [f"{name}{self.quote.strip()[itself.end() :]}" for name in self.names]
        given = _roots(" ".join([*quotes, self.before]))
        return any(
            restates(text, quote, self.before)
            for one in stated
            if _roots(text := " ".join(one)) <= given
            for quote in quotes
        )


def why_not_inferred(text: str, premises: Sequence[Premise]) -> str | None:
    """Why a sentence does not follow from its facts by setting them side by side; None where it does."""
    if not 2 <= len(premises) <= MOST_FACTS:
        return f"a sentence over several facts rests on two to {MOST_FACTS} of them"
    known: dict[tuple[Tokens, int], frozenset[frozenset[int]]] = {}
    rests = {one for form in plainer(tokens_of(text)) for one in _rests(form, premises, _DEPTH, known)}
    if not rests:
        return "it says something that none of its facts says in a statement of its own"
    return None if frozenset(range(len(premises))) in rests else "it names a fact that it does not rest on"


def _rests(
    tokens: Tokens,
    premises: Sequence[Premise],
    depth: int,
    known: dict[tuple[Tokens, int], frozenset[frozenset[int]]],
) -> frozenset[frozenset[int]]:
    """The sets of facts that carry some words whole."""
    if (tokens, depth) in known:
        return known[tokens, depth]
    found = {frozenset({at}) for at, one in enumerate(premises) if tokens and one.says(tokens)}
    for left, right in pairs_of(tokens) if depth and not found else ():
        first = _rests(left, premises, depth - 1, known)
        second = _rests(right, premises, depth - 1, known) if first else frozenset[frozenset[int]]()
        found |= {one | two for one in first for two in second}
    known[tokens, depth] = frozenset(found)
    return known[tokens, depth]


def _under(tokens: Tokens, name: str) -> list[Tokens]:
    """What is said in a document's name: "according to it, ...", "it says that ..."."""
    named, folded = tokens_of(name), tuple(word.casefold() for word in tokens)
    called = tuple(word.casefold() for word in named)
    size = len(named)
    if folded[:2] == ("according", "to") and folded[2 : size + 2] == called:
        rest = tokens[size + 2 :]
        return [rest[1:] if rest[:1] == (",",) else rest]
    if folded[:size] == called and folded[size : size + 1] and folded[size] in _SPEAKS:
        rest = tokens[size + 1 :]
        return [rest[1:] if rest[:1] == ("that",) else rest]
    return []


def _roots(text: str) -> frozenset[str]:
    """The words that carry what is said; those of grammar are left to the readings."""
    return frozenset(base_of(word) for word in words_of(text) if len(word) > 3 or word[:1].isdigit())


def premises_of(claim: Claim) -> list[Premise]:
    """The facts of a claim, in their order."""
    before = {v.subject: v.evidence.quote for v in claim.values if v.role == "named" and v.evidence.kind == "span"}
    return [
        Premise(value.evidence.quote, before.get(value.subject, ""), value.heading)
        for value in claim.values
        if value.role == "fact" and value.evidence.kind == "span"
    ]


def _holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    facts = [value for value in claim.values if value.role == "fact"]
    if any(value.role not in {"fact", "named"} or value.evidence.kind != "span" for value in claim.values):
        return False
    places = {(v.evidence.snapshot_sha256, v.evidence.start) for v in facts if v.evidence.kind == "span"}
    return len(places) == len(facts) and why_not_inferred(claim.words.get("said", ""), premises_of(claim)) is None


RELATIONS = (
    Relation(
        "inferred",
        "Statements of several archived sentences side by side, each as its sentence makes it, joined by words "
        "like and, but or while.",
        _holds,
        lambda claim: literal(claim.words["said"]),
        silent=frozenset({"fact", "named"}),
    ),
)
