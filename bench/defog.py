"""Defog: business questions, some of which the data cannot answer.

python bench/defog.py DIR [--sample N]     # right, wrong with confidence, offered right, asked, declined
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asked import Right, ask_all, prediction, read_cases, read_lines, report, scorer

_DEFINED = re.compile(r"^\W*([\w ()-]{2,60}?)\s*(?:=|\bis defined as\b|\bmeans\b|\brefers to\b)")


def asked(case: dict[str, Any]) -> str:
    """The question, with those of its notes that say what a word of it means, as a person would write both.

    Each case comes with the notes of its whole database; most are about other questions, or about writing SQL.
    """
    question = str(case["question"])
    said = question.casefold()
    notes = re.split(r"\n+|(?<=\.)\s+", case.get("instructions") or "")
    terms = [(note, match.group(1).strip().casefold()) for note in notes if (match := _DEFINED.match(note))]
    return "\n\n".join([question, *(note for note, term in terms if re.search(rf"\b{re.escape(term)}\b", said))])


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
