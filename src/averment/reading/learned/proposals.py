"""What the learned reader proposes: the likeliest query and a few others, as plans that were run.

A query counts only as a plan: what does not lift into the plan language is dropped. So nothing of what a model wrote
ever reaches an engine as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.lift import lift_sql
from averment.plans.readback import read_back
from averment.plans.real_names import Names, with_real_names, words_of
from averment.reading.judge.verdict import Reading
from averment.reading.learned.cards import NOTHING, Card
from averment.reading.reader import Candidate
from averment.reading.schema.result_values import plain_rows

if TYPE_CHECKING:
    from averment.llm.embedded import Answer
    from averment.plans.plan import Plan
    from averment.reading.judge.judging import Run
    from averment.tables.catalog import Catalog
    from averment.tables.profile.profiler import TableProfile
    from averment.tables.profile.relationships import TableRelation

SAMPLES = 4
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

_STRANGE = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RuntimeError)
"""What taking apart a query may end in that nobody foresaw; such a query is none."""

Check = Callable[[dict[str, Any]], "Plan"]
"""A plan from its body, if it can be run over these tables."""


class Model(Protocol):
    """What proposes: a language model that goes on from a prompt."""

    def answers(self, beginning: str, rest: str, samples: int = 0) -> tuple[Answer, ...]:
        """The likeliest answer, or so many samples."""
        ...


@dataclass(frozen=True, slots=True)
class Proposal:
    """A query of the model as a plan that was run."""

    reading: Reading
    sql: str
    likelihood: float
    """The mean logarithm of a token's probability."""
    votes: int
    """How many samples are this very query."""
    first: bool
    """Whether it is the likeliest."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """What the model said to one question."""

    proposals: list[Proposal] = field(default_factory=list[Proposal])
    asked: int = 0
    """How many answers it gave."""
    declined: int = 0
    """How many of them say that the data cannot answer."""
    declines_first: bool = False
    """Whether the likeliest one does."""
    failed: int = 0
    """How many are no plan that runs."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What stands in the question and in the data or in figures, and so should stand in a query."""

    values: tuple[str, ...]
    numbers: tuple[str, ...]

    def unused(self, plan: Plan) -> tuple[int, int]:
        """How many of the values and of the numbers a plan says nothing of."""
        said = " ".join(words_of(str(plan.to_json())))
        values = sum(1 for value in self.values if " ".join(words_of(value)) not in said)
        figures = set(_NUMBER.findall(said))
        return values, sum(1 for number in self.numbers if number not in figures)


def hints_of(card: Card, question: str) -> Hints:
    """The whole values of the data and the numbers that a question says."""
    said = f" {' '.join(words_of(question))} "
    whole: dict[str, None] = {}
    for text in card.found(question):
        value = text.partition(" = ")[2].strip("'").replace("''", "'")
        if f" {' '.join(words_of(value))} " in said:
            whole[value] = None
    return Hints(tuple(whole), tuple(dict.fromkeys(_NUMBER.findall(question))))


def names_of(
    profiles: Sequence[TableProfile], relations: Sequence[TableRelation], texts: dict[tuple[str, str], tuple[str, ...]]
) -> Names:
    """The names of profiled tables, the texts of their columns, and their keys."""
    listed = {
        (each.table, column.name): tuple(str(value) for value, _ in column.values)
        for each in profiles
        for column in each.columns
        if column.values is not None and column.data_type == "string"
    }
    tables = {each.table: [column.name for column in each.columns] for each in profiles}
    keys = [(one.left, one.left_column, one.right, one.right_column) for one in relations]
    return Names(tables, {**listed, **texts}, keys)


def propose(
    model: Model, card: Card, question: str, *, names: Names, catalog: Catalog, check: Check, run: Run
) -> Proposals:
    """Ask the model, and run what it proposes."""
    beginning, rest = card.beginning, card.asked(question)
    first = model.answers(beginning, rest)
    if not first:
        return Proposals()
    given = [*first, *model.answers(beginning, rest, SAMPLES)]
    texts: dict[str, list[int]] = {}
    for place, answer in enumerate(given):
        if answer.ended:
            texts.setdefault(answer.text, []).append(place)
    heard: list[Proposal] = []
    declined, failed = 0, len(given) - sum(map(len, texts.values()))
    for text, places in texts.items():
        if text == NOTHING:
            declined += len(places)
            continue
        reading = _run(text, names, catalog, check, run)
        if reading is None:
            failed += len(places)
            continue
        votes = sum(1 for place in places if place)
        heard.append(Proposal(reading, text, given[places[0]].likelihood, votes, first=0 in places))
    return Proposals(heard, len(given), declined, 0 in texts.get(NOTHING, ()), failed)


def _run(text: str, names: Names, catalog: Catalog, check: Check, run: Run) -> Reading | None:
    try:
        sql = with_real_names(text, names)
        body = lift_sql(sql, catalog, "duckdb") if sql is not None else None
        if body is None:
            return None
        plan = check(body)
        compiled = compile_plan(plan)
        table = run(compiled)
        candidate = Candidate(plan, read_back(plan), 0.0, (), 1.0, ())
    except (AvermentError, *_STRANGE):
        return None
    return Reading(candidate, compiled, tuple(table.column_names), plain_rows(table))
