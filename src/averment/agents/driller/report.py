"""Telling the investigation: a report of six parts, the pictures, the explanations and a summary.

The order is the contract's: header, data model, analysis performed, explanations, next steps, footer. All numbers come
from findings or from recorded tables; the time in the footer is the request's, so that the report can be made again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

from averment.agents.driller import conclude
from averment.agents.driller.cells import Cells, places_of
from averment.agents.driller.charts import picture_bytes, pictures
from averment.agents.driller.conclude import CHANGE, MOVERS, UNEXPLAINED, explanations_of, next_steps, ruled_out
from averment.agents.driller.hypotheses import (
    beginnings,
    causes_of,
    clipped,
    meaning_of,
    title_of,
    whole_sentences,
)
from averment.agents.driller.iteration_log import NOTHING
from averment.agents.driller.reading import ATTRIBUTION, BREAKDOWN, CUBE, DAILY, FACTS, InvestigationSetup, reading_of
from averment.agents.driller.recall import Memory, recall
from averment.claims.frames import AllowedSentences, Frame
from averment.evidence.bind import value_of
from averment.evidence.values import show
from averment.records.base import iso_z
from averment.records.drilldown.request import DrillRequest
from averment.records.drilldown.results import Explanation, Likelihood, Report
from averment.records.run import Finding
from averment.reports.document import Block, Bullets, Code, Document, Grid, Heading, Paragraph, Picture
from averment.reports.markdown import to_markdown
from averment.reports.sheet import to_csv
from averment.reports.walk import words_of
from averment.runtime.decisions import ArtifactDraft, Conclusion

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext


FRAMES = tuple(
    map(
        Frame,
        (
            "{question}",
            "Distinct things are counted once a period, in the segment where they first appear. Their number does not "
            "grow in step with the length of a period.",
            "A percentile moves because rows cross it. A segment's figure is its share of rows above a threshold "
            "between both values, on the scale on which the whole is the percentile itself; it is not the segment's "
            "own percentile.",
            "Smaller movers by {dimension} are in the breakdown table.",
            "No column cuts the metric into segments, so there is nothing to break down.",
            "{column} refers to {column} and is joined.",
            "{column} refers to {column}, not joined.",
            "{table} is not joined: it would repeat rows of {table}.",
            "Rows whose {total_column} is {total*} add up the other rows of {table} and are left out.",
            "Each row of {table} is dated by {column}.",
            "Each row of {table} belongs to a group by {column}.",
            "{name} is not used as a dimension: {reason}.",
            "The metric was aggregated to leaves and days, every segment was searched, and each hypothesis was tested "
            "by a script in the jail.",
            "No country is set, so public holidays are not taken into account.",
            "No cause is proven (no findings); the breakdown shows the largest movers.",
            "{rank}. {title} ({likelihood})",
            "{hypothesis}.",
            "{meaning}",
            "{step}",
            "A paradox: every group of {dimension} moved against the total, or not at all; the total moved because "
            "the groups' weights did.",
            "Ruled out:",
            "What moved {metric}, part by part",
            "Named segments on both sides",
            "{metric} by day, with both periods marked",
            "{metric} by day, with both periods and the usual range marked",
            "Generated {moment} by Averment.",
        ),
    )
)
"""Every frame sentence of a report."""

HEADINGS = (
    *("Breakdown", "Data Model", "Analysis Performed", "Explanations", "Recommended Next Steps", "Proof"),
    NOTHING,
)


def told_by(work: RunContext, request: DrillRequest, conclusion: Conclusion) -> AllowedSentences:
    """Everything that a document about this investigation may say."""
    texts = [finding.text for finding in conclusion.findings]
    if ATTRIBUTION not in work.state.answered:
        texts.append(conclusion.answer)  # The recorded error of the step that failed.
    return AllowedSentences(
        (*(each for text in texts for each in beginnings(text)), *HEADINGS), FRAMES, _allowed(work, request, conclusion)
    )


def _allowed(work: RunContext, request: DrillRequest, conclusion: Conclusion) -> dict[str, Collection[str]]:
    """What each hole may hold, read off the plan and the recorded results, never off the text that is checked."""
    reading = reading_of(work)
    causes = causes_of(work) if ATTRIBUTION in work.state.answered else ()
    memory = recall(work)
    titles = [clipped(title_of(cause, reading), 100) for cause in causes]
    return {
        "question": [request.intent.strip()],
        "metric": [reading.metric.text],
        "dimension": reading.names,
        # The rows of a quotient over two tables have a name of their own.
        "table": [*(table.name for table in reading.tables), reading.base],
        "column": [
            *(f"{table.name}.{column.name}" for table in reading.tables for column in table.columns),
            f"{reading.day_table}.{reading.day_column}",
        ],
        "total_column": [one.column for one in reading.totals],
        "total": [value for one in reading.totals for value in one.values],
        "name": [one.name for one in reading.left_out],
        "reason": [one.reason for one in reading.left_out],
        "rank": [str(rank) for rank in range(1, len(causes) + 1)],
        "title": titles,
        "likelihood": get_args(Likelihood),
        "hypothesis": [one.title for one in memory.suspicions],
        "meaning": [whole_sentences(meaning_of(cause, reading), 500) for cause in causes],
        "step": [
            *conclude.next_steps(work, memory, ()),
            *conclude.next_steps(work, memory, explanations_of(work, conclusion)),
        ],
        "moment": [iso_z(request.context.submitted_at)],
    }


def evidence_grid(work: RunContext, findings: tuple[Finding, ...]) -> Grid | None:
    """One row for each number of the findings; ids of this run stay out, so that the same data give the same table."""
    tasks = {observation.observation_id: task for task, (_, observation) in work.state.answered.items()}
    rows: list[tuple[str, ...]] = []
    for finding in findings:
        for slot in finding.slots.values():
            evidence = slot.evidence
            cells = evidence.of if evidence.kind == "derived" else (evidence,)
            places = [
                (each, f"{tasks[each.observation_id]}, row {each.row}, {each.column}")
                for each in cells
                if each.kind == "cell"
            ]
            if not places or places[0][0].column == "segment":
                continue
            of = f"{evidence.function} of " if evidence.kind == "derived" else ""
            where = of + "; ".join(place for _, place in places)
            rows.append((slot.text, show(value_of(evidence)), where, places[0][0].query_hash))
    if not rows:
        return None
    header = ("shown", "value", "where", "table SHA-256")
    return Grid(header=header, rows=tuple(rows), numeric=(True, True, False, False))


SHOWN = 8
"""So many values of a dimension stand in the report; the table has more."""
MOST_DIMENSIONS = 6


def breakdown_rows(work: RunContext) -> list[dict[str, Any]]:
    """Every value of every dimension with its figures and its part of the change."""
    return [] if BREAKDOWN not in work.state.answered else work.table(BREAKDOWN).to_pylist()


def breakdown_blocks(work: RunContext) -> list[Block]:
    """For each dimension a table of its largest movers."""
    if BREAKDOWN not in work.state.answered:
        return []
    cells = Cells(work, BREAKDOWN)
    blocks: list[Block] = [Heading(text="Breakdown")]
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(cells.table.column("dimension").to_pylist()):
        groups.setdefault(str(name), []).append(row)
    if not groups:
        return [*blocks, Paragraph(text="No column cuts the metric into segments, so there is nothing to break down.")]
    header = ("before", "after", "change", "share of the change", "95 % interval", "")
    for name, rows in list(groups.items())[:MOST_DIMENSIONS]:
        lines = tuple(_line(cells, row) for row in rows[:SHOWN])
        blocks.append(Grid(header=(name, *header), rows=lines, numeric=(False, *[True] * 5, False)))
        if len(rows) > SHOWN:
            blocks.append(Paragraph(text=f"Smaller movers by {name} are in the breakdown table."))
    return blocks


def _line(cells: Cells, row: int) -> tuple[str, ...]:
    figures = [_shown(cells, row, name) for name in ("before", "after", "change")]
    share = show(cells.value(row, "share"), unit="percent") if cells.has(row, "share") else ""
    between, verdict = "", ""
    if cells.has(row, "low") and cells.has(row, "high"):
        between = f"{_shown(cells, row, 'low')} to {_shown(cells, row, 'high')}"
        verdict = str(cells.value(row, "verdict"))
    return (str(cells.value(row, "value")), *figures, share, between, verdict)


def _shown(cells: Cells, row: int, column: str) -> str:
    if not cells.has(row, column):
        return ""
    value = cells.value(row, column)
    return show(value, decimals=places_of(value))


REPORT_NAME, EXPLANATIONS_NAME, BREAKDOWN_NAME, SUMMARY_NAME, TABLE_NAME = (
    "report.md",
    "explanations.json",
    "breakdown.json",
    "summary.txt",
    "explanations.csv",
)


def tell(work: RunContext, request: DrillRequest, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
    """The artifacts the request asks for."""
    wanted = request.deliverables
    drafts: list[ArtifactDraft] = []
    drawn = pictures(work) if {"charts", "reports"} & set(wanted) else {}
    if "tables" in wanted and ATTRIBUTION in work.state.answered:
        table = work.table(ATTRIBUTION)
        metadata: dict[str, Any] = {"row_count": table.num_rows, "column_names": table.column_names}
        drafts.append(ArtifactDraft(artifact_type="table", name=TABLE_NAME, content=to_csv(table), metadata=metadata))
    if "charts" in wanted:
        drafts += _charts(drawn)
    if "reports" in wanted:
        drafts += _reports(work, request, conclusion, drawn)
    if "summary" in wanted:
        told_by(work, request, conclusion).check([("answer", conclusion.answer)])
        content = f"{conclusion.answer}\n".encode()
        metadata = {"format": "text"}
        drafts.append(ArtifactDraft(artifact_type="summary", name=SUMMARY_NAME, content=content, metadata=metadata))
    return tuple(drafts)


def _charts(drawn: dict[str, tuple[str, dict[str, Any]]]) -> list[ArtifactDraft]:
    from averment.charts.draw import to_png

    drafts: list[ArtifactDraft] = []
    for name, (words, document) in drawn.items():
        metadata = {"chart_type": name, "title": words}
        drafts.append(
            ArtifactDraft(artifact_type="chart", name=f"{name}.png", content=to_png(document), metadata=metadata)
        )
        drafts.append(
            ArtifactDraft(
                artifact_type="chart", name=f"{name}.vl.json", content=picture_bytes(document), metadata=metadata
            )
        )
    return drafts


def _reports(
    work: RunContext, request: DrillRequest, conclusion: Conclusion, drawn: dict[str, tuple[str, dict[str, Any]]]
) -> list[ArtifactDraft]:
    from averment.charts.draw import to_png

    document = write_document(work, request, conclusion)
    explanations = explanations_of(work, conclusion)
    content = to_markdown(document)
    report = Report(
        session_id=request.session_id,
        content=content,
        generated_at=request.context.submitted_at,
        status="completed" if explanations else "no_findings",
    )
    body = json.dumps([one.model_dump(mode="json") for one in explanations], ensure_ascii=False, indent=1)
    metadata = {"format": "markdown", "section_count": document.section_count, "status": report.status}
    drafts = [
        ArtifactDraft(artifact_type="report", name=REPORT_NAME, content=content.encode(), metadata=metadata),
        ArtifactDraft(
            artifact_type="report", name=EXPLANATIONS_NAME, content=body.encode(), metadata={"format": "json"}
        ),
    ]
    if BREAKDOWN in work.state.answered:
        table = json.dumps(breakdown_rows(work), ensure_ascii=False, indent=1)
        drafts.append(
            ArtifactDraft(
                artifact_type="report", name=BREAKDOWN_NAME, content=table.encode(), metadata={"format": "json"}
            )
        )
    drafts += [
        ArtifactDraft(
            artifact_type="report", name=f"report_{name}.png", content=to_png(chart), metadata={"format": "png"}
        )
        for name, (_, chart) in drawn.items()
    ]
    return drafts


def write_document(work: RunContext, request: DrillRequest, conclusion: Conclusion) -> Document:
    """The report before it has a format."""
    memory = recall(work)
    reading = reading_of(work)
    explanations = explanations_of(work, conclusion)
    drawn = pictures(work)
    steps = next_steps(work, memory, explanations)
    blocks: list[Block] = [
        *_header(work, request, conclusion, reading),
        *breakdown_blocks(work),
        *_model(work, reading),
        *_performed(memory, conclusion, reading, drawn),
        *_explained(work, memory, conclusion, explanations, drawn),
        Heading(text="Recommended Next Steps"),
        Bullets(items=steps),
        *_proof(work, conclusion),
        Paragraph(text=f"Generated {iso_z(request.context.submitted_at)} by Averment."),
    ]
    document = Document(title=request.intent.strip(), blocks=tuple(blocks))
    told_by(work, request, conclusion).check([*words_of(document), *_rows_in_words(blocks)])
    return document


def _rows_in_words(blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """The cells of the report's tables that are sentences: what each round found."""
    for block in blocks:
        if isinstance(block, Grid) and "finding" in block.header:
            at = block.header.index("finding")
            yield from (("table of rounds", row[at]) for row in block.rows)


