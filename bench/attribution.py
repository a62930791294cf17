"""Change attribution on four sets: faults in a forecast cube, real incidents, joined tables, mix against rate.

    python bench/attribution.py --data DIR [--set NAME] [--out DIR]

DIR holds one folder per set, each with its own ``score.py``, which does the scoring. Beside the figures stand the CPU
seconds a case: from the leaves in memory to the ranked causes or, for ddplanted, of the whole road through files, joins
and search. squeeze_b0 has forecasts, which the product does not know; its search lies in ``forecast_cubes.py``.

    python bench/attribution.py --nothing 200

makes so many large tables in which nothing happened (weekdays, noise, growth, periods of other lengths) and counts
those in which a segment is named all the same.

Measures a part: averment.stats.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from averment.stats.attribution.facts import CodedAxis, Facts
from averment.stats.attribution.search import candidates, event_stories
from averment.stats.attribution.split import scatter_of, split_mix
from averment.stats.attribution.tell import attribute
from drill_path import drill_files
from forecast_cubes import forecast_segments

MINUTES_BEFORE = 4
KINDS = {"volume": {"volume"}, "rate": {"rate"}, "mix": {"mix", "new_or_gone"}}
"""The kinds of cause that fit what was planted."""


def cases(data_dir: Path) -> Iterator[dict[str, Any]]:
    for line in (data_dir / "cases.jsonl").read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


def predict_squeeze_b0(data_dir: Path) -> Iterator[dict[str, Any]]:
    """Expected and observed leaves in, causes out."""
    for case in cases(data_dir):
        with gzip.open(data_dir / case["table"], "rt", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        columns = {name: [row[name] for row in rows] for name in rows[0] if name not in ("real", "predict")}
        expected, observed = (np.array([float(row[side]) for row in rows]) for side in ("predict", "real"))
        started = time.process_time()
        named = [segment for segment in forecast_segments(columns, expected, observed) if segment]
        yield {"id": case["id"], "explanations": named, "seconds": round(time.process_time() - started, 4)}


def leaf_facts(
    columns: dict[str, Any], side: Any, rows: Any, total: Any, squares: Any, how: Literal["sum", "ratio"]
) -> Facts:
    """Cells of two groups as the facts that the search takes; ``side`` is 0 or 1 for each."""
    axes: dict[str, CodedAxis] = {}
    for name, column in columns.items():
        labels, codes = np.unique(np.asarray(column, dtype=str), return_inverse=True)
        axes[name] = CodedAxis(codes=codes.reshape(-1).astype(np.int64), labels=tuple(map(str, labels)))
    return Facts(
        day=np.asarray(side, dtype=np.int64) + 1,
        num=total,
        den=rows if how == "ratio" else np.ones(len(rows)),
        rows=rows,
        empty=np.zeros(len(rows)),
        squares=squares,
        cross=total,
        weights=rows,
        axes=axes,
        how=how,
        counts_rows=False,
        periods=((1, 1), (2, 2)),
        plain_rows=False,
        grouped=True,
    )


def predict_riskloc_rs(data_dir: Path, *, answers: int = 1) -> Iterator[dict[str, Any]]:
    """One minute against the four before it; the leading segment, then others that describe the move too."""
    for case in cases(data_dir):
        with (data_dir / case["table"]).open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        names = [name for name in rows[0] if name not in ("min", "value", "cnt")]
        earlier = sorted({int(row["min"]) for row in rows if int(row["min"]) < case["timestamp"]})[-MINUTES_BEFORE:]
        used = [row for row in rows if int(row["min"]) in earlier or int(row["min"]) == case["timestamp"]]
        now = np.array([int(row["min"]) == case["timestamp"] for row in used])
        failed, served = (np.array([float(row[name]) for row in used]) for name in ("value", "cnt"))
        started = time.process_time()
        facts = leaf_facts({name: [row[name] for row in used] for name in names}, now, served, failed, failed, "ratio")
        ranked = [
            story.segment for story in event_stories(facts, tuple(names)) if story.segment and story.kind == "rate"
        ]
        # Where everything moved alike the answer is "all of it"; the labels name a segment, so its closest stands in.
        scatter = scatter_of(facts, tuple(names))
        for one in candidates(facts, tuple(names), facts.both, scatter, with_whole=False):
            if one.figure == "rate" and one.segment not in ranked:
                ranked.append(one.segment)
        took = time.process_time() - started
        yield {"id": case["id"], "explanations": ranked[:answers], "seconds": round(took, 4)}


def predict_ddplanted(data_dir: Path) -> Iterator[dict[str, Any]]:
    """Three files and the metric's SQL as a user has them, read, joined and cut by the driller."""
    for case in cases(data_dir):
        folder = data_dir / case["tables"]
        with tempfile.TemporaryDirectory(prefix="averment-bench-") as scratch:
            events = Path(scratch) / "events.csv"
            with gzip.open(folder / "events.csv.gz", "rb") as packed:
                events.write_bytes(packed.read())
            files = [events, folder / "customers.csv", folder / "products.csv"]
            drilled = drill_files(files, case["metric_sql"], case["baseline"], case["comparison"])
        yield {
            "id": case["id"],
            "explanations": list(drilled.found.segments),
            "kinds": [one.kind for one in drilled.found.explanations if one.segment],
            "seconds": round(sum(drilled.seconds.values()), 4),
        }


