"""Change attribution on four sets: planted faults in a forecast cube, real incidents, joined tables, mix against rate.

    python bench/attribution.py --data DIR [--set NAME] [--out DIR]

DIR holds one folder per set, each with its own ``score.py``, which does the scoring. Beside the figures stand the CPU
seconds a case, from the leaves in memory to the ranked explanations (``seconds`` in each prediction).

    python bench/attribution.py --nothing 200

generates so many data sets in which nothing happened (weekdays, noise, growth, periods of other lengths) and counts
those in which a segment is named all the same. ``ddplanted_files`` goes the driller's own road through files and joins.

    python bench/attribution.py --data DIR --by-day

chooses ``coverage`` and ``alpha`` for each day of riskloc_rs on its other days, and scores what that gives.

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
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.calendar import DailySeries, DaySpan
from averment.stats.attribution.cube import LeafCube, Side, build_cube, forecast_cube
from averment.stats.attribution.mix_split import split_mix
from averment.stats.attribution.options import Options

MINUTES_BEFORE = 4
JOINED = "channel device browser country plan category brand".split()


def cases(data_dir: Path) -> Iterator[dict[str, Any]]:
    for line in (data_dir / "cases.jsonl").read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


def predict_squeeze_b0(data_dir: Path) -> Iterator[dict[str, Any]]:
    """Expected and observed leaves in, causes out."""
    for case in cases(data_dir):
        with gzip.open(data_dir / case["table"], "rt", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        names = [name for name in rows[0] if name not in ("real", "predict")]
        columns = {name: [row[name] for row in rows] for name in names}
        expected, observed = (np.array([float(row[side]) for row in rows]) for side in ("predict", "real"))
        started = time.process_time()
        cube = forecast_cube(columns, expected=expected, observed=observed)
        answer = attribute(cube, Options(metric="forecast", max_dimensions=len(names)))
        took = time.process_time() - started
        yield {"id": case["id"], "explanations": list(answer.segments), "seconds": round(took, 4)}


def predict_riskloc_rs(data_dir: Path, *, answers: int = 1, **chosen: float) -> Iterator[dict[str, Any]]:
    """One minute against the four before it; the leading explanation, then other levels that describe it too."""
    for case in cases(data_dir):
        with (data_dir / case["table"]).open(encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        names = [name for name in rows[0] if name not in ("min", "value", "cnt")]
        earlier = sorted({int(row["min"]) for row in rows if int(row["min"]) < case["timestamp"]})[-MINUTES_BEFORE:]
        used = [row for row in rows if int(row["min"]) in earlier or int(row["min"]) == case["timestamp"]]
        now = np.array([int(row["min"]) == case["timestamp"] for row in used])
        failed, served = (np.array([float(row[name]) for row in used]) for name in ("value", "cnt"))
        started = time.process_time()
        cube = build_cube(
            {name: [row[name] for row in used] for name in names},
            baseline=Side.of(rows=served * ~now, total=failed * ~now),
            comparison=Side.of(rows=served * now, total=failed * now),
        )
        answer = attribute(cube, Options(metric="ratio", max_dimensions=len(names), **chosen))
        took = time.process_time() - started
        rates = [e for e in answer.explanations if e.factor == "rate"]
        # Where everything moved alike the answer is "all of it"; the labels name a segment, so its closest stands in.
        ranked = [s for e in rates[:1] for s in (e.segment, *e.alternatives) if s]
        ranked.extend(s for s in answer.segments if s not in ranked)
        yield {"id": case["id"], "explanations": ranked[:answers], "seconds": round(took, 4)}


def predict_ddplanted(data_dir: Path) -> Iterator[dict[str, Any]]:
    """Three joined tables, aggregated once to leaves and once to days."""
    import duckdb

    for case in cases(data_dir):
        folder = data_dir / case["tables"]
        (b0, b1), (c0, c1) = case["baseline"], case["comparison"]
        started = time.process_time()
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.execute(
                "CREATE TABLE joined AS SELECT e.*, country, plan, category, brand, "
                f"date BETWEEN DATE '{c0}' AND DATE '{c1}' AS now FROM read_csv_auto('{folder}/events.csv.gz') e "
                f"JOIN read_csv_auto('{folder}/customers.csv') USING (customer_id) "
                f"JOIN read_csv_auto('{folder}/products.csv') USING (product_id)"
            )
            sums = ", ".join(
                f"coalesce({what} FILTER ({side}now), 0)::DOUBLE AS {name}{number}"
                for name, what in (
                    ("n", "count(*)"),
                    ("y", "sum(converted)"),
                    ("s", "sum(revenue)"),
                    ("q", "sum(revenue * revenue)"),
                )
                for number, side in enumerate(("NOT ", ""))
            )
            leaf = connection.execute(
                f"SELECT {', '.join(JOINED)}, {sums} FROM joined "
                f"WHERE date BETWEEN DATE '{b0}' AND DATE '{b1}' OR now GROUP BY ALL"
            ).fetchnumpy()
            days = connection.execute(
                "SELECT date, count(*), sum(revenue)::DOUBLE FROM joined GROUP BY 1 ORDER BY 1"
            ).fetchall()
        loaded = time.process_time()
        ratio = "AVG" in case["metric_sql"]
        total, squares = ("y", "y") if ratio else ("s", "q")
        before, after = (
            Side.of(rows=leaf[f"n{n}"], hits=leaf[f"y{n}"], total=leaf[f"{total}{n}"], squares=leaf[f"{squares}{n}"])
            for n in (0, 1)
        )
        cube = build_cube({name: leaf[name].tolist() for name in JOINED}, baseline=before, comparison=after)
        baseline, comparison = (
            DaySpan(first=date.fromisoformat(first), last=date.fromisoformat(last))
            for first, last in ((b0, b1), (c0, c1))
        )
        daily = DailySeries(
            days=tuple(day[0] for day in days),
            rows=np.array([float(day[1]) for day in days]),
            totals=np.array([float(day[2] or 0) for day in days]),
            nulls=np.zeros(len(days)),
        )
        answer = attribute(
            cube,
            Options(
                metric="ratio" if ratio else "sum",
                scale=(1.0 / baseline.days, 1.0 / comparison.days),
                daily=daily,
                baseline=baseline,
                comparison=comparison,
            ),
        )
        yield {
            "id": case["id"],
            "explanations": list(answer.segments),
            "kinds": [e.verdict for e in answer.explanations if e.segment],
            "seconds": round(time.process_time() - loaded, 4),
            "seconds_with_loading": round(time.process_time() - started, 4),
        }


def predict_ddplanted_files(data_dir: Path) -> Iterator[dict[str, Any]]:
    """The same cases as a user has them: three files and the metric's SQL, read, joined and cut by the driller."""
    from drill_path import drill_files

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
            "kinds": [one.verdict for one in drilled.found.explanations if one.segment],
            "seconds": round(drilled.seconds["search"], 4),
            "seconds_with_loading": round(sum(drilled.seconds.values()), 4),
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
        split = split_mix(
            totals_before=[before.get(g, none)[0] for g in groups],
            weights_before=[before.get(g, none)[1] for g in groups],
            totals_after=[after.get(g, none)[0] for g in groups],
            weights_after=[after.get(g, none)[1] for g in groups],
            groups=groups,
        )
        yield {
            "id": case["id"],
            "change": split.change,
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
    "ddplanted_files": ("ddplanted", predict_ddplanted_files),
    "covid_mixshift": ("covid_mixshift", predict_covid_mixshift),
}


