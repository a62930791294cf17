"""Concluding: what the result says, in sentences whose every number is a cell of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.aggregate.reading import Reading
from averment.agents.analyst.skill import QUERY, Told, own_words, query_cell
from averment.evidence.bind import bind, literal, result, slot
from averment.records.run import Finding

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


def _total(work: Work, reading: Reading, words: str) -> list[Finding]:
    task = TOTAL if TOTAL in work.answered else QUERY
    table = work.table(task)
    if (reading.dimensions and task == QUERY) or table.num_rows == 0:
        return []
    label = reading.measure.label
    if table.column(label)[0].as_py() is None:
        return []
    what = "The number of rows" if reading.measure.counts_rows else f"The {label}"
    finding = bind(
        finding_id="total",
        template=f"{literal(what)}{literal(_scope(reading))} is {{value}}.",
        slots={"value": query_cell(work, task, table, 0, label)},
        method=_method(reading, TOTAL_METHOD if reading.dimensions else "one query over the matching rows"),
        own_words=words,
    )
    return [finding]


def _split(work: Work, reading: Reading, table: pa.Table, words: str) -> list[Finding]:
    if not reading.dimensions or table.num_rows == 0:
        return []
    label, names = reading.measure.label, [each.label for each in reading.dimensions]
    who = " and ".join(f"{literal(name)} {{group{place or ''}}}" for place, name in enumerate(names))
    method = _method(reading, SPLIT_METHOD)
    values = [value for value in table.column(label).to_pylist() if value is not None]
    if not values:
        return []
    call, _ = work.answered[QUERY]
    order = table.column(label).to_pylist()
    findings = [
        *(
            bind(
                finding_id=end,
                template=f"The {end} {literal(label)} is {{value}}, for {who}.",
                slots={
                    "value": query_cell(work, QUERY, table, row, label),
                    **{
                        f"group{place or ''}": query_cell(work, QUERY, table, row, name)
                        for place, name in enumerate(names)
                    },
                },
                method=method,
                own_words=words,
            )
            for end, row in (("highest", order.index(max(values))), ("lowest", order.index(min(values))))
        ),
        bind(
            finding_id="groups",
            template="The result has {count} rows.",
            slots={"count": slot(result(call.call_id, "table.row_count", table.num_rows))},
            method=method,
            own_words=words,
        ),
    ]
    if reading.limit is not None:
        # Of a cut ranking only the end that was asked for is known; the other end was cut off.
        asked = findings[1] if reading.order == "value_asc" else findings[0]
        return [asked, findings[2]] if table.num_rows > 1 else [asked]
    return findings if table.num_rows > 1 else [findings[0]]


def _method(reading: Reading, how: str) -> str:
    return how if reading.measure.method is None else f"{reading.measure.method}; {how}"


def _scope(reading: Reading) -> str:
    parts = [each.said for each in reading.filters]
    if reading.period is not None:
        parts.append(reading.period.words)
    return f" ({', '.join(parts)})" if parts else ""
