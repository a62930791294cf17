"""Concluding: what a query's result says, in sentences whose every number is a cell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.reading import QueryReading
from averment.agents.analyst.skill import QUERY, Told, own_words, query_cell
from averment.evidence.bind import bind, literal, result, slot
from averment.records.run import Finding, Slot

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.spine.work import Work

TOTAL = "total"
SHOWN_ROWS = 10
METHOD = "one query over the matching rows"
SPLIT_METHOD = "one query, grouped by the engine"


def conclude(work: Work, reading: QueryReading) -> Told:
    """Findings from the tables the tasks left: the value, the extremes of a split, or the rows that were asked for."""
    words = own_words(work)
    table = work.table(QUERY)
    findings: list[Finding] = []
    if reading.measures and not reading.labels:
        findings = _values(work, QUERY, table, words)
    elif reading.measures and len(reading.labels) >= 1 and reading.select.limit is None:
        if TOTAL in work.answered:
            findings += _values(work, TOTAL, work.table(TOTAL), words)
        findings += _split(work, reading, table, words)
    else:
        findings = _rows(work, table, words)
    return Told(findings=tuple(findings), answer=" ".join(finding.text for finding in findings[:2]))


def _values(work: Work, task: str, table: pa.Table, words: str) -> list[Finding]:
    """One sentence for each value of a result of one row."""
    if table.num_rows != 1:
        return []
    found: list[Finding] = []
    for place, name in enumerate(table.column_names):
        if table.column(name)[0].as_py() is None:
            continue
        what = "The number of rows" if name == "count" else f"The {name}"
        found.append(
            bind(
                finding_id=TOTAL if place == 0 else f"value_{place + 1}",
                template=f"{literal(what)} is {{value}}.",
                slots={"value": query_cell(work, task, table, 0, name)},
                method=METHOD,
                own_words=words,
            )
        )
    return found


def _split(work: Work, reading: QueryReading, table: pa.Table, words: str) -> list[Finding]:
    label, name = reading.measures[0], reading.labels[0]
    values = table.column(label).to_pylist()
    known = [value for value in values if isinstance(value, int | float) or hasattr(value, "as_tuple")]
    if not known:
        return []
    call, _ = work.answered[QUERY]
    found: list[Finding] = []
    for which, row in (("highest", values.index(max(known))), ("lowest", values.index(min(known)))):
        found.append(
            bind(
                finding_id=which,
                template=f"The {which} {literal(label)} is {{value}}, for {literal(name)} {{group}}.",
                slots={
                    "value": query_cell(work, QUERY, table, row, label),
                    "group": query_cell(work, QUERY, table, row, name),
                },
                method=SPLIT_METHOD,
                own_words=words,
            )
        )
    if table.num_rows == 1:
        return found[:1]
    return [*found, _count(call.call_id, table, words, SPLIT_METHOD)]


def _count(call_id: str, table: pa.Table, words: str, method: str) -> Finding:
    return bind(
        finding_id="groups",
        template="The result has {count} rows.",
        slots={"count": slot(result(call_id, "table.row_count", table.num_rows))},
        method=method,
        own_words=words,
    )


def _rows(work: Work, table: pa.Table, words: str) -> list[Finding]:
    """The first rows, one sentence each, and how many there are when there are more."""
    call, _ = work.answered[QUERY]
    found: list[Finding] = []
    for row in range(min(table.num_rows, SHOWN_ROWS)):
        slots: dict[str, Slot] = {}
        parts: list[str] = []
        for place, name in enumerate(table.column_names):
            if table.column(name)[row].as_py() is None:
                continue
            slots[f"v{place}"] = query_cell(work, QUERY, table, row, name)
            parts.append(f"{literal(name)} {{v{place}}}")
        if parts:
            found.append(
                bind(
                    finding_id="answer" if table.num_rows == 1 else f"row_{row + 1}",
                    template=f"{', '.join(parts)}.",
                    slots=slots,
                    method=METHOD,
                    own_words=words,
                )
            )
    if table.num_rows > 1 and found:
        found.insert(0, _count(call.call_id, table, words, METHOD))
    return found
