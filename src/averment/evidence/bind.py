"""Binding: the only place where a Finding is made.

A finding's text is its template with every slot filled from evidence. The template's own words may hold no number,
except the ones the user said; so a number can enter a report through a cell, a span or a result, or not at all.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import TYPE_CHECKING

from averment.errors import MissingColumn, UnboundNumber
from averment.evidence import derive
from averment.evidence.check import uncovered_numbers
from averment.evidence.values import Scalar, faithful, scalar, show
from averment.records.run import CellEvidence, Evidence, Finding, ResultEvidence, Slot

if TYPE_CHECKING:
    import pyarrow as pa


def cell(table: pa.Table, row: int, column: str, *, observation_id: str, query_hash: str) -> CellEvidence:
    """Evidence for one cell of a kept table.

    Raises:
        MissingColumn: the table has no such cell.
    """
    if column not in table.column_names or not 0 <= row < table.num_rows:
        raise MissingColumn(f"The result has no cell at row {row}, column {column}.")
    value = scalar(table.column(column)[row].as_py())
    return CellEvidence(observation_id=observation_id, query_hash=query_hash, row=row, column=column, value=value)


def result(call_id: str, path: str, value: Scalar) -> ResultEvidence:
    """Evidence for a value inside a tool's recorded output, such as a row count."""
    return ResultEvidence(call_id=call_id, path=path, value=value)


def value_of(evidence: Evidence) -> Scalar:
    """The value a piece of evidence carries."""
    return evidence.quote if evidence.kind == "span" else evidence.value


def slot(evidence: Evidence, *, unit: str | None = None, decimals: int | None = None) -> Slot:
    """A place for a finding's template, showing the evidence's value in readable form."""
    return Slot(evidence=evidence, text=show(value_of(evidence), unit=unit, decimals=decimals), unit=unit)


def literal(text: str) -> str:
    """A name as it stands inside a template: its braces are its own."""
    return text.replace("{", "{{").replace("}", "}}")


def bind(*, finding_id: str, template: str, slots: Mapping[str, Slot], method: str, own_words: str = "") -> Finding:
    """A finding whose every number is covered by evidence.

    Raises:
        UnboundNumber: the template holds a number of its own, names a slot that is not there, leaves one unused, or a
            slot shows another value than its evidence, or evidence was derived wrongly.
    """
    named = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
    if set(named) != set(slots):
        raise UnboundNumber(f"The template has the slots {sorted(set(named))}, but the evidence fills {sorted(slots)}.")
    for name, bound in slots.items():
        if bound.evidence.kind == "derived" and not derive.holds(bound.evidence):
            raise UnboundNumber(f"The slot {name} shows a value that does not follow from its parts.")
        if not faithful(bound.text, value_of(bound.evidence), unit=bound.unit):
            raise UnboundNumber(f"The slot {name} shows {bound.text!r}, which its evidence does not support.")
    literal = " ".join(text for text, _, _, _ in string.Formatter().parse(template))
    loose = uncovered_numbers(literal, covered=(), own_words=own_words)
    if loose:
        raise UnboundNumber(f"The template contains the number {loose[0].text!r}, which no evidence covers.")
    text = template.format(**{name: bound.text for name, bound in slots.items()})
    return Finding(finding_id=finding_id, template=template, slots=dict(slots), text=text, method=method)
