"""The driller's loop with a model: it sees what was found so far and proposes hypotheses; the engine tests each.

It is asked once the hypotheses of every investigation are done, at most three times, and each time sees what came of
what it asked before, refusals too. What it proposed is kept with the rounds, so that nobody needs a model to verify the
run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.driller.model_loop.proposals import Propose, Spec, accept
from averment.agents.driller.model_loop.trials import tasks_of
from averment.agents.driller.reading import CUBE, InvestigationSetup, ReadColumn, reading_of
from averment.agents.driller.recall import recall
from averment.errors import AvermentError, SourceError, StorageError
from averment.llm import Prompt, Proposer, render, tell_calls, with_fallback
from averment.runtime.decisions import Round
from averment.runtime.model_loop.privacy import MASKED, Level, Privacy
from averment.runtime.model_loop.tool_loop import LoopLimits, ModelLoop, Outcome, RunSteps, TakenStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.run_context import RunContext

MOST_VALUES = 20
MOST_TABLES, MOST_COLUMNS = 12, 40


class Sight:
    """One run's investigation as its model may see it."""

    def __init__(self, work: RunContext, request: DrillRequest, privacy: Privacy) -> None:
        self._work = work
        self._request = request
        self._privacy = privacy
        self._reading = reading_of(work)
        self._hidden: list[str] = []
        self._dimensions = {d.name: self._values(d.table, d.column, d.name) for d in self._reading.dimensions}

    def values(self) -> dict[str, Any]:
        """The values of the prompt."""
        reading, context = self._reading, self._request.context
        rows = reading.parsed_rows()
        return {
            "metric": {
                "said": reading.metric.text,
                "sql": reading.metric.sql,
                "rows_of": reading.base,
                "day": f"{reading.day_table}.{reading.day_column}",
                "baseline": [day.isoformat() for day in rows.baseline],
                "comparison": [day.isoformat() for day in rows.comparison],
            },
            "said": {"prompt": context.investigation_prompt, "background": context.business_context},
            "tables": [self._table(reading, at) for at in range(min(len(reading.tables), MOST_TABLES))],
            "dimensions": self._dimensions,
            "findings": self._findings(),
        }

    def _values(self, table: str, column: str, name: str) -> list[str]:
        found = [str(value) for value in self._work.table(CUBE).column(name).unique().to_pylist()]
        if self._privacy.permits("values", table, column) and not self._privacy.is_personal(table, column, found):
            return found[:MOST_VALUES]
        self._hidden += [value for value in found if value]
        return []

    def _table(self, reading: InvestigationSetup, at: int) -> dict[str, Any]:
        table = reading.tables[at]
        joined = reading.parsed_rows().source.reaches(table.name)
        columns = [self._column(table.name, column) for column in table.columns[:MOST_COLUMNS]]
        return {"table": table.name, "rows": table.row_count, "joined": joined, "columns": columns}

    def _column(self, table: str, column: ReadColumn) -> dict[str, Any]:
        card: dict[str, Any] = {"name": column.name, "type": column.data_type}
        if self._privacy.permits("profiles", table, column.name):
            card["distinct"] = column.cardinality
        return card

    def _findings(self) -> list[dict[str, Any]]:
        """What each round found; its words and numbers only where values may be seen."""
        from averment.agents.driller.findings import round_finding

        memory = recall(self._work)
        found: list[dict[str, Any]] = []
        for round_ in self._work.state.rounds:
            name = round_.state.get("hypothesis") or round_.state.get("about")
            suspicion = memory.suspicion(str(name)) if name else None
            said: dict[str, Any] = {"round": round_.number, "kind": str(round_.state.get("kind"))}
            if suspicion is not None:
                said |= {"about": list(suspicion.dimensions), "status": memory.statuses[suspicion.hypothesis_id]}
            finding = round_finding(self._work, round_, memory) if self._privacy.permits("values") else None
            if finding is not None:
                said["found"] = self._masked(finding.text)
            found.append(said)
        return found

    def _masked(self, text: str) -> str:
        for value in sorted(set(self._hidden), key=len, reverse=True):
            text = text.replace(value, MASKED)
        return text


