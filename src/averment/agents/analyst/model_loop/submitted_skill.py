"""The submitted skill: it runs what a model submitted and the checks let pass, and tells the result by claims.

No plan stands behind such a result, so it is told by its cells alone. Headings are what a query computes, or what a
program may call its values; nothing that a model wrote is read. What is highest is said of the result, since only the
query knows what it left out. A model may ask for claims as data: a relation, a column and rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.skill import CHART, QUERY, Narrative, wants_charts
from averment.agents.analyst.tasks import CHART_SECONDS, query_cost, query_task
from averment.agents.analyst.teller import answer_of
from averment.claims.kinds import apart, value_kind
from averment.claims.relation import finding_of, make_of_rows, told
from averment.claims.sealed import RankingCut, SealedResult
from averment.evidence.derive import derived
from averment.evidence.values import as_decimal
from averment.records.analysis import Subtask
from averment.records.claim import Claim, ClaimValue

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext

SHORT, FIRST, MOST_COLUMNS = 12, 5, 8
ALSO = "also."
IN_RESULT = "in this result"
BY_PROGRAM = "as the program computes it"


class ResultNarrative:
    """One result, ready to be told."""

    def __init__(self, work: RunContext, task: str, *, tables: Sequence[str], program: bool, limited: bool) -> None:
        whole_table = work.table(task)
        table = whole_table.select(whole_table.column_names[:MOST_COLUMNS])
        self.tables = tuple(tables)
        self.scope = BY_PROGRAM if program else ""
        self.keys, self.figure = _split(table)
        self.kinds = {name: value_kind(None, name, table.column(name)) for name in table.column_names}
        cut = RankingCut(by="", descending=True, limit=1) if limited else None
        self.sealed = SealedResult.of(work.state.answered[task], table, keys=self.keys, ranked=cut)

    def claim(
        self, relation: str, claim_id: str, *, rows: Sequence[int] = (), values: Sequence[ClaimValue] = (), **more: Any
    ) -> Claim | None:
        """The claim, or nothing where the result does not carry it."""
        more.setdefault("scope", self.scope)
        return make_of_rows(
            relation, claim_id=claim_id, values=values, rows=rows, sealed=self.sealed, kinds=self.kinds, **more
        )

    def value(self, row: int, column: str, *, subject: int | None = None, rows: Sequence[int] = ()) -> ClaimValue:
        """A cell as a value, fine enough to tell it from the cells told beside it."""
        cells = self.sealed.column(column)
        kind = apart([cells[each] for each in rows or (row,)], self.kinds[column])
        return told("value", self.sealed.cell(row, column), kind, subject=subject, heading=column)

    def compared(self, relation: str, claim_id: str, rows: Sequence[int], figure: str) -> Claim | None:
        """Two rows against each other: more, less, by how much, or how many times."""
        kind = apart([self.sealed.column(figure)[row] for row in rows], self.kinds[figure])
        cells = [self.sealed.cell(row, figure) for row in rows]
        sides = [
            told(role, cell, kind, subject=place, heading=figure)
            for place, (role, cell) in enumerate(zip(("first", "second"), cells, strict=True))
        ]
        words: dict[str, str] = {}
        if relation in {"difference", "ratio"}:
            numbers = [as_decimal(cell.value) for cell in cells]
            if any(number is None for number in numbers):
                return None
            by = derived(relation, *cells)
            sides.append(told("derived", by, f"abs {kind}" if relation == "difference" else "number"))
            first, second = numbers
            assert first is not None and second is not None
            words["word"] = "higher" if first > second else "lower"
        return self.claim(relation, claim_id, rows=rows, figure=figure, values=sides, words=words)

    def count(self) -> ClaimValue:
        """How many rows the result has."""
        return told("count", self.sealed.row_count(), "count")


def _split(table: pa.Table) -> tuple[tuple[str, ...], str | None]:
    """The headings that name a row, and the one figure told of it; without such a figure all headings name it."""
    import pyarrow.types as pat

    names = tuple(table.column_names)
    numeric = [
        field.name
        for field in table.schema
        if pat.is_integer(field.type) or pat.is_floating(field.type) or pat.is_decimal(field.type)
    ]
    if table.num_rows == 1 and len(names) == 1:
        return (), names[0]
    if len(numeric) == 1 and len(names) > 1 and names[0] != numeric[0]:
        keys = tuple(name for name in names if name != numeric[0])
        rows = list(zip(*(table.column(name).to_pylist() for name in keys), strict=True))
        if len({tuple(map(str, row)) for row in rows}) == len(rows):
            return keys, numeric[0]
    return names, None


def _told(scene: ResultNarrative) -> Iterator[Claim | None]:
    size, figure = scene.sealed.size, scene.figure
    if size == 0:
        yield scene.claim("none", "none", words={"table": " with ".join(scene.tables) or "the result"}, scope="")
        return
    if figure is not None and not scene.keys:
        value = scene.sealed.column(figure)[0]
        if value is None:
            words = {"column": figure, "table": " with ".join(scene.tables)}
            yield scene.claim("none", "none", figure=figure, words=words, scope="")
            return
        yield scene.claim("is", "figure", figure=figure, values=[scene.value(0, figure)])
        return
    if figure is not None and size <= SHORT and scene.sealed.whole:
        rows = list(range(size))
        values = [scene.value(row, figure, subject=place, rows=rows) for place, row in enumerate(rows)]
        yield scene.claim("is", "rows", rows=rows, figure=figure, values=values)
    else:
        yield from _listed(scene)
    if figure is not None and size > 1:
        yield from _ends(scene, figure)


def _listed(scene: ResultNarrative) -> Iterator[Claim | None]:
    size = scene.sealed.size
    if size == 1:
        yield scene.claim("list", "row", rows=[0])
        return
    short = size <= SHORT and scene.sealed.whole
    rows = list(range(size if short else min(size, FIRST)))
    words = {"many": "rows in the result", "one": "row in the result"} | ({} if short else {"first": "first"})
    if scene.sealed.whole:
        yield scene.claim("list", "list", rows=rows, values=[scene.count()], words=words)
    else:
        yield scene.claim("list", "list", rows=rows, figure="The first rows of a result that was cut", words=words)


def _ends(scene: ResultNarrative, figure: str) -> Iterator[Claim | None]:
    """The rows with the highest and the lowest figure, of a result that was not cut to the first few."""
    for relation, highest in (("highest", True), ("lowest", False)):
        best = scene.sealed.best(figure, highest=highest)
        if not best or len(best) > FIRST:
            continue
        yield scene.claim(
            relation,
            f"{ALSO}{relation}",
            rows=list(best),
            figure=figure,
            values=[scene.value(best[0], figure)],
            scope=scene.scope or IN_RESULT,
        )


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
    scene = _narrative(work, work.state.reading.get("reading") or {})
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


NAME = "submitted"
PROGRAM_SECONDS = 3.0


class SubmittedSkill:
    """Runs queries and programs that a model submitted, and tells their result by claims."""

    name = NAME

    def tasks(self, work: RunContext, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The submitted tasks under the request's limits, and the picture of the main one."""
        made = [self._task(work, task, reading) for task in reading["tasks"]]
        chart = reading.get("chart")
        if chart is not None and wants_charts(work):
            made.append(
                Subtask(
                    task_id=CHART,
                    description="Draw the result",
                    tool_name="plot.render",
                    dependencies=(QUERY,),
                    estimated_cost_seconds=CHART_SECONDS,
                    arguments={"input": QUERY, "title": str(reading["said"])[:300], **chart},
                )
            )
        return tuple(made)

    def _task(self, work: RunContext, task: dict[str, Any], reading: dict[str, Any]) -> Subtask:
        main = task["id"] == QUERY
        words = f"Compute {reading['said']}" if main else f"Prepare {task['id']}"
        if task["tool"] == "sql.run":
            known = {table.name for table in work.catalog.tables}
            cost = sum(query_cost(work, table) for table in reading["tables"] if table in known)
            given = task["arguments"]
            return query_task(work, task["id"], words, given["query"], given["params"], cost=max(cost, 0.2))
        arguments = dict(task["arguments"])
        if task["tool"] == "python.run":
            arguments["timeout"] = work.request.constraints.timeout_seconds
        return Subtask(
            task_id=task["id"],
            description=words,
            tool_name=task["tool"],
            dependencies=tuple(task["after"]),
            estimated_cost_seconds=PROGRAM_SECONDS,
            arguments=arguments,
        )

    def conclude(self, work: RunContext, reading: dict[str, Any]) -> Narrative:
        """The claims the result carries, as findings, and the answer made of them."""
        claims = claims_of(work, reading)
        return Narrative(findings=tuple(map(finding_of, claims)), answer=answer_of(claims), claims=claims)


def claims_of(work: RunContext, reading: dict[str, Any]) -> tuple[Claim, ...]:
    """What the run's result says, as claims, the answer's first; each of them holds."""
    return tuple(claim for claim in _told(_narrative(work, reading)) if claim is not None)


def _narrative(work: RunContext, reading: dict[str, Any]) -> ResultNarrative:
    return ResultNarrative(
        work,
        QUERY,
        tables=reading.get("tables") or (),
        program=reading.get("kind") == "program",
        limited=bool(reading.get("limited", True)),
    )
