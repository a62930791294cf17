"""The memory of an investigation: one text of short passages, compiled from the six parts that the contract names.

Every passage is one line of the document and knows the file of the session it came from. Nothing is added but the
words that join a record's own fields; a number in the memory is a number of a record. What the plan, the hypotheses,
the rounds and the memory may say is a closed list of frames around records, and is held against it here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from averment.agents.driller.hypotheses import WORDS, clipped, segment_words, worded
from averment.agents.driller.session_export import Investigation
from averment.claims.frames import AllowedSentences, Frame
from averment.language.sentences import join_list, split_sentences
from averment.records.base import derived_id
from averment.records.drilldown.results import MemoryDocument
from averment.store.runs import session_tree as tree_of
from averment.store.runs.session_tree import hypothesis_path, iteration_path
from averment.store.search.memory import MemoryPassage, MemoryStore

if TYPE_CHECKING:
    from averment.agents.driller.reading import InvestigationSetup
    from averment.language.embeddings import Embedder


PLAN_STEPS = (
    "Infer roles and relations, and refuse joins that would repeat rows.",
    "Aggregate {metric} to leaves and days of both periods.",
    "Search every segment for what moved the metric.",
    "Test the data for faults and the calendar for differences.",
    "Test each hypothesis against the rest of the data and refine each one that holds.",
)
PLAN_FRAMES = tuple(map(Frame, PLAN_STEPS))
HYPOTHESIS_FRAMES = tuple(map(Frame, dict.fromkeys(text for words in WORDS.values() for text in words)))
MEMORY_FRAMES = tuple(
    map(
        Frame,
        (
            "The metric is {metric}.",
            "The {period} period is {day} to {day} ({days} days).",
            "The baseline is the group {group}.",
            "The comparison is the group {group}.",
            "Business context: {said}",
            "The user asked to look at: {said}",
            "The table {table} has {count} rows and {count} columns.",
            "The tables are related: {column} refers to {column}, with confidence {confidence}.",
            "The tables are related: {column} has values like {column}, with confidence {confidence}.",
            "The dimensions recommended for segments are {dimensions}.",
            "Step {number} of the plan: {step}",
            "Hypothesis {hypothesis}, “{title}”, was {state}. It was: {story}",
            "Iteration {number}: {found}",
            "The investigation ended after {number} iterations because {reason}.",
            "No explanation was found that the data support.",
            "Explanation {number} ({likelihood}): {title}.",
            "{pair+}.",
            "{line}",
        ),
    )
)
"""The lines of a memory: each joins fields of one record, or is a line of the report."""


def check_planned(records: Mapping[str, Any], reading: InvestigationSetup) -> None:
    """Pass the plan and the first hypotheses through the gate.

    Raises:
        UntrueClaim: they say what no frame says.
    """
    steps = [("plan", str(step["description"])) for step in records["analysis_plan"]["steps"]]
    AllowedSentences((), PLAN_FRAMES, {"metric": [reading.metric.sql]}).check(steps)
    check_hypotheses(records["hypotheses"], reading, titles=())


def check_hypotheses(
    bodies: Iterable[Mapping[str, Any]], reading: InvestigationSetup, *, titles: Collection[str]
) -> None:
    """Pass hypotheses through the gate; ``titles`` are those of the recorded causes.

    Raises:
        UntrueClaim: one says what no frame and no cause says.
    """
    places = [segment_words({mention.dimension: mention.value or ""}) for mention in reading.mentions]
    whole = AllowedSentences(
        (), HYPOTHESIS_FRAMES, {"place": places, "title": list(titles), "dimension": reading.names}
    )
    named = [("asked", {"place": place}) for place in places] + [("background", {"place": place}) for place in places]
    named += [("cause", {"title": title}) for title in titles]
    words = [worded(form, **holes) for form, holes in named]
    cut = {clipped(one[part], most) for one in words for part, most in (("title", 100), ("story", 500))}
    texts = [
        (f"hypothesis {body['hypothesis_id']}", str(body[field]))
        for body in bodies
        for field in ("title", "causal_story", "expected_pattern")
    ]
    whole.check((place, text) for place, text in texts if text not in cut)


def check_round(records: Mapping[str, Any], sentences: Iterable[str]) -> None:
    """Pass what a round found through the gate; ``sentences`` are the claims it may be told by.

    Raises:
        UntrueClaim: it says what no claim says.
    """
    told = AllowedSentences(sentences, (), {})
    told.check([("finding", records["finding"]["summary"]), ("iteration", records["iteration"]["compressed_summary"])])


def memory_told(found: Investigation) -> AllowedSentences:
    """Everything that the memory of an investigation may say."""
    texts = [text for one in found.explanations or () for text in (one.causal_story, one.reasoning)]
    return AllowedSentences([one_line(text) for text in texts], MEMORY_FRAMES, _held(found))


def _held(found: Investigation) -> dict[str, Collection[str]]:
    """What each hole may hold, read off the session's records."""

    context, model = found.context, found.model
    periods = (context.baseline_period, context.comparison_period)
    said = [context.business_context or "", context.investigation_prompt or ""]
    tables = model.tables if model is not None else ()
    links = model.relationships if model is not None else ()
    steps = found.plan.steps if found.plan is not None else ()
    lines, pairs = _report_lines(found.report or "")
    numbers = {
        *(step.step_number for step in steps),
        *(one.iteration for one in found.findings),
        *(one.rank for one in found.explanations or ()),
        *((found.ledger.total_iterations,) if found.ledger is not None else ()),
    }
    return {
        "metric": [context.metric_sql],
        "period": ["baseline", "comparison"],
        "day": [str(day) for one in periods for day in (one.start, one.end)],
        "group": [context.groups.words(side) for side in ("baseline", "comparison")] if context.groups else [],
        "days": [str(one.days) for one in periods],
        "said": [one_line(sentence) for text in said for sentence in sentences_of(text)],
        "table": [table.name for table in tables],
        "count": [str(n) for table in tables for n in (table.row_count, table.column_count)],
        "column": [
            name
            for link in links
            for name in (f"{link.from_table}.{link.from_column}", f"{link.to_table}.{link.to_column}")
        ],
        "confidence": [f"{link.confidence:g}" for link in links],
        "dimensions": [join_list(model.recommended_dimensions)] if model and model.recommended_dimensions else [],
        "number": [str(number) for number in numbers],
        "step": [one_line(step.description) for step in steps],
        "hypothesis": [one.hypothesis_id for one in found.hypotheses],
        "title": [
            *(one_line(one.title.rstrip(".")) for one in found.hypotheses),
            *(one_line(one.title.rstrip(".")) for one in found.explanations or ()),
        ],
        "state": list(STATES.values()),
        "story": [one_line(one.causal_story) for one in found.hypotheses],
        "found": [one_line(one.summary) for one in found.findings],
        "reason": list(EXITS.values()),
        "likelihood": [one.likelihood for one in found.explanations or ()],
        "pair": pairs,
        "line": lines,
    }


