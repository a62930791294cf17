"""What is kept of a plan and each round, in the contract's records: model, plan, hypotheses, iteration, finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from averment.agents.driller.findings import round_finding
from averment.agents.driller.hypotheses import beginnings, causes_of, first_suspicions, title_of, whole_sentences
from averment.agents.driller.memory import PLAN_STEPS, check_hypotheses, check_planned, check_round
from averment.agents.driller.reading import ATTRIBUTION, InvestigationSetup, reading_of
from averment.agents.driller.recall import recall
from averment.records.base import derived_id
from averment.records.drilldown import loop
from averment.records.drilldown.investigation import AnalysisPlan, DataModel, PlanStep, Relationship, TableInfo

if TYPE_CHECKING:
    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.decisions import Round
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import InvestigationReading, KeptRound

NOTHING = "The round left no result; its hypothesis waits."
Phase = Literal["exploration", "hypothesis_generation", "validation"]


def planned_records(reading: InvestigationSetup, request: DrillRequest) -> InvestigationReading:
    """The data model, the plan and the first hypotheses, ready to be kept with the reading."""
    kept: InvestigationReading = {
        "data_model": data_model(reading, request).model_dump(mode="json"),
        "analysis_plan": analysis_plan(reading, request).model_dump(mode="json"),
        "hypotheses": [one.record(request, "PENDING").model_dump(mode="json") for one in first_suspicions(reading)],
    }
    check_planned(kept, reading)
    return kept


def data_model(reading: InvestigationSetup, request: DrillRequest) -> DataModel:
    """The tables, their relations and the recommended dimensions."""
    ids = [file.file_id for file in request.files]
    return DataModel(
        session_id=request.session_id,
        tables=tuple(
            TableInfo(
                file_id=_file_id(request, ids, number),
                name=table.name,
                row_count=table.row_count,
                column_count=len(table.columns),
            )
            for number, table in enumerate(reading.tables)
        ),
        relationships=tuple(
            Relationship(
                from_table=relation.from_table,
                from_column=relation.from_column,
                to_table=relation.to_table,
                to_column=relation.to_column,
                relationship_type="foreign_key",
                confidence=relation.confidence,
            )
            for relation in reading.relations
        ),
        recommended_dimensions=recommended(reading),
        inferred_at=request.context.submitted_at,
    )


def recommended(reading: InvestigationSetup) -> tuple[str, ...]:
    """The dimensions the metric is cut by, and the date parts that the calendar's round looks at."""
    named = [f"{d.name} (top {d.values - 1} and the rest)" if d.kind == "top" else d.name for d in reading.dimensions]
    return (*named, f"weekday of {reading.day_column}")


def analysis_plan(reading: InvestigationSetup, request: DrillRequest) -> AnalysisPlan:
    """The steps from files to explanations."""
    tables = tuple(table.name for table in reading.tables)
    looked: tuple[tuple[Phase, tuple[str, ...]], ...] = (
        ("exploration", ()),
        ("exploration", reading.names),
        ("hypothesis_generation", reading.names),
        ("validation", (reading.day_column,)),
        ("validation", reading.names),
    )
    return AnalysisPlan(
        session_id=request.session_id,
        steps=tuple(
            PlanStep(
                step_number=number,
                phase=phase,
                description=step.format(metric=reading.metric.sql),
                tables_involved=tables,
                dimensions_to_check=dimensions,
            )
            for number, (step, (phase, dimensions)) in enumerate(zip(PLAN_STEPS, looked, strict=True), start=1)
        ),
        created_at=request.context.submitted_at,
    )


def round_records(work: RunContext, request: DrillRequest, round_: Round) -> KeptRound:
    """The iteration, its finding and the hypotheses as they stand after it."""
    earlier = [one for one in work.state.rounds if one.number < round_.number]
    memory = recall(work, [*earlier, round_])
    found = round_finding(work, round_, memory)
    summary = whole_sentences(found.text if found is not None else NOTHING, 500)
    task = str(round_.state["task"])
    answered = work.state.answered.get(task)
    failed = work.state.failed.get(task)
    observation = answered[1] if answered is not None else failed
    data: dict[str, Any] = (observation.data or {}) if observation is not None else {}
    raw = str(data.get("stdout", "")) + str(data.get("stderr", ""))
    changes = memory.changes[-1]
    at = observation.timestamp if observation is not None else request.context.submitted_at
    iteration = loop.IterationLog(
        iteration=round_.number,
        decision=round_.decision,  # pyright: ignore[reportArgumentType] - one of the four that rounds.py decides
        code_executed="\n\n".join(_code(one.arguments) for one in round_.tasks),
        raw_output=raw or (observation.error_message or "" if observation is not None else ""),
        compressed_summary=summary,
        hypothesis_status_changes=changes or None,
        timestamp=at,
    )
    finding = loop.Finding(
        finding_id=f"find_{round_.number:03d}",
        iteration=round_.number,
        summary=summary,
        full_output_ref=f"analysis/full_outputs/output_{round_.number:03d}.txt",
        hypothesis_affected=str(round_.state.get("hypothesis") or round_.state.get("about") or "") or None,
        created_at=at,
    )
    kept: KeptRound = {
        "iteration": iteration.model_dump(mode="json"),
        "finding": finding.model_dump(mode="json"),
        "hypotheses": [
            one.record(request, memory.statuses[one.hypothesis_id]).model_dump(mode="json") for one in memory.suspicions
        ],
        "exit_reason": round_.state.get("exit_reason"),
    }
    reading = reading_of(work)
    titles = [title_of(cause, reading) for cause in (causes_of(work) if ATTRIBUTION in work.state.answered else ())]
    titles += [one.spec.title for one in memory.suspicions if one.spec is not None]
    check_hypotheses(kept["hypotheses"], reading, titles=titles)
    check_round(kept, [NOTHING] if found is None else beginnings(found.text))
    return kept


def _code(arguments: dict[str, Any]) -> str:
    query = arguments.get("query")
    return str(arguments["code"]) if query is None else f'# sql.run\nQUERY = """\n{query}\n"""'


def _file_id(request: DrillRequest, ids: list[str | None], number: int) -> str:
    given = ids[number] if number < len(ids) else None
    return given or derived_id(request.request_id, "file", number)
