"""The teller: a plan and its result become claims, and the claims an answer.

What is said follows from the plan and from the shape of its result, never from the question's wording. A claim that the
evidence does not carry is not made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from averment.agents.analyst.telling.asked import tell_asked
from averment.agents.analyst.telling.figures import tell_figures
from averment.agents.analyst.telling.overview import MOST_OF_EACH, is_notable, is_strong
from averment.agents.analyst.telling.rows import tell_composed, tell_list, tell_no_figure, tell_none, tell_rows
from averment.agents.analyst.telling.scene import ALSO, ResultScene
from averment.agents.analyst.telling.statistics import tell_statistic
from averment.plans.compile import CompiledPlan, compile_plan
from averment.records.claim import Claim

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.plan import Plan
    from averment.runtime.run_context import RunContext


def tell(
    work: RunContext, plan: Plan, compiled: CompiledPlan, table: pa.Table, task: str = "query"
) -> tuple[Claim, ...]:
    """Claims over the table that a task left for a plan, the answer's first; each of them holds."""
    scene = ResultScene(work, plan, compiled, table, task)
    claims = [claim for claim in _told(scene) if claim is not None]
    if not claims and table.num_rows:
        # Nothing of what the plan's shape suggests holds of this result; that it is empty, or its rows, do.
        claims = [claim for claim in (*tell_no_figure(scene), *tell_list(scene)) if claim is not None][:1]
    return tuple(claims)


def tell_notable(work: RunContext, plans: Iterable[tuple[str, Plan]]) -> tuple[Claim, ...]:
    """What is strong of the results that the plans beside an overview left under these tasks."""
    found: list[Claim] = []
    for task, plan in plans:
        scene = ResultScene(work, plan, compile_plan(plan), work.table(task), task)
        if scene.sealed.size and is_notable(scene, work):
            claims = [claim for claim in _told(scene) if claim is not None and is_strong(claim)]
            found += [claim.changed(claim_id=f"{task}.{claim.claim_id}") for claim in claims[:MOST_OF_EACH]]
    return tuple(found)


def _told(scene: ResultScene) -> Iterator[Claim | None]:
    plan = scene.plan
    if plan.statistic is not None:
        return tell_statistic(scene)
    if plan.query is not None:
        return tell_none(scene) if scene.sealed.size == 0 else tell_composed(scene)
    if plan.asks is not None:
        return tell_asked(scene)
    if scene.sealed.size == 0:
        return tell_none(scene)
    return tell_figures(scene) if plan.measures else tell_rows(scene)


def answer_of(claims: Iterable[Claim]) -> str:
    """The answer: the claims that are not further findings, one sentence after the other."""
    told = tuple(claims)
    lead = [claim for claim in told if not claim.claim_id.startswith(ALSO)]
    return " ".join(claim.text for claim in (lead or told[:1]))
