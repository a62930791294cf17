"""What the analyst's documents may say beside their claims: a closed list of frame sentences, and what fills them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.claims.frames import AllowedSentences, Frame
from averment.plans.meaning import Meaning
from averment.plans.plan import Plan
from averment.plans.readback import read_back
from averment.records.marks import CERTAINTIES, marks_of
from averment.runtime.model_log import spent

if TYPE_CHECKING:
    from collections.abc import Collection

    from averment.runtime.decisions import Conclusion
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptReading

FRAMES = tuple(
    map(
        Frame,
        (
            "{question}",
            "{note}",
            "Interpreted as: {reading}.",
            "Interpreted as: {reading}; {meaning}.",
            "From now on {meant}.",
            "Certainty: {certainty}.",
            "Evidence: {evidence}.",
            "Compute {reading} ({tool}).",
            "Prepare {step} ({tool}).",
            "A model was asked {calls}: {model}, {tokens} tokens in and {tokens} tokens out.",
            "A model was asked {calls}: {model}, {tokens} tokens in and {tokens} tokens out, {cost} US dollars.",
            "Take the points to draw ({tool}).",
            "Compute the quartiles to draw ({tool}).",
            "Take the rows to compute with ({tool}).",
            "Parameters: {parameters*}.",
            "This step was repaired: what was planned first failed.",
            "The step {step} failed and is missing here.",
            "The result was cut at the row limit of {limit} rows.",
            "This is an estimate from a sample of {percent} % of the rows, always the same rows.",
            "The result was too large to store in full, so fewer rows were requested.",
            "{column} is text; cells that do not contain a plain number were left out.",
            "{column} is text; cells that do not contain a plain date were left out.",
            "{column} has rows that add up the others ({totals}); they were left out. "
            "To see them, ask for them by name.",
            "{column} has rows that add up the others ({totals}); they are counted too, as was chosen.",
            "Some rows have no value in {column*}; they are not counted there.",
            "The table has few rows, so averages and tests over it say little about anything beyond it.",
            "{ends}",
            "The first {shown} of {rows} rows; all are in result.csv.",
            "{chart}",
        ),
    )
)
"""Every frame sentence of a report, its method and its caveats."""

HEADINGS = (
    *(
        "How the question was interpreted",
        "Findings",
        "Caveats",
        "Result",
        "Chart",
        "Method",
        "Sources",
        "Evidence",
        "Model",
    ),
    *("The query failed.", "No row matches the question, so there is nothing to compute."),
)
"""Words that stand alone, without a hole."""


def told_by(work: RunContext, conclusion: Conclusion, *, shown_rows: int) -> AllowedSentences:
    """Everything that a document about this run may say."""
    from averment.agents.analyst.conclude import FAILURES

    failures = [f"The query failed: {reason}." for reason in FAILURES.values()]
    sentences = [*(finding.text for finding in conclusion.findings), *HEADINGS, *failures]
    return AllowedSentences(sentences, FRAMES, _allowed(work, conclusion, shown_rows))


def _allowed(work: RunContext, conclusion: Conclusion, shown_rows: int) -> dict[str, Collection[str]]:
    """What each hole may hold, read off the plan and the records, never off the text that is checked."""
    from averment.agents.analyst.caveats import totals_counted_in, totals_left_out

    reading = work.state.reading
    body = reading.get("reading", {})
    plan = Plan.model_validate(body["plan"]) if "plan" in body else None
    said = [read_back(each) for each in (plan, *plan.beside)] if plan is not None else [_submitted(work, body)]
    use = spent(work.services, work.run_id, reading)
    calls = [(call, observation.data or {}) for call, observation in work.state.answered.values()]
    chart = body.get("chart") or {}
    return {
        "question": [work.request.intent.strip()],
        "note": [note.message for note in work.catalog.notes],
        "reading": said,
        "meaning": ["; ".join(_taught(reading, plan))],
        "meant": [from_now_on(body)],
        "certainty": CERTAINTIES,
        "evidence": [evidence_of(conclusion)],
        "tool": [call.tool_name for call, _ in calls],
        "parameters": [repr(value) for _, data in calls for value in data.get("params") or ()],
        "step": [task.task_id for task in (work.state.plan.subtasks if work.state.plan else ())],
        "limit": [str(call.arguments.get("row_limit", "")) for call, _ in calls],
        "percent": _sampled(work),
        "column": [column.name for table in work.catalog.tables for column in table.columns],
        "totals": [names for _, names in (*totals_left_out(work), *totals_counted_in(work))],
        "ends": [ends["said"]] if (ends := reading.get("foreseen", {}).get("ends")) else [],
        "shown": [str(shown_rows)],
        "rows": [str(data["table"]["row_count"]) for _, data in calls if isinstance(data.get("table"), dict)],
        "chart": [str(chart.get("title", "")), *(each[:300] for each in said)],
        "calls": [times(int(use.get("calls", 0)))],
        "model": [str(use.get("model", ""))],
        "tokens": [f"{int(use.get(name, 0)):,}" for name in ("tokens_in", "tokens_out")],
        "cost": [f"{cost:.4f}"] if (cost := use.get("cost")) is not None else [],
    }


def evidence_of(conclusion: Conclusion) -> str:
    """The second mark as a report states it, which is written before anybody recomputes it."""
    return marks_of({}, conclusion.findings).bound


def _taught(reading: KeptReading, plan: Plan | None) -> list[str]:
    """What was said of taught words, as far as the plan bears it out: their meanings are made into words again."""
    notes = list(map(str, reading.get("told", ())))
    if plan is None or "taught" not in reading:
        return notes
    meanings = [Meaning.model_validate(each) for each in reading["taught"]]
    held = [each.stands_in(plan) or "taught" in reading.get("reading", {}) for each in meanings]
    said = [note.startswith(each.note()) for note, each in zip(notes, meanings, strict=False)]
    return notes if len(notes) == len(meanings) and all(held) and all(said) else []


def from_now_on(body: dict[str, Any]) -> str:
    """What a run has taught, made of the meanings themselves."""
    taught = [Meaning.model_validate(each) for each in body.get("taught", ())]
    return " and ".join(f"{each.word} means {each.in_words()}" for each in taught)


def times(calls: int) -> str:
    """How often, in words."""
    return "once" if calls == 1 else f"{calls} times"


def _submitted(work: RunContext, body: dict[str, Any]) -> str:
    """What a submitted query says, made of its text again; a program has no words but those over its queries."""
    from averment.plans.describe_query import describe_sql

    main = body["tasks"][-1]
    if len(body["tasks"]) > 1 or main["tool"] != "sql.run":
        return str(body["said"])
    return describe_sql(str(main["arguments"]["query"]), work.catalog.dialect)


def _sampled(work: RunContext) -> list[str]:
    from averment.tables.engines.rewrite_query import sampled_percent

    queries = [str(call.arguments["query"]) for call, _ in work.state.answered.values() if call.tool_name == "sql.run"]
    found = [sampled_percent(query, work.catalog.dialect) for query in queries]
    return [f"{percent:g}" for percent in found if percent is not None]