def _header(
    work: RunContext, request: DrillRequest, conclusion: Conclusion, reading: InvestigationSetup
) -> list[Block]:
    context = request.context
    side = "period" if context.groups is None else "group"
    rows = [
        *([("name", reading.metric.name)] if reading.metric.name else []),
        ("metric", reading.metric.text),
        ("computed as", reading.metric.sql),
        (f"baseline {side}", context.side_words("baseline")),
        (f"comparison {side}", context.side_words("comparison")),
    ]
    if ATTRIBUTION in work.state.answered:
        table = Cells(work, ATTRIBUTION)
        rows += [
            (f"{name} value", show(table.value(0, column), decimals=2 if abs(table.number(0, column)) >= 1 else 6))
            for name, column in (("baseline", "before"), ("comparison", "after"))
            if table.has(0, column)
        ]
    if reading.metric.from_words:
        rows.insert(2, ("read as", reading.metric.in_words))
    blocks: list[Block] = [
        Paragraph(text=conclusion.answer, strong=True),
        Grid(header=("", ""), rows=tuple(rows), numeric=(False, False)),
    ]
    if reading.metric.quantile is not None:
        blocks.append(
            Paragraph(
                text="A percentile moves because rows cross it. A segment's figure is its share of rows above a "
                "threshold between both values, on the scale on which the whole is the percentile itself; it is not "
                "the segment's own percentile."
            )
        )
    if reading.metric.counts_units:
        blocks.append(
            Paragraph(
                text="Distinct things are counted once a period, in the segment where they first appear. "
                "Their number does not grow in step with the length of a period."
            )
        )
    return blocks


