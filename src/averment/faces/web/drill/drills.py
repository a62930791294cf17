"""Drills: the list of them, a new one, the sample, and the page of one, which leads to wherever it stands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from html import escape
from importlib import resources
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import quote
from uuid import UUID

from fastapi import Path, Query, Request
from markupsafe import Markup
from starlette.responses import Response

from averment.errors import AvermentError
from averment.faces.web.drill.draft import Drafts, DrillDraft
from averment.faces.web.runs.chart_views import ChartView
from averment.faces.web.runs.proofs import cut
from averment.faces.web.runs.run_view import FileView, view_of
from averment.faces.web.shell.page_access import Bench, Fields, HomeOperations
from averment.faces.web.shell.pages import Pages, go, show, wants_part
from averment.operations import Operations
from averment.records.analysis import ENDED
from averment.records.drilldown.investigation import InvestigationContext
from averment.records.drilldown.past import PastInvestigation
from averment.records.drilldown.results import ChatMessage, Explanation
from averment.records.drilldown.session import Session
from averment.records.run import Finding
from averment.reports.markdown import plain
from averment.runtime.events import Event
from averment.runtime.outcome import Run
from averment.store.storage.configured import open_files
from averment.workbench import Workbench

Lane = Literal["pending", "investigating", "confirmed", "ruled_out"]
LANES: tuple[Lane, ...] = ("pending", "investigating", "confirmed", "ruled_out")
_NAME = re.compile(r"\bhyp_0*([0-9]+)\b")
STATUS_LANES: dict[str, Lane] = {lane: lane for lane in LANES}
PREPARATIONS = {
    "cube": "Both periods by every combination of values",
    "daily": "The days around them",
    "attribution": "The search through every segment",
}


@dataclass(frozen=True)
class HypothesisCard:
    """One hypothesis on the board."""

    hypothesis_id: str
    title: str
    story: str
    expected: str
    lane: Lane
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True)
class LoopRound:
    """One round; until it is taken it is under way."""

    number: int
    decision: str
    reason: str
    about: str
    task: str
    summary: str = ""
    code: str = ""
    output: str = ""
    taken: bool = False


@dataclass(frozen=True)
class Preparation:
    """A query before the first round."""

    words: str
    state: Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True)
class LoopView:
    """The whole loop as far as it has gone."""

    cards: tuple[HypothesisCard, ...]
    rounds: tuple[LoopRound, ...]
    preparations: tuple[Preparation, ...]
    planned: bool
    concluding: bool
    last: int

    def lane(self, name: Lane) -> tuple[HypothesisCard, ...]:
        """The cards that stand in one lane."""
        return tuple(card for card in self.cards if card.lane == name)

    @property
    def resolved(self) -> int:
        """How many hypotheses have their outcome."""
        return sum(card.lane in {"confirmed", "ruled_out"} for card in self.cards)


def follow_loop(events: Iterable[Event]) -> LoopView:
    """The loop after these events."""
    cards: dict[str, HypothesisCard] = {}
    rounds: dict[int, LoopRound] = {}
    states: dict[str, Literal["waiting", "running", "done", "failed"]] = dict.fromkeys(PREPARATIONS, "waiting")
    planned = concluding = False
    last = 0
    for event in events:
        last, data = event.seq, event.data
        if event.type == "plan_made":
            planned = True
            _take_cards(cards, (data.get("reading") or {}).get("hypotheses"))
        elif event.type == "call_started" and data["task_id"] in states:
            states[data["task_id"]] = "running"
        elif event.type == "call_observed" and data["task_id"] in states:
            states[data["task_id"]] = "done" if data.get("status") == "success" else "failed"
        elif event.type == "round_begun":
            _begin(cards, rounds, data)
        elif event.type == "round_taken" and int(data["number"]) in rounds:
            number = int(data["number"])
            rounds[number] = _taken(rounds[number], data.get("iteration") or {})
            _take_cards(cards, data.get("hypotheses"))
        concluding = concluding or event.type == "finding_bound"
    prepared = tuple(Preparation(words, states[task]) for task, words in PREPARATIONS.items())
    return LoopView(tuple(cards.values()), tuple(rounds.values()), prepared, planned, concluding, last)


def _begin(cards: dict[str, HypothesisCard], rounds: dict[int, LoopRound], data: Mapping[str, Any]) -> None:
    state: Mapping[str, Any] = data.get("state") or {}
    number, tested = int(data["number"]), str(state.get("hypothesis") or "")
    about = tested or str(state.get("about") or "")
    if about in cards:
        card = cards[about]
        # What is tested now is being investigated; a closer look at what is settled leaves it where it stands.
        lane: Lane = "investigating" if tested and card.lane == "pending" else card.lane
        cards[about] = replace(card, lane=lane, rounds=(*card.rounds, number))
    decision, reason = str(data["decision"]), _NAME.sub(r"Hypothesis \1", str(data["reason"]))
    rounds[number] = LoopRound(number, decision, reason, about, str(state.get("task") or ""))


def _taken(begun: LoopRound, iteration: Mapping[str, Any]) -> LoopRound:
    return replace(
        begun,
        taken=True,
        summary=str(iteration.get("compressed_summary") or ""),
        code=str(iteration.get("code_executed") or ""),
        output=str(iteration.get("raw_output") or ""),
    )


def _take_cards(cards: dict[str, HypothesisCard], hypotheses: Any) -> None:
    lines: list[Mapping[str, Any]] = hypotheses if isinstance(hypotheses, list) else []
    for line in lines:
        name = str(line.get("hypothesis_id", ""))
        status = str(line.get("status", "")).lower()
        known = cards.get(name)
        cards[name] = HypothesisCard(
            name,
            str(line.get("title", "")),
            str(line.get("causal_story", "")),
            str(line.get("expected_pattern", "")),
            STATUS_LANES.get(status, "pending"),
            () if known is None else known.rounds,
        )


_HEADING = re.compile(r"<h2>([^<]*)</h2>")
_PICTURE = re.compile(r'<figure><img src="data:image/png;base64,[^"]*" alt="([^"]*)"></figure>')
_FOOTER = re.compile(r"<p>(Generated [^<]*)</p>\s*</article>")


def linked(text: str, findings: Sequence[Finding], run_id: str) -> Markup:
    """A text as HTML; each sentence of a finding in it has its numbers linked to their proof."""
    return Markup(_link(escape(plain(text), quote=True), findings, run_id))


def report_html(
    workbench: Workbench,
    run_id: str,
    findings: Sequence[Finding],
    pictures: Mapping[str, tuple[str, int, int]],
    *,
    root: str | None,
) -> Markup:
    """The report between its title and its proof; ``pictures`` has for a chart's words its address and its size.

    ``root`` is what the run was sealed with: under the same root the report is the same.
    """
    # The report's own renderer escaped every text in it; what is put in here is escaped as well.
    body = _PICTURE.sub(
        lambda found: _picture(found.group(1), pictures), _kept_body(_ReportMaker(workbench), run_id, root)
    )
    body = _HEADING.sub(lambda found: f'<h3 id="{_anchor(found.group(1))}">{found.group(1)}</h3>', body)
    body = _FOOTER.sub(r'<p class="soft report-foot">\1</p></article>', body)
    body = body.replace('<div class="scroll">', '<div class="scroll" tabindex="0" role="region" aria-label="Table">')
    body = body.replace("<pre>", '<pre tabindex="0">').replace('<th class="number">', '<th scope="col" class="number">')
    body = body.replace("<th>", '<th scope="col">').replace('<th scope="col"></th>', "<td></td>")
    return Markup(_link(body, findings, run_id))


class _ReportMaker:
    """A workbench that is the same to the cache whenever its home is."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self._home = str(workbench.settings.home)

    def __hash__(self) -> int:
        return hash(self._home)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ReportMaker) and other._home == self._home


