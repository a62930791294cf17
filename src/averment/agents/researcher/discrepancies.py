"""Discrepancies: facts that cannot all be true, found, settled by a named rule, or left open with both sides shown.

Units, dates and scope are compared first: different years or different things are no conflict. The rules are the
contract's: consensus (three or more independent sources against one), recency (for what changes with time),
credibility, and, when none decides, uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from averment.agents.researcher.credibility import judge_source
from averment.agents.researcher.facts import FoundFact, ReadPile, count_sources, is_of_another_year
from averment.language.claims.claim_values import StatedValue, compare
from averment.language.claims.claims import clash
from averment.language.claims.disputes import find_disputes
from averment.language.claims.names import name_words
from averment.language.claims.piles import AnswerStatement
from averment.records.base import derived_id
from averment.records.research.sources import Discrepancy

Rule = Literal["consensus", "recency", "credibility", "uncertainty"]
_CONSENSUS = 3
_FRESHER_DAYS = 30
_MORE_CREDIBLE = 0.1
_STATES = 0.3


@dataclass(frozen=True, slots=True)
class Resolution:
    """A discrepancy with the rule that settled it and the facts that stand by it; none when it stays open."""

    discrepancy: Discrepancy
    rule: Rule
    stands: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class _Conflict:
    topic: str
    one: tuple[FoundFact, ...]
    other: tuple[FoundFact, ...]
    values: tuple[str, str]
    changes: bool


def find_discrepancies(
    pile: ReadPile,
    facts: Sequence[FoundFact],
    *,
    found_at: datetime,
    trust: Mapping[str, float] | None = None,
) -> list[Resolution]:
    """The discrepancies among the facts of one question, each with two or more facts and its resolution."""
    conflicts = [*_of_answers(pile, facts), *_of_claims(facts)]
    found: list[Resolution] = []
    seen: set[frozenset[UUID]] = set()
    for conflict in conflicts:
        ids = frozenset(one.fact.id for one in (*conflict.one, *conflict.other))
        if any(len(ids & known) >= 2 for known in seen):
            continue
        seen.add(ids)
        found.append(_resolved(conflict, found_at, trust or {}))
    return found


def _of_answers(pile: ReadPile, facts: Sequence[FoundFact]) -> list[_Conflict]:
    """Different answers to the one question, as facts that give them."""
    conflicts: list[_Conflict] = []
    for dispute in find_disputes(pile.focus, pile.entries, pile.heard):
        said = [
            [one for one in entry.statements if one.text in texts]
            for entry, texts in ((dispute.one, dispute.texts), (dispute.other, dispute.against))
        ]
        sides = tuple(tuple(fact for fact in facts if any(_states(pile, fact, one) for one in side)) for side in said)
        named = all(any(one.reading.candidate.features["name in text"] for one in side) for side in said)
        if all(sides) and _are_related(pile, said) and (named or _of_one_thing(dispute.one.value, *sides)):
            changes = dispute.one.value is not None and dispute.one.value.kind == "amount"
            wordings = (dispute.one.wording, dispute.other.wording)
            conflicts.append(_Conflict(pile.question, sides[0], sides[1], wordings, changes))
    # Where one sentence names several, the one it speaks of is what it says; the others repeat its facts and drop out.
    return sorted(conflicts, key=lambda conflict: not _is_spoken_of(conflict))


def _are_related(pile: ReadPile, said: Sequence[Sequence[AnswerStatement]]) -> bool:
    """Whether each side speaks of the relation asked for somewhere: released in 2020 is no other founding."""
    if not pile.focus.cues:
        return True
    return all(any(one.reading.candidate.features["cue there"] > 0 for one in side) for side in said)


def _is_spoken_of(conflict: _Conflict) -> bool:
    sides = zip(conflict.values, (conflict.one, conflict.other), strict=True)
    return all(any(fact.subject & set(name_words(value)) for fact in side) for value, side in sides)


def _states(pile: ReadPile, fact: FoundFact, statement: AnswerStatement) -> bool:
    """Whether a fact is the sentence in which a statement is made, and that of the time that was asked about."""
    if is_of_another_year(pile.focus, fact.fact.text) or statement.reading.probability < _STATES:
        return False
    passage = pile.passages[statement.text]
    sentence = pile.heard[statement.text].page.sentences[statement.reading.sentence]
    return fact.passage is passage and fact.evidence.start == passage.offset + sentence.start


def _of_one_thing(value: StatedValue | None, one: Sequence[FoundFact], other: Sequence[FoundFact]) -> bool:
    """Whether a date or an amount is said of one thing on both sides; where names are the answer they differ anyway."""
    if value is None or value.kind == "name":
        return True
    return any(not left.subject or not right.subject or left.subject & right.subject for left in one for right in other)


def _of_claims(facts: Sequence[FoundFact]) -> list[_Conflict]:
    """Sentences of independent sources that say opposite things, or different values of one attribute."""
    conflicts: list[_Conflict] = []
    for place, one in enumerate(facts):
        for other in facts[place + 1 :]:
            if one.passage.group == other.passage.group:
                continue
            for left in one.claims:
                for right in other.claims:
                    kind = clash(left, right)
                    if kind is None:
                        continue
                    topic = " ".join([*sorted(left.subject & right.subject), left.head]).strip() or one.fact.text
                    value = left.value.text if left.value else "denied" if left.stance.negated else "affirmed"
                    against = right.value.text if right.value else "denied" if right.stance.negated else "affirmed"
                    changes = left.value is not None and left.value.kind == "amount"
                    conflicts.append(
                        _Conflict(topic, _side(one, left, facts), _side(other, right, facts), (value, against), changes)
                    )
    return conflicts


def _side(fact: FoundFact, claim: object, facts: Sequence[FoundFact]) -> tuple[FoundFact, ...]:
    """A fact with those of other sources that state the same value."""
    mine = [one for one in fact.claims if one is claim and one.value is not None]
    if not mine:
        return (fact,)
    value, head = mine[0].value, mine[0].head
    same = [
        other
        for other in facts
        if other is not fact
        and any(
            c.value is not None and value is not None and c.head == head and compare(c.value, value) == "same"
            for c in other.claims
        )
    ]
    return (fact, *same)


def _resolved(conflict: _Conflict, found_at: datetime, trust: Mapping[str, float]) -> Resolution:
    rule, stands, why, confidence = _decide(conflict, trust)
    facts = (*conflict.one, *conflict.other)
    ids = tuple(dict.fromkeys(one.fact.id for one in facts))
    record = Discrepancy(
        id=UUID(derived_id(str(ids[0]), *ids[1:])),
        fact_ids=ids,
        topic=conflict.topic,
        resolution=why,
        resolution_confidence=confidence,
        created_at=found_at,
    )
    return Resolution(record, rule, tuple(dict.fromkeys(one.fact.id for one in stands)))


def _decide(conflict: _Conflict, trust: Mapping[str, float]) -> tuple[Rule, tuple[FoundFact, ...], str, float]:
    sides = ((conflict.one, conflict.values[0]), (conflict.other, conflict.values[1]))
    (many, value), (few, against) = sorted(sides, key=lambda side: -_sources(side[0]))
    if _sources(many) >= _CONSENSUS and _sources(few) == 1:
        why = f"Consensus: {_sources(many)} independent sources say {value!r}, one says {against!r}."
        return "consensus", many, why, min(0.95, 0.6 + 0.1 * _sources(many))
    newest = [max((one.passage.published for one in side if one.passage.published), default=None) for side, _ in sides]
    if conflict.changes and newest[0] and newest[1] and abs((newest[0] - newest[1]).days) >= _FRESHER_DAYS:
        place = 0 if newest[0] > newest[1] else 1
        side, text = sides[place]
        why = (
            f"Recency: {text!r} is of {newest[place]}, {sides[1 - place][1]!r} of {newest[1 - place]}; "
            "the figure changes with time, so the newer one is preferred."
        )
        return "recency", side, why, 0.75
    trusted = [max(judge_source(one.passage.domain, one.passage.url, trust) for one in side) for side, _ in sides]
    if abs(trusted[0] - trusted[1]) >= _MORE_CREDIBLE:
        place = 0 if trusted[0] > trusted[1] else 1
        side, text = sides[place]
        best = max(side, key=lambda one: judge_source(one.passage.domain, one.passage.url, trust))
        domain = best.passage.domain
        why = (
            f"Credibility: {domain} ({trusted[place]:.2f}) says {text!r}; the best source for {sides[1 - place][1]!r} "
            f"has {trusted[1 - place]:.2f}."
        )
        return "credibility", side, why, round(0.5 + abs(trusted[0] - trusted[1]) / 2, 2)
    one, other = conflict.values
    why = f"Uncertain: sources say {one!r} and {other!r}; no rule decides, so both are shown."
    return "uncertainty", (), why, 0.5


def _sources(side: Sequence[FoundFact]) -> int:
    return count_sources(one.passage for one in side)
