"""A question becomes candidate plans, each with its score and the words it leaves over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from averment.errors import AvermentError
from averment.plans.readback import read_back
from averment.reading.grammar import comparison_plans, figure_plans, ranking_plans
from averment.reading.grammar.coverings import coverings
from averment.reading.grammar.cues import FREE, is_light, measures
from averment.reading.grammar.frames import frames
from averment.reading.grammar.mentions import find_mentions, words_of
from averment.reading.resolve_joins import resolve_joins
from averment.reading.schema.prepared import stepped
from averment.reading.schema.wanted import with_wanted

if TYPE_CHECKING:
    from averment.plans.plan import Plan
    from averment.reading.grammar.coverings import Covering
    from averment.reading.grammar.frames import Draft, Frame
    from averment.reading.grammar.mentions import Mention
    from averment.reading.schema.schema_view import Schema, Table

OPERATIONS = (*figure_plans.OPERATIONS, *ranking_plans.OPERATIONS, *comparison_plans.OPERATIONS)
"""What proposes plans of a frame."""

MOST = 12
MOST_HOMES = 3
LEFT_OVER = 0.55
JOINED = 0.12
AWAY = 0.12


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a question: its plan, how well it fits, what it leaves over, and its weakest link."""

    plan: Plan
    read_back: str
    score: float
    left: tuple[str, ...]
    weakest: float
    spans: tuple[Mention, ...]
    tables: int = 1

    @property
    def links(self) -> list[Mention]:
        """The words that stand for what nothing names."""
        return [mention for mention in self.spans if mention.probability < 1]


def read(question: str, schema: Schema) -> list[Candidate]:
    """Candidate readings, the best first."""
    words = words_of(question)
    found: dict[str, Candidate] = {}
    for covering in coverings(words, find_mentions(words, schema)):
        for away, home in _homes(covering, schema):
            for frame in frames(covering, words, schema, home):
                frame.cost += away
                for candidate in _candidates(frame):
                    before = found.get(candidate.read_back)
                    if before is None or candidate.score > before.score:
                        found[candidate.read_back] = candidate
    ranked = sorted(found.values(), key=lambda one: (-one.score, one.read_back))
    return ranked[:MOST]


def _homes(covering: Covering, schema: Schema) -> list[tuple[float, Table]]:
    """The tables that a covering may be about: those whose rows it names, those of its columns, the one of events."""
    if len(schema.tables) == 1:
        return [(0.0, table) for table in schema.tables.values()]
    names: list[str] = []
    for item in covering.items:
        if item.type == "ROW" and isinstance(item.data, str):
            names.append(item.data)
    called = list(names)
    for item in covering.items:
        if item.type == "COLUMN":
            names.append(item.data.table)
        elif item.type == "VALUE":
            names.append(item.data[0].table)
    names.append(schema.fact)
    homes = list(dict.fromkeys(names))[:MOST_HOMES]
    return [(AWAY * bool(called and name not in called), schema.tables[name]) for name in homes]


def _candidates(frame: Frame) -> Iterator[Candidate]:
    for draft in propose(frame):
        plan = _resolved(frame, draft.plan)
        if plan is None:
            continue
        left = _left_over(frame, draft, plan)
        plan, lost = _as_wanted(plan, frame.schema)
        if plan is None:
            continue
        left = (*left, *lost)
        score = frame.covering.score - frame.cost - draft.cost - LEFT_OVER * len(left) - JOINED * len(plan.joins)
        score -= AWAY * (plan.table != frame.home.name)
        links = [each.strength for each in frame.items if each.type in {"COLUMN", "VALUE", "ROW"} and not each.guessed]
        unknown = tuple(word for word in frame.covering.unknown if word not in left)
        yield Candidate(
            plan,
            read_back(plan),
            round(score, 4),
            (*unknown, *left),
            min([1.0, *links]),
            frame.items,
            len(frame.schema.tables),
        )


def propose(frame: Frame) -> Iterator[Draft]:
    """The plans that a frame may mean; an operation that cannot make one proposes none."""
    for operation in OPERATIONS:
        try:
            yield from operation(frame)
        except (ValidationError, AvermentError):
            continue


def _resolved(frame: Frame, plan: Plan) -> Plan | None:
    named = any(
        item.type == "COLUMN" and item.data.has("key") and {"id", "code", "number", "no"} & set(item.text.split())
        for item in frame.items
    )
    try:
        return resolve_joins(frame.schema, plan, keys_named=named)
    except (AvermentError, ValidationError):
        return None


def _as_wanted(plan: Plan, schema: Schema) -> tuple[Plan | None, tuple[str, ...]]:
    """The plan over the rows that the question's own steps leave, telling all that it says must be told."""
    made = stepped(plan, schema.steps) if schema.steps else plan
    if made is None or not schema.wanted:
        return made, ()
    grown, lost = with_wanted(made, schema.wanted, schema)
    return grown, tuple(lost)


def _left_over(frame: Frame, draft: Draft, plan: Plan) -> tuple[str, ...]:
    """The mentions that have left no trace in a plan."""
    used = frame.answered | draft.used
    tables = {plan.table, *(join.right for join in plan.joins), *plan.tables()}
    tables |= {test.inner.table for test in plan.tests() if test.inner is not None}
    left: list[str] = []
    for at, item in enumerate(frame.items):
        if at in used or item.cue(*FREE):
            continue
        if item.type == "ROW" and (item.data is None or item.data in tables):
            continue
        if item.type == "COLUMN" and item.data.has("label") and item.data.table in tables:
            continue
        light = all(is_light(word) and not measures(word) for word in item.text.split())
        if light and item.type in {"GRADE", "COLUMN", "VALUE"}:
            continue
        left.append(item.text)
    return tuple(left)