def _model(work: RunContext, reading: InvestigationSetup) -> list[Block]:
    counts = {table.name: table.row_count for table in work.catalog.tables}
    rows = tuple(
        (table.name, "" if counts.get(table.name) is None else f"{counts[table.name]:,}", _roles(table))
        for table in reading.tables
    )
    blocks: list[Block] = [
        Heading(text="Data Model"),
        Grid(header=("table", "rows", "columns by role"), rows=rows, numeric=(False, True, False)),
    ]
    related = [
        f"{one.from_table}.{one.from_column} refers to {one.to_table}.{one.to_column}"
        f"{' and is joined' if one.used else ', not joined'}."
        for one in reading.relations
    ]
    related += [f"{name} is not joined: it would repeat rows of {reading.base}." for name in reading.repeating]
    related += [
        f"Rows whose {one.column} is {', '.join(one.values)} add up the other rows of {one.table} and are left out."
        for one in reading.totals
    ]
    if related:
        blocks.append(Bullets(items=tuple(related)))
    told = "is dated by" if reading.groups is None else "belongs to a group by"
    blocks.append(Paragraph(text=f"Each row of {reading.base} {told} {reading.day_table}.{reading.day_column}."))
    if reading.dimensions and CUBE in work.state.answered:
        cube = work.table(CUBE)
        shown = tuple(
            (d.name, f"{d.table}.{d.column}", _KINDS[d.kind], f"{len(cube.column(d.name).unique()):,}")
            for d in reading.dimensions
        )
        header = ("dimension", "column", "kind", "values")
        blocks.append(Grid(header=header, rows=shown, numeric=(False, False, False, True)))
    if reading.left_out:
        blocks.append(
            Bullets(items=tuple(f"{one.name} is not used as a dimension: {one.reason}." for one in reading.left_out))
        )
    return blocks