PURPOSE = "hypotheses"
MOST_ASKED = 3
LOOP_SECONDS = 180.0


class HypothesisLoop:
    """Proposes through a model, under the privacy that is set."""

    def __init__(
        self,
        proposer: Proposer,
        *,
        privacy: Level = "values",
        exceptions: Mapping[str, Level] | None = None,
        seconds: float = LOOP_SECONDS,
    ) -> None:
        self._proposer = proposer
        self._privacy: Level = privacy
        self._exceptions: dict[str, Level] = dict(exceptions or {})
        self._seconds = seconds

    def next_round(self, work: RunContext, request: DrillRequest, number: int) -> Round | None:
        """The test of the next hypothesis that waits, else of what the model proposes now; None when it has no more."""
        mine = [round_ for round_ in work.state.rounds if "spec" in round_.state]
        waiting = list(mine[-1].state["waiting"]) if mine else []
        asked = int(mine[-1].state["asked"]) if mine else 0
        if not waiting:
            if asked >= MOST_ASKED:
                return None
            asked += 1
            proposed = with_fallback(
                lambda: self._proposed(work, request, asked), list[Spec], work.model_log.tell_fallback, purpose=PURPOSE
            )
            waiting = [spec.model_dump(mode="json") for spec in proposed]
        if not waiting:
            return None
        spec = Spec.model_validate(waiting[0])
        return Round(
            number=number,
            decision="ANALYZE",
            reason=f"a model proposes: {spec.title}",
            tasks=tasks_of(work, spec, number),
            state={
                "kind": "proposed",
                "hypothesis": self._next_id(work),
                "task": f"round_{number:02d}",
                "rank": None,
                "spec": waiting[0],
                "waiting": waiting[1:],
                "asked": asked,
            },
        )

    def _next_id(self, work: RunContext) -> str:
        from averment.agents.driller.hypotheses import all_suspicions

        return f"hyp_{len(all_suspicions(work)) + 1:03d}"

    def _proposed(self, work: RunContext, request: DrillRequest, asked: int) -> list[Spec]:
        """The hypotheses that the model proposes and that can be tested.

        Raises:
            ModelError: it fails, or proposes nothing that can be tested three times over.
        """
        work.model_log.announce()
        values = Sight(work, request, Privacy(work, self._privacy, self._exceptions)).values()
        record = RunSteps(work, "drill/")
        before = record.before(asked)
        known = [Spec.model_validate(round_.state["spec"]) for round_ in work.state.rounds if "spec" in round_.state]

        def prompt(taken: Sequence[TakenStep], left: int) -> Prompt:
            steps = [{"step": one.step, "observation": one.observation} for one in (*before, *taken)]
            left += MOST_ASKED - asked
            return render("propose_hypotheses", **values, steps=steps, steps_left=left)

        def propose(call: Propose) -> Outcome[list[Spec]]:
            specs: list[Spec] = []
            tests: list[dict[str, Any]] = []
            for one in call.hypotheses:
                shown = one.model_dump(mode="json", exclude_defaults=True)
                try:
                    specs.append(accept(work, one, [*known, *specs]))
                    tests.append({"hypothesis": shown, "accepted": True})
                except (SourceError, StorageError):
                    raise
                except AvermentError as error:
                    tests.append({"hypothesis": shown, "refused": error.message})
            ok = bool(specs) or not call.hypotheses
            return Outcome(seen={"tests": tests}, ok=ok, ended=specs if ok else None)

        return ModelLoop(
            tell_calls(self._proposer, work.model_log.keep_call),
            record,
            {Propose: propose},
            prompt,
            purpose=PURPOSE,
            limits=LoopLimits(steps=1, seconds=self._seconds, first=asked),
            otherwise="hypotheses",
        ).run()