@lru_cache(maxsize=16)
def _kept_body(maker: _ReportMaker, run_id: str, root: str | None) -> str:
    """The report's article without its title, made once for each root."""
    _ = root
    whole = Operations(maker.workbench).export(run_id, "html").decode()
    article = whole.partition('<article class="report">')[2].partition("</article>")[0]
    return f'<article class="report">{article.partition("</h1>")[2]}</article>'


def _link(body: str, findings: Sequence[Finding], run_id: str) -> str:
    """The body with each finding's sentence cut into words and linked numbers; the longest are looked for first."""
    ordered = sorted(findings, key=lambda finding: -len(finding.text))
    for number, finding in enumerate(ordered):
        if finding.text:
            body = body.replace(escape(plain(finding.text), quote=True), f"\x00{number}\x00")
    return re.sub("\x00(\\d+)\x00", lambda found: _pieces(ordered[int(found.group(1))], run_id), body)


def _pieces(finding: Finding, run_id: str) -> str:
    parts: list[str] = []
    for piece in cut(finding):
        words = escape(plain(piece.text), quote=True)
        if piece.slot is None:
            parts.append(words)
            continue
        place = f"/runs/{quote(run_id)}/proof/{quote(finding.finding_id, safe='')}/{quote(piece.slot, safe='')}"
        parts.append(f'<a class="number-link" href="{place}" data-swap="#panel" title="See the proof">{words}</a>')
    return "".join(parts)


