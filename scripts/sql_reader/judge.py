"""Fits the judge over both readers, on tables that neither was fitted on.

    python scripts/sql_reader/judge.py LINES.jsonl [--write] [--adapter FILE]

LINES is what ``collect.py`` wrote. Whole groups of tables are held out in five folds; what is printed rests on these
alone: how many are right, wrong and offered at each bar, each reader alone, and whether odds hold. With ``--write``
weights fitted on all lines go to ``ensemble.json``, and the adapter that gave the answers into the package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from averment.reading.judge.ensemble import MOST_OFFERS, OFFERED, Facts

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "src" / "averment" / "reading" / "judge" / "ensemble.json"
ADAPTER = ROOT / "src" / "averment" / "llm" / "reader_adapter.npz"
FOLDS = 5
RISES = {
    "grammar": 1,
    "votes": 1,
    "likelihood": 1,
    "total": 1,
    "agreed": 1,
    "both": 1,
    "first": 1,
    "grammar_answers": 1,
    "compact": 1,
    "compact_ahead": 1,
}
FALLS = {
    "rival_votes",
    "declined",
    "declines_first",
    "failed",
    "unused_values",
    "unused_numbers",
    "empty",
    "nothing",
    "compact_left",
}
NAMES = Facts.names()


def fitted(facts: np.ndarray, right: np.ndarray) -> HistGradientBoostingClassifier:
    """Small trees, whose odds may only rise with what speaks for a result."""
    signs = [RISES.get(name, -1 if name in FALLS else 0) for name in NAMES]
    model = HistGradientBoostingClassifier(
        max_iter=90,
        learning_rate=0.07,
        max_leaf_nodes=7,
        min_samples_leaf=25,
        l2_regularization=3.0,
        monotonic_cst=signs,
    )
    return model.fit(facts, right)


def facts_of(line: dict[str, Any]) -> np.ndarray:
    """The facts of each result of a question."""
    return np.array([[float(each[name]) for name in NAMES] for each in line["results"]])


def exported(model: HistGradientBoostingClassifier) -> dict[str, Any]:
    """The trees as ``ensemble.json`` has them."""
    trees: list[list[list[float]]] = []
    for (predictor,) in model._predictors:
        nodes: list[list[float]] = []
        for node in predictor.nodes:
            if node["is_leaf"]:
                nodes.append([round(float(node["value"]), 5)])
            else:
                bar = round(float(node["num_threshold"]), 6)
                nodes.append([int(node["feature_idx"]), bar, int(node["left"]), int(node["right"])])
        trees.append(nodes)
    return {"base": round(float(model._baseline_prediction.ravel()[0]), 6), "trees": trees}


def shares(lines: list[dict[str, Any]], odds: list[np.ndarray | None], bar: float) -> dict[str, float]:
    """What becomes of the questions where results are answered from these odds on."""
    found: Counter[str] = Counter()
    for line, each in zip(lines, odds, strict=True):
        able = line["asks"]
        found["able" if able else "unable"] += 1
        if each is None:
            answered, right, offered = line["answered"], line["right"], line["offered"]
        else:
            order = np.argsort(-each)
            answered, right = each[order[0]] >= bar, line["results"][order[0]]["right"]
            shown = [at for at in order if each[at] >= OFFERED][:MOST_OFFERS]
            offered = not answered and any(line["results"][at]["right"] for at in shown)
        found["right"] += bool(answered and right and able)
        found["wrong"] += bool(answered and not (right and able))
        found["offered"] += bool(able and not answered and offered)
        found["declined"] += bool(not able and not answered)
    count, able = len(lines), max(1, found["able"])
    return {
        "right of answerable": round(found["right"] / able, 3),
        "wrong of all": round(found["wrong"] / count, 3),
        "right or offered": round((found["right"] + found["offered"]) / able, 3),
        "unanswerable asked": round(found["declined"] / max(1, found["unable"]), 3),
    }


def main() -> int:
    """Fit, tell, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--adapter", type=Path)
    args = parser.parse_args()
    lines = [json.loads(line) for line in args.lines.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if "failed" not in line]
    judged = [line for line in lines if line.get("results")]
    fold = {line["id"]: hashlib.sha256(line["group"].encode()).digest()[1] % FOLDS for line in lines}
    odds: dict[str, np.ndarray] = {}
    for number in range(FOLDS):
        inside = [line for line in judged if fold[line["id"]] != number]
        facts = np.concatenate([facts_of(line) for line in inside])
        right = np.array([each["right"] and line["asks"] for line in inside for each in line["results"]])
        model = fitted(facts, right)
        for line in judged:
            if fold[line["id"]] == number:
                odds[line["id"]] = model.predict_proba(facts_of(line))[:, 1]
    print(len(lines), "questions,", len(judged), "weighed,", len({line["group"] for line in lines}), "groups of tables")
    for bar in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9):
        print(bar, shares(lines, [odds.get(line["id"]) for line in lines], bar))
    _alone(lines, judged)
    _calibration(judged, odds)
    if args.write:
        facts = np.concatenate([facts_of(line) for line in judged])
        right = np.array([each["right"] and line["asks"] for line in judged for each in line["results"]])
        WEIGHTS.write_text(json.dumps(exported(fitted(facts, right)), separators=(",", ":")) + "\n", encoding="utf-8")
        if args.adapter is not None:
            shutil.copyfile(args.adapter, ADAPTER)
    return 0


def _alone(lines: list[dict[str, Any]], judged: list[dict[str, Any]]) -> None:
    """Each reader by itself, where both agree, and whether a right reading is anywhere."""
    able = [line for line in judged if line["asks"]]
    plain = [line for line in lines if not line.get("results") and line["answered"]]
    print("read without the model:", len(plain), "answered,", sum(line["right"] for line in plain), "right")
    for name, test in {
        "grammar answers": lambda each: each["grammar_answers"],
        "model's likeliest": lambda each: each["first"],
        "both": lambda each: each["agreed"],
        "model's likeliest is on offer": lambda each: each["first"] and each["grammar_offers"],
    }.items():
        hit = [each["right"] and line["asks"] for line in judged for each in line["results"] if test(each)]
        print(f"{name}: {len(hit)} of {len(judged)}, right {sum(hit)}")
    anywhere = sum(any(each["right"] for each in line["results"]) for line in able)
    print("a right one anywhere:", anywhere, "of", len(able), "answerable that were weighed")


def _calibration(judged: list[dict[str, Any]], odds: dict[str, np.ndarray]) -> None:
    """How many of the best results are right, by the odds they were given."""
    best = [
        (float(odds[line["id"]].max()), bool(line["asks"] and line["results"][int(odds[line["id"]].argmax())]["right"]))
        for line in judged
    ]
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)):
        some = [right for chance, right in best if low <= chance < high]
        if some:
            print(f"odds {low:.1f} to {min(1.0, high):.1f}: {len(some)} questions, {sum(some) / len(some):.3f} right")


if __name__ == "__main__":
    raise SystemExit(main())
