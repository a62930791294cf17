"""Questions about one CSV file (InfiAgent-DABench's format), asked of the workbench without a model.

    python bench/dabench.py DIR [--part seen] [--sample N]     # right, wrong with confidence, offered right, asked, …

The question alone is asked, without the number that some have in front; a case is right when the figures of the answer
hold every value it wants, to the decimals that it is written with. Which figure is called what, and which word stands
for a test that was passed, is the set's own affair.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asked import Right, Rows, ask_all, plain, prediction, read_cases, read_lines, report

_NUMBERED = re.compile(r"^\s*\d+[.)]\s+")
LEVEL = 0.05
"""The level that the set tests at."""


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case: the cells of the answer, and what it says of them."""
    cases = read_cases(data_dir)
    for case, run, seconds in ask_all(cases, lambda c: data_dir / "tables" / c["table"], asked):
        made = prediction(case, run, seconds)
        if "rows" in made:
            counted = [len(made["rows"])] if run.plan is not None and "outliers" in str(run.plan) else []
            made["rows"] = [*made["rows"], counted, told(run)]
        wanted = case["format"].split("@")[1:]
        names = [part.split("[")[0] for part in wanted if "[" in part]
        figures = [value for row in made.get("rows", []) for value in row if isinstance(value, int | float)]
        made["answers"] = {name: str(value) for name, value in zip(names, figures, strict=False)}
        yield made


def asked(case: dict[str, Any]) -> str:
    """The question as a person would write it."""
    return _NUMBERED.sub("", str(case["question"]))


def told(run: Any) -> list[Any]:
    """The figures of the answer's sentences, and the words that the set has for the outcome of a test."""
    found: list[Any] = []
    for claim in run.claims:
        values = {value.role: plain(getattr(value.evidence, "value", None)) for value in claim.values}
        found += [value for value in values.values() if value is not None]
        p, r = _number(values.get("p")), _number(values.get("r"))
        if p is None:
            continue
        small = p < LEVEL
        if claim.relation == "normal":
            found += ["not normal", "not_normal", "no", "false"] if small else ["normal", "yes", "true"]
        elif small:
            found += ["significant", "yes", "true", "linear"]
            found += ["positive", "positive correlation"] if (r or 0) > 0 else ["negative", "negative correlation"]
        else:
            found += ["not significant", "no", "false", "none", "no correlation", "no significant correlation"]
    return found


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def right(data_dir: Path) -> Right:
    """Rows are right that hold every wanted value."""
    gold = {each["id"]: list(each["answers"].values()) for each in read_lines(data_dir / "gold.jsonl")}

    def holds(case: dict[str, Any], rows: Rows) -> bool:
        cells = [cell for row in rows for cell in row]
        return all(any(_is_same(each, cell) for cell in cells) for wanted in gold[case["id"]] for each in _each(wanted))

    return holds


def _each(wanted: str) -> list[str]:
    """The single values of an answer that is written as a mapping."""
    if not wanted.startswith("{"):
        return [wanted]
    try:
        return [str(value) for value in ast.literal_eval(wanted).values()]
    except (SyntaxError, ValueError):
        return [wanted]


def _is_same(wanted: str, cell: Any) -> bool:
    number = _number(wanted)
    if number is None:
        return str(cell).strip().casefold() == wanted.strip().casefold()
    places = len(wanted.partition(".")[2])
    figure = None if isinstance(cell, bool) else _number(cell)
    return figure is not None and abs(round(figure, places) - number) < 10**-places / 2 + 1e-9


if __name__ == "__main__":
    report(predict, right, Path(sys.argv[1]))