def kinds_right(data_dir: Path, predictions: list[dict[str, Any]]) -> str:
    """Of the planted causes that were found, how many carry the right kind of effect."""
    gold = {row["id"]: row for row in map(json.loads, (data_dir / "gold.jsonl").read_text().strip().split("\n"))}
    right = found = 0
    for row in predictions:
        planted = {frozenset(cause.items()) for cause in gold[row["id"]]["causes"]}
        for segment, kind in zip(row["explanations"], row["kinds"], strict=False):
            if frozenset(segment.items()) in planted:
                found, right = found + 1, right + (kind == gold[row["id"]]["kind"])
    return f"kind of effect right: {right} of {found}"


GRID = [{"coverage": coverage, "alpha": alpha} for coverage in (1.1, 1.5, 2.0) for alpha in (0.0002, 0.002, 0.02)]


def by_day(data_dir: Path) -> None:
    """The F1 of riskloc_rs where each day's parameters were chosen on the other days."""
    gold = {row["id"]: row for row in map(json.loads, (data_dir / "gold.jsonl").read_text().strip().split("\n"))}
    days = {case["id"]: date.fromtimestamp(case["timestamp"]).isoformat() for case in cases(data_dir)}
    counts: list[dict[str, tuple[int, int, int]]] = []
    for chosen in GRID:
        found: dict[str, tuple[int, int, int]] = {}
        for row in predict_riskloc_rs(data_dir, **chosen):
            told = {frozenset(segment.items()) for segment in row["explanations"]}
            true = {frozenset(cause.items()) for cause in gold[row["id"]]["causes"]}
            found[row["id"]] = (len(told & true), len(told - true), len(true - told))
        counts.append(found)
        print(chosen, f"F1 {_f1(found, set(days)):.3f}", flush=True)
    held: dict[str, tuple[int, int, int]] = {}
    for day in sorted(set(days.values())):
        others = {name for name in days if days[name] != day}
        best = max(range(len(GRID)), key=lambda number: (_f1(counts[number], others), -number))
        held |= {name: value for name, value in counts[best].items() if days[name] == day}
    print(f"riskloc_rs, parameters of each of {len(set(days.values()))} days chosen on the others: ", end="")
    print(f"F1 {_f1(held, set(days)):.3f}")


