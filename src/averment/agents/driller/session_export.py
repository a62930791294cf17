"""An investigation as the session's tree shows it: the contract's records; writing them again changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from averment.records.drilldown.investigation import AnalysisPlan, DataModel, InvestigationContext
from averment.records.drilldown.loop import Finding, FindingsLedger, Hypothesis, IterationLog
from averment.records.drilldown.results import Explanation, Mover
from averment.store.runs import session_tree as tree_of
from averment.store.runs.session_tree import SessionTree, hypothesis_path, iteration_path, output_path


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
