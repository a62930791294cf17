"""An investigation as its session's tree shows it: made of the run's records, written, read, set aside and compared.

The agent keeps the contract's records with its reading and with each round. Writing them again changes nothing. A
session has one investigation at a time; when another is started, the files of the earlier one move to a folder of their
own under ``investigations/``. The tree is for people and programs to read, so it can be written to: what it must hold
is made again from the run's records, which the ledger holds, and compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.errors import RunNotFound, VerificationFailed
from averment.records.analysis import ENDED
from averment.records.drilldown.investigation import AnalysisPlan, DataModel, InvestigationContext
from averment.records.drilldown.loop import Finding, FindingsLedger, Hypothesis, IterationLog
from averment.records.drilldown.past import ComparedCause, ComparedMover, Comparison, PastInvestigation
from averment.records.drilldown.request import DrillRequest
from averment.records.drilldown.results import Explanation, Mover
from averment.runtime.execution.restore import planned_of
from averment.store.runs import session_tree as tree_of
from averment.store.runs.session_tree import ROOT, SessionTree, hypothesis_path, iteration_path, output_path

if TYPE_CHECKING:
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow
    from averment.store.runs.sessions import SessionRow


@dataclass(frozen=True, kw_only=True)
class Investigation:
    """What is known of an investigation so far; what is not known yet is None or empty.

    ``hypotheses`` stand with their present status, ``ledger`` comes when the loop has ended, ``explanations`` and
    ``report`` when the run has told its result.
    """

    context: InvestigationContext
    model: DataModel | None = None
    plan: AnalysisPlan | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    iterations: tuple[IterationLog, ...] = ()
    findings: tuple[Finding, ...] = ()
    ledger: FindingsLedger | None = None
    explanations: tuple[Explanation, ...] | None = None
    report: str | None = None
    breakdown: tuple[Mover, ...] = ()


def write_investigation(tree: SessionTree, session_id: str, found: Investigation) -> int:
    """Write what is known into the session's tree; how many files are new or changed."""
    written = [
        tree.write_json(session_id, name, record)
        for name, record in (
            (tree_of.CONTEXT, found.context),
            (tree_of.SCHEMA, found.model),
            (tree_of.PLAN, found.plan),
        )
        if record is not None
    ]
    written += [
        tree.write_json(session_id, hypothesis_path(hypothesis.hypothesis_id), hypothesis)
        for hypothesis in found.hypotheses
    ]
    for iteration in found.iterations:
        written.append(tree.write(session_id, output_path(iteration.iteration), iteration.raw_output.encode()))
        written.append(tree.write_json(session_id, iteration_path(iteration.iteration), iteration))
    if found.ledger is not None:
        written.append(tree.write_json(session_id, tree_of.LEDGER, found.ledger))
    if found.explanations is not None:
        written.append(tree.write_json(session_id, tree_of.EXPLANATIONS, found.explanations))
    if found.breakdown:
        written.append(tree.write_json(session_id, tree_of.BREAKDOWN, found.breakdown))
    if found.report is not None:
        written.append(tree.write(session_id, tree_of.REPORT, found.report.encode()))
    return sum(written)


def read_iterations(tree: SessionTree, session_id: str) -> tuple[IterationLog, ...]:
    """The iterations in the session's tree, in order."""
    return tuple(
        IterationLog.model_validate(tree.read_json(session_id, f"{tree_of.ITERATIONS}/{name}"))
        for name in tree.names(session_id, tree_of.ITERATIONS)
    )


def read_hypotheses(tree: SessionTree, session_id: str) -> tuple[Hypothesis, ...]:
    """The hypotheses in the session's tree, in order."""
    return tuple(
        Hypothesis.model_validate(tree.read_json(session_id, f"{tree_of.HYPOTHESES}/{name}"))
        for name in tree.names(session_id, tree_of.HYPOTHESES)
    )


def read_explanations(tree: SessionTree, session_id: str) -> tuple[Explanation, ...]:
    """The explanations in the session's tree, ranked."""
    bodies: Sequence[object] = tree.read_json(session_id, tree_of.EXPLANATIONS) or ()
    return tuple(Explanation.model_validate(body) for body in bodies)


def read_breakdown(tree: SessionTree, session_id: str) -> tuple[Mover, ...]:
    """The breakdown in the session's tree: every value of every dimension with its part of the change."""
    bodies: Sequence[object] = tree.read_json(session_id, tree_of.BREAKDOWN) or ()
    return tuple(Mover.model_validate(body) for body in bodies)


