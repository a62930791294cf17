"""Questions about one CSV file (InfiAgent-DABench's format), asked of the workbench without a model.

    python bench/dabench.py DIR [--sample N]     # right, wrong with confidence, offered right, asked, declined

The question alone is asked; a case is right when the figures of the answer hold every value it wants, to the decimals
that it is written with. Which figure is called what is the set's own affair.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asked import Right, Rows, ask_all, prediction, read_cases, read_lines, report


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case."""
    cases = read_cases(data_dir)
    for case, run, seconds in ask_all(cases, lambda c: data_dir / "tables" / c["table"], lambda c: c["question"]):
        made = prediction(case, run, seconds)
        wanted = case["format"].split("@")[1:]
        names = [part.split("[")[0] for part in wanted if "[" in part]
        figures = [value for row in made.get("rows", []) for value in row if isinstance(value, int | float)]
        made["answers"] = {name: str(value) for name, value in zip(names, figures, strict=False)}
        yield made


def right(data_dir: Path) -> Right:
    """Rows are right that hold every wanted value."""
    gold = {each["id"]: list(each["answers"].values()) for each in read_lines(data_dir / "gold.jsonl")}

    def holds(case: dict[str, Any], rows: Rows) -> bool:
        cells = [cell for row in rows for cell in row]
        return all(any(_is_same(wanted, cell) for cell in cells) for wanted in gold[case["id"]])

    return holds


def _is_same(wanted: str, cell: Any) -> bool:
    try:
        number = float(wanted)
    except ValueError:
        return str(cell).strip().casefold() == wanted.strip().casefold()
    places = len(wanted.partition(".")[2])
    return isinstance(cell, int | float) and abs(round(float(cell), places) - number) < 10**-places / 2 + 1e-9


if __name__ == "__main__":
    report(predict, right, Path(sys.argv[1]))
