"""Questions that a table invites: made from the roles of its columns, each with the plan it should be read as.

Nobody is shown one of them before the reader was asked: only those are kept that the judge answers with the very plan
they were made for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.plan import Measure, Plan, Rank, Test, Value
from averment.plans.readback import read_back
from averment.reading.judge.judging import judge
from averment.reading.reader import read
from averment.reading.words import is_plural

if TYPE_CHECKING:
    from averment.reading.judge.judging import Run
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

MOST_TRIED = 24
"""Questions that the judge is asked at most."""

MOST_KINDS = 12
"""A column with more values than this makes too long a list to be a first question."""


@dataclass(frozen=True, slots=True)
class SuggestedQuestion:
    """A question in plain words, and the plan that it is meant as."""

    question: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question that the reader answers, and how it reads it."""

    question: str
    read_back: str


def answered(schema: Schema, run: Run, *, most: int) -> tuple[Suggestion, ...]:
    """Up to so many questions that are read as they are meant and give a result; ``run`` computes a compiled plan."""
    found: list[Suggestion] = []
    seen: set[str] = set()
    for number, each in enumerate(suggested(schema)):
        if len(found) == most or number == MOST_TRIED:
            break
        if each.question in seen:
            continue
        seen.add(each.question)
        try:
            verdict = judge(read(each.question, schema), run, question=each.question, schema=schema)
            best = verdict.best if verdict.kind == "answer" else None
            is_meant = best is not None and best.candidate.plan.hash == each.plan.hash
            if is_meant and run(compile_plan(each.plan)).num_rows:
                found.append(Suggestion(each.question, read_back(each.plan)))
        except AvermentError:
            continue  # A question that cannot be computed here is not one to suggest.
    return tuple(found)


def suggested(schema: Schema) -> Iterator[SuggestedQuestion]:
    """Questions worth asking first, the most telling first; more of them than are needed."""
    tables = sorted(schema.tables.values(), key=lambda table: (table.name != schema.fact, table.name))
    labels = {(each.value.table, each.value.column): each.word for each in schema.labels if each.value is not None}

    def say(column: Column) -> str:
        """What a person called the column, else its name in words."""
        return labels.get((column.table, column.name)) or " ".join(column.words) or column.name

    rounds = [list(_of_table(table, say)) for table in tables]
    for number in range(max(map(len, rounds), default=0)):
        for found in rounds:
            if number < len(found):
                yield found[number]


def _of_table(table: Table, say: Callable[[Column], str]) -> Iterator[SuggestedQuestion]:
    groups = sorted(
        (
            c
            for c in table.columns
            if c.has("category", "flag") and c.kind in {"text", "bool"} and 1 < c.distinct <= MOST_KINDS
        ),
        key=lambda c: (c.distinct > 8, table.columns.index(c)),
    )
    numbers = [c for c in table.measures if c.expression is None and not c.numeric_text]
    flags = [c for c in table.columns if c.has("flag") and c.true_value is not None and c.kind != "text"]
    dates = [c for c in table.columns if c.kind == "date"]
    rows = _rows_noun(table)
    count = Measure(function="rows")

    def group(number: int) -> list[Column]:
        """Another column to group by for each question, as far as there are some."""
        return [groups[number % len(groups)]] if groups else []

    for flag in flags[:1]:
        for by in [each for each in groups if each is not flag][:1]:
            share = Measure(function="rate", where=(Test(value=flag.value, to=(flag.true_value,)),))
            yield SuggestedQuestion(f"{say(flag)} rate by {say(by)}", _plan(table, (share,), (by,)))
    for place, number in enumerate(numbers[:2], start=1):
        for by in group(place):
            yield _average(table, number, by, say)
    for by in group(2):
        yield SuggestedQuestion(f"how many {rows} by {say(by)}", _plan(table, (count,), (by,)))
    for number in [each for each in numbers if each.additive][:1]:
        total = Measure(function="sum", of=number.value)
        for date in dates[:1]:
            by = Value(kind="part", table=table.name, column=date.name, part="month")
            plan = Plan(table=table.name, measures=(total,), by=(by,), expects="series")
            yield SuggestedQuestion(f"total {say(number)} per month", plan)
        for by in group(0):
            yield SuggestedQuestion(f"total {say(number)} by {say(by)}", _plan(table, (total,), (by,)))
    for number in numbers[-1:]:
        for by in group(1):
            ranked = _plan(table, (Measure(function="mean", of=number.value),), (by,))
            plan = ranked.model_copy(update={"rank": Rank(), "expects": "row"})
            yield SuggestedQuestion(f"which {say(by)} has the highest average {say(number)}", plan)
    for number in numbers[:2]:
        median = Measure(function="median", of=number.value)
        yield SuggestedQuestion(f"median {say(number)}", Plan(table=table.name, measures=(median,), expects="figure"))
    for number in numbers[:3]:
        for by in groups[:3]:
            yield _average(table, number, by, say)
    for by in groups[:4]:
        yield SuggestedQuestion(f"how many {rows} by {say(by)}", _plan(table, (count,), (by,)))
    yield SuggestedQuestion(f"how many {rows} are there", Plan(table=table.name, measures=(count,), expects="figure"))
    for number in numbers:
        highest = Measure(function="max", of=number.value)
        yield SuggestedQuestion(f"highest {say(number)}", Plan(table=table.name, measures=(highest,), expects="figure"))


def _average(table: Table, number: Column, group: Column, say: Callable[[Column], str]) -> SuggestedQuestion:
    mean = Measure(function="mean", of=number.value)
    return SuggestedQuestion(f"average {say(number)} by {say(group)}", _plan(table, (mean,), (group,)))


def _plan(table: Table, measures: tuple[Measure, ...], groups: tuple[Column, ...]) -> Plan:
    return Plan(table=table.name, measures=measures, by=tuple(group.value for group in groups))


def _rows_noun(table: Table) -> str:
    noun = table.nouns[-1] if table.nouns else "row"
    if not noun.isalpha() or len(noun) < 3 or noun in {"data", "table"}:
        return "rows"
    if is_plural(noun):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
