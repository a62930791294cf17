"""The one judge over all readers: what the grammar and the compact one read and what the model proposes, by result.

Each result gets one probability, fitted on tables that no reader was fitted on (``ensemble.json``): from the odds that
the grammar gives it, from how likely the model finds it and how often it comes to it, from its place among the compact
grammar's readings, from what the question says that the query leaves out, and from what the result looks like. A model
that says that the data cannot answer speaks against all of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from averment.reading.judge.odds import sum_of_trees
from averment.reading.judge.verdict import Reading, Verdict
from averment.reading.schema.result_values import plain

if TYPE_CHECKING:
    from averment.reading.learned.proposals import Hints, Proposal, Proposals

ANSWERED = 0.75
"""Odds from which on a result is answered: over tables held out of the fit, 3 % of all questions are wrong then."""

OFFERED = 0.04
MOST_OFFERS = 4
_UNHEARD = -1.5
"""The likelihood of what the model never said."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What speaks for one result, as the fitted weights see it."""

    grammar: float
    """The logarithm of the odds that the grammar gives it."""
    grammar_answers: float
    grammar_first: float
    grammar_offers: float
    grammar_other: float
    """Whether the grammar answers something else."""
    grammar_silent: float
    left: float
    first: float
    votes: float
    likelihood: float
    """The mean logarithm of a token's probability, of the best of its queries."""
    total: float
    """The same of the whole query."""
    both: float
    agreed: float
    """Whether the grammar answers it and the model finds it likeliest."""
    rival_votes: float
    declined: float
    declines_first: float
    failed: float
    unused_values: float
    unused_numbers: float
    empty: float
    nothing: float
    rows: float
    joins: float
    results: float
    compact: float
    """Its place among the compact grammar's results: 1 for the first, half for the second; 0 where it is none."""
    compact_left: float
    compact_ahead: float
    """How far the compact grammar's best reading of it scores above that of any other result."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What the facts are called, in the order of the weights."""
        return tuple(each.name for each in fields(cls))


@dataclass
class Group:
    """Readings of one result: the grammar's, and the model's."""

    grammar: Reading | None = None
    answers: bool = False
    first: bool = False
    proposals: list[Proposal] = field(default_factory=list["Proposal"])
    compact: Reading | None = None
    """The compact grammar's best reading of it, and its place among the results of that grammar, counted from one."""
    place: int = 0

    @property
    def shown(self) -> Reading:
        """The reading that stands for the group: the grammar's words where it has any."""
        if self.grammar is not None or not self.proposals:
            return self.grammar or self.compact or self.proposals[0].reading
        return max(self.proposals, key=lambda each: (each.first, each.votes)).reading


def decided(verdict: Verdict, heard: Proposals, hints: Hints, compact: Sequence[Reading] = ()) -> Verdict:
    """The verdict over what all readers said; ``compact`` are the compact grammar's readings, the best first."""
    if not heard.asked:
        return verdict
    groups = grouped(verdict, heard, compact)
    if not groups:
        return verdict
    odds = [probability(facts) for facts in facts_of(groups, verdict, heard, hints)]
    order = sorted(range(len(groups)), key=lambda place: (-round(odds[place], 3), place))
    readings = [replace(groups[place].shown, odds=odds[place]) for place in order]
    best, group = readings[0], groups[order[0]]
    record = {**verdict.record, "ensemble": _record(groups, odds, order, heard)}
    readers = (group.grammar is not None) + bool(group.proposals) + (group.place == 1)
    offers = [each for each in readings if each.odds >= OFFERED][:MOST_OFFERS]
    if best.odds >= ANSWERED:
        return Verdict(
            "answer",
            best=best,
            rivals=readings[1:MOST_OFFERS],
            agreeing=max(1, readers),
            confirmed=readers > 1,
            is_plain=verdict.is_plain and group.answers,
            record=record,
        )
    if not offers:
        return Verdict("decline", best=verdict.best, left=verdict.left, record=record)
    left = best.candidate.left if group.grammar is not None else verdict.left
    return Verdict("offer", best=offers[0], offers=offers, left=left, record=record)


def is_beyond_model(best: Reading | None) -> bool:
    """Whether no query that the model learned from has a reading's shape: a statistic, a pivot, a set, a Pareto bar.

    The model can only propose something else then, so that its word says nothing about the reading.
    """
    plan = best.candidate.plan if best is not None else None
    if plan is None:
        return False
    until = plan.rank is not None and bool(plan.rank.until)
    return until or any(each is not None for each in (plan.statistic, plan.across, plan.combine))