_KINDS = {
    "plain": "column",
    "top": "frequent values and the rest",
    "bins": "bins of a number",
    "hour": "hour of day",
    "weekday": "weekday",
}


def _roles(table: Any) -> str:
    groups: dict[str, list[str]] = {}
    for column in table.columns:
        groups.setdefault(column.inferred_type, []).append(column.name)
    return "; ".join(f"{role}: {', '.join(names)}" for role, names in groups.items())


def _performed(
    memory: Memory,
    conclusion: Conclusion,
    reading: InvestigationSetup,
    drawn: dict[str, tuple[str, dict[str, Any]]],
) -> list[Block]:
    findings = {finding.finding_id: finding.text for finding in conclusion.findings}
    rows = tuple(
        (
            str(round_.number),
            round_.decision,
            str(round_.state.get("hypothesis") or round_.state.get("about") or ""),
            findings.get(str(round_.state.get("task")), NOTHING),
        )
        for round_ in memory.rounds
    )
    blocks: list[Block] = [
        Heading(text="Analysis Performed"),
        Paragraph(
            text="The metric was aggregated to leaves and days, every segment was searched, and each hypothesis "
            "was tested by a script in the jail."
        ),
    ]
    if reading.groups is None and not reading.holidays:
        blocks.append(Paragraph(text="No country is set, so public holidays are not taken into account."))
    if rows:
        header = ("iteration", "decision", "hypothesis", "finding")
        blocks.append(Grid(header=header, rows=rows, numeric=(True, False, False, False)))
    outcomes = tuple((one.hypothesis_id, one.title, memory.statuses[one.hypothesis_id]) for one in memory.suspicions)
    blocks.append(Grid(header=("hypothesis", "", "status"), rows=outcomes, numeric=(False, False, False)))
    if "days" in drawn:
        blocks.append(Picture(name="report_days.png", alt=drawn["days"][0]))
    return blocks


