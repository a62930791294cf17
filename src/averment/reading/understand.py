"""What somebody says a word means, read by the same reader as a question: a column, a formula, a condition, a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.lattice.cutting import cut
from averment.reading.lattice.rivals import EXACT
from averment.reading.lattice.taught_spans import places_of
from averment.reading.reader import read
from averment.reading.slots.formulas import formula_spans
from averment.reading.words import tokens

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan
    from averment.reading.reader import Candidate
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

APART = 0.1
"""Readings of a figure's words whose scores lie this near are one as likely as the other."""

SURE_ROW = 0.56
"""How strongly a noun must name rows for a figure to be of them."""

_FIGURES = (
    "count",
    "sum",
    "mean",
    "median",
    "max",
    "min",
    "stddev",
    "variance",
    "share",
    "rate",
    "distinct",
    "quantile",
)
_FILLER = frozenset({"the", "a", "an", "column", "field", "its", "their"})
_BETWEEN = re.compile(r"\s*(?:,\s*and\s|,\s*or\s|,|\sand\s|\sor\s|/)\s*", re.IGNORECASE)
_DIVIDED = re.compile(r"\s+(?:divided\s+by|over|per)\s+|\s*[/÷]\s*", re.IGNORECASE)
_QUOTES = "\"'“”‘’` "


def understand(word: str, text: str, schema: Schema) -> Meaning | None:
    """What a word is said to mean by some text over these tables; None where the text cannot be read as a meaning."""
    said = text.strip().strip(".;!?").strip()
    if not said:
        return None
    return (
        _list(word, said, schema)
        or _formula(word, said, schema)
        or _figure(word, said, schema)
        or _condition(word, said, schema)
    )


def understand_formula(word: str, text: str, schema: Schema) -> Meaning | None:
    """What a word is said to mean by a formula of several columns; None where the text is no such formula."""
    made = _formula(word, text, schema) or _figure(word, text, schema)
    several = made is not None and len(set(made.columns())) > 1
    divided = made is not None and made.measure is not None and made.measure.over is not None
    return made if several and made is not None and (made.kind == "formula" and (made.value or divided)) else None


def _list(word: str, said: str, schema: Schema) -> Meaning | None:
    """Values of one column, one after the other."""
    items = [item.strip(_QUOTES).casefold() for item in _BETWEEN.split(said) if item.strip(_QUOTES)]
    found: list[tuple[Column, tuple[str, ...]]] = []
    for column in schema.columns if len(items) > 1 else ():
        held = {str(value).casefold(): value for value in column.values} if column.kind == "text" else {}
        if all(item in held for item in items):
            found.append((column, tuple(dict.fromkeys(held[item] for item in items))))
    if len(found) != 1:
        return None  # Of which column they are is not guessed.
    column, values = found[0]
    return Meaning(word=word, kind="list", where=(Test(value=column.value, operator="in", to=values),))


def _formula(word: str, said: str, schema: Schema) -> Meaning | None:
    """Arithmetic over columns and numbers, or one column, by the spans that cover the whole text."""
    lattice = cut(said, schema)
    formula_spans(lattice, schema, numbers=True)
    first = next((n for n, each in enumerate(lattice.words) if each not in _FILLER), 0)
    last = next((n for n in range(len(lattice.words), 0, -1) if lattice.words[n - 1] not in _FILLER), 0)
    whole = [
        s for s in lattice.spans if s.type == "COLUMN" and s.start in {0, first} and s.end in {last, len(lattice.words)}
    ]
    sure = [s for s in whole if s.data.expression is not None or s.strength >= EXACT]
    if not sure:
        return None
    best = max(sure, key=lambda span: (span.strength, span.data.expression is None))
    column: Column = best.data
    if column.expression is not None and any(span.cue("sum") for span in lattice.spans):
        return None  # Totals are figures of many rows, and no formula of one.
    return Meaning(word=word, kind="column" if column.expression is None else "formula", value=column.value)


def _figure(word: str, said: str, schema: Schema) -> Meaning | None:
    """A figure over many rows: "average survived", "total amount divided by number of orders"."""
    measure = _measure(said, schema) or _ratio(said, schema, _outright)
    return Meaning(word=word, kind="formula", measure=measure) if measure is not None else None


def _outright(said: str, schema: Schema) -> list[Measure]:
    measure = _measure(said, schema)
    return [measure] if measure is not None else []


def figures(said: str, schema: Schema) -> list[Measure]:
    """What a figure's words can mean, the likeliest first; several where nothing decides between them."""
    words = [word for word, _, _ in tokens(said)]
    named = [each.measure for each in schema.taught if places_of(each.word, words) == [(0, len(words))]]
    if named and named[0] is not None:
        return [named[0]]
    ratio = _ratio(said, schema, figures)
    if ratio is not None:
        return [ratio]
    found = [(each.score, measure) for each in _whole(said, schema) if (measure := _bare_figure(each)) is not None]
    return list(dict.fromkeys(measure for score, measure in found if score > found[0][0] - APART))


def _measure(said: str, schema: Schema) -> Measure | None:
    best = next(iter(_whole(said, schema)), None)
    if best is None or not any(span.cue(*_FIGURES) for span in best.spans):
        return None
    return _bare_figure(best)


def _bare_figure(candidate: Candidate) -> Measure | None:
    """The one figure that a reading is, with its conditions its own."""
    plan = candidate.plan
    if any(span.type == "ROW" and span.strength < SURE_ROW for span in candidate.spans):
        return None  # Rows that are called so by nobody else are no figure's rows.
    if len(plan.measures) != 1 or not _is_bare(plan) or (plan.where and plan.measures[0].where):
        return None
    measure = plan.measures[0].model_copy(update={"where": (*plan.measures[0].where, *plan.where)})
    if measure.function == "rows" and measure.table is None:
        measure = measure.model_copy(update={"table": plan.table})
    return measure


def _ratio(said: str, schema: Schema, read: Callable[[str, Schema], list[Measure]]) -> Measure | None:
    """One figure divided by another."""
    sides = _DIVIDED.split(said, maxsplit=1)
    above, below = (read(side, schema)[:1] for side in sides) if len(sides) == 2 else ([], [])
    if not above or not below or above[0].over is not None or below[0].over is not None:
        return None
    return above[0].model_copy(update={"over": below[0]})


def _condition(word: str, said: str, schema: Schema) -> Meaning | None:
    """What rows must meet."""
    best = next(iter(_whole(f"number of rows where {said}", schema)), None)
    if best is None or not best.plan.where or not _is_bare(best.plan):
        return None
    counts = len(best.plan.measures) == 1 and best.plan.measures[0].function in {"rows", "distinct"}
    return Meaning(word=word, kind="condition", where=best.plan.where) if counts else None


def _whole(text: str, schema: Schema) -> list[Candidate]:
    """The readings that leave no word over, if the best one is such."""
    found = read(text, schema)
    return [each for each in found if not each.left] if found and not found[0].left else []


def _is_bare(plan: Plan) -> bool:
    parts = (plan.by, plan.having, plan.window, plan.over_groups, plan.show, plan.rank, plan.combine, plan.statistic)
    return not any(parts) and plan.asks is None and plan.query is None
