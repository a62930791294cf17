"""Concluding: what the result says, in sentences whose every number is a cell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.aggregate.reading import Reading
from averment.agents.analyst.skill import QUERY, Told, own_words
from averment.evidence.bind import bind, cell, result, slot
from averment.records.run import Finding, Slot

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.spine.work import Work

TOTAL = "total"
SPLIT_METHOD = "one query, grouped by the engine"
TOTAL_METHOD = "one query over the same rows, without the split"


def conclude(work: Work, reading: Reading) -> Told:
    """Findings from the tables the tasks left."""
    words = own_words(work)
    table = work.table(QUERY)
    total, split = _total(work, reading, words), _split(work, reading, table, words)
    # Who asks for an end of a ranking wants that first; who asks for a split wants the whole first.
    findings = (*split, *total) if reading.limit is not None else (*total, *split)
    return Told(findings=findings, answer=" ".join(finding.text for finding in findings[:2]))


def _cell(work: Work, task: str, table: pa.Table, row: int, column: str) -> Slot:
    _, observation = work.answered[task]
    data = observation.data or {}
    evidence = cell(table, row, column, observation_id=observation.observation_id, query_hash=str(data["query_hash"]))
    return slot(evidence)


def _braces(text: str) -> str:
    """A name inside a template: its braces are its own."""
    return text.replace("{", "{{").replace("}", "}}")


def _total(work: Work, reading: Reading, words: str) -> list[Finding]:
    task = TOTAL if TOTAL in work.answered else QUERY
    table = work.table(task)
    if (reading.dimensions and task == QUERY) or table.num_rows == 0:
        return []
    label = reading.measure.label
    if table.column(label)[0].as_py() is None:
        return []
    what = "The number of rows" if reading.measure.column is None else f"The {label}"
    finding = bind(
        finding_id="total",
        template=f"{_braces(what)}{_braces(_scope(reading))} is {{value}}.",
        slots={"value": _cell(work, task, table, 0, label)},
        method=TOTAL_METHOD if reading.dimensions else "one query over the matching rows",
        own_words=words,
    )
    return [finding]


def _split(work: Work, reading: Reading, table: pa.Table, words: str) -> list[Finding]:
    if not reading.dimensions or table.num_rows == 0:
        return []
    label, name = reading.measure.label, reading.dimensions[0].label
    values = [value for value in table.column(label).to_pylist() if value is not None]
    if not values:
        return []
    call, _ = work.answered[QUERY]
    order = table.column(label).to_pylist()
    highest, lowest = order.index(max(values)), order.index(min(values))
    findings = [
        bind(
            finding_id="highest",
            template=f"The highest {_braces(label)} is {{value}}, for {_braces(name)} {{group}}.",
            slots={
                "value": _cell(work, QUERY, table, highest, label),
                "group": _cell(work, QUERY, table, highest, name),
            },
            method=SPLIT_METHOD,
            own_words=words,
        ),
        bind(
            finding_id="lowest",
            template=f"The lowest {_braces(label)} is {{value}}, for {_braces(name)} {{group}}.",
            slots={
                "value": _cell(work, QUERY, table, lowest, label),
                "group": _cell(work, QUERY, table, lowest, name),
            },
            method=SPLIT_METHOD,
            own_words=words,
        ),
        bind(
            finding_id="groups",
            template="The result has {count} rows.",
            slots={"count": slot(result(call.call_id, "table.row_count", table.num_rows))},
            method=SPLIT_METHOD,
            own_words=words,
        ),
    ]
    if reading.limit is not None:
        # Of a cut ranking only the end that was asked for is known; the other end was cut off.
        asked = findings[1] if reading.order == "value_asc" else findings[0]
        return [asked, findings[2]] if table.num_rows > 1 else [asked]
    return findings if table.num_rows > 1 else [findings[0]]


def _scope(reading: Reading) -> str:
    parts = [f"{each.column} {each.operator} {each.value}" for each in reading.filters]
    if reading.period is not None:
        parts.append(reading.period.words)
    return f" ({', '.join(parts)})" if parts else ""
