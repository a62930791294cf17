"""nvBench: a sentence to a chart's kind and points.

    python bench/nvbench.py DIR [--sample N]     # right, wrong with confidence, offered right, asked, declined

A case counts as right here by its points; the set's own scorer compares the kind of chart as well.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from asked import Right, ask_all, plain, prediction, read_cases, read_lines, report, scorer

MOST_COLUMNS = 8
_GROUPED = {"bar": "stacked bar", "line": "grouping line", "scatter": "grouping scatter"}


def drawn(run: Any) -> dict[str, Any] | None:
    """The kind and the points of the chart that a run drew; None where it drew none."""
    chart = next((a for a in run.artifacts if a.content_ref.endswith("chart.vl.json")), None)
    if chart is None:
        return None
    picture = json.loads(run.path_of(chart).read_text(encoding="utf8"))
    shown = {**picture.get("encoding", {}), **next(iter(picture.get("layer", [{}])), {}).get("encoding", {})}
    fields = [shown.get(name, {}).get("field") for name in ("x", "y", "color")]
    if fields[0] is None and "theta" in shown:  # a pie
        fields = [fields[2], shown["theta"].get("field"), None]
    values = picture.get("data", {}).get("values", [])
    if fields[0] is None or fields[1] is None or not values:
        return None
    kind = str(chart.metadata.get("chart_type"))
    lists = [[plain(value.get(name)) for value in values] if name else [] for name in fields]
    return {"chart": _GROUPED.get(kind, kind) if lists[2] else kind, "x": lists[0], "y": lists[1], "color": lists[2]}


def predict(data_dir: Path) -> Iterator[dict[str, Any]]:
    """One prediction for each case; every case of this set asks for a chart."""
    cases = read_cases(data_dir)
    boxes = data_dir.parent / "spider" / "databases"
    for case, run, seconds in ask_all(cases, lambda c: boxes / f"{c['db']}.sqlite", lambda c: c["question"]):
        body = prediction(case, run, seconds)
        chart = drawn(run) if "rows" in body else None
        yield {**body, **chart} if chart is not None else body


def right(data_dir: Path) -> Right:
    """Rows are right that hold the chart's points."""
    score = scorer(data_dir)
    gold = {each["id"]: each for each in read_lines(data_dir / "gold.jsonl")}

    def holds(case: dict[str, Any], rows: list[list[Any]]) -> bool:
        wanted = gold[case["id"]]
        points = Counter(tuple(sorted(map(str, point))) for point in score.points(wanted, wanted["bin"]))
        axes = 3 if wanted.get("color") else 2
        width = len(rows[0]) if rows else 0
        # As in the other sets further columns may stand beside those that are drawn.
        for kept in combinations(range(width), axes) if axes < width <= MOST_COLUMNS else [tuple(range(width))]:
            marks = [[score.mark(row[at], wanted["bin"]) for at in kept] for row in rows]
            if Counter(tuple(sorted(map(str, [*mark, ""] if len(mark) == 2 else mark))) for mark in marks) == points:
                return True
        return False

    return holds


if __name__ == "__main__":
    report(predict, right, Path(sys.argv[1]))