def grouped(verdict: Verdict, heard: Proposals, compact: Sequence[Reading] = ()) -> list[Group]:
    """The readings of all by result, the grammar's first."""
    groups: list[Group] = []
    own = [verdict.best] if verdict.kind == "answer" and verdict.best is not None else verdict.offers
    for place, reading in enumerate(own):
        groups.append(Group(reading, verdict.kind == "answer", place == 0))
    for proposal in sorted(heard.proposals, key=lambda each: (not each.first, -each.votes, -each.likelihood)):
        _home(groups, proposal.reading).proposals.append(proposal)
    places = 0
    for reading in compact:
        home = _home(groups, reading)
        if home.compact is None:
            places += 1
            home.compact, home.place = reading, places
    return groups


def _home(groups: list[Group], reading: Reading) -> Group:
    """The group of a reading's result, which is made where there is none."""
    home = next((group for group in groups if says_same(group.shown.rows, reading.rows)), None)
    if home is None:
        home = Group()
        groups.append(home)
    return home


def facts_of(groups: Sequence[Group], verdict: Verdict, heard: Proposals, hints: Hints) -> list[Facts]:
    """What speaks for each group."""
    answered = verdict.kind == "answer"
    made: list[Facts] = []
    samples = max(1, heard.asked - 1)
    scores = [group.compact.candidate.score for group in groups if group.compact is not None]
    shares = [sum(each.votes for each in group.proposals) / samples for group in groups]
    for place, group in enumerate(groups):
        said, plan = group.proposals, group.shown.candidate.plan
        values, numbers = hints.unused(plan)
        chance = group.grammar.odds if group.grammar is not None else 0.02
        best = max((each.likelihood for each in said), default=_UNHEARD)
        first = any(each.first for each in said)
        rows = group.shown.rows
        made.append(
            Facts(
                grammar=math.log(max(0.01, min(0.995, chance)) / (1 - max(0.01, min(0.995, chance)))),
                grammar_answers=group.answers,
                grammar_first=group.first,
                grammar_offers=group.grammar is not None and not answered,
                grammar_other=answered and not group.answers,
                grammar_silent=verdict.kind == "decline",
                left=len(group.grammar.candidate.left) if group.grammar is not None else 0,
                first=first,
                votes=shares[place],
                likelihood=max(_UNHEARD, best),
                total=max(-12.0, min((each.likelihood * len(each.sql) / 4 for each in said), default=-12.0)),
                both=group.grammar is not None and bool(said),
                agreed=group.answers and first,
                rival_votes=max((share for n, share in enumerate(shares) if n != place), default=0.0),
                declined=heard.declined / heard.asked,
                declines_first=heard.declines_first,
                failed=heard.failed / heard.asked,
                unused_values=min(3, values),
                unused_numbers=min(3, numbers),
                empty=not rows,
                nothing=bool(rows) and all(value is None for row in rows for value in row),
                rows=math.log1p(len(rows)),
                joins=len(plan.joins),
                results=min(6, len(groups)),
                compact=1 / group.place if group.place else 0.0,
                compact_left=min(4, len(group.compact.candidate.left)) if group.compact is not None else 5,
                compact_ahead=_ahead(group.compact, scores),
            )
        )
    return made


def _ahead(reading: Reading | None, scores: Sequence[float]) -> float:
    if reading is None:
        return -2.0
    others = [score for score in scores if score != reading.candidate.score]
    return max(-2.0, min(2.0, reading.candidate.score - max(others, default=reading.candidate.score - 2.0)))


@cache
def _fitted() -> dict[str, Any]:
    return json.loads(resources.files("averment.reading.judge").joinpath("ensemble.json").read_text(encoding="utf-8"))


def probability(facts: Facts) -> float:
    """The probability that a result with these facts is what was meant."""
    fitted = _fitted()
    values = [float(value) for value in astuple(facts)]
    total = sum_of_trees(fitted, values)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def says_same(one: list[list[Any]], other: list[list[Any]]) -> bool:
    """Whether the columns of the narrower result stand in the wider one, over the same rows."""
    if len(one) != len(other) or not one:
        return not one and not other
    few, many = (one, other) if len(one[0]) <= len(other[0]) else (other, one)
    if not few[0] or not many[0]:
        return False
    columns = [sorted(map(_key, column)) for column in zip(*many, strict=True)]
    return all(sorted(map(_key, column)) in columns for column in zip(*few, strict=True))


def _key(value: Any) -> str:
    value = plain(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.9g}"
    return str(value).removesuffix("T00:00:00")


def _record(groups: Sequence[Group], odds: Sequence[float], order: Sequence[int], heard: Proposals) -> dict[str, Any]:
    """What `averment explain` tells of how both readers were weighed."""
    return {
        "answers": heard.asked,
        "declined": heard.declined,
        "failed": heard.failed,
        "results": [
            {
                "read_back": groups[place].shown.candidate.read_back,
                "odds": round(odds[place], 4),
                "grammar": groups[place].grammar is not None,
                "compact": groups[place].place,
                "queries": [
                    {"sql": each.sql, "votes": each.votes, "first": each.first, "likelihood": round(each.likelihood, 4)}
                    for each in groups[place].proposals[:3]
                ],
            }
            for place in order[:6]
        ],
    }
