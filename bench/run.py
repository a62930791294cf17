"""Measuring: predictions for a benchmark set, or the timings of every part beside a peer.

    python bench/run.py NAME --data DIR --out preds.jsonl [--limit N] [--score]
    python bench/run.py analyst_runs       # or another timing: whole runs verified, ten million rows …
    python bench/run.py all                # timings, and every set in the folder AVERMENT_BENCH_DATA names

A set's folder holds ``cases.jsonl``, ``gold.jsonl`` and its own ``score.py``; predictions are written one JSON object a
line. The adapters only map formats: the product does the work, and it may be pointed at a folder it has never seen.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

Predict = Callable[[Path], Iterator[dict[str, Any]]]

SETS = {
    "sql_guard": ("sql_guard", "predict"),
    "sandbox_attacks": ("sandbox", "predict"),
    "pollock": ("tables_read", "predict_pollock"),
    "json_test_suite": ("tables_read", "predict_json_test_suite"),
    "dabench": ("dabench", "predict"),
    "wtq": ("wtq", "predict"),
    "spider": ("spider", "predict"),
    "nvbench": ("nvbench", "predict"),
    "defog": ("defog", "predict"),
    "squeeze_b0": ("attribution", "predict_squeeze_b0"),
    "riskloc_rs": ("attribution", "predict_riskloc_rs"),
    "ddplanted": ("attribution", "predict_ddplanted"),
    "covid_mixshift": ("attribution", "predict_covid_mixshift"),
    "scifact": ("retrieval", "predict_scifact"),
    "wiki2": ("retrieval", "predict_hops"),
    "hotpotqa": ("retrieval", "predict_hops"),
    "musique": ("retrieval", "predict_hops"),
    "rgb_fact": ("claims", "predict_rgb_fact"),
    "ramdocs": ("claims", "predict_ramdocs"),
    "climate_fever": ("claims", "predict_climate_fever"),
    "fm2": ("claims", "predict_fm2"),
    "taskintent": ("taskintent", "predict"),
}
"""Set name → module in this folder and the function that predicts it."""

TIMINGS = (
    "ledger",
    "sandbox",
    "sql_guard",
    "analyst_runs",
    "big_csv",
    "big_parquet",
    "vectors",
    "turns",
    "proof_costs",
    "wordings",
)
"""Modules whose ``main`` prints timings beside a peer, or how the kept wordings fare."""

SHARED = Path(os.environ.get("AVERMENT_BENCH_DATA") or Path(__file__).parents[2] / "shared" / "bench")


def predictor(name: str) -> Predict:
    """The function that predicts a set."""
    module, function = SETS[name]
    return getattr(importlib.import_module(module), function)


def write_predictions(name: str, data: Path, out: Path, limit: int | None) -> int:
    """Predict a set's cases into a file, as they come; returns how many."""
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for prediction in islice(predictor(name)(data), limit):
            file.write(json.dumps(prediction, ensure_ascii=False, default=str) + "\n")
            file.flush()
            count += 1
    return count


def score(data: Path, out: Path, *, partial: bool) -> int:
    """Run the set's own scorer over the predictions."""
    command = [sys.executable, str(data / "score.py"), "--pred", str(out), "--data", str(data)]
    return subprocess.run(command + (["--partial"] if partial else []), check=False).returncode


def run_timing(name: str) -> int:
    """Run a module that prints its own timings, in a process of its own."""
    return subprocess.run([sys.executable, str(Path(__file__).parent / f"{name}.py")], check=False).returncode


def run_all() -> int:
    """Every timing, then every set that is at hand."""
    worst = 0
    for name in TIMINGS:
        print(f"== {name}", flush=True)
        worst = max(worst, run_timing(name))
    for name in SETS:
        data = SHARED / name
        print(f"== {name}", flush=True)
        if not data.is_dir():
            print("not measured: the set is not at hand", flush=True)
            continue
        out = Path(f"{name}.preds.jsonl")
        write_predictions(name, data, out, None)
        worst = max(worst, score(data, out, partial=False))
        out.unlink()
    return worst


def main() -> int:
    """One set, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*SETS, *(name for name in TIMINGS if name not in SETS), "all"])
    parser.add_argument("--data", type=Path, help="the set's folder")
    parser.add_argument("--out", type=Path, help="where the predictions go")
    parser.add_argument("--limit", type=int, help="only the first cases")
    parser.add_argument("--score", action="store_true", help="run the set's own scorer afterwards")
    chosen = parser.parse_args()
    if chosen.name == "all":
        return run_all()
    if chosen.name not in SETS:
        return run_timing(chosen.name)
    if chosen.data is None or chosen.out is None:
        parser.error("--data and --out are needed")
    count = write_predictions(chosen.name, chosen.data, chosen.out, chosen.limit)
    print(f"{count} predictions in {chosen.out}", file=sys.stderr)
    return score(chosen.data, chosen.out, partial=chosen.limit is not None) if chosen.score else 0


if __name__ == "__main__":
    sys.exit(main())
