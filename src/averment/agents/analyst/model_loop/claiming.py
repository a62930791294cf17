"""Claims that a model asks for: a relation, a column and rows as data, made of the result's cells or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.model_loop.telling import IN_RESULT, ResultNarrative
from averment.agents.analyst.skill import QUERY
from averment.records.claim import Claim

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext


class AskedClaim(BaseModel):
    """A claim as a model asks for it."""

    model_config = ConfigDict(extra="ignore")

    id: str = Field(pattern=r"^claim[1-9]$")
    relation: Literal["is", "highest", "lowest", "more_than", "less_than", "difference", "ratio"]
    column: str = Field(max_length=200)
    rows: list[int] = Field(default_factory=list[int], max_length=2)


def claims_asked(work: RunContext, asked: Sequence[AskedClaim]) -> tuple[Claim, ...]:
    """Those of the claims that the run's result carries."""
    if not asked or QUERY not in work.state.answered:
        return ()
    body: dict[str, Any] = work.state.reading.get("reading") or {}
    scene = ResultNarrative(
        work,
        QUERY,
        tables=body.get("tables") or (),
        program=body.get("kind") == "program",
        limited=bool(body.get("limited", True)),
    )
    made = [_made(scene, each) for each in asked]
    return tuple(claim for claim in made if claim is not None)


def _made(scene: ResultNarrative, asked: AskedClaim) -> Claim | None:
    figure = scene.figure
    if figure is None or asked.column != figure or any(not 0 <= row < scene.sealed.size for row in asked.rows):
        return None
    scope = scene.scope or IN_RESULT
    if asked.relation in {"highest", "lowest"}:
        best = scene.sealed.best(figure, highest=asked.relation == "highest")
        if not best:
            return None
        value = scene.value(best[0], figure)
        return scene.claim(asked.relation, asked.id, rows=list(best), figure=figure, values=[value], scope=scope)
    if asked.relation == "is" and len(asked.rows) == 1 and scene.keys:
        value = scene.value(asked.rows[0], figure, subject=0)
        return scene.claim("is", asked.id, rows=asked.rows, figure=figure, values=[value])
    if len(asked.rows) != 2 or not scene.keys:
        return None
    return scene.compared(asked.relation, asked.id, asked.rows, figure)
