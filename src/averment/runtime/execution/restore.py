"""A run taken from the store: its work as it was, for going on, for telling again, and for checking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from averment.errors import InvalidArguments, NotEnoughEvidence
from averment.plugins import STORED
from averment.records.base import Record
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import Conclusion, Planned, Round, in_force
from averment.runtime.events import Listener
from averment.runtime.execution.cancel import CancelToken
from averment.runtime.run_context import RunContext
from averment.runtime.seal import call_bodies
from averment.runtime.verification.seal_check import require_held
from averment.store.db.text import damaged
from averment.tools.result_store import ResultStore

if TYPE_CHECKING:
    from averment.records.asked import RunRequest
    from averment.runtime.run_json import KeptRound
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow
    from averment.tables.catalog import Catalog


R = TypeVar("R", bound=Record)


def read_record(kind: type[R], body: Any) -> R:
    """A stored body as its record.

    Raises:
        VerificationFailed: it is none, so somebody else wrote it.
    """
    try:
        return kind.model_validate(body, context={STORED: True})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise damaged(f"it is not a {kind.__name__}: {where}: {first['msg']}") from error


def catalog_of(row: RunRow) -> Catalog:
    """The sources as they were opened for the run.

    Raises:
        VerificationFailed: what is stored of them cannot be read.
    """
    from averment.tables.catalog import Catalog

    try:
        return Catalog.from_json(str(row.request["catalog"]))
    except (KeyError, InvalidArguments) as error:
        raise damaged(f"its sources cannot be read: {error}") from error


def request_of(row: RunRow) -> RunRequest:
    """The request as it was submitted, as the record of its kind."""
    body = row.request.get("request")
    if row.kind == "drilldown":
        from averment.records.drilldown.request import DrillRequest

        return read_record(DrillRequest, body)
    if row.kind == "research":
        from averment.records.research.run import ResearchRun

        return read_record(ResearchRun, body)
    from averment.records.analysis import AnalysisRequest

    return read_record(AnalysisRequest, body)


def open_work(
    services: Services,
    row: RunRow,
    *,
    listeners: tuple[Listener, ...] = (),
    cancel: CancelToken | None = None,
    catalog: Catalog | None = None,
    result_store: ResultStore | None = None,
) -> RunContext:
    """The run's work with nothing done yet in this process."""
    return RunContext(
        services=services,
        request=request_of(row),
        catalog=catalog or catalog_of(row),
        since_sequence=int(row.request["since_sequence"]),
        listeners=listeners,
        cancel=cancel,
        result_store=result_store,
        approval=bool(row.request.get("waits_for_approval")),
        read=row.request.get("read"),
        meaning=row.request.get("meaning"),
        opening_seconds=float(row.request.get("opening_seconds") or 0.0) if row.status == "submitted" else 0.0,
        first_writer=row.request.get("writer"),
    )


def planned_of(services: Services, run_id: str) -> Planned | None:
    """How the run was planned, as far as it stands; None when it never was."""
    body = services.store.runs.record(run_id, "planned", "planned")
    if body is None:
        return None
    return read_record(Planned, in_force(body, (call for call, _ in call_bodies(services, run_id))))


def conclusion_of(services: Services, run_id: str) -> Conclusion | None:
    """What the run concluded, or None when it did not get that far."""
    body = services.store.runs.record(run_id, "conclusion", "conclusion")
    return None if body is None else read_record(Conclusion, body)


def calls_of(services: Services, run_id: str) -> list[tuple[ToolCall, Observation]]:
    """Every call with what it came back with, in the order they were made."""
    return [
        (read_record(ToolCall, call), read_record(Observation, observation))
        for call, observation in call_bodies(services, run_id)
        if observation is not None
    ]


def rounds_of(services: Services, run_id: str) -> tuple[list[Round], list[KeptRound]]:
    """The rounds a run went through, and what was made of each."""
    rounds = [read_record(Round, body) for body in services.store.runs.records(run_id, "round")]
    return rounds, cast("list[KeptRound]", services.store.runs.records(run_id, "taken"))


def told_work(services: Services, row: RunRow) -> tuple[RunContext, Conclusion]:
    """The finished work and its conclusion, for telling it again.

    Raises:
        NotEnoughEvidence: the run has no conclusion to tell.
    """
    conclusion = conclusion_of(services, row.run_id)
    if conclusion is None:
        raise NotEnoughEvidence(f"The run {row.run_id} is {row.status} and has no report.")
    return seen_work(services, row), conclusion


def seen_work(services: Services, row: RunRow) -> RunContext:
    """The work as far as it got: plan, rounds and every result that was kept.

    Raises:
        NotEnoughEvidence: the run was never planned.
        VerificationFailed: the run is not what was sealed.
    """
    require_held(services, row)
    planned = planned_of(services, row.run_id)
    if planned is None or planned.plan is None:
        raise NotEnoughEvidence(f"The run {row.run_id} is {row.status} and has no report.")
    work = open_work(services, row)
    work.state.reading, work.state.plan = planned.reading, planned.parsed()
    work.state.rounds, work.state.taken = rounds_of(services, row.run_id)
    for call, observation in calls_of(services, row.run_id):
        work.take(call, observation)
    return work


def delete_kept(services: Services, run_id: str) -> None:
    """Delete what a run kept: its artifacts, its results, its records and events. Its ledger entries stay."""
    services.store.artifacts.delete(run_id)
    services.store.files.delete(f"work/{run_id}")
    services.store.runs.delete(run_id)
