"""What a metric is: its SQL, or the one reading of its words; where there is not one, the question to ask.

Words ("conversion rate", "active users") are read as figures by the same reader as every question over tables, and
become SQL over the columns there are. What can be read in several ways is never acted on: it is shown and asked back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.agents.driller.reading import MetricReading
from averment.plans.readback import say_measure
from averment.plans.registry import AGGREGATES
from averment.reading.lattice.taught_spans import said_in
from averment.reading.schema.gather import gather
from averment.reading.schema.implied_joins import hang_together
from averment.reading.schema.known_words import known_words
from averment.reading.schema.named_metrics import named_metrics
from averment.reading.understand import figures
from averment.tables.engines.backend import quote
from averment.tables.metrics.parse import MetricForm, read_metric

if TYPE_CHECKING:
    from averment.plans.meaning import Meaning
    from averment.plans.plan import Measure, Test, Value
    from averment.reading.schema.schema_view import Schema
    from averment.store.knowledge.corrections import Correction
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import TableProfile


_FOLLOWED = frozenset(
    record.name for record in AGGREGATES.values() if (record.additive or record.among) and not record.placed
)
"""The aggregates of one column that a metric can be."""
_STEPS = re.compile(r"\b(?:daily|weekly|monthly|our|kpi|metric)\b", re.IGNORECASE)
"""Words that say how often a figure is looked at, and nothing about it."""


@dataclass(frozen=True, kw_only=True)
class WordReading:
    """One way to compute what the words mean."""

    sql: str
    in_words: str


class LostMeaning(Exception):
    """A word of the metric was taught to mean what is not there any more; ``note`` says so."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note