def read_investigation(tree: SessionTree, session_id: str) -> Investigation | None:
    """Everything the session's tree holds of its investigation, or None when none was started."""
    context = tree.read_json(session_id, tree_of.CONTEXT)
    if context is None:
        return None
    model, plan = (tree.read_json(session_id, name) for name in (tree_of.SCHEMA, tree_of.PLAN))
    ledger, report = tree.read_json(session_id, tree_of.LEDGER), tree.read(session_id, tree_of.REPORT)
    kept = None if ledger is None else FindingsLedger.model_validate(ledger)
    return Investigation(
        context=InvestigationContext.model_validate(context),
        model=None if model is None else DataModel.model_validate(model),
        plan=None if plan is None else AnalysisPlan.model_validate(plan),
        hypotheses=read_hypotheses(tree, session_id),
        iterations=read_iterations(tree, session_id),
        findings=() if kept is None else kept.findings,
        ledger=kept,
        explanations=read_explanations(tree, session_id),
        report=None if report is None else report.decode(),
        breakdown=read_breakdown(tree, session_id),
    )


REPORT_NAME, EXPLANATIONS_NAME, BREAKDOWN_NAME = "report.md", "explanations.json", "breakdown.json"


def investigation_of(services: Services, run: RunRow, request: DrillRequest) -> Investigation:
    """What the run has kept so far; called again after more rounds it holds more."""
    planned = planned_of(services, run.run_id)
    reading: Mapping[str, Any] = {} if planned is None else planned.reading
    taken = services.store.runs.records(run.run_id, "taken")
    report = _artifact(services, run.run_id, REPORT_NAME)
    explanations = _artifact(services, run.run_id, EXPLANATIONS_NAME)
    breakdown = _artifact(services, run.run_id, BREAKDOWN_NAME)
    hypotheses = _hypotheses(reading, taken)
    iterations = tuple(IterationLog.model_validate(one["iteration"]) for one in taken if one.get("iteration"))
    findings = tuple(Finding.model_validate(one["finding"]) for one in taken if one.get("finding"))
    return Investigation(
        context=request.context,
        model=_one(DataModel, reading.get("data_model")),
        plan=_one(AnalysisPlan, reading.get("analysis_plan")),
        hypotheses=hypotheses,
        iterations=iterations,
        findings=findings,
        ledger=_ledger(request.session_id, run, taken, iterations, findings, hypotheses),
        explanations=None if explanations is None else tuple(map(Explanation.model_validate, json.loads(explanations))),
        report=None if report is None else report.decode(),
        breakdown=() if breakdown is None else tuple(map(Mover.model_validate, json.loads(breakdown))),
    )


def _hypotheses(reading: Mapping[str, Any], taken: Sequence[Mapping[str, Any]]) -> tuple[Hypothesis, ...]:
    """Every hypothesis as it stands after the last round, in the order of their ids."""
    latest: dict[str, Hypothesis] = {}
    for holder in (reading, *taken):
        for body in holder.get("hypotheses") or ():
            hypothesis = Hypothesis.model_validate(body)
            latest[hypothesis.hypothesis_id] = hypothesis
    return tuple(latest[name] for name in sorted(latest))


def _ledger(
    session_id: str,
    run: RunRow,
    taken: Sequence[Mapping[str, Any]],
    iterations: Sequence[IterationLog],
    findings: tuple[Finding, ...],
    hypotheses: Sequence[Hypothesis],
) -> FindingsLedger | None:
    """The ledger of findings, once the loop has said why it stopped or the run is over."""
    reason = next((one["exit_reason"] for one in reversed(taken) if one.get("exit_reason")), None)
    if reason is None and (run.status not in ENDED or not iterations):
        return None
    return FindingsLedger(
        session_id=session_id,
        findings=findings,
        hypothesis_outcomes={one.hypothesis_id: one.status for one in hypotheses},
        total_iterations=len(iterations),
        exit_reason=reason or "STALL_DETECTED",
        created_at=iterations[-1].timestamp if iterations else run.updated_at,
    )


def _one(kind: Any, body: Any) -> Any:
    return None if body is None else kind.model_validate(body)


def _artifact(services: Services, run_id: str, name: str) -> bytes | None:
    artifact = services.store.artifacts.get(run_id, name)
    return None if artifact is None else services.store.artifacts.read(artifact)


FOLDER, KEPT = "investigations", "investigation.json"
_PRESENT = ("analysis", "results", "chat", tree_of.REPORT, tree_of.CONTEXT)


def folder_of(number: int) -> str:
    """The folder of an earlier investigation, inside its session's."""
    return f"{FOLDER}/{number:03d}"


def past_of(tree: SessionTree, session_id: str) -> tuple[PastInvestigation, ...]:
    """The earlier investigations of a session, in their order."""
    found: list[PastInvestigation] = []
    for name in tree.names(session_id, FOLDER):
        body = tree.read_json(session_id, f"{FOLDER}/{name}/{KEPT}")
        if body is not None:
            found.append(PastInvestigation.model_validate(body))
    return tuple(sorted(found, key=lambda one: one.number))