def _report_lines(report: str) -> tuple[list[str], list[str]]:
    """The lines of a report without their marks, and the cells of its tables, with the names of their columns."""
    lines, pairs = list[str](), list[str]()
    header: list[str] = []
    for raw in report.splitlines():
        text = raw.strip()
        if not text.startswith("|"):
            header = []
            bare = re.sub(r"^\s*(?:[-*•]|[0-9]{1,3}[.)]|#+)\s+", "", text)
            lines += [one_line(plain(bare)), one_line(plain(text.lstrip("#")))]
            continue
        cells = [plain(cell) for cell in re.split(r"(?<!\\)\|", text.strip("|"))]
        if not header:
            header = cells
        pairs += _row_pairs(header, cells)
    return lines, pairs


def _row_pairs(header: list[str], cells: list[str]) -> Iterator[str]:
    for name, cell in zip(header, cells, strict=False):
        if cell:
            yield one_line(f"{name}: {cell}" if name else cell).rstrip(".")
    if not any(header):
        yield one_line(": ".join(cell for cell in cells if cell)).rstrip(".")


def one_line(text: str) -> str:
    """A text on one line, without what a line cannot hold."""
    return " ".join(text.replace("\0", " ").split())


Part = Literal["context", "model", "hypotheses", "findings", "report", "conclusions"]
PART_TITLES: dict[Part, str] = {
    "context": "Investigation context",
    "model": "Data model",
    "hypotheses": "Hypotheses",
    "findings": "Findings",
    "report": "Report",
    "conclusions": "Reasoning and conclusions",
}
"""The six parts in their order, each with its heading in the document."""