def predict_covid_mixshift(data_dir: Path) -> Iterator[dict[str, Any]]:
    """Two reports by age group: the exact split of the change, and whether the groups disagree with the total."""
    reports: dict[str, dict[str, tuple[float, float]]] = {}
    with (data_dir / "reports.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            reports.setdefault(row["report"], {})[row["age_group"]] = (float(row["deaths"]), float(row["cases"]))
    for case in cases(data_dir):
        started = time.process_time()
        before, after = reports[case["baseline"]], reports[case["comparison"]]
        groups = sorted({*before, *after})
        none = (0.0, 0.0)
        both = np.array([[side.get(group, none) for group in groups] for side in (before, after)]).reshape(-1, 2)
        side = np.repeat([0, 1], len(groups))
        facts = leaf_facts({"age": groups * 2}, side, both[:, 1], both[:, 0], both[:, 0], "ratio")
        split = split_mix(facts, ("age",))
        if split is None:
            raise ValueError(f"{case['id']} cannot be split")
        yield {
            "id": case["id"],
            "change": facts.change,
            "mix": split.mix,
            "rate": split.rate,
            "paradox": split.paradox,
            "seconds": round(time.process_time() - started, 5),
        }


SETS: dict[str, tuple[str, Callable[[Path], Iterator[dict[str, Any]]]]] = {
    "squeeze_b0": ("squeeze_b0", predict_squeeze_b0),
    "riskloc_rs": ("riskloc_rs", predict_riskloc_rs),
    "riskloc_rs_three": ("riskloc_rs", partial(predict_riskloc_rs, answers=3)),
    "ddplanted": ("ddplanted", predict_ddplanted),
    "covid_mixshift": ("covid_mixshift", predict_covid_mixshift),
}
"""The folder of each set, and what predicts it."""


def kinds_right(data_dir: Path, predictions: list[dict[str, Any]]) -> str:
    """Of the planted causes that were found, how many carry the right kind of effect."""
    gold = {row["id"]: row for row in map(json.loads, (data_dir / "gold.jsonl").read_text().strip().split("\n"))}
    right = found = 0
    for row in predictions:
        planted = {frozenset(cause.items()) for cause in gold[row["id"]]["causes"]}
        for segment, kind in zip(row["explanations"], row["kinds"], strict=False):
            if frozenset(segment.items()) in planted:
                found, right = found + 1, right + (kind in KINDS[gold[row["id"]]["kind"]])
    return f"kind of effect right: {right} of {found}"


def nothing_happened(seed: int) -> tuple[Facts, Facts]:
    """A data set without a cause, by day and as leaves: weekdays, by turns noise, growth and other lengths."""
    random = np.random.default_rng(seed)
    sizes = (5, 3, 4, 6, 7)
    codes = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
    chance = np.prod([random.dirichlet(np.full(n, 4.0))[codes[:, j]] for j, n in enumerate(sizes)], axis=0)
    kind = ("plain", "lengths", "growth", "noisy days", "noisy segments")[seed % 5]
    before, after = (int(n) for n in random.integers(7, 21, 2)) if kind == "lengths" else (14, 14)
    first = date(2025, 3, 3) + timedelta(days=int(random.integers(7)))
    days = [first + timedelta(days=number) for number in range(before + after)]
    level = np.array([0.4 if day.weekday() >= 5 else 1.0 for day in days])
    if kind == "growth":
        level = level * np.exp(np.linspace(0.0, random.uniform(0.05, 0.4), len(days)))
    if kind == "noisy days":
        level = level * np.exp(0.1 * random.standard_normal(len(days)))
    rows = np.zeros((len(days), len(codes)))
    for number in range(len(days)):
        wobble = random.gamma(50.0, 1 / 50.0, sizes[0])[codes[:, 0]] if kind == "noisy segments" else 1.0
        rows[number] = random.poisson(900.0 * level[number] * chance / chance.sum() * wobble)
    hits = random.binomial(rows.astype(np.int64), (0.05 + 0.05 * codes[:, 1])[None, :])
    ratio = bool(seed // 5 % 2)
    totals, squares = np.zeros(rows.shape), np.zeros(rows.shape)
    for number, hit in enumerate(hits):
        leaf = np.repeat(np.arange(len(codes)), hit)
        value = np.ones(len(leaf)) if ratio else np.exp(3.5 + 0.8 * random.standard_normal(len(leaf)))
        totals[number], squares[number] = (np.bincount(leaf, value**power, len(codes)) for power in (1, 2))
    columns = {f"d{j}": codes[:, j].astype(str) for j in range(5)}
    start = days[0].toordinal()
    periods = ((start, start + before - 1), (start + before, start + len(days) - 1))
    how: Literal["sum", "ratio"] = "ratio" if ratio else "sum"
    made: list[Facts] = []
    for parts in ([slice(n, n + 1) for n in range(len(days))], [slice(0, before), slice(before, None)]):
        repeated = {name: np.tile(column, len(parts)) for name, column in columns.items()}
        sums = [np.concatenate([array[part].sum(axis=0) for part in parts]) for array in (rows, totals, squares)]
        facts = leaf_facts(repeated, np.zeros(len(sums[0])), *sums, how)
        first = np.array([start + (part.start or 0) for part in parts])
        made.append(replace(facts, day=np.repeat(first, len(codes)), periods=periods, grouped=False))
    return made[0], made[1]


def count_false_alarms(count: int) -> None:
    verdicts: Counter[str] = Counter()
    alarms = 0
    for seed in range(count):
        answer = attribute(*nothing_happened(seed))
        verdicts.update({one.kind for one in answer.explanations})
        alarms += any(one.segment or one.kind == "data_fault" for one in answer.explanations)
    print(f"nothing happened: {count} data sets, {alarms} name a cause ({alarms / count:.1%}); {dict(verdicts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that holds one folder per set")
    parser.add_argument("--nothing", type=int, metavar="N", help="generate N data sets without a cause")
    parser.add_argument("--set", choices=sorted(SETS), action="append", help="only this set; may be repeated")
    parser.add_argument("--out", type=Path, help="folder for the predictions")
    args = parser.parse_args()
    if args.nothing:
        count_false_alarms(args.nothing)
    if args.data is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        out = args.out or Path(scratch)
        out.mkdir(parents=True, exist_ok=True)
        for name in args.set or SETS:
            folder, predict = SETS[name]
            data_dir = args.data / folder
            predictions = list(predict(data_dir))
            path = out / f"{name}.jsonl"
            path.write_text("".join(json.dumps(row) + "\n" for row in predictions), encoding="utf-8")
            mean = sum(row["seconds"] for row in predictions) / max(len(predictions), 1)
            print(f"== {name}: {len(predictions)} cases, {mean:.4f} CPU s a case", flush=True)
            score = [sys.executable, str(data_dir / "score.py"), "--pred", str(path)]
            print(subprocess.run(score, capture_output=True, text=True, check=True).stdout, flush=True)
            if name == "ddplanted":
                print(kinds_right(data_dir, predictions), flush=True)


if __name__ == "__main__":
    main()
