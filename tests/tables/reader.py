"""Reads a text or bytes as a source, in this process, and shows what became of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from averment.settings import Settings
from averment.tables.processes.build import build_snapshot
from averment.tables.sources.options import ReadOptions


@dataclass
class Reading:
    """Columns, rows and notes by the table's own name ("data" for the first)."""

    types: dict[str, dict[str, str]]
    originals: dict[str, list[str]]
    cells: dict[str, list[tuple[Any, ...]]]
    notes: list[dict[str, Any]]

    @property
    def columns(self) -> dict[str, str]:
        return self.types["data"]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return self.cells["data"]

    @property
    def codes(self) -> set[str]:
        return {note["code"] for note in self.notes}

    def note(self, code: str) -> dict[str, Any]:
        return next(note for note in self.notes if note["code"] == code)


def read(folder: Path, content: str | bytes, name: str = "data.csv", **options: Any) -> Reading:
    """The reading of a file with that content."""
    path = folder / name
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(data)
    target = folder / "snapshot.duckdb"
    target.unlink(missing_ok=True)
    suffix = path.suffix.lstrip(".")
    outcome = build_snapshot(
        {
            "path": str(path),
            "target": str(target),
            "format": {"tsv": "csv", "txt": "csv"}.get(suffix, suffix),
            "sha256": hashlib.sha256(data).hexdigest(),
            "options": ReadOptions(**options).to_dict(),
            "null_words": list(Settings().null_words),
            "memory_mb": 1024,
            "label": name,
        }
    )
    with duckdb.connect(str(target), read_only=True) as connection:
        cells = {
            table["name"]: connection.execute(f'SELECT * FROM "{table["name"]}"').fetchall()
            for table in outcome["tables"]
        }
    types = {t["name"]: {c["name"]: c["type"] for c in t["columns"]} for t in outcome["tables"]}
    originals = {t["name"]: [c["original_name"] for c in t["columns"]] for t in outcome["tables"]}
    return Reading(types, originals, cells, outcome["notes"])


SHOP = [
    ["date", "time", "qty", "sku", "price", "kind", "about", "link", "remark"],
    [
        "28/01/2018",
        "00:00",
        "2",
        "MG-8769",
        "$74.69",
        "Wool Socks",
        "Warm, thick and soft socks.",
        "https://s.example/a1",
        "",
    ],
    [
        "29/01/2018",
        "00:15",
        "0",
        "RI-3895",
        "$29.81",
        "Rain Coat",
        "Keeps rain out, even in storms.",
        "https://s.example/b2",
        "",
    ],
    [
        "30/01/2018",
        "00:30",
        "1",
        "RI-8070",
        "$80.08",
        "Trail Shoes",
        "Light shoes for dry, hot days.",
        "https://s.example/c3",
        "",
    ],
    [
        "31/01/2018",
        "00:45",
        "9",
        "CC-9259",
        "$48.00",
        "Camp Lamp, Small",
        "Folds flat, shines far.",
        "https://s.example/d4",
        "",
    ],
    ["13/02/2018", "01:00", "4", "AN-5096", "$33.83", "Felt Hat", "A hat, nothing more.", "https://s.example/e5", ""],
    [
        "14/02/2018",
        "01:15",
        "3",
        "HK-3372",
        "$16.45",
        "Sun Cap",
        "A cap with a wide, firm brim.",
        "https://s.example/f6",
        "",
    ],
    [
        "17/02/2018",
        "02:00",
        "7",
        "YY-5315",
        "$45.39",
        'Pipe 5" Long',
        "A pipe, made of copper.",
        "https://s.example/g7",
        "",
    ],
    [
        "18/02/2018",
        "02:15",
        "2",
        "BH-9827",
        "$78.07",
        "Dining Table",
        "Seats six, or eight at need.",
        "https://s.example/h8",
        "",
    ],
]
"""A table of our own with every kind of cell; texts hold commas and quotes."""


def raw_cells(row: list[str]) -> list[str]:
    """The row as a writer quotes it: where it must, and every text of the seventh and eighth column."""
    return [
        '"' + cell.replace('"', '""') + '"' if place in (6, 7) or "," in cell or '"' in cell else cell
        for place, cell in enumerate(row)
    ]


def shop_lines(delimiter: str = ",") -> list[str]:
    """The lines of the table."""
    return [delimiter.join(raw_cells(row)) for row in SHOP]


def shop_text(lines: list[str], end: str = "\n") -> str:
    """The lines as one text."""
    return end.join(lines) + end