def read_words(
    text: str, engine: Engine, profiles: Sequence[TableProfile], taught: Sequence[Correction] = ()
) -> list[WordReading]:
    """The readings of a metric's words over these tables: one where the words are clear, several where they are not.

    A word that a person taught means what they said, before any other reading of it.

    Raises:
        Lost: what a word was taught to mean cannot be used over these tables.
    """

    def ask(sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
        return engine.run(sql, params).table.to_pylist()

    schema = gather(profiles, hang_together(engine, profiles), ask)
    own = _taught(text, engine, profiles, taught)
    schema.taught = (*own, *(each for each in named_metrics(schema) if each.word not in {one.word for one in own}))
    found: dict[str, WordReading] = {}
    for measure in figures(" ".join(_STEPS.sub(" ", text).split()), schema):
        sql = _sql(measure, schema)
        if sql is not None:
            found.setdefault(sql, WordReading(sql=sql, in_words=say_measure(measure)))
    return list(found.values())


def _taught(
    text: str, engine: Engine, profiles: Sequence[TableProfile], kept: Sequence[Correction]
) -> tuple[Meaning, ...]:
    """What the words that were taught mean over these tables."""
    permitted = {(one.table, column.name) for one in profiles for column in one.columns}
    said = [each for each in known_words(kept, engine.catalog, permitted) if said_in(each.word, text)]
    lost = next((each for each in said if each.meaning is None), None)
    if lost is not None:
        raise LostMeaning(lost.note)
    return tuple(each.meaning for each in said if each.meaning is not None)


def _sql(measure: Measure, schema: Schema) -> str | None:
    """A figure as SQL; None where a metric cannot be computed so."""
    own = _plain(measure, schema)
    if measure.over is None or own is None:
        return own
    other = _plain(measure.over, schema)
    if other is None or "AVG" in own + other:
        return None
    return f"{'100 * ' if measure.percent else ''}{own} / {other}"


def _plain(measure: Measure, schema: Schema) -> str | None:
    where = [_test(test) for test in measure.where]
    if None in where:
        return None
    kept = " AND ".join(each for each in where if each is not None)
    match measure.function:
        case "rate" if len(measure.where) == 1 and measure.where[0].value is not None and measure.where[0].to == (1,):
            return f"AVG({_value(measure.where[0].value)})"
        case "rate":
            return f"AVG(CASE WHEN {kept} THEN 1 ELSE 0 END)"
        case "rows":
            if kept:
                return f"COUNT(CASE WHEN {kept} THEN 1 END)"
            table = schema.tables[measure.table or next(iter(schema.tables))]
            key = next((c for c in table.columns if c.filled == c.rows and c.expression is None), None)
            return f"COUNT({quote(table.name)}.{quote(key.name)})" if key is not None else "COUNT(*)"
        case "distinct" if measure.of is not None:
            value = _value(measure.of)
            return f"COUNT(DISTINCT {f'CASE WHEN {kept} THEN {value} END' if kept else value})" if value else None
        case name if name in _FOLLOWED and measure.of is not None and measure.weight is None:
            value = _value(measure.of)
            return (
                f"{AGGREGATES[name].sql}({f'CASE WHEN {kept} THEN {value} END' if kept else value})" if value else None
            )
        case _:
            return None


def _value(value: Value) -> str | None:
    match value.kind:
        case "column":
            return f"{quote(value.table or '')}.{quote(value.column or '')}"
        case "number":
            return f"{value.number:g}"
        case "arithmetic":
            left, right = (_value(each) for each in value.operands)
            return f"({left} {value.operation} {right})" if left and right else None
        case _:
            return None


def _test(test: Test) -> str | None:
    value = _value(test.value) if test.value is not None else None
    if value is None or test.negated or test.inner is not None or test.other is not None or not test.to:
        return None
    if test.operator in {"in", "not in"}:
        return f"{value} {test.operator.upper()} ({', '.join(map(_literal, test.to))})"
    signs = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
    return f"{value} {signs[test.operator]} {_literal(test.to[0])}" if test.operator in signs else None


def _literal(scalar: str | float | bool) -> str:
    if isinstance(scalar, bool):
        return "TRUE" if scalar else "FALSE"
    return f"'{scalar.replace(chr(39), chr(39) * 2)}'" if isinstance(scalar, str) else f"{scalar:g}"


class Unsure(Exception):
    """The metric's words can be read in several ways, or in none; ``question`` is what to ask."""

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question


def resolve_metric(
    text: str, engine: Engine, profiles: Sequence[TableProfile], taught: Sequence[Correction]
) -> tuple[MetricForm, MetricReading]:
    """A metric's text as a form that can be followed: SQL as it stands, words as they are read.

    Raises:
        Unsure: its words have several readings, or none.
        MetricUnreadable, MissingColumn, MissingTable: its SQL cannot be followed.
    """
    form = read_metric(text, engine.catalog)
    chosen: WordReading | None = None
    if form is None:
        try:
            readings = read_words(text, engine, profiles, taught)
        except LostMeaning as lost:
            raise Unsure(f"{lost.note[:1].upper()}{lost.note[1:]}. {_question(text, (), profiles)}") from lost
        if len(readings) != 1:
            raise Unsure(_question(text, readings, profiles))
        chosen = readings[0]
        form = read_metric(chosen.sql, engine.catalog)
        if form is None:
            raise Unsure(_question(text, readings, profiles))
    said = chosen.in_words if chosen is not None else form.text
    return form, MetricReading(
        text=" ".join(text.split()),
        sql=form.text,
        in_words=said,
        kind=form.kind,
        counts_units=form.unit is not None,
        per_day=form.per_day is not None,
        from_words=chosen is not None,
        quantile=form.quantile,
    )


def _question(text: str, readings: Sequence[WordReading], profiles: Sequence[TableProfile]) -> str:
    if readings:
        options = "; ".join(f"{reading.sql} ({reading.in_words})" for reading in readings[:4])
        return f"I am not sure how “{text}” is computed. Please give it as SQL, for example one of: {options}."
    columns = ", ".join(f"{p.table}.{c.name}" for p in profiles for c in p.columns)
    return f"I do not know how “{text}” is computed. Please give it as SQL over these columns: {columns}."
