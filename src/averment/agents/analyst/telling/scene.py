"""What every telling shares: the plan, its sealed result, the kinds of its columns, and how claims are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from averment.agents.analyst.telling.words import scope_words
from averment.claims.kinds import apart, result_kinds
from averment.claims.relation import make_of_rows, told
from averment.claims.sealed import RankingCut, SealedResult
from averment.plans.names import headings
from averment.records.claim import Claim, ClaimValue

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.compile import CompiledPlan
    from averment.plans.plan import Plan
    from averment.runtime.run_context import RunContext

SHORT = 12
"""A result of so many rows is told row by row."""

FIRST = 5
"""Of a longer list so many are named."""

EVERY = 100_000
"""The limit of a ranking that ends where its shares say, not at a number of places."""

METHOD = "one query over the open tables"
ALSO = "also."
"""Claims whose id begins so are further findings; the others make the answer."""


class ResultScene:
    """A plan with its result, ready to be told."""

    def __init__(self, work: RunContext, plan: Plan, compiled: CompiledPlan, table: pa.Table, task: str) -> None:
        self.plan = plan
        self.compiled = compiled
        self.scope = scope_words(plan)
        self.sealed = SealedResult.of(
            work.state.answered[task], table, keys=compiled.keys, ranked=_ranked(plan, compiled)
        )
        ends = work.state.reading.get("foreseen", {}).get("ends")
        self.cut_short = frozenset(ends["periods"] if ends and task == "query" else ())
        """The periods at the ends of a series that are not whole."""

        notes = (work.state.meaning.get("dataset") or {}).get("columns") or {}
        self.kinds = result_kinds(compiled.columns, table, notes)

    def values(self, column: str) -> list[str | int | float | bool | None]:
        """A column's values."""
        return self.sealed.column(column)

    def kind(self, column: str, rows: Sequence[int] | None = None) -> str:
        """A column's kind, fine enough to tell its values in these rows apart."""
        values = self.values(column)
        return apart(values if rows is None else [values[row] for row in rows], self.kinds[column])

    def value(
        self, row: int, column: str, *, role: str = "value", subject: int | None = None, kind: str | None = None
    ) -> ClaimValue:
        """A cell as a value of a claim."""
        kind = self.kinds.get(column, "number") if kind is None else kind
        return told(role, self.sealed.cell(row, column), kind, subject=subject, heading=column)

    def count(self, role: str = "count") -> ClaimValue:
        """How many rows the result has, as a value of a claim."""
        return told(role, self.sealed.row_count(), "count")

    def claim(
        self,
        relation: str,
        claim_id: str,
        values: Sequence[ClaimValue],
        *,
        rows: Sequence[int] = (),
        figure: str = "",
        words: Mapping[str, str] | None = None,
        scope: str | None = None,
        method: str = METHOD,
    ) -> Claim | None:
        """The claim, or nothing where the evidence does not carry it; each row of ``rows`` is a subject."""
        return make_of_rows(
            relation,
            claim_id=claim_id,
            values=values,
            rows=rows,
            sealed=self.sealed,
            kinds=self.kinds,
            figure=figure,
            scope=self.scope if scope is None else scope,
            words={name: text for name, text in (words or {}).items() if text},
            method=method,
        )


def _ranked(plan: Plan, compiled: CompiledPlan) -> RankingCut | None:
    rank = plan.rank
    if rank is None or plan.statistic is not None or not (compiled.figures or compiled.keys):
        return None
    keys, _ = headings(plan)
    if rank.by is not None and plan.by:
        by = next((name for value, name in zip(plan.by, keys, strict=True) if value == rank.by), keys[0])
    elif not plan.measures and plan.show:
        by = compiled.figures[0] if compiled.figures else ""
    else:
        by = compiled.figures[-1] if plan.window is not None else compiled.figures[0]
    within = tuple(keys[at] for at in rank.within if at < len(keys))
    limit = rank.limit if rank.until is None else EVERY
    return RankingCut(by=by, descending=rank.descending, limit=limit, skip=rank.skip, within=within)
