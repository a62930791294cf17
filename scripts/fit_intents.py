"""Fit the assistant's intent classifier and write its weights.

    python scripts/fit_intents.py --data DIR [--folds 5]

DIR holds ``cases.jsonl`` and ``gold.jsonl`` of the public intent set (CLINC150, CC BY 3.0, and HWU64, CC BY 4.0, with
sentences of our own). ``scripts/intents/*.txt`` are more of our own, one intent a file; every second line is kept out
of the training and only measured on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from averment.language.embeddings import default_embedder
from averment.language.intents.classify import WEIGHTS
from averment.language.intents.cues import CUES, cues
from averment.language.intents.features import BUCKETS, grams

OWN_WEIGHT = 4.0
STRENGTH = 6.0
TASKS = ("create", "list", "update", "complete", "delete")
CHANGES = ("create", "update", "complete", "delete")


def read_public(folder: Path) -> list[dict[str, Any]]:
    """The public sentences with their accepted intents."""
    cases = {row["id"]: row for row in map(json.loads, (folder / "cases.jsonl").read_text().splitlines())}
    gold = map(json.loads, (folder / "gold.jsonl").read_text().splitlines())
    return [
        {"text": cases[row["id"]]["text"], "accept": row["accept"], "label": row["label"], "kept_out": False}
        for row in gold
        if "accept" in row
    ]


def read_own() -> list[dict[str, Any]]:
    """Our own sentences; every second one is kept out."""
    rows: list[dict[str, Any]] = []
    for path in sorted((Path(__file__).parent / "intents").glob("*.txt")):
        for number, line in enumerate(filter(None, map(str.strip, path.read_text().splitlines()))):
            rows.append({"text": line, "accept": [path.stem], "label": path.stem, "kept_out": number % 2 == 1})
    return rows


def features(texts: list[str], models: Path) -> Any:
    """Every sentence as one sparse row: vector, words and letters, signs."""
    embedder = default_embedder(models)
    vectors = np.vstack([embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)])
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        for bucket, weight in grams(text).items():
            rows.append(row)
            columns.append(bucket)
            values.append(weight)
    words = sp.csr_matrix((values, (rows, columns)), shape=(len(texts), BUCKETS))
    signs = sp.csr_matrix([[float(name in seen) for name in CUES] for seen in map(cues, texts)])
    return sp.hstack([sp.csr_matrix(vectors), words, signs]).tocsr()


def fit(matrix: Any, labels: Any, weights: Any) -> LogisticRegression:
    """The linear model."""
    return LogisticRegression(C=STRENGTH, max_iter=400, tol=1e-3).fit(matrix, labels, sample_weight=weights)


def measure(
    name: str, model: LogisticRegression, matrix: Any, rows: list[dict[str, Any]]
) -> list[tuple[bool, float, str]]:
    """Print how many are right, and return each judgement."""
    shares = model.predict_proba(matrix)
    named = model.classes_[shares.argmax(1)]
    judged = [
        (str(said) in row["accept"], float(sure), str(said))
        for said, sure, row in zip(named, shares.max(1), rows, strict=True)
    ]
    print(f"{name}: {np.mean([right for right, _, _ in judged]):.4f} of {len(rows)}", flush=True)
    return judged


def main() -> None:
    """Cross-validate, fit on all but what is kept out, and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--models", type=Path, default=Path(".averment/cache/models"))
    options.add_argument("--folds", type=int, default=5)
    given = options.parse_args()
    public, own = read_public(given.data), read_own()
    rows = public + own
    matrix = features([row["text"] for row in rows], given.models)
    labels = np.array(["other" if row["label"] == "oos" else row["label"] for row in rows])
    weights = np.array([1.0] * len(public) + [OWN_WEIGHT] * len(own))
    fold = np.array([int(hashlib.sha256(row["text"].encode()).hexdigest(), 16) % given.folds for row in public])
    usable = np.array([not row["kept_out"] for row in rows])
    judged: list[tuple[bool, float, str]] = []
    tested: list[dict[str, Any]] = []
    for number in range(given.folds):
        out = np.concatenate([fold == number, np.zeros(len(own), dtype=bool)])
        model = fit(matrix[usable & ~out], labels[usable & ~out], weights[usable & ~out])
        part = [row for row, there in zip(rows, out, strict=True) if there]
        judged += measure(f"fold {number + 1}", model, matrix[out], part)
        tested += part
    tasks = [right for (right, _, _), row in zip(judged, tested, strict=True) if row["label"] in TASKS]
    print(f"cross-validated: all {np.mean([j[0] for j in judged]):.4f}, tasks {np.mean(tasks):.4f}")
    for limit in (0.0, 0.7, 0.8, 0.9):
        wrong = sum(not right and said in CHANGES and sure >= limit for right, sure, said in judged)
        print(f"wrong changes per 1000 at {limit}: {1000 * wrong / len(judged):.2f}")
    model = fit(matrix[usable], labels[usable], weights[usable])
    for intent in sorted({row["label"] for row in own}):
        there = np.array([row["kept_out"] and row["label"] == intent for row in rows])
        measure(
            f"kept out, {intent}", model, matrix[there], [row for row, is_it in zip(rows, there, strict=True) if is_it]
        )
    write(model)


def write(model: LogisticRegression) -> None:
    """Write the weights; those of words and letters as eight-bit steps, which changes no probability by a percent."""
    size = model.coef_.shape[1] - BUCKETS - len(CUES)
    words = model.coef_[:, size : size + BUCKETS]
    scale = float(np.abs(words).max()) / 127
    target = Path(__file__).parent.parent / "src" / "averment" / "language" / "intents" / WEIGHTS
    np.savez_compressed(
        target,
        intents=np.array([str(name) for name in model.classes_]),
        bias=model.intercept_.astype(np.float32),
        vector=model.coef_[:, :size].astype(np.float16),
        grams=np.round(words / scale).astype(np.int8),
        grams_scale=np.float32(scale),
        cues=model.coef_[:, size + BUCKETS :].astype(np.float32),
    )
    print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
