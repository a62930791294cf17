"""An answer as a card: what was asked, the answer with its numbers linked, its chart, and how it was read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from averment.agents.assistant.series import Series, break_in, series_of
from averment.claims.kinds import kinds_by_plan
from averment.faces.web.data.table_grid import GridPage, shown_cell, turn_to
from averment.faces.web.runs.chart_views import ChartView, charts_of
from averment.faces.web.runs.proofs import FindingPiece, cut
from averment.operations import Operations
from averment.records.analysis import ENDED
from averment.records.marks import Marks
from averment.records.run import Finding
from averment.runtime.outcome import Offer, Run
from averment.workbench import Workbench

PREVIEW_ROWS = 3
CARD_ROWS = 10
"""So many rows of its table a card shows before the tab is opened."""
_FIRST = re.compile(r"^1\. ", re.MULTILINE)


@dataclass(frozen=True)
class AnswerPart:
    """A stretch of an answer; one that is a number's leads to the proof of that slot of that finding."""

    text: str
    finding_id: str = ""
    slot: str | None = None


@dataclass(frozen=True)
class OfferView:
    """A reading to choose, with the first rows that it gives."""

    number: int
    words: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    row_count: int
    left: tuple[str, ...]


@dataclass(frozen=True)
class WhyOffer:
    """What can be asked about a series that moved: in one line for the button, and in full."""

    label: str
    question: str


@dataclass(frozen=True)
class CardView:
    """One run as its card shows it."""

    run: Run
    kind: str
    answer: tuple[AnswerPart, ...]
    also: tuple[tuple[Finding, tuple[FindingPiece, ...]], ...]
    marks: Marks
    alternatives: tuple[str, ...]
    rivals: tuple[str, ...]
    unread: tuple[str, ...]
    offers: tuple[OfferView, ...]
    charts: tuple[ChartView, ...]
    drawable: bool
    """Whether its result is one that a chart shows."""
    table: GridPage | None
    has_table: bool
    sql: bool
    plan: bool
    sources: tuple[str, ...]
    sealed: bool
    bound: bool
    """Whether there are figures in it that are bound and sealed."""
    why: WhyOffer | None

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen in the run."""
        return self.run.status in ENDED


def card_of(workbench: Workbench, archive: Operations, run_id: str, *, brief: bool = False) -> CardView:
    """The card of a run, or of the beginning of its id; a ``brief`` one is without its table.

    Raises:
        RunNotFound: there is none, or more than one.
    """
    run = workbench.show(run_id)
    row = workbench.runs.row(run.id)
    reading: dict[str, Any] = run.reading if isinstance(run.reading, dict) else {}
    findings = run.findings
    answer, used = linked(_lead(run), findings)
    table = run.table
    meant = run.plan if run.plan is not run.tasks else None
    sealed = (row.sealed or {}).get("run_root") is not None
    return CardView(
        run=run,
        kind=row.kind,
        answer=answer,
        also=tuple((one, cut(one)) for one in findings if one.finding_id not in used),
        marks=run.marks,
        alternatives=_texts(reading.get("alternatives")),
        rivals=tuple(each.read_back for each in run.rivals),
        unread=_texts(reading.get("unread")),
        offers=tuple(_offer(number, each) for number, each in enumerate(run.offers, start=1)),
        charts=charts_of(workbench, run, meant),
        drawable=(reading.get("reading") or {}).get("chart") is not None,
        table=None if table is None or brief else turn_to(table, rows=CARD_ROWS, kinds=kinds_by_plan(meant, table)),
        has_table=table is not None,
        sql=row.kind == "analysis" and run.sql is not None,
        plan=meant is not None,
        sources=archive.source_names(row),
        sealed=sealed,
        bound=sealed and bool(findings),
        why=None if row.kind != "analysis" else why_of(series_of(meant, table), reading),
    )


def linked(answer: str, findings: Sequence[Finding]) -> tuple[tuple[AnswerPart, ...], frozenset[str]]:
    """The answer with every number of a finding that stands in it leading to its proof, and the findings in it."""
    told: list[AnswerPart] = []
    used: set[str] = set()
    position = 0
    for finding in findings:
        at = answer.find(finding.text, position)
        if at < 0 or not finding.text:
            continue
        told.append(AnswerPart(answer[position:at]))
        told += [AnswerPart(piece.text, finding.finding_id, piece.slot) for piece in cut(finding)]
        position = at + len(finding.text)
        used.add(finding.finding_id)
    told.append(AnswerPart(answer[position:]))
    return tuple(piece for piece in told if piece.text), frozenset(used)


def why_of(series: Series | None, reading: dict[str, Any]) -> WhyOffer | None:
    """What to ask about a series that moved: the stretches on both sides of its largest change of level."""
    found = None if series is None else break_in(series)
    if found is None:
        return None
    before, after, rose = found
    figure = str(reading.get("read_as") or "the figure").split(",", 1)[0]
    verb = "rise" if rose else "fall"
    question = f"Why did the {figure} {verb} in {after[0]} to {after[1]} compared to {before[0]} to {before[1]}?"
    return WhyOffer(f"Why did this {verb} from {after[0]:%-d %B %Y} on?", question)


def _lead(run: Run) -> str:
    """The answer without its own list of readings, which are cards of their own."""
    answer = run.answer or ""
    listed = _FIRST.search(answer) if run.offers else None
    return answer if listed is None else answer[: listed.start()].strip()


def _offer(number: int, offer: Offer) -> OfferView:
    rows = tuple(tuple(shown_cell(value) for value in row) for row in offer.rows[:PREVIEW_ROWS])
    return OfferView(number, offer.read_back, offer.columns, rows, offer.row_count, offer.left)


def _texts(value: Any) -> tuple[str, ...]:
    items: list[Any] = value if isinstance(value, list) else []
    return tuple(str(item) for item in items)
