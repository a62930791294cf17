"""Telling rows: lists whole or by their beginning, the first few by a value, and none."""

from __future__ import annotations

from collections.abc import Iterator

from averment.agents.analyst.telling.blocks import name_of, rows_told
from averment.agents.analyst.telling.figures import tell_ranked
from averment.agents.analyst.telling.scene import FIRST, SHORT, ResultScene
from averment.claims.of_order import place_word
from averment.claims.speech import listed
from averment.records.claim import Claim


def tell_none(scene: ResultScene, *, answer: str = "") -> Iterator[Claim | None]:
    """An empty result is an answer."""
    cut = scene.sealed.ranked
    noun = ""
    if cut is not None and cut.skip:
        end = "highest" if cut.descending else "lowest"
        noun = f"{place_word(cut.skip)} {end} {name_of(scene, cut.by)}"
    yield scene.claim("none", "none", [], words={"table": scene.plan.table, "answer": answer, "many": noun})


def tell_no_figure(scene: ResultScene) -> Iterator[Claim | None]:
    """Groups without a value have no figure to tell."""
    figures = scene.compiled.figures
    if figures:
        # A window's own column is its last; of a test of a difference the mean is the second.
        column = figures[-1] if scene.plan.window is not None else figures[0]
        column = figures[min(1, len(figures) - 1)] if scene.plan.statistic is not None else column
        words = {"column": column, "table": scene.plan.table, "groups": listed(list(scene.sealed.keys))}
        yield scene.claim("none", "none", [], figure=name_of(scene, column), words=words)


def tell_rows(scene: ResultScene) -> Iterator[Claim | None]:
    """Claims over rows as they are."""
    if scene.sealed.ranked is not None and scene.compiled.figures:
        yield from tell_ranked(scene, scene.compiled.figures[0])
        return
    yield from tell_list(scene)


def tell_composed(scene: ResultScene) -> Iterator[Claim | None]:
    """What a composed query found: its figures, for each row of a short result, or its rows."""
    figures, size = scene.compiled.figures, scene.sealed.size
    if not figures:
        yield from tell_list(scene)
        return
    for place, column in enumerate(figures):
        if scene.sealed.keys:
            yield rows_told(scene, column, f"rows-{place + 1}", range(min(size, SHORT)))
        elif scene.values(column)[0] is not None:
            yield scene.claim("is", f"figure-{place + 1}", [scene.value(0, column)], figure=name_of(scene, column))


def tell_list(scene: ResultScene) -> Iterator[Claim | None]:
    """Every row of a short list; of a long one how many there are and the first few."""
    size, keys = scene.sealed.size, scene.sealed.keys
    if not keys or (scene.sealed.ranked is not None and scene.plan.measures):
        return
    if size == 1:
        yield scene.claim("list", "row", [], rows=[0])
        return
    short = size <= SHORT and scene.sealed.whole
    told = range(size if short else min(size, FIRST))
    noun = f"different values of {keys[0]}" if len(keys) == 1 and scene.plan.distinct else f"rows in {scene.plan.table}"
    if len(keys) > 1 and scene.plan.distinct:
        noun = f"different combinations of {listed(list(keys))}"
    if scene.plan.measures or scene.plan.statistic is not None:
        noun = f"groups by {listed(list(keys))}"
    words = {"many": noun, "first": "" if short else "first"}
    if scene.sealed.whole:
        yield scene.claim("list", "list", [scene.count()], rows=list(told), words=words)
    else:
        yield scene.claim(
            "list", "list", [], rows=list(told), figure="The first rows of a result that was cut", words=words
        )
