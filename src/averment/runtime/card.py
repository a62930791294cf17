"""A run as a notebook's cell shows it: in words where there is only text, as one card where there is HTML."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from averment.evidence.values import scalar, show

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.outcome import Offer, Run

SHOWN_ROWS = 20
PREVIEW_ROWS = 3
_STYLE = (
    "<style>.averment{font-family:system-ui,sans-serif;max-width:52rem;line-height:1.45}"
    ".averment table{border-collapse:collapse;margin:.5rem 0}"
    ".averment th,.averment td{padding:.15rem .7rem;border-bottom:1px solid #8884;text-align:left}"
    ".averment .number{text-align:right;font-variant-numeric:tabular-nums}"
    ".averment .answer{font-size:1.1rem;font-weight:600}.averment .quiet{opacity:.7;font-size:.9rem}"
    ".averment img{max-width:100%;background:#fff}.averment pre{white-space:pre-wrap}</style>"
)


def as_text(run: Run) -> str:
    """The run in a few lines of plain text."""
    lines = [run.answer or f"Run {run.id} is {run.status}."]
    for number, offer in enumerate(run.offers, start=1):
        lines.append(f"  {number}. {offer.read_back}")
    lines += run.marks.lines
    lines.append(f"<Run {run.id[:8]} {run.status}>")
    return "\n".join(lines)


def as_html(run: Run) -> str:
    """The run as one card; every word of it is escaped."""
    parts = [_STYLE, '<div class="averment">', f'<p class="quiet">{escape(run.intent)}</p>']
    parts.append(f'<p class="answer">{escape(run.answer or run.status)}</p>')
    if run.offers:
        parts.append("<ol>" + "".join(f"<li>{_offer(offer)}</li>" for offer in run.offers) + "</ol>")
        parts.append('<p class="quiet">Choose one with <code>averment.choose(run, 1)</code>.</p>')
    parts += [f'<p class="quiet">{escape(line)}</p>' for line in run.marks.lines]
    picture = run.chart_png
    if picture is not None:
        parts.append(f'<img alt="Chart" src="data:image/png;base64,{base64.b64encode(picture).decode()}">')
    table = run.table
    if table is not None and table.num_rows:
        parts.append(_table(table.column_names, table.slice(0, SHOWN_ROWS).to_pylist(), numeric_columns(table)))
        if table.num_rows > SHOWN_ROWS:
            parts.append(f'<p class="quiet">{table.num_rows - SHOWN_ROWS:,} more rows in <code>run.df</code></p>')
    parts.append(_proof(run))
    return "".join([*parts, "</div>"])


def _offer(offer: Offer) -> str:
    rows = [dict(zip(offer.columns, row, strict=True)) for row in offer.rows[:PREVIEW_ROWS]]
    preview = _table(offer.columns, rows, [False] * len(offer.columns)) if rows else ""
    return f"{escape(offer.read_back)}{preview}"


def _table(names: Sequence[str], rows: Sequence[dict[str, Any]], numeric: Sequence[bool]) -> str:
    marks = [' class="number"' if is_number else "" for is_number in numeric]
    head = "".join(f"<th{mark}>{escape(name)}</th>" for name, mark in zip(names, marks, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{mark}>{escape(cell_text(row[name]))}</td>" for name, mark in zip(names, marks, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell_text(value: Any) -> str:
    """A cell as a person reads it."""
    return show(value if isinstance(value, float) else scalar(value))


def numeric_columns(table: pa.Table) -> list[bool]:
    """Which columns hold numbers, in their order."""
    return [str(kind).startswith(("int", "uint", "float", "double", "decimal")) for kind in table.schema.types]


def _proof(run: Run) -> str:
    """What stands behind the answer, folded away until it is wanted."""
    proof, query = run.proof(), run.sql
    if proof.run_root is None and query is None:
        return ""
    lines = [f"<p>Run <code>{run.id}</code>, {escape(run.status)}</p>"]
    if query is not None:
        lines.append(f"<pre>{escape(query)}</pre>")
    if proof.run_root is not None:
        lines.append(
            f"<p>Sealed as <code>{proof.run_root}</code>; check it with <code>averment verify {run.id}</code></p>"
        )
    return f"<details><summary>Proof</summary>{''.join(lines)}</details>"
