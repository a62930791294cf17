"""Bench questions as whole runs: asked through the workbench, sealed, and verified from the sources.

    python bench/analyst_runs.py [--data DIR] [--sets dabench wtq spider nvbench defog] [--count 50] [--seed 7] [--json]

Of each set some cases are drawn from a fixed seed; those that the set's adapter answers directly are asked again as
runs with all deliverables, and every run is verified. Printed are how many were answered, how many verified, how many
say the same as the direct answer, and the time from question to sealed report.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

SHARED = Path(os.environ.get("AVERMENT_BENCH_DATA") or Path(__file__).parents[2] / "shared" / "bench")
SETS = ("dabench", "wtq", "spider", "nvbench", "defog")
COUNT, SEED = 50, 7
DRAWN_FOR_EACH = 5
"""Cases drawn for each one wanted: not all of them are answered."""

Case = dict[str, Any]
Prediction = dict[str, Any]


def source_of(name: str, case: Case, data: Path) -> Path:
    """The file a case asks about."""
    if name in {"dabench", "wtq"}:
        return data / "tables" / case["table"]
    folder = data.parent / "spider" if name == "nvbench" else data
    return folder / "databases" / f"{case['db']}.sqlite"


def question_of(name: str, case: Case) -> str:
    """The text of a case as the set's adapter asks it."""
    if name == "dabench":
        from dabench import question_of as whole_question

        return whole_question(case)
    return str(case["question"])


def draw_cases(data: Path, count: int, seed: int) -> list[Case]:
    """So many cases of a set, the same ones for a seed, those of one source together."""
    lines = (data / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases: list[Case] = [json.loads(line) for line in lines if line.strip()]
    return random.Random(seed).sample(cases, min(count, len(cases)))


def answer_directly(name: str, cases: list[Case], data: Path) -> Iterator[Prediction]:
    """What the set's adapter answers to these cases alone, where it answers."""
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as folder:
        part = Path(folder) / name
        part.mkdir()
        for sibling in data.parent.iterdir():
            if sibling.name != name:
                (Path(folder) / sibling.name).symlink_to(sibling)
        for each in data.iterdir():
            if each.name != "cases.jsonl":
                (part / each.name).symlink_to(each)
        (part / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
        for prediction in importlib.import_module(name).predict(part):
            if not prediction.get("abstained") and prediction.get("answers") != {}:
                yield prediction


def plain(value: Any) -> str:
    """A cell as it is compared: numbers without trailing zeros, all else as text."""
    if isinstance(value, bool) or value is None:
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value).strip().casefold()
    return f"{number:.6g}"


def _columns(run: Any) -> list[list[str]]:
    return [] if run.table is None else [[plain(value) for value in column.to_pylist()] for column in run.table.columns]


def _same_rows(run: Any, prediction: Prediction) -> bool:
    ours = Counter(tuple(sorted(row)) for row in zip(*_columns(run), strict=True))
    return ours == Counter(tuple(sorted(map(plain, row))) for row in prediction["rows"])


def _same_list(run: Any, prediction: Prediction) -> bool:
    wanted = Counter(map(plain, prediction["answer"]))
    return any(Counter(value for value in column if value != "None") == wanted for column in _columns(run))


def _same_chart(run: Any, prediction: Prediction) -> bool:
    columns = [Counter(column) for column in _columns(run)]
    return all(Counter(map(plain, prediction[axis])) in columns for axis in ("x", "y"))


def _same_values(run: Any, prediction: Prediction) -> bool:
    told = {finding.finding_id: finding.slots["value"].text for finding in run.findings if "value" in finding.slots}
    return all(
        plain(told.get(name, "").replace(",", "")) == plain(str(value).replace(",", ""))
        for name, value in prediction["answers"].items()
    )


AGREE: dict[str, Callable[[Any, Prediction], bool]] = {
    "dabench": _same_values,
    "wtq": _same_list,
    "spider": _same_rows,
    "defog": _same_rows,
    "nvbench": _same_chart,
}


def measure(name: str, data: Path, count: int, seed: int) -> dict[str, Any]:
    """The figures of one set."""
    from averment import Workbench
    from averment.errors import AvermentError
    from averment.settings import Settings

    drawn = draw_cases(data, count * DRAWN_FOR_EACH, seed)
    by_id = {case["id"]: case for case in drawn}
    chosen: list[Prediction] = []
    for prediction in answer_directly(name, drawn, data):
        chosen.append(prediction)
        if len(chosen) == count:
            break
    found: Counter[str] = Counter(asked=len(chosen))
    seconds: list[float] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="averment-bench-") as home:
        with Workbench(settings=Settings(home=Path(home), model_provider="none")) as workbench:
            for prediction in chosen:
                case = by_id[prediction["id"]]
                began = time.perf_counter()
                try:
                    run = workbench.analyze(question_of(name, case), [source_of(name, case, data)])
                except AvermentError as error:
                    found[f"refused {error.code}"] += 1
                    faults.append(f"{case['id']}: {error.code}")
                    continue
                seconds.append(time.perf_counter() - began)
                found[run.status] += 1
                verified = workbench.verify(run.id)
                found["verified"] += verified.ok
                faults += [f"{case['id']}: {each.subject}: {each.detail}" for each in verified.checks if not each.ok]
                if run.status in {"completed", "partial_success"}:
                    agrees = AGREE[name](run, prediction)
                    found["agrees"] += agrees
                    faults += [] if agrees else [f"{case['id']}: differs: {(run.answer or '')[:100]}"]
    timed = sorted(seconds) or [0.0]
    return {
        "set": name,
        **found,
        "median_seconds": round(statistics.median(timed), 3),
        "p90_seconds": round(timed[int(len(timed) * 0.9)] if len(timed) > 1 else timed[0], 3),
        "faults": faults,
    }


def main() -> int:
    """Measure, print, and say by the exit status whether every run verified."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder that holds the sets")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    worst = 0
    for name in args.sets:
        if not (args.data / name).is_dir():
            print(f"{name}: not measured: the set is not at hand", flush=True)
            continue
        figures = measure(name, args.data / name, args.count, args.seed)
        shown = figures if args.json else {key: value for key, value in figures.items() if key != "faults"}
        print(json.dumps(shown), flush=True)
        runs = sum(figures.get(status, 0) for status in ("completed", "partial_success", "abstained"))
        worst = max(worst, int(figures.get("verified", 0) < runs))
    return worst


if __name__ == "__main__":
    sys.exit(main())