Line = tuple[str, str, str]
"""A passage before it is numbered: its words, its section, its file."""

STATES = {"PENDING": "not tested", "INVESTIGATING": "not settled", "CONFIRMED": "confirmed", "RULED_OUT": "ruled out"}
EXITS = {
    "CONCLUDE": "nothing was left to test",
    "MAX_ITERATIONS": "all iterations were used",
    "STALL_DETECTED": "new iterations found nothing new",
}
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|#~])")
_RULE_ROW = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")
_BULLET = re.compile(r"^\s*(?:[-*•]|[0-9]{1,3}[.)])\s+")


_UNREAD = frozenset({"report/Proof", "report/Breakdown"})
"""Sections of a report that are no sentences: hashes and queries, and a table that is kept as such."""


def remember(
    store: MemoryStore, embedder: Embedder, session_id: str, found: Investigation, *, at: datetime
) -> MemoryDocument:
    """Compile the memory of an investigation, embed it and keep it; the same investigation gives the same document.

    Raises:
        StorageError: it cannot be kept.
        UntrueClaim: it would say what no record of the investigation says.
    """
    passages = compile_passages(found)
    memory_told(found).check((f"memory, {passage.section}", passage.text) for passage in passages)
    content = document_text(passages)
    vectors = embedder.embed([passage.text for passage in passages])
    whole = vectors.mean(axis=0)
    if not whole.any():
        whole = embedder.embed([PART_TITLES["context"]])[0]
    document = MemoryDocument(
        document_id=derived_id(session_id, "memory"),
        session_id=session_id,
        content=content,
        embedding=tuple(float(number) for number in whole),
        created_at=at,
    )
    store.put(document, embedder=embedder.name, passages=passages, vectors=list(vectors))
    return document


def compile_passages(found: Investigation) -> tuple[MemoryPassage, ...]:
    """The passages of an investigation's memory in their order, each text once in its section."""
    lines = [
        *_context(found),
        *_model(found),
        *_hypotheses(found),
        *_findings(found),
        *_report(found.report or ""),
        *_conclusions(found),
    ]
    kept = dict.fromkeys((one_line(text), section, artifact) for text, section, artifact in lines)
    return tuple(
        MemoryPassage(number=number, text=text, section=section, artifact=artifact)
        for number, (text, section, artifact) in enumerate((line for line in kept if line[0]), start=1)
    )


def document_text(passages: Sequence[MemoryPassage]) -> str:
    """The passages as one Markdown text: a heading for each part, a line for each passage."""
    lines: list[str] = []
    part = ""
    for passage in passages:
        title = PART_TITLES[part_of(passage.section)]
        if title != part:
            lines += ["", f"## {title}", ""] if lines else [f"## {title}", ""]
            part = title
        lines.append(f"- {passage.text}")
    return "\n".join(lines) + "\n"


def part_of(section: str) -> Part:
    """The part a section belongs to; a section is the part itself or a heading inside it, after a slash."""
    head = section.partition("/")[0]
    return next(part for part in PART_TITLES if part == head)


def _context(found: Investigation) -> Iterator[Line]:
    context = found.context
    base, later = context.baseline_period, context.comparison_period
    texts = [
        f"The metric is {context.metric_sql}.",
        f"The baseline period is {base.start} to {base.end} ({base.days} days).",
        f"The comparison period is {later.start} to {later.end} ({later.days} days).",
    ]
    if context.groups is not None:
        texts[1:] = [
            f"The baseline is the group {context.groups.words('baseline')}.",
            f"The comparison is the group {context.groups.words('comparison')}.",
        ]
    if context.business_context:
        texts += [f"Business context: {sentence}" for sentence in sentences_of(context.business_context)]
    if context.investigation_prompt:
        texts += [f"The user asked to look at: {sentence}" for sentence in sentences_of(context.investigation_prompt)]
    yield from ((text, "context", tree_of.CONTEXT) for text in texts)


