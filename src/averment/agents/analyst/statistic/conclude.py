"""Concluding: each value asked for as a sentence whose number or word is a cell of the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.skill import QUERY, Told, own_words
from averment.agents.analyst.statistic.describe import method_words, value_words
from averment.agents.analyst.statistic.reading import Reading
from averment.evidence.bind import bind, cell, literal, slot
from averment.records.run import Finding

DATA = "data"
"""The task that reads the columns the computation needs."""

if TYPE_CHECKING:
    from averment.spine.work import Work


def conclude(work: Work, reading: Reading) -> Told:
    """One finding a value that the data carry."""
    if DATA in work.answered and (work.answered[DATA][1].data or {}).get("truncated"):
        return Told(
            findings=(), answer="The rows were cut at the row limit, so the statistics would not be the table's."
        )
    table = work.table(QUERY)
    _, observation = work.answered[QUERY]
    data = observation.data or {}
    digest = str(data.get("query_hash") or data["table"]["sha256"])
    words = f"{own_words(work)} {reading.in_words()}"
    findings: list[Finding] = []
    for row, value in enumerate(reading.values):
        column = "text" if table.column("text")[row].as_py() is not None else "value"
        if table.column(column)[row].as_py() is None:
            continue
        evidence = cell(table, row, column, observation_id=observation.observation_id, query_hash=digest)
        places = (
            _places(value, table.column(column)[row].as_py()) if column == "value" and not _is_whole(value) else None
        )
        findings.append(
            bind(
                finding_id=value["name"],
                template=f"{literal(_capital(value_words(value)))}: {{value}}.",
                slots={"value": slot(evidence, decimals=0 if _is_whole(value) and column == "value" else places)},
                method=method_words(value),
                own_words=words,
            )
        )
    return Told(findings=tuple(findings), answer=" ".join(finding.text for finding in findings))


def _places(value: dict[str, object], found: object = None) -> int:
    """The decimal places shown: those asked for, else four for a probability and two for the rest."""
    asked = value.get("decimals")
    if (
        value["kind"] == "extreme"
        and value.get("statistic") in (None, "count")
        and isinstance(found, float)
        and found.is_integer()
    ):
        return 0
    return asked if isinstance(asked, int) else 4 if value.get("part") == "p" else 2


def _is_whole(value: dict[str, object]) -> bool:
    """Whether a value is a count."""
    if value.get("statistic") in {"count", "distinct"} or value.get("part") in {"count", "rows", "columns_count"}:
        return True
    return value["kind"] in {"rows", "duplicates"} and not value.get("of")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
