"""What a session's files, its memory and its chat may say: records of the run, and a closed list of frames around them.

The plan, the hypotheses and what each round found are checked when they are kept. The memory and a reply in the chat
are held against the session's records anew: nothing that a store of passages was made to say gets out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from averment.agents.driller.wording import clipped, segment_words
from averment.claims.frames import AllowedSentences, Frame

if TYPE_CHECKING:
    from averment.agents.driller.reading import InvestigationSetup
    from averment.agents.driller.session_export import Investigation

PLAN_FRAMES = tuple(
    map(
        Frame,
        (
            "Infer roles and relations, and refuse joins that would repeat rows.",
            "Aggregate {metric} to leaves and days of both periods.",
            "Search every segment for what moved the metric.",
            "Test the data for faults and the calendar for differences.",
            "Test each hypothesis against the rest of the data and refine each one that holds.",
        ),
    )
)
HYPOTHESIS_FRAMES = tuple(
    map(
        Frame,
        (
            "The data are at fault",
            "Rows that are missing, came twice, lost their values, their unit, their name or their key look like a "
            "change.",
            "A mark that no cause leaves: empty days, repeats, a fixed factor, a twin name, broken keys.",
            "The change was to be expected",
            "Other years, other days and weekdays, or a continuing trend move the metric without any cause.",
            "The same span of other years, the calendar or the steps before it show the same change.",
            "One factor of the metric moved it",
            "One factor makes it differ",
            "{place}, which the background names",
            "The description of the metric names {place}.",
            "The change sits in one value of {dimension}",
            "The difference sits in one value of {dimension}",
            "No named cause carries it, and the values of {dimension} differ most; one of them may do so.",
            "One value moves differently from the rest, by more than its own noise, and is a cause.",
            "The metric is a product or quotient of parts; one of them may have moved alone.",
            "One part carries most of the change.",
            "{place}, as the prompt suspects",
            "The investigation was asked to look at {place}.",
            "The segment moved differently from the rest of the data.",
            "{title}",
            "{title}, beyond what its own scatter and the calendar allow.",
            "The figure itself moved in that direction, by more than its own noise.",
            "A model asked whether this has to do with the change; the data answer.",
            "The result lies far from chance and is large enough to matter.",
        ),
    )
)
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
    cut = [
        *(clipped(f"{place}, which the background names", 100) for place in places),
        *(clipped(title, 100) for title in titles),
        *(clipped(f"{title}, beyond what its own scatter and the calendar allow.", 500) for title in titles),
        *(clipped(f"{place}, as the prompt suspects", 100) for place in places),
        *(clipped(f"The investigation was asked to look at {place}.", 500) for place in places),
    ]
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
    from averment.agents.driller.memory import EXITS, STATES, plain, sentences_of
    from averment.language.sentences import join_list

    context, model = found.context, found.model
    periods = (context.baseline_period, context.comparison_period)
    said = [context.business_context or "", context.investigation_prompt or ""]
    tables = model.tables if model is not None else ()
    links = model.relationships if model is not None else ()
    steps = found.plan.steps if found.plan is not None else ()
    lines, pairs = _report_lines(found.report or "", plain)
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


def _report_lines(report: str, plain: Any) -> tuple[list[str], list[str]]:
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