def _picture(words: str, pictures: Mapping[str, tuple[str, int, int]]) -> str:
    known = pictures.get(words)
    if known is None:
        return f"<p>{words}</p>"
    place, width, height = known
    return (
        f'<figure><img src="{escape(place, quote=True)}" alt="{words}" width="{width}" height="{height}" '
        'loading="lazy"></figure>'
    )


def _anchor(heading: str) -> str:
    return "report-" + re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


_HYPOTHESIS = re.compile(r"analysis/hypotheses/(hyp_([0-9]+))\.json")
_ITERATION = re.compile(r"analysis/iterations/iter_([0-9]+)\.json")
_ARTIFACT = re.compile(r"artifacts/[a-z]+/([0-9a-f-]{36})/")
_EXPLANATION = re.compile(r"^Explanation ([0-9]+) \(", re.MULTILINE)
_PLACES = {
    "report.md": ("The report", "#report"),
    "context.json": ("What was asked", "#asked"),
    "analysis/schema.json": ("Data model", "#report-data-model"),
    "analysis/plan.json": ("Analysis performed", "#report-analysis-performed"),
    "analysis/findings_ledger.json": ("All rounds", "#rounds"),
    "results/explanations.json": ("The explanations", "#explanations"),
}
STARTERS = ("Why did it change?", "What was ruled out?", "When did it start?", "Are the data at fault?")


class PageReference(NamedTuple):
    """A place to jump to."""

    words: str
    place: str


@dataclass(frozen=True)
class ShownMessage:
    """One message, ready to be shown."""

    role: str
    lines: tuple[Markup, ...]
    references: tuple[PageReference, ...]
    at: datetime


def tell_messages(
    messages: Sequence[ChatMessage], findings: Sequence[Finding], run_id: str
) -> tuple[ShownMessage, ...]:
    """The messages with their numbers linked and their references named."""
    return tuple(
        ShownMessage(
            message.role,
            tuple(linked(line, findings, run_id) for line in message.content.splitlines() if line.strip()),
            references_of(message) if message.role == "assistant" else (),
            message.timestamp,
        )
        for message in messages
    )


def references_of(message: ChatMessage) -> tuple[PageReference, ...]:
    """Where the answer was taken from, each place once."""
    found: dict[str, PageReference] = {}
    for artifact in message.artifacts_referenced:
        for reference in _references(artifact, message.content):
            found.setdefault(reference.place, reference)
    return tuple(found.values())


def _references(artifact: str, content: str) -> list[PageReference]:
    if match := _HYPOTHESIS.fullmatch(artifact):
        return [PageReference(f"Hypothesis {int(match.group(2))}", f"#{match.group(1)}")]
    if match := _ITERATION.fullmatch(artifact):
        return [PageReference(f"Round {int(match.group(1))}", f"#round-{int(match.group(1))}")]
    if match := _ARTIFACT.match(artifact):
        return [PageReference("The new query with its proof", f"/runs/{match.group(1)}")]
    ranks = _EXPLANATION.findall(content) if artifact == "results/explanations.json" else []
    if ranks:
        return [PageReference(f"Explanation {rank}", f"#explanation-{rank}") for rank in ranks]
    known = _PLACES.get(artifact)
    return [] if known is None else [PageReference(*known)]


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


router = Pages()

SessionId = Annotated[UUID, Path()]
Number = Annotated[int, Query(ge=1, le=1_000)]
SHOWN = 30
SAMPLES = {
    "orders.csv": "One row an order: its day, who bought, by which channel, and for how much.",
    "customers.csv": "One row a customer, with the country.",
}
SAMPLE_DRAFT = DrillDraft(
    metric="SUM(amount)", baseline=("2024-01-01", "2024-01-28"), comparison=("2024-01-29", "2024-02-25")
)


@dataclass(frozen=True)
class DrillLine:
    """One drill in the list."""

    session: Session
    title: str
    answer: str


@router.get("/drill")
def list_drills(request: Request, workbench: Bench) -> Response:
    """The drills of this home, the newest first."""
    lines = [_line(workbench, session) for session in workbench.sessions.list(limit=SHOWN)]
    return show(request, "drill/list.html", lines=lines)


@router.acts("/drill")
def begin_drill(workbench: Bench) -> Response:
    """Open a new session, and go to its files."""
    return go(f"/drill/{workbench.sessions.create().session_id}/files")


