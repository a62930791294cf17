"""Defog: business questions, some of which the data cannot answer.

python bench/defog.py DIR [--sample N]     # right, wrong with confidence, offered right, asked, declined
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asked import Right, ask_all, prediction, read_cases, read_lines, report, scorer


def asked(case: dict[str, Any]) -> str:
    """The question with the notes that come with it, as a person would write both."""
    return "\n\n".join(part for part in (case["question"], case.get("instructions")) if part)


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case."""
    cases = read_cases(data_dir)
    boxes = data_dir / "databases"
    for case, run, seconds in ask_all(cases, lambda c: boxes / f"{c['db']}.sqlite", asked):
        yield prediction(case, run, seconds)


def right(data_dir: Path) -> Right:
    """Rows are right that hold those of one accepted query; for what cannot be answered none are."""
    score = scorer(data_dir)
    gold = {each["id"]: each for each in read_lines(data_dir / "gold.jsonl")}

    def holds(case: dict[str, Any], rows: list[list[Any]]) -> bool:
        accepted = gold[case["id"]]
        if not accepted["answerable"]:
            return False
        path, found = data_dir / "databases" / f"{case['db']}.sqlite", score.without_repeats([tuple(r) for r in rows])
        for query in score.accepted(accepted["sql"]):
            try:
                truth = score.without_repeats(score.run_sql(path, score.frozen(query)))
            except sqlite3.Error:
                continue
            if score.same_result(truth, found, ordered=False, extra_columns=True):
                return True
        return False

    return holds


if __name__ == "__main__":
    report(predict, right, Path(sys.argv[1]))
