"""Telling rows: lists whole or by their beginning, the first few by a value, and none."""

from __future__ import annotations

from collections.abc import Iterator

from averment.agents.analyst.telling.figures import tell_ranked
from averment.agents.analyst.telling.scene import FIRST, SHORT, Scene
from averment.claims.speech import listed
from averment.records.claim import Claim


def tell_none(scene: Scene, *, answer: str = "") -> Iterator[Claim | None]:
    """An empty result is an answer."""
    yield scene.claim("none", "none", [], words={"table": scene.plan.table, "answer": answer})


def tell_rows(scene: Scene) -> Iterator[Claim | None]:
    """Claims over rows as they are."""
    if scene.sealed.ranked is not None and scene.compiled.figures:
        yield from tell_ranked(scene, scene.compiled.figures[0])
        return
    yield from tell_list(scene)


def tell_list(scene: Scene) -> Iterator[Claim | None]:
    """Every row of a short list; of a long one how many there are and the first few."""
    size, keys = scene.sealed.size, scene.sealed.keys
    if not keys:
        return
    if size == 1:
        yield scene.claim("list", "row", [], rows=[0])
        return
    short = size <= SHORT and scene.sealed.whole
    told = range(size if short else min(size, FIRST))
    noun = f"different values of {keys[0]}" if len(keys) == 1 and scene.plan.distinct else f"rows in {scene.plan.table}"
    if len(keys) > 1 and scene.plan.distinct:
        noun = f"different combinations of {listed(list(keys))}"
    words = {"many": noun, "first": "" if short else "first"}
    if scene.sealed.whole:
        yield scene.claim("list", "list", [scene.count()], rows=list(told), words=words)
    else:
        yield scene.claim(
            "list", "list", [], rows=list(told), figure="The first rows of a result that was cut", words=words
        )
