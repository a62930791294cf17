"""WikiTableQuestions: questions over one web table, asked of the workbench.

python bench/wtq.py DIR [--sample N]     # right, wrong with confidence, offered right, asked, declined
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asked import Right, Rows, ask_all, prediction, read_cases, read_lines, report, scorer


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case: the first column of what the workbench answers."""
    cases = read_cases(data_dir)
    for case, run, seconds in ask_all(cases, lambda c: data_dir / "tables" / c["table"], lambda c: c["question"]):
        made = prediction(case, run, seconds, answer)
        if "rows" in made:
            made["answer"] = _first(made["rows"])
        yield made


def answer(plan: Any, rows: Rows) -> Rows:
    """The answer alone, as the set has it: the figure without what it was taken from, the greater side of two."""
    body = plan if isinstance(plan, dict) else plan.to_json() if plan is not None else {}
    asks = body.get("asks")
    if asks in {"more", "less"} and len(rows) == 2:
        return [sorted(rows, key=lambda row: float(row[-1] or 0), reverse=asks == "more")[0][:1]]
    if body.get("expects") == "figure" and "query" not in body:
        return [row[-1:] for row in rows]
    return rows


def right(data_dir: Path) -> Right:
    """Rows are right whose first column is the gold answer as a set."""
    score = scorer(data_dir)
    gold = {
        each["id"]: score.distinct(
            [score.value(text, form) for text, form in zip(each["answer"], each["canon"], strict=True)]
        )
        for each in read_lines(data_dir / "gold.jsonl")
    }

    def holds(case: dict[str, Any], rows: Rows) -> bool:
        found, wanted = score.distinct([score.value(str(value)) for value in _first(rows)]), gold[case["id"]]
        return len(found) == len(wanted) and all(any(score.matches(w, f) for f in found) for w in wanted)

    return holds


def _first(rows: Rows) -> list[Any]:
    return [row[0] for row in rows if row and row[0] is not None]


if __name__ == "__main__":
    report(predict, right, Path(sys.argv[1]))