def present_of(row: SessionRow, tree: SessionTree, number: int) -> PastInvestigation | None:
    """The session's present investigation as a line of their list; None before it is started."""
    found = read_investigation(tree, row.id)
    if row.run_id is None or found is None:
        return None
    status = row.session.status
    return PastInvestigation(
        number=number,
        run_id=row.run_id,
        # A session that went back to its files did so because the investigation failed.
        status=status if status == "running" or status == "completed" else "failed",
        message=row.message or "",
        context=found.context,
        explanations=len(found.explanations or ()),
    )


def put_aside(services: Services, tree: SessionTree, row: SessionRow) -> None:
    """Move the present investigation among the earlier ones; again, nothing changes."""
    earlier = past_of(tree, row.id)
    if row.run_id is None or any(one.run_id == row.run_id for one in earlier):
        return
    number = len(earlier) + 1
    line = present_of(row, tree, number)
    place = f"{row.id}/{folder_of(number)}"
    try:
        run = services.store.runs.get(row.run_id)
    except RunNotFound:
        run = None
    if line is not None and run is not None:
        request = DrillRequest.model_validate(run.request["request"])
        write_investigation(tree, place, investigation_of(services, run, request))
        history = tree.read(row.id, tree_of.HISTORY)
        if history is not None:
            tree.write(place, tree_of.HISTORY, history)
        # Written last: a folder without it is written again.
        tree.write_json(place, KEPT, line)
    tree.clear(row.id, _PRESENT)


class _RecordingTree(SessionTree):
    """A tree that is not written anywhere: what would be written is noted."""

    def __init__(self) -> None:  # pyright: ignore[reportMissingSuperCall]  # it has no files
        self.recorded: dict[str, bytes] = {}

    def write(self, session_id: str, name: str, content: bytes) -> bool:
        """Note a file of the session."""
        self.recorded[f"{ROOT}/{session_id}/{name}"] = content
        return True


def session_files(services: Services, run: RunRow) -> dict[str, bytes]:
    """The files that the run's session must hold, by their place among the files of the home; none without a session.

    Of a session that is over nothing is left, and nothing is asked for.
    """
    request = DrillRequest.model_validate(run.request["request"])
    if services.store.files.names(f"{ROOT}/{request.session_id}") == []:
        return {}
    tree = _RecordingTree()
    past = past_of(SessionTree(services.store.files), request.session_id)
    number = next((one.number for one in past if one.run_id == run.run_id), None)
    place = request.session_id if number is None else f"{request.session_id}/{folder_of(number)}"
    write_investigation(tree, place, investigation_of(services, run, request))
    return tree.recorded


def require_tree(services: Services, run: RunRow) -> None:
    """Nothing, when a session's tree holds what its run sealed.

    Raises:
        VerificationFailed: a file of it does not.
    """
    for relative, content in session_files(services, run).items():
        if not services.store.files.holds(relative, content):
            raise VerificationFailed(
                f"The session's file {relative.split('/', 2)[2]} differs from the sealed version.",
                hint=f"`averment verify {run.run_id}` lists every change.",
                details={"run_id": run.run_id, "changed": relative},
            )


MOST_MOVERS = 12


def compare(first: Investigation, second: Investigation, numbers: tuple[int, int]) -> Comparison:
    """What two investigations have in common, and what they have not."""
    one, other = ({_key(cause): cause for cause in found.explanations or ()} for found in (first, second))
    shared = [key for key in one if key in other]
    return Comparison(
        first=numbers[0],
        second=numbers[1],
        first_context=first.context,
        second_context=second.context,
        both=tuple(_pair(one[key], other[key]) for key in shared),
        only_first=tuple(_pair(cause, None) for key, cause in one.items() if key not in other),
        only_second=tuple(_pair(None, cause) for key, cause in other.items() if key not in one),
        movers=_movers(first.breakdown, second.breakdown),
    )


def _key(cause: Explanation) -> tuple[object, ...]:
    """Two causes are the same where the same figure of the same place is meant, whichever way it went."""
    return cause.kind, cause.fault, tuple(sorted(cause.segment.items()))


def _pair(one: Explanation | None, other: Explanation | None) -> ComparedCause:
    named = one or other
    return ComparedCause(
        title=named.title if named is not None else "",
        first_effect=None if one is None else one.effect,
        second_effect=None if other is None else other.effect,
        first_share=None if one is None else one.share,
        second_share=None if other is None else other.share,
    )


def _movers(first: tuple[Mover, ...], second: tuple[Mover, ...]) -> tuple[ComparedMover, ...]:
    """The values that both break the change down by, those whose parts differ most first."""
    other = {(mover.dimension, mover.value): mover for mover in second}
    pairs = [
        (mover, other[(mover.dimension, mover.value)]) for mover in first if (mover.dimension, mover.value) in other
    ]
    pairs.sort(key=lambda pair: (-abs(pair[0].change - pair[1].change), pair[0].dimension, pair[0].value))
    return tuple(
        ComparedMover(dimension=one.dimension, value=one.value, first_change=one.change, second_change=two.change)
        for one, two in pairs[:MOST_MOVERS]
    )