@router.acts("/drill/sample")
def take_sample(workbench: Bench) -> Response:
    """Open a session with the sample files, everything filled in."""
    sessions = workbench.sessions
    session_id = sessions.create().session_id
    folder = resources.files("averment.faces.web").joinpath("samples")
    for name, description in SAMPLES.items():
        sessions.add_file(session_id, [folder.joinpath(name).read_bytes()], name, description=description)
    Drafts(workbench.settings).keep(session_id, SAMPLE_DRAFT)
    return go(f"/drill/{session_id}/model")


@router.get("/drill/{session_id}")
def show_drill(request: Request, workbench: Bench, archive: HomeOperations, session_id: SessionId) -> Response:
    """A drill as it stands: the next step of what is to be filled in, or the investigation with all it found."""
    run_id = workbench.sessions.run_of(str(session_id))
    if run_id is None:
        return go(next_step(workbench, str(session_id)))
    view = drill_view(workbench, archive, str(session_id), run_id)
    template = "drill/report.html" if view.report is not None else "drill/live.html"
    return show(request, template, view=view, run=view.run, lanes=LANES, starters=STARTERS)


@router.acts("/drill/{session_id}/cancel")
def cancel_drill(workbench: Bench, session_id: SessionId) -> Response:
    """Ask the investigation to stop."""
    run_id = workbench.sessions.run_of(str(session_id))
    if run_id is not None:
        workbench.runs.cancel(run_id)
    return go(f"/drill/{session_id}")


@router.acts("/drill/{session_id}/again")
def drill_again(workbench: Bench, session_id: SessionId) -> Response:
    """Change some of the choices and start once more: of a drill that failed in its own session, else in a new one."""
    sessions, drafts = workbench.sessions, Drafts(workbench.settings)
    if sessions.get(str(session_id)).status == "failed":
        return go(f"/drill/{session_id}/metric")
    fresh = sessions.create().session_id
    kept = open_files(workbench.settings)
    try:
        for file in sessions.files(str(session_id)):
            with kept.open_file(file.path) as stream:
                sessions.add_file(fresh, stream, file.original_name, description=file.description)
    except AvermentError:
        sessions.delete(fresh)
        raise
    drafts.keep(fresh, drafts.get(str(session_id)))
    return go(f"/drill/{fresh}/metric")


@router.get("/drill/{session_id}/compare")
def compare_drills(
    request: Request, workbench: Bench, session_id: SessionId, first: Number = 1, second: Number = 2
) -> Response:
    """Two investigations of a session side by side."""
    sessions = workbench.sessions
    return show(
        request,
        "drill/compare.html",
        session_id=session_id,
        listed=[one for one in sessions.investigations(str(session_id)) if one.status == "completed"],
        found=sessions.compare(str(session_id), first, second),
    )


@router.acts("/drill/{session_id}/delete")
def delete_drill(workbench: Bench, session_id: SessionId) -> Response:
    """Take a drill away with its files; its ledger entries stay."""
    workbench.sessions.delete(str(session_id))
    return go("/drill")


@router.post("/drill/{session_id}/ask")
def ask(request: Request, workbench: Bench, archive: HomeOperations, session_id: SessionId, fields: Fields) -> Response:
    """Ask about a finished drill."""
    sessions = workbench.sessions
    sessions.chat(str(session_id), fields.get("message") or fields.get("starter", ""))
    if not wants_part(request):
        return go(f"/drill/{session_id}#questions")
    view = drill_view(workbench, archive, str(session_id), str(sessions.run_of(str(session_id))))
    return show(request, "drill/questions.html", view=view, starters=STARTERS)


def next_step(workbench: Workbench, session_id: str) -> str:
    """Where a drill that has not been started is to be filled in next."""
    draft = Drafts(workbench.settings).get(session_id)
    if not workbench.sessions.files(session_id):
        return f"/drill/{session_id}/files"
    if draft.links is None:
        return f"/drill/{session_id}/model"
    return f"/drill/{session_id}/{'periods' if draft.metric else 'metric'}"


def _line(workbench: Workbench, session: Session) -> DrillLine:
    if session.status == "expired":
        return DrillLine(session, "A drill whose time is over", "")
    run_id = workbench.sessions.run_of(session.session_id)
    if run_id is not None:
        run = workbench.show(run_id)
        return DrillLine(session, run.intent, run.answer or "")
    metric = Drafts(workbench.settings).get(session.session_id).metric
    return DrillLine(session, f"Why did {metric} change?" if metric else "A drill that is being prepared", "")
