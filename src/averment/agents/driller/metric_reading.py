"""What a metric is: its SQL, or the one reading of its words; where there is not one, the question to ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.agents.driller.metric_words import LostMeaning, WordReading, read_words
from averment.agents.driller.reading import MetricReading
from averment.tables.metrics.parse import MetricForm, read_metric

if TYPE_CHECKING:
    from averment.store.knowledge.corrections import Correction
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import TableProfile


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