def _model(found: Investigation) -> Iterator[Line]:
    if found.model is None:
        return
    for table in found.model.tables:
        text = f"The table {table.name} has {table.row_count} rows and {table.column_count} columns."
        yield text, "model/tables", tree_of.SCHEMA
    for link in found.model.relationships:
        kind = "refers to" if link.relationship_type == "foreign_key" else "has values like"
        yield (
            f"The tables are related: {link.from_table}.{link.from_column} {kind} {link.to_table}.{link.to_column}, "
            f"with confidence {link.confidence:g}.",
            "model/relations",
            tree_of.SCHEMA,
        )
    if found.model.recommended_dimensions:
        names = join_list(found.model.recommended_dimensions)
        yield f"The dimensions recommended for segments are {names}.", "model/dimensions", tree_of.SCHEMA
    if found.plan is not None:
        for step in found.plan.steps:
            yield f"Step {step.step_number} of the plan: {step.description}", "model/plan", tree_of.PLAN


def _hypotheses(found: Investigation) -> Iterator[Line]:
    for hypothesis in found.hypotheses:
        state = STATES[hypothesis.status]
        title = hypothesis.title.rstrip(".")
        text = f"Hypothesis {hypothesis.hypothesis_id}, “{title}”, was {state}. It was: {hypothesis.causal_story}"
        yield text, f"hypotheses/{state}", hypothesis_path(hypothesis.hypothesis_id)


def _findings(found: Investigation) -> Iterator[Line]:
    for finding in found.findings:
        text = f"Iteration {finding.iteration}: {finding.summary}"
        yield text, f"findings/{finding.iteration}", iteration_path(finding.iteration)
    if found.ledger is not None:
        count = found.ledger.total_iterations
        text = f"The investigation ended after {count} iterations because {EXITS[found.ledger.exit_reason]}."
        yield text, "findings", tree_of.LEDGER


def _conclusions(found: Investigation) -> Iterator[Line]:
    if found.explanations is not None and not found.explanations:
        yield "No explanation was found that the data support.", "conclusions", tree_of.EXPLANATIONS
    for one in found.explanations or ():
        title = f"Explanation {one.rank} ({one.likelihood}): {one.title.rstrip('.')}."
        for text in (title, one.causal_story, one.reasoning):
            yield text, f"conclusions/{one.rank}", tree_of.EXPLANATIONS


def _report(report: str) -> Iterator[Line]:
    """The report, a paragraph or list item a passage: a sentence alone may say what its neighbour takes back.

    A row of a table becomes "name: value" pairs under its header.
    """
    section, fenced, in_table, header = "report/Title", False, False, list[str]()
    for line in report.splitlines():
        text = line.strip()
        if section in _UNREAD and not text.startswith("## ") and not text.lstrip("*_ ").startswith("Generated"):
            continue
        if text.startswith("```"):
            fenced = not fenced
        if not text.startswith("|"):
            in_table = False
        if fenced or not text or text.startswith(("```", "![")) or _RULE_ROW.match(text):
            continue
        if text.startswith("|"):
            cells = [plain(cell) for cell in re.split(r"(?<!\\)\|", text.strip("|"))]
            if in_table:
                # A table without names of columns repeats what was asked for.
                yield _row_text(header, cells), section if any(header) else "report/Inputs", tree_of.REPORT
            else:
                header, in_table = cells, True
        elif text.startswith("#"):
            if text.startswith("## "):
                section = f"report/{plain(text.lstrip('#'))}"
                continue
            yield plain(text.lstrip("#")), section, tree_of.REPORT
            section = "report/Header" if section == "report/Title" else section
        else:
            place = "report/Footer" if text.lstrip("*_ ").startswith("Generated") else section
            yield plain(_BULLET.sub("", text)), place, tree_of.REPORT


def _row_text(header: Sequence[str], cells: Sequence[str]) -> str:
    """A row of a table in words; in a table of two columns without names the first names the second."""
    if not any(header):
        return ": ".join(cell for cell in cells if cell).rstrip(".") + "."
    pairs = [f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=False) if cell]
    return "; ".join(pairs).rstrip(".") + "."


def plain(text: str) -> str:
    """Markdown's words without its marks."""
    bare = re.sub(r"(?<!\\)(\*\*|__|`)", "", text.strip())
    return _ESCAPED.sub(r"\1", bare).strip()


def sentences_of(text: str) -> list[str]:
    """The sentences of what a user said."""
    return [sentence.text for sentence in split_sentences(text)]
