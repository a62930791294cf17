"""Telling a yes/no question: the verdict with both sides' figures, decided by the sides' order in the plan."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from averment.agents.analyst.telling.blocks import name_of
from averment.agents.analyst.telling.figures import tell_figures
from averment.agents.analyst.telling.rows import tell_none
from averment.agents.analyst.telling.scene import ALSO, ResultScene
from averment.agents.analyst.telling.words import falsy, scope_words, truthy
from averment.claims.kinds import apart
from averment.claims.relation import told
from averment.claims.sealed import orderly
from averment.evidence.derive import derived
from averment.evidence.formats import IN
from averment.evidence.values import as_decimal
from averment.records.claim import Claim

if TYPE_CHECKING:
    from averment.plans.plan import Test
    from averment.records.run import CellEvidence


def tell_asked(scene: ResultScene) -> Iterator[Claim | None]:
    """Claims that answer a yes/no question."""
    if scene.plan.asks == "any":
        yield from _any(scene)
        return
    sides = _sides(scene)
    if sides is None:
        yield from (tell_figures(scene) if scene.sealed.size else tell_none(scene))
        return
    first, second, rows, left_out = sides
    yield from _compared(scene, first, second, rows, scope_words(scene.plan, without=left_out))


def _any(scene: ResultScene) -> Iterator[Claim | None]:
    plan = scene.plan
    words = {"one": f"row in {plan.table}", "many": f"rows in {plan.table}"}
    if plan.measures and not scene.sealed.keys and scene.sealed.size:
        column = scene.compiled.figures[0]
        number = orderly(scene.values(column)[0])
        if isinstance(number, Decimal) and plan.measures[0].function in {"rows", "count", "distinct"}:
            words["answer"] = "yes" if number > 0 else "no"
            yield scene.claim("count", "any", [scene.value(0, column, role="count")], words=words)
        else:
            yield from tell_figures(scene)
    elif scene.sealed.size == 0:
        yield from tell_none(scene, answer="no")
    else:
        yield scene.claim("count", "any", [scene.count()], words={**words, "answer": "yes"})


def _sides(
    scene: ResultScene,
) -> tuple[tuple[int, str], tuple[int, str], tuple[int, ...], tuple[Test, ...]] | None:
    """The cells of both sides, the first as the question names it first; the conditions that name them."""
    plan, figures = scene.plan, scene.compiled.figures
    if not scene.sealed.keys:
        return ((0, figures[0]), (0, figures[1]), (), ()) if len(figures) >= 2 and scene.sealed.size else None
    if len(scene.sealed.keys) != 1 or scene.sealed.size != 2:
        return None
    column, heading = figures[-1] if plan.window is not None else figures[0], scene.sealed.keys[0]
    values = scene.values(heading)
    for test in plan.where:
        named = _named(test, scene)
        if named is None:
            continue
        order = [row for each in named for row, value in enumerate(values) if _alike(each, value)]
        if sorted(order) == [0, 1]:
            return (order[0], column), (order[1], column), tuple(order), (test,)
    yes = [row for row, value in enumerate(values) if truthy(value)]
    no = [row for row, value in enumerate(values) if falsy(value)]
    if len(yes) == 1 and len(no) == 1:
        return (yes[0], column), (no[0], column), (yes[0], no[0]), ()
    return None


def _named(test: Test, scene: ResultScene) -> list[object] | None:
    """The values that a condition on the key names, in their order."""
    key = scene.plan.by[0]
    if test.negated:
        return None
    if test.value == key and test.operator == "in" and test.inner is None:
        return list(test.to)
    parts = test.any_of
    if parts and all(each.value == key and each.operator == "=" and each.to and not each.negated for each in parts):
        return [each.to[0] for each in parts]
    return None


def _alike(named: object, value: object) -> bool:
    return str(named).casefold() == str(value).casefold() or (
        orderly(named) is not None and orderly(named) == orderly(value)  # pyright: ignore
    )


def _compared(
    scene: ResultScene, first: tuple[int, str], second: tuple[int, str], rows: tuple[int, ...], scope: str
) -> Iterator[Claim | None]:
    cells = [scene.values(column)[row] for row, column in (first, second)]
    orders = [orderly(value) for value in cells]
    if not all(isinstance(order, Decimal) for order in orders):
        yield from tell_figures(scene)
        return
    one, two = orders
    relation = "same_as" if one == two else "more_than" if one > two else "less_than"  # pyright: ignore
    asked = scene.plan.asks or "more"
    right = relation == {"more": "more_than", "less": "less_than"}[asked]
    kind = apart(cells, scene.kinds[first[1]])
    values = [
        scene.value(*side, role=role, subject=place if rows else None, kind=kind)
        for place, (side, role) in enumerate(((first, "first"), (second, "second")))
    ]
    figure = name_of(scene, first[1])
    named = {} if rows else {"one": figure, "two": name_of(scene, second[1])}
    words = {"asked": asked, "answer": "yes" if right else "no", **named}
    yield scene.claim(relation, "verdict", values, rows=rows, figure=figure, words=words, scope=scope)
    if relation == "same_as":
        return
    parts: list[CellEvidence] = [each.evidence for each in values if each.evidence.kind == "cell"]
    apart_by = derived("difference", *parts)
    size = abs(float(as_decimal(apart_by.value) or 0))
    fine = ":2" if scene.kinds[first[1]].partition(IN)[0] == "number" and size >= 0.1 else ""
    difference = told("derived", apart_by, f"abs {scene.kinds[first[1]]}{fine}")
    word = "higher" if relation == "more_than" else "lower"
    yield scene.claim(
        "difference",
        f"{ALSO}difference",
        [*values, difference],
        rows=rows,
        figure=figure,
        words={**named, "word": word},
        scope=scope,
    )
