"""What a request says its answer must tell: "Return the name, the number of orders and the total amount." """

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan
from averment.reading.words import name_words, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from averment.reading.schema.prepared import WantedFigure
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table


def with_wanted(plan: Plan, wanted: Sequence[WantedFigure], schema: Schema) -> tuple[Plan, tuple[str, ...]]:
    """The plan with all that the answer must tell, and the words of what it cannot tell."""
    lost: list[str] = []
    for each in wanted:
        made = _with_column(plan, each, schema) or _with_figure(plan, each, schema)
        if made is None:
            lost.append(each.text)
        else:
            plan = made
    return plan, tuple(lost)


def _with_column(plan: Plan, wanted: WantedFigure, schema: Schema) -> Plan | None:
    """The plan if it tells a column of that name or can tell it of the same thing; None if neither."""
    words = _said(wanted.text)
    told = plan.by or plan.show
    if any(value.part is not None and value.part.split("_")[0] in words for value in told) and len(words) == 1:
        return plan
    for table in _tables(plan, schema):
        column = _named(words, table)
        if column is None:
            continue
        if column.value in told:
            return plan
        if plan.statistic is not None or plan.combine is not None or plan.query is not None:
            return None
        if plan.by and _goes_with(column, plan, schema):
            order = tuple(s.model_copy(update={"at": s.at + (s.at >= len(plan.by))}) for s in plan.order)
            return plan.model_copy(update={"by": (*plan.by, column.value), "order": order})
        if plan.show and not plan.measures and column.table in plan.tables() and not plan.order:
            return plan.model_copy(update={"show": (*plan.show, column.value)})
    return None


def _with_figure(plan: Plan, wanted: WantedFigure, schema: Schema) -> Plan | None:
    """The plan if it has a figure, or with that figure beside its own; None where its rows do not give it."""
    if not plan.measures or plan.window is not None or plan.over_groups is not None or plan.across is not None:
        return None
    for figure in wanted.figures:
        made = _over_rows_of(figure, plan, schema)
        if made is None:
            continue
        if made in plan.measures:
            return plan
        expects = "row" if plan.expects == "figure" else plan.expects
        return plan.model_copy(update={"measures": (*plan.measures, made), "expects": expects})
    return None


def _over_rows_of(figure: Measure, plan: Plan, schema: Schema) -> Measure | None:
    """A figure as the plan's own rows give it, none of them twice."""
    if figure.over is not None or any(test in plan.where for test in figure.where):
        return None
    if figure.function == "rows":
        if figure.table in {None, plan.table}:
            return figure.model_copy(update={"table": None})
        joined = figure.table in {join.right for join in plan.joins}
        key = next((c for c in schema.tables[figure.table or ""].columns if c.has("key") and c.is_unique), None)
        return Measure(function="distinct", of=key.value, where=figure.where) if joined and key is not None else None
    tables = {table for table, _ in figure.columns()}
    counted = figure.function == "distinct" and tables <= plan.tables()
    return figure if tables == {plan.table} or counted else None


def _tables(plan: Plan, schema: Schema) -> Iterable[Table]:
    """The tables of what the plan tells, then the others that it looks into."""
    told = [value.table for value in (plan.by or plan.show)]
    names = [*told, plan.table, *(join.right for join in plan.joins)]
    return [schema.tables[name] for name in dict.fromkeys(names) if name in schema.tables]


def _goes_with(column: Column, plan: Plan, schema: Schema) -> bool:
    """Whether each group has one value of a column: the id of the thing that it is named by."""
    own = [schema.column(v.table or "", v.column or "") for v in plan.by if v.table == column.table]
    return any(c is not None and (c.is_unique or c.has("label")) for c in own)


def _named(words: list[str], table: Table) -> Column | None:
    """The column that words name, with or without the noun of its table."""
    nouns = {singular(noun) for noun in table.nouns}
    bare = [word for word in words if word not in nouns]
    found: list[Column] = []
    for column in table.columns:
        own = [singular(word) for word in name_words(column.name)]
        core = [word for word in own if word not in nouns]
        if words == own or (bare and bare == core and (bare == words or len(words) == len(bare) + 1)):
            found.append(column)
    if not found and bare == ["name"] and len(table.labels) == 1:
        found = list(table.labels)
    if not found and bare == ["id"]:
        found = [c for c in table.columns if c.has("key") and c.is_unique][:1]
    return found[0] if found else None


def _said(text: str) -> list[str]:
    words = re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))
    return [singular(word) for word in words if word not in word_list("stop") or word == "name"]
