"""Things that rows repeat and that have none of something: a player with no goals has none in any match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Plan, Test
from averment.reading.lattice.presence_spans import holds_none
from averment.reading.schema.repeats import comes_back

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Value
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema


_NAMED = 0.9
"""From this strength on a word is a column's own name."""
_PERIODS = frozenset({"period", "date", "day", "week", "month", "quarter", "year"})


def none_at_all(plan: Plan, schema: Schema, spans: Sequence[Span]) -> Plan:
    """The plan that leaves out whatever has some of it in any row, where "no goals" is said of what rows repeat."""
    never = any("never" in span.text.split() for span in spans)
    zeros = tuple(test for test in plan.where if _is_none(test, schema) or (never and _is_denied(test)))
    who = (
        next((v for v in _told(plan, schema) if _repeats(v, schema) and _is_said_of(v, schema, spans)), None)
        if zeros
        else None
    )
    if who is None:
        return plan
    rest = tuple(test for test in plan.where if test not in zeros)
    known = (Test(value=who, operator="null", negated=True),) if _has_gaps(who, schema) else ()
    ruled_out: list[Test] = []
    for zero in zeros:
        some = (*rest, _some(zero), *known)
        inner = Plan(table=plan.table, joins=plan.joins, show=(who,), distinct=True, where=some, expects="list")
        ruled_out.append(Test(value=who, operator="not in", inner=inner))
    return plan.model_copy(update={"where": (*rest, *ruled_out), "distinct": bool(plan.show)})


def _told(plan: Plan, schema: Schema) -> tuple[Value, ...]:
    """The things that a plan lists or counts, each once."""
    if plan.by or plan.having or plan.rank is not None or plan.window is not None or plan.combine is not None:
        return ()
    if not plan.measures:
        columns = [schema.column(value.table or "", value.column or "") for value in plan.show]
        each = any(
            c is not None and c.is_unique and v.kind == "column" for c, v in zip(columns, plan.show, strict=True)
        )
        return () if each else plan.show  # A date beside its month is of one row.
    counted = tuple(m.of for m in plan.measures if m.function == "distinct" and m.of is not None and m.over is None)
    return counted if len(plan.measures) == 1 else ()


def _repeats(who: Value, schema: Schema) -> bool:
    """Whether several rows are of one such thing."""
    column = schema.column(who.table or "", who.column or "")
    coarse = who.kind == "part" and (who.part != "day" or (column is not None and column.has("stamp")))
    return column is not None and not column.has("measure") and (coarse or comes_back(column))


def _has_gaps(who: Value, schema: Schema) -> bool:
    column = schema.column(who.table or "", who.column or "")
    return column is None or column.filled < column.rows


def _is_none(test: Test, schema: Schema) -> bool:
    column = schema.column(test.value.table or "", test.value.column or "") if test.value is not None else None
    return column is not None and test.operator == "=" and test.to == (0,) and not test.negated and holds_none(column)


def _is_denied(test: Test) -> bool:
    """Whether a condition says what something is not: a place that is not the first."""
    plain = test.value is not None and test.inner is None and test.other is None and bool(test.to)
    return plain and ((test.operator == "!=" and not test.negated) or (test.operator in {"=", "in"} and test.negated))


def _some(zero: Test) -> Test:
    """What none of the rows may hold."""
    if _is_denied(zero):
        return zero.model_copy(update={"operator": "=" if zero.operator == "!=" else zero.operator, "negated": False})
    return Test(value=zero.value, operator=">", to=(0,))


def _is_said_of(who: Value, schema: Schema, spans: Sequence[Span]) -> bool:
    """Whether "no" is said of these things, and not of rows in between: towns with homes without a garage."""
    said = next((place for place, span in enumerate(spans) if span.cue("no", "not")), None)
    for span in reversed(spans[:said] if said is not None else ()):
        if span.type == "COLUMN":
            own = span.strength >= _NAMED  # Runs are not who ran them.
            return own and (span.data.table, span.data.name) == (who.table, who.column)
        if span.type in {"ROW", "PART"}:
            return span.type == "PART" or span.data is None
    column = schema.column(who.table or "", who.column or "")
    return said is not None and column is not None and not set(column.words) & _PERIODS