def _explained(
    work: RunContext,
    memory: Memory,
    conclusion: Conclusion,
    explanations: tuple[Explanation, ...],
    drawn: dict[str, tuple[str, dict[str, Any]]],
) -> list[Block]:
    findings = {finding.finding_id: finding for finding in conclusion.findings}
    blocks: list[Block] = [Heading(text="Explanations")]
    if not explanations:
        blocks.append(Paragraph(text="No cause is proven (no findings); the breakdown shows the largest movers."))
    for one in explanations:
        blocks.append(Paragraph(text=f"{one.rank}. {one.title} ({one.likelihood})", strong=True))
        blocks.append(Paragraph(text=one.reasoning))
        blocks.append(Paragraph(text=one.causal_story))
    paradox = (
        (work.state.answered[ATTRIBUTION][1].data or {})["attribution"]["paradox"]
        if ATTRIBUTION in work.state.answered
        else None
    )
    if paradox:
        blocks.append(
            Paragraph(
                text=f"A paradox: every group of {paradox} moved against the total, or not at all; the "
                "total moved because the groups' weights did."
            )
        )
    if UNEXPLAINED in findings:
        blocks.append(Paragraph(text=findings[UNEXPLAINED].text))
    out = ruled_out(memory, findings)
    if out:
        blocks.append(Paragraph(text="Ruled out:", strong=True))
        blocks.append(Bullets(items=tuple(f"{one.title}. {text}".strip() for one, text in out)))
    for name in ("waterfall", "segments"):
        if name in drawn:
            blocks.append(Picture(name=f"report_{name}.png", alt=drawn[name][0]))
    return blocks


def _proof(work: RunContext, conclusion: Conclusion) -> list[Block]:
    """The queries, and where each number of the report was read."""
    findings = {finding.finding_id: finding for finding in conclusion.findings}
    blocks: list[Block] = [Heading(text="Proof")]
    for task in (CUBE, DAILY, FACTS):
        if task in work.state.answered:
            sql = str((work.state.answered[task][1].data or {}).get("sql", ""))
            blocks.append(Code(text=sql, language="sql"))
    shown = [findings[name] for name in (CHANGE, MOVERS, UNEXPLAINED) if name in findings]
    shown += [finding for name, finding in findings.items() if name.startswith("cause_")]
    grid = evidence_grid(work, tuple(shown))
    return [*blocks, grid] if grid is not None else blocks
