"""Ordinary questions over tables of six writers who had not seen the product (``fresh.tar.xz``), through the workbench.

    python bench/fresh.py 43 [--out results.jsonl]

Prints how many of the answerable ones are right, how many of all are wrong with confidence, how many are asked with a
right reading among the offers, and how many of the unanswerable ones are asked about. Folders 42 and 44 are
set aside (``set_aside_later.toml``): they are measured only, and at most three times each.
"""

from __future__ import annotations

import json
import math
import sys
import tarfile
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from averment import Workbench

PACKED = Path(__file__).with_name("fresh.tar.xz")
Rows = list[list[Any]]


def same(gold: Any, cell: Any) -> bool:
    """Whether a cell holds a gold value: a number within a thousandth or in percent, a date by its day, or a text."""
    if isinstance(gold, bool) or isinstance(cell, bool):
        return str(gold).casefold() == str(cell).casefold()
    if isinstance(gold, int | float) and isinstance(cell, int | float | Decimal):
        return any(math.isclose(gold * factor, float(cell), rel_tol=1e-3, abs_tol=1e-6) for factor in (1, 100))
    return str(gold).casefold().removesuffix("t00:00:00") == str(cell).casefold().removesuffix(" 00:00:00")


def fits(gold: Rows, rows: Rows) -> bool:
    """Whether each gold row stands in a row of its own; further columns are no fault, further rows are."""
    open_rows = list(rows)
    for row in gold:
        found = next((each for each in open_rows if all(any(same(g, c) for c in each) for g in row)), None)
        if found is None:
            return False
        open_rows.remove(found)
    return not open_rows


def rows_of(table: Any) -> Rows:
    """A table's rows as lists, or none."""
    return [list(row.values()) for row in table.to_pylist()] if table is not None else []


def main() -> None:
    """Ask every question of one folder."""
    folder = sys.argv[1]
    out = Path(sys.argv[sys.argv.index("--out") + 1]) if "--out" in sys.argv else None
    told: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(PACKED) as packed:
            packed.extractall(place, filter="data")
        lines = (Path(place) / folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        with Workbench(home=Path(place) / "home") as workbench:
            for case in map(json.loads, lines):
                sources = [str(Path(place) / source) for source in case["sources"]]
                run = workbench.analyze(case["question"], sources, deliverables=("tables", "summary"))
                answered = run.status in {"completed", "partial_success"}
                right = answered and any(fits(gold, rows_of(run.table)) for gold in case["accept"])
                offered = any(fits(gold, rows_of(o.table)) for o in run.offers for gold in case["accept"])
                about = {"id": case["id"], "question": case["question"], "read": run.read_back, "odds": run.odds}
                told.append(about | {"answered": answered, "right": right, "offered": offered, "asks": case["sql"]})
    able = [each for each in told if each["asks"] is not None]
    rest = [each for each in told if each["asks"] is None]
    right, wrong = sum(e["right"] for e in able), sum(e["answered"] and not e["right"] for e in told)
    offered = sum(e["offered"] and not e["answered"] for e in able)
    print(f"{folder}: right {right} of {len(able)}, wrong {wrong} of {len(told)}, rightly offered {offered}", end="")
    print(f", unanswerable asked about {sum(not e['answered'] for e in rest)} of {len(rest)}")
    if out is not None:
        out.write_text("".join(json.dumps(each) + "\n" for each in told), encoding="utf-8")


if __name__ == "__main__":
    main()
