"""The analyst as the runtime sees it: plans through its reasoner, concludes and tells by its own rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from averment.agents.analyst.caveats import limits
from averment.agents.analyst.conclude import conclude
from averment.agents.analyst.frames import evidence_of, times, told_by
from averment.agents.analyst.rules import RuleReasoner
from averment.agents.analyst.skill import CHART, QUERY, own_words
from averment.agents.analyst.sql_text import NAME as QUERY_AS_GIVEN
from averment.agents.analyst.sql_text import plan_sql, typed_query
from averment.claims.kinds import kinds_by_plan
from averment.evidence.bind import value_of
from averment.evidence.check import check_text
from averment.evidence.formats import write
from averment.evidence.values import scalar, show
from averment.records.marks import interpretation_of
from averment.records.run import Evidence, Finding, Observation, ToolCall
from averment.reports.document import Block, Bullets, Code, Document, Grid, Heading, Paragraph, Picture
from averment.reports.markdown import to_markdown
from averment.reports.sheet import to_csv
from averment.reports.walk import words_of
from averment.runtime.decisions import ArtifactDraft, Conclusion, Planned
from averment.runtime.model_log import spent

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext


SHOWN_ROWS = 50
TABLE_NAME, CHART_NAME, CHART_SPEC = "result.csv", "chart.png", "chart.vl.json"
REPORT_NAME, REPORT_PICTURE, SUMMARY_NAME = "report.md", "report_chart.png", "summary.txt"


def tell(work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
    """The artifacts the request asks for."""
    wanted = work.request.deliverables
    drafts: list[ArtifactDraft] = []
    if "tables" in wanted and QUERY in work.state.answered:
        table = work.table(QUERY)
        metadata = {"row_count": table.num_rows, "column_names": table.column_names}
        drafts.append(ArtifactDraft(artifact_type="table", name=TABLE_NAME, content=to_csv(table), metadata=metadata))
    if "charts" in wanted and CHART in work.state.answered:
        drafts += _charts(work)
    if "reports" in wanted:
        document = write_document(work, conclusion)
        content = to_markdown(document)
        metadata = {"format": "markdown", "section_count": document.section_count}
        drafts.append(
            ArtifactDraft(artifact_type="report", name=REPORT_NAME, content=content.encode(), metadata=metadata)
        )
        picture = _picture(work)
        if picture is not None:
            # A copy beside the report: a link to the charts' folder would hold this run's id.
            drafts.append(
                ArtifactDraft(artifact_type="report", name=REPORT_PICTURE, content=picture, metadata={"format": "png"})
            )
    if "summary" in wanted:
        _check_answer(work, conclusion)
        content = conclusion.answer + "\n"
        drafts.append(
            ArtifactDraft(
                artifact_type="summary", name=SUMMARY_NAME, content=content.encode(), metadata={"format": "text"}
            )
        )
    return tuple(drafts)


def _charts(work: RunContext) -> list[ArtifactDraft]:
    call, observation = work.state.answered[CHART]
    data = observation.data or {}
    metadata = {"chart_type": data["chart_type"], "x_label": data["x_label"], "y_label": data["y_label"]}
    contents = {CHART_NAME: _picture(work), CHART_SPEC: work.result_store.file(call.call_id, "vl.json")}
    return [
        ArtifactDraft(artifact_type="chart", name=name, content=content, metadata=metadata)
        for name, content in contents.items()
        if content is not None
    ]


def _picture(work: RunContext) -> bytes | None:
    """The chart as a picture; none where there is no chart, or a run is checked where nothing draws pictures."""
    if CHART not in work.state.answered or not (work.state.answered[CHART][1].data or {}).get("png"):
        return None
    return work.result_store.file(work.state.answered[CHART][0].call_id, "png")


def write_document(work: RunContext, conclusion: Conclusion) -> Document:
    """The report: answer, reading, findings, table, chart, method, sources and the evidence behind each number."""
    blocks: list[Block] = [
        Paragraph(text=conclusion.answer, strong=True),
        Heading(text="How the question was interpreted"),
    ]
    blocks.append(Paragraph(text=f"Interpreted as: {_read_as(work)}."))
    if certainty := interpretation_of(work.state.reading).certainty:
        blocks.append(Paragraph(text=f"Certainty: {certainty}."))
    counted = Paragraph(text=f"Evidence: {evidence_of(conclusion)}.")  # It counts the findings and tells none.
    blocks.append(counted)
    if unread := work.state.reading.get("unread"):
        blocks.append(Paragraph(text=f"Not understood, and left out: {', '.join(unread)}."))
    if conclusion.findings:
        blocks.append(Heading(text="Findings"))
        blocks.append(Bullets(items=tuple(finding.text for finding in conclusion.findings)))
    told = limits(work)
    if told:
        blocks += [Heading(text="Caveats"), Bullets(items=told)]
    prose = [*(block.text for block in blocks if isinstance(block, Paragraph) and block is not counted), *told]
    if QUERY in work.state.answered:
        blocks += [
            Heading(text="Result"),
            _grid(work.table(QUERY), (work.state.reading.get("reading") or {}).get("plan")),
        ]
    if CHART in work.state.answered:
        title = str((work.state.answered[CHART][1].data or {}).get("title", ""))
        blocks += [Heading(text="Chart"), Picture(name=REPORT_PICTURE, alt=title)]
        prose.append(title)
    blocks += [*_method(work), *_sources(work), *_evidence(work, conclusion.findings), *_foot(work)]
    document = Document(title=work.request.intent.strip(), blocks=tuple(blocks))
    if _is_planned(work):
        told_by(work, conclusion, shown_rows=SHOWN_ROWS).check(words_of(document))
    else:
        check_text("\n".join(prose), covered=_covered(conclusion.findings), own_words=own_words(work))
    return document


def _is_planned(work: RunContext) -> bool:
    """Whether a plan was told, so that all words come from claims, its read-back and frames."""
    return work.state.reading.get("skill") in {"plan", "submitted"}


def _check_answer(work: RunContext, conclusion: Conclusion) -> None:
    if _is_planned(work):
        told_by(work, conclusion, shown_rows=SHOWN_ROWS).check([("answer", conclusion.answer)])
    else:
        check_text(conclusion.answer, covered=_covered(conclusion.findings), own_words=own_words(work))


def _read_as(work: RunContext) -> str:
    """The reading, with what was told about the question's words.

    Which recipe helped is left out on purpose: the same question gives the same report before and after it was learned.
    """
    reading = work.state.reading
    return "; ".join([str(reading.get("read_as", reading.get("in_words", ""))), *map(str, reading.get("told", ()))])


def _foot(work: RunContext) -> list[Block]:
    """What a model had to do with it, and what that took; nothing where none was asked."""
    use = spent(work.services, work.run_id, work.state.reading)
    if not use:
        return []
    tokens = f"{use.get('tokens_in', 0):,} tokens in and {use.get('tokens_out', 0):,} tokens out"
    cost = f", {known:.4f} US dollars" if (known := use.get("cost")) is not None else ""
    said = f"A model was asked {times(use.get('calls', 0))}: {use.get('model')}, {tokens}{cost}."
    return [Heading(text="Model"), Paragraph(text=said)]


def _covered(findings: tuple[Finding, ...]) -> list[str]:
    return [slot.text for finding in findings for slot in finding.slots.values()]


def _grid(table: pa.Table, plan: Mapping[str, Any] | None) -> Grid:
    import pyarrow.types as pat

    numeric = tuple(
        pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind) for kind in table.schema.types
    )
    rows = table.slice(0, SHOWN_ROWS).to_pylist()
    kinds = kinds_by_plan(plan, table)
    texts = tuple(tuple(_shown(row[name], kinds[name]) for name in table.column_names) for row in rows)
    hidden = table.num_rows - len(rows)
    caption = f"The first {SHOWN_ROWS} of {table.num_rows} rows; all are in {TABLE_NAME}." if hidden > 0 else ""
    return Grid(header=tuple(table.column_names), rows=texts, numeric=numeric, caption=caption)


def _shown(value: object, kind: str) -> str:
    """A cell of the result as the sentences would write it: years without commas, fractions cut, weeks by a day."""
    return value if isinstance(value, str) else write(scalar(value), "date" if kind == "week" else kind)


def _method(work: RunContext) -> list[Block]:
    blocks: list[Block] = [Heading(text="Method")]
    for task in work.state.plan.subtasks if work.state.plan else ():
        if task.task_id not in work.state.answered or task.task_id == CHART:
            continue
        call, observation = work.state.answered[task.task_id]
        data = observation.data or {}
        blocks.append(Paragraph(text=f"{task.description} ({task.tool_name})."))
        if call.tool_name == "sql.run":
            blocks.append(Code(text=str(data["sql"]), language="sql"))
            if data["params"]:
                parameters = ", ".join(repr(value) for value in data["params"])
                blocks.append(Paragraph(text=f"Parameters: {parameters}."))
        elif call.tool_name == "python.run":
            blocks.append(Code(text=str(call.arguments["code"]), language="python"))
        if call.arguments != task.arguments:
            blocks.append(Paragraph(text="This step was repaired: what was planned first failed."))
    return blocks


def _sources(work: RunContext) -> list[Block]:
    rows = tuple(
        (source.label, source.format, source.content_sha256 or "live database", source.fingerprint)
        for source in work.catalog.sources
    )
    blocks: list[Block] = [
        Heading(text="Sources"),
        Grid(header=("source", "format", "content SHA-256", "schema fingerprint"), rows=rows, numeric=(False,) * 4),
    ]
    if work.catalog.notes:
        blocks.append(Bullets(items=tuple(note.message for note in work.catalog.notes)))
    return blocks


def _evidence(work: RunContext, findings: tuple[Finding, ...]) -> list[Block]:
    """Each number of the findings with the place it was read from; ids of this run are left out on purpose."""
    tasks = {observation.observation_id: task for task, (_, observation) in work.state.answered.items()}
    calls = {call.call_id: task for task, (call, _) in work.state.answered.items()}

    def place(evidence: Evidence) -> tuple[str, str]:
        match evidence.kind:
            case "cell":
                return f"{tasks[evidence.observation_id]}, row {evidence.row}, {evidence.column}", evidence.query_hash
            case "result":
                return f"{calls[evidence.call_id]}, {evidence.path}", ""
            case "span":
                return f"{evidence.source_id}, {evidence.start} to {evidence.end}", evidence.snapshot_sha256
            case "derived":
                return f"{evidence.function} of {'; '.join(place(each)[0] for each in evidence.of)}", place(
                    evidence.of[0]
                )[1]

    rows = tuple(
        (slot.text, show(value_of(slot.evidence)), *place(slot.evidence))
        for finding in findings
        for slot in finding.slots.values()
    )
    if not rows:
        return []
    header = ("shown", "value", "where", "query SHA-256")
    return [Heading(text="Evidence"), Grid(header=header, rows=rows, numeric=(True, True, False, False))]


class Reasoner(Protocol):
    """The analyst's decisions; rules and models answer the same protocol."""

    name: str

    def plan(self, work: RunContext) -> Planned:
        """Read the question and plan it, ask back, or abstain."""
        ...

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None."""
        ...

    def phrase(self, work: RunContext, conclusion: Conclusion) -> Conclusion:
        """The conclusion in the words its reader shall see; its findings stay what they are."""
        ...

    def learn(self, work: RunContext) -> None:
        """Keep what worked for the next question of its kind."""
        ...


class Analyst:
    """Answers questions about tables."""

    kind: Literal["analysis", "drilldown", "research", "chat"] = "analysis"

    def __init__(self, reasoner: Reasoner | None = None) -> None:
        self._reasoner: Reasoner = reasoner or RuleReasoner()

    def plan(self, work: RunContext) -> Planned:
        """Read the question and plan it, ask back, or abstain; a query that was given or typed is planned as it is."""
        given = work.state.meaning.get("sql") or typed_query(work)
        if given is None:
            return self._reasoner.plan(work)
        return plan_sql(work, str(given), grade=str(work.state.meaning.get("grade", "sql")))

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None; what a person wrote is not rewritten."""
        written = (work.state.reading or {}).get("skill") == QUERY_AS_GIVEN
        return None if written else self._reasoner.repair(work, call, observation)

    def conclude(self, work: RunContext) -> Conclusion:
        """Findings from the result, and the answer made of them."""
        return self._reasoner.phrase(work, conclude(work))

    def report(self, work: RunContext, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """Table, chart, report and summary, as far as they were asked for."""
        return tell(work, conclusion)

    def learn(self, work: RunContext) -> None:
        """Keep the analysis as a recipe."""
        self._reasoner.learn(work)

    def document(self, work: RunContext, conclusion: Conclusion) -> Document:
        """The report before it has a format, for exports."""
        return write_document(work, conclusion)
