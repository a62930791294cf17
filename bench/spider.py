"""Spider: text to rows over several tables.

python bench/spider.py DIR [--sample N]     # right, wrong with confidence, offered right, asked, declined
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asked import Right, ask_all, prediction, read_cases, read_lines, report, scorer


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case."""
    cases = read_cases(data_dir)
    boxes = data_dir / "databases"
    for case, run, seconds in ask_all(cases, lambda c: boxes / f"{c['db']}.sqlite", lambda c: c["question"]):
        yield prediction(case, run, seconds)


def right(data_dir: Path) -> Right:
    """Rows are right that hold those of the gold query; further columns may stand beside them."""
    score = scorer(data_dir)
    gold = {each["id"]: each["sql"] for each in read_lines(data_dir / "gold.jsonl")}

    def holds(case: dict[str, Any], rows: list[list[Any]]) -> bool:
        truth = score.run_sql(data_dir / "databases" / f"{case['db']}.sqlite", gold[case["id"]])
        return score.same_result(truth, [tuple(row) for row in rows], ordered=False, extra_columns=True)

    return holds


if __name__ == "__main__":
    report(predict, right, Path(sys.argv[1]))
