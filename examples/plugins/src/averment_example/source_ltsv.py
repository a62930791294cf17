"""A source kind: labelled tab-separated values, as web servers write them (``host:10.0.0.1<TAB>bytes:512``)."""

from __future__ import annotations

from pathlib import Path

from averment.tables.sources.source_kinds import SourceKind


def read(path: Path) -> dict[str, list[dict[str, str]]]:
    """One table; each line is a row, each field names its own column."""
    rows: list[dict[str, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        fields = [field.partition(":") for field in line.split("\t")]
        if any(not mark for _, mark, _ in fields):
            raise ValueError(f"line {number} has a field without a label")
        rows.append({label: value for label, _, value in fields})
    return {"data": rows}


LTSV = SourceKind(name="ltsv", suffixes=(".ltsv",), read=read)