def _f1(found: dict[str, tuple[int, int, int]], names: set[str]) -> float:
    right, false, missed = (sum(found[name][at] for name in names) for at in range(3))
    return 2 * right / max(2 * right + false + missed, 1)


def nothing_happened(seed: int) -> tuple[LeafCube, Options]:
    """A data set without a cause: five dimensions, weekdays, by turns noise, growth and periods of other lengths."""
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
    sides: list[Side] = []
    for part in (slice(0, before), slice(before, None)):
        count, hit = rows[part].sum(axis=0), hits[part].sum(axis=0)
        leaf = np.repeat(np.arange(len(codes)), hit)
        value = np.ones(len(leaf)) if ratio else np.exp(3.5 + 0.8 * random.standard_normal(len(leaf)))
        total, squares = (np.bincount(leaf, weights=value**power, minlength=len(codes)) for power in (1, 2))
        sides.append(Side.of(rows=count, hits=hit, total=total, squares=squares))
    cube = build_cube({f"d{j}": codes[:, j].tolist() for j in range(5)}, baseline=sides[0], comparison=sides[1])
    return cube, Options(
        metric="ratio" if ratio else "sum",
        scale=(1.0 / before, 1.0 / after),
        daily=DailySeries(
            days=tuple(days), rows=rows.sum(axis=1), totals=40.0 * hits.sum(axis=1), nulls=np.zeros(len(days))
        ),
        baseline=DaySpan(first=days[0], last=days[before - 1]),
        comparison=DaySpan(first=days[before], last=days[-1]),
    )


def count_false_alarms(count: int) -> None:
    verdicts: Counter[str] = Counter()
    alarms = 0
    for seed in range(count):
        answer = attribute(*nothing_happened(seed))
        verdicts[answer.verdict] += 1
        alarms += bool(answer.segments) or bool(answer.faults)
    print(f"nothing happened: {count} data sets, {alarms} name a cause ({alarms / count:.1%}); {dict(verdicts)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder that holds one folder per set")
    parser.add_argument("--nothing", type=int, metavar="N", help="generate N data sets without a cause")
    parser.add_argument("--by-day", action="store_true", help="cross-validate riskloc_rs by day")
    parser.add_argument("--set", choices=sorted(SETS), action="append", help="only this set; may be repeated")
    parser.add_argument("--out", type=Path, help="folder for the predictions")
    args = parser.parse_args()
    if args.nothing:
        count_false_alarms(args.nothing)
    if args.data is None:
        return
    if args.by_day:
        by_day(args.data / "riskloc_rs")
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
            if name.startswith("ddplanted"):
                print(kinds_right(data_dir, predictions), flush=True)


if __name__ == "__main__":
    main()
