"""Everything the page of a drill that has been started shows, gathered once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from averment.faces.web.drill.answers import ShownMessage, tell_messages
from averment.faces.web.drill.draft import Drafts
from averment.faces.web.drill.live import LoopView, follow_loop
from averment.faces.web.drill.report import linked, report_html
from averment.faces.web.runs.chart_views import ChartView
from averment.faces.web.runs.run_view import FileView, view_of
from averment.operations import Operations
from averment.records.analysis import ENDED
from averment.records.drilldown.investigation import InvestigationContext
from averment.records.drilldown.past import PastInvestigation
from averment.records.drilldown.results import Explanation
from averment.records.drilldown.session import Session
from averment.runtime.outcome import Run
from averment.workbench import Workbench

ORDER = {"waterfall": 0, "segments": 1, "days": 2}
SENTENCES = {
    "waterfall": "From the baseline to the comparison, part by part: each bar is what one part adds or takes away.",
    "segments": "Each named segment before and after, on an axis of its own.",
    "days": "The metric day by day, with both periods marked.",
}


@dataclass(frozen=True)
class ChartPanel:
    """A chart with its sentence and its numbers as a table."""

    name: str
    view: ChartView
    title: str
    sentence: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class RankedExplanation:
    """One explanation with its numbers linked."""

    explanation: Explanation
    reasoning: Markup
    share: float | None


@dataclass(frozen=True)
class DrillView:
    """One drill, ready to be shown; what is not known yet is empty."""

    session: Session
    run: Run
    ended: bool
    context: InvestigationContext | None
    files: tuple[str, ...]
    loop: LoopView
    findings: Mapping[str, Markup] = field(default_factory=dict[str, Markup])
    answer: str = ""
    ranked: tuple[RankedExplanation, ...] = ()
    charts: tuple[ChartPanel, ...] = ()
    report: Markup | None = None
    messages: tuple[ShownMessage, ...] = ()
    left: tuple[FileView, ...] = ()
    sealed: bool = False
    run_root: str | None = None
    investigations: tuple[PastInvestigation, ...] = ()
    """Every investigation of the session, where there are several."""


def drill_view(workbench: Workbench, archive: Operations, session_id: str, run_id: str) -> DrillView:
    """The drill of a session whose investigation has been started."""
    sessions = workbench.sessions
    run = workbench.show(run_id)
    session = sessions.get(session_id)
    context = Drafts(workbench.settings).started_with(session_id)
    loop = follow_loop(workbench.runs.events(run.id))
    files = tuple(file.original_name for file in sessions.files(session_id))
    if run.status not in ENDED or session.status != "completed":
        return DrillView(session, run, run.status in ENDED, context, files, loop)
    view = view_of(workbench, archive, run.id)
    findings = run.findings
    charts = _charts(run, view.card.charts)
    pictures = {one.title: (_address(run.id, one.view.picture), one.view.width, one.view.height) for one in charts}
    return DrillView(
        session=session,
        run=run,
        ended=True,
        context=context,
        files=files,
        loop=loop,
        findings={finding.finding_id: linked(finding.text, findings, run.id) for finding in findings},
        answer=linked(run.answer or "", findings, run.id),
        ranked=tuple(
            RankedExplanation(one, linked(one.reasoning, findings, run.id), one.share)
            for one in sessions.explanations(session_id)
        ),
        charts=charts,
        report=report_html(workbench, run.id, findings, pictures, root=view.run_root),
        messages=tell_messages(sessions.history(session_id), findings, run.id),
        left=view.files,
        sealed=view.card.sealed,
        run_root=view.run_root,
        investigations=sessions.investigations(session_id),
    )


def _address(run_id: str, name: str) -> str:
    return f"/v1/runs/{run_id}/artifacts/{name}"


def _charts(run: Run, views: Sequence[ChartView]) -> tuple[ChartPanel, ...]:
    about = {artifact.content_ref.rpartition("/")[2]: artifact for artifact in run.artifacts}
    charts: list[ChartPanel] = []
    for view in views:
        name = view.picture.removesuffix(".png")
        if name not in ORDER:
            continue
        title = str(about[view.picture].metadata.get("title") or view.title)
        spec = json.loads(run.path_of(about[view.spec]).read_bytes()) if view.spec else {}
        columns, rows = _numbers(spec)
        charts.append(ChartPanel(name, view, title, SENTENCES[name], columns, rows))
    return tuple(sorted(charts, key=lambda chart: ORDER[chart.name]))


def _numbers(spec: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The values that a chart draws, as they stand in its document."""
    layers: list[Mapping[str, Any]] = spec.get("layer") or [spec]
    values: list[Mapping[str, Any]] = (layers[-1].get("data") or {}).get("values") or []
    if not values:
        return (), ()
    columns = tuple(str(name) for name in values[0])
    return columns, tuple(tuple(_shown(line.get(name)) for name in columns) for line in values)


def _shown(value: Any) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else str(value)
