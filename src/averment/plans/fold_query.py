"""Queries folded for lifting: named steps and inner queries written into the query around them."""

from __future__ import annotations

from typing import NoReturn

from sqlglot import exp

from averment.plans.registry import aggregate_of_sql

PLACES = frozenset({"QUANTILE_CONT", "PERCENTILE_CONT", "QUANTILE"})
"""Functions that find a figure by its place among the values."""


class Unlike(Exception):
    """The query says something that no plan says."""


def unlike() -> NoReturn:
    """Give up: no plan says this.

    Raises:
        Unlike: always.
    """
    raise Unlike


def folded(tree: exp.Expr) -> exp.Expr:
    """The query with each named step written where it is used."""
    tree = tree.copy()
    clause = tree.args.get("with_")
    if clause is None:
        return tree
    steps: dict[str, exp.Expr] = {}
    for step in clause.expressions:
        if clause.args.get("recursive") or step.args["alias"].args.get("columns"):
            unlike()
        steps[step.alias.casefold()] = _written_out(step.this.copy(), steps)
    tree.set("with_", None)
    return _written_out(tree, steps)


def _written_out(tree: exp.Expr, steps: dict[str, exp.Expr]) -> exp.Expr:
    for table in list(tree.find_all(exp.Table)):
        step = steps.get(table.name.casefold())
        if step is not None:
            alias = exp.TableAlias(this=exp.to_identifier(table.alias or table.name))
            table.replace(exp.Subquery(this=step.copy(), alias=alias))
    return tree


def flat_query(tree: exp.Select) -> exp.Select:
    """A query over one inner query as one query, where the outer one only chooses among its rows and columns."""
    source = tree.args.get("from_")
    inner = source.this if source is not None else None
    if not isinstance(inner, exp.Subquery):
        return tree
    select = inner.this
    if not isinstance(select, exp.Select) or tree.args.get("joins"):
        unlike()
    if any(select.args.get(name) for name in ("limit", "offset", "distinct")):
        unlike()
    select = flat_query(select.copy())
    figured = select.args.get("group") or any(
        has_aggregate(each) or each.find(exp.Window) for each in select.expressions
    )
    again = tree.args.get("group") or tree.args.get("having") or any(has_aggregate(bare(e)) for e in tree.expressions)
    if figured and again:
        unlike()  # Figures over figures.
    named = {item.alias_or_name.casefold(): bare(item) for item in select.expressions}

    def meant(node: exp.Expr) -> exp.Expr:
        return node.transform(
            lambda part: (
                named[part.name.casefold()].copy()
                if isinstance(part, exp.Column) and part.name.casefold() in named
                else part
            )
        )

    flat = select.copy()
    items = select.expressions if any(isinstance(each, exp.Star) for each in tree.expressions) else tree.expressions
    shown = [each if each in select.expressions else _kept(each, meant(bare(each))) for each in items]
    flat.set("expressions", [each.copy() for each in shown if not bare(each).find(exp.Window)])
    where = tree.args.get("where")
    for node in conjuncts(where.this) if where is not None else ():
        told = meant(node.copy())
        if told.find(exp.Window):
            flat.set("qualify", exp.Qualify(this=told))
        elif has_aggregate(told):
            flat = flat.having(told, copy=False)
        else:
            flat = flat.where(told, copy=False)
    if tree.args.get("order") is not None:
        ordered = [
            exp.Ordered(this=meant(each.this.copy()), desc=each.args.get("desc"))
            for each in tree.args["order"].expressions
        ]
        flat.set("order", exp.Order(expressions=ordered))
    if again:
        for name in ("group", "having"):
            part = tree.args.get(name)
            flat.set(name, meant(part.copy()) if part is not None else None)
    for name in ("limit", "offset", "distinct"):
        flat.set(name, tree.args.get(name))
    return flat


def _kept(item: exp.Expr, told: exp.Expr) -> exp.Expr:
    name = item.alias_or_name
    return exp.alias_(told, name, quoted=True) if name else told


def bare(item: exp.Expr) -> exp.Expr:
    """What a result is, without the name that the query gives it."""
    return item.this if isinstance(item, exp.Alias) else item


def has_aggregate(node: exp.Expr) -> bool:
    """Whether a figure over rows is computed in an expression, outside of queries in it."""
    if isinstance(node, exp.Subquery | exp.Select):
        return False
    if isinstance(node, exp.AggFunc):
        return True
    if isinstance(node, exp.Anonymous):
        name = node.name.upper()
        if aggregate_of_sql(name) is not None or name in PLACES or name in {"COUNT_IF", "COUNTIF"}:
            return True
    return any(has_aggregate(each) for each in node.iter_expressions())


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that must all hold."""
    if isinstance(node, exp.Paren):
        inner = conjuncts(node.this)
        return inner if len(inner) > 1 else [node]
    return [*conjuncts(node.this), *conjuncts(node.expression)] if isinstance(node, exp.And) else [node]
