"""Fit the assistant's intent classifier and write its weights.

    python scripts/fit_intents.py --data DIR [--folds 5] [--by-source] [--measure]

DIR holds ``cases.jsonl`` and ``gold.jsonl`` of the public intent set (CLINC150, CC BY 3.0, and HWU64, CC BY 4.0, with
sentences of our own). ``scripts/intents/*.txt`` are more of our own, one intent a file; every second line is kept out
of the training and only measured on. ``scripts/intents/training/*.txt`` are for training alone; one that comes near to
a sentence that is kept out is refused. There ``{a|b} c`` stands for "a c" and "b c", and what follows an underscore in
a file's name is no part of its intent.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from averment.agents.assistant.dialogue import Dialogue, ShownItem
from averment.agents.assistant.listening import Listening
from averment.agents.assistant.understand import ParsedMessage, understand
from averment.language.embeddings import default_embedder
from averment.language.intents.classify import (
    BUCKETS,
    CUES,
    WEIGHTS,
    count_grams,
    cues,
    fitted_weights,
    measure_rarity,
    score_grams,
)
from averment.records.base import utc_now

OWN_WEIGHT = 4.0
STRENGTH = 6.0
HIDDEN = 64
SEEDS = (0, 1)
"""The models with a hidden layer begin at these; their mean is steadier than each."""
LINEAR_SHARE = 0.2
"""How much of what is said is the linear model's; chosen by cross-validation."""
REPEATS = 6
"""How often our own sentences are seen more than the public ones by the model with a hidden layer."""
VARIANTS = 16
"""How many sentences of a pattern are used at most."""
NEAR = 0.75
RUN = 4
NAMES = {"undo": "cancel"}
"""What the public set calls an intent that it does not tell apart."""
TASKS = ("create", "list", "update", "complete", "delete")
CHANGES = ("create", "update", "complete", "delete")
ACTS = {
    "add_task": "create",
    "update_task": "update",
    "reopen_task": "update",
    "complete_task": "complete",
    "delete_task": "delete",
}
LIST = ("buy milk", "call John", "review budget doc", "book dentist")
"""Tasks that are there while the policy is tried."""


def read_public(folder: Path) -> list[dict[str, Any]]:
    """The public sentences with their accepted intents."""
    cases = {row["id"]: row for row in map(json.loads, (folder / "cases.jsonl").read_text().splitlines())}
    gold = map(json.loads, (folder / "gold.jsonl").read_text().splitlines())
    return [
        {
            "text": cases[row["id"]]["text"],
            "accept": row["accept"],
            "label": row["label"],
            "source": str(row["source"]).split("_")[0],
            "kept_out": False,
        }
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


def read_training() -> list[dict[str, Any]]:
    """Our own sentences that are for training alone."""
    rows: list[dict[str, Any]] = []
    for path in sorted((Path(__file__).parent / "intents" / "training").glob("*.txt")):
        label = path.stem.partition("_")[0]
        for line in filter(None, map(str.strip, path.read_text().splitlines())):
            rows += [
                {"text": text, "accept": [label], "label": label, "kept_out": False, "pattern": "{" in line}
                for text in variants(line)
            ]
    return rows


def variants(line: str) -> list[str]:
    """The sentences of a pattern: ``{a|b} c`` is "a c" and "b c"; of many, a few chosen by their hash."""
    parts = [part.split("|") for part in re.split(r"[{}]", line)]
    if len(parts) == 1:
        return [line]
    every = {" ".join("".join(choice).split()).replace(" ,", ",") for choice in itertools.product(*parts)}
    return sorted(every, key=lambda text: hashlib.sha256(text.encode()).hexdigest())[:VARIANTS]


def runs_of(text: str) -> set[tuple[str, ...]]:
    """The runs of four words in a sentence."""
    words = re.findall(r"[a-z0-9']+", text.casefold())
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def refuse_near(rows: list[dict[str, Any]], vectors: Any, training: int) -> None:
    """Stop when one of the last sentences says nearly what one says that is kept out."""
    out = [at for at, row in enumerate(rows) if row["kept_out"]]
    known = [runs_of(rows[at]["text"]) for at in out]
    labels_out = {rows[at]["label"] for at in out}
    for at in range(len(rows) - training, len(rows)):
        if rows[at]["pattern"] and rows[at]["label"] not in labels_out:
            continue
        alike = float((vectors[at] @ vectors[out].T).max())
        shared = max(len(runs_of(rows[at]["text"]) & runs) for runs in known)
        if alike >= NEAR or shared > 1:
            raise SystemExit(f"too near to what is kept out: {rows[at]['text']}")


def features(texts: list[str], rarity: list[float], vectors: Any) -> Any:
    """Every sentence as one sparse row: vector, words and letters, signs."""
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        for bucket, weight in score_grams(count_grams(text), rarity).items():
            rows.append(row)
            columns.append(bucket)
            values.append(weight)
    words = sp.csr_matrix((values, (rows, columns)), shape=(len(texts), BUCKETS))
    signs = sp.csr_matrix([[float(name in seen) for name in CUES] for seen in map(cues, texts)])
    return sp.hstack([sp.csr_matrix(vectors), words, signs]).tocsr()


class Few:
    """The linear model and those with a hidden layer; a weighed mean of all is what they say."""

    def __init__(self, matrix: Any, labels: Any, weights: Any) -> None:
        self.linear = LogisticRegression(C=STRENGTH, max_iter=2000, tol=1e-3)
        self.linear.fit(matrix, labels, sample_weight=weights)
        again = np.concatenate([np.arange(len(labels)), *[np.flatnonzero(weights > 1.0)] * REPEATS])
        self.hidden = [
            MLPClassifier(
                (HIDDEN,), alpha=1e-2, batch_size=128, learning_rate_init=2e-3, max_iter=8, random_state=seed
            ).fit(matrix[again], labels[again])
            for seed in SEEDS
        ]

    def shares(self, matrix: Any) -> Any:
        """The probabilities of the intents, in the order of the linear model's classes."""
        sharper = sum(model.predict_proba(matrix) for model in self.hidden) / len(self.hidden)
        return LINEAR_SHARE * self.linear.predict_proba(matrix) + (1 - LINEAR_SHARE) * sharper


def measure(name: str, model: Few, matrix: Any, rows: list[dict[str, Any]]) -> list[tuple[bool, float, str]]:
    """Print how many are right, and return each judgement."""
    shares = model.shares(matrix)
    named = model.linear.classes_[shares.argmax(1)]
    judged = [
        (bool({str(said), NAMES.get(str(said), "")} & {*row["accept"]}), float(sure), str(said))
        for said, sure, row in zip(named, shares.max(1), rows, strict=True)
    ]
    print(f"{name}: {np.mean([right for right, _, _ in judged]):.4f} of {len(rows)}", flush=True)
    return judged


def cross_validate(rows: list[dict[str, Any]], public: int, matrix: Any, labels: Any, weights: Any, folds: int) -> None:
    """Print how well the public sentences are told by models that have not seen them."""
    usable = np.array([not row["kept_out"] for row in rows])
    digests = [int(hashlib.sha256(row["text"].encode()).hexdigest(), 16) for row in rows[:public]]
    fold = np.array([digest % folds for digest in digests] + [-1] * (len(rows) - public))
    judged: list[tuple[bool, float, str]] = []
    tested: list[dict[str, Any]] = []
    for number in range(folds):
        train, out = usable & (fold != number), fold == number
        part = [row for row, there in zip(rows, out, strict=True) if there]
        judged += measure(f"fold {number + 1}", Few(matrix[train], labels[train], weights[train]), matrix[out], part)
        tested += part
    both = list(zip(judged, tested, strict=True))
    tasks = [right for (right, _, _), row in both if row["label"] in TASKS]
    outside = [said == "other" for (_, _, said), row in both if row["label"] == "oos"]
    print(
        f"cross-validated: all {np.mean([j[0] for j in judged]):.4f}, tasks {np.mean(tasks):.4f}, "
        f"out of scope to other {np.mean(outside):.4f}"
    )
    for limit in (0.0, 0.7, 0.8, 0.9):
        wrong = sum(not right and said in CHANGES and sure >= limit for right, sure, said in judged)
        print(f"wrong changes per 1000 at {limit}: {1000 * wrong / len(judged):.2f}", flush=True)


def leave_sources_out(rows: list[dict[str, Any]], public: int, matrix: Any, labels: Any, weights: Any) -> None:
    """Print how well each source is told by models that have seen nothing of it, and what the policy lets happen."""
    usable = np.array([not row["kept_out"] for row in rows])
    sources = np.array([row.get("source", "") for row in rows])
    said = np.array([" ".join(re.findall(r"[a-z0-9']+", row["text"].casefold())) for row in rows])
    judged: list[tuple[bool, float, str]] = []
    tested: list[dict[str, Any]] = []
    for source in sorted(set(sources[:public])):
        out = (sources == source) & (np.arange(len(rows)) < public)
        train = usable & ~out & ~np.isin(said, said[out])
        part = [row for row, there in zip(rows, out, strict=True) if there]
        judged += measure(f"without {source}", Few(matrix[train], labels[train], weights[train]), matrix[out], part)
        tested += part
    print(f"a whole source left out: {np.mean([right for right, _, _ in judged]):.4f} of {len(judged)}")
    for limit in (0.0, 0.5, 0.7, 0.9, 0.97):
        wrong = sum(not right and said in CHANGES and sure >= limit for right, sure, said in judged)
        print(f"  wrong changes per 1000 if the classifier might act at {limit}: {1000 * wrong / len(judged):.2f}")
    for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.97), (0.97, 1.01)):
        part = [right for right, sure, _ in judged if low <= sure < high]
        if part:
            print(f"  sure from {low} to {min(high, 1.0)}: {np.mean(part):.3f} right of {len(part)}")
    wrong = sum(
        changes(row["text"], said, sure, row["accept"]) for (_, sure, said), row in zip(judged, tested, strict=True)
    )
    print(f"  wrong changes per 1000 at the policy: {1000 * wrong / len(judged):.2f} ({wrong})", flush=True)


def changes(text: str, intent: str, sure: float, accept: list[str]) -> bool:
    """Whether the assistant, hearing that, would change something at once that nobody asked for."""
    listed = tuple(ShownItem(at, 1, title) for at, title in enumerate(LIST, start=1))
    heard = ParsedMessage(intent, sure, text)
    listening = Listening(
        dialogue=Dialogue(), tasks=lambda: listed, understand=lambda _: heard, undoable=list, now=utc_now()
    )
    decision = listening.think(text, None).decision
    if decision.kind != "call":
        return False
    return any(ACTS.get(str(call["tool"]), "") not in {*accept, ""} for call in decision.calls)


def main() -> None:
    """Fit on all but what is kept out, write the weights, and cross-validate."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--models", type=Path, default=Path(".averment/cache/models"))
    options.add_argument("--folds", type=int, default=5, help="0 leaves the cross-validation out.")
    options.add_argument("--by-source", action="store_true", help="Leave each whole source out as well.")
    options.add_argument("--measure", action="store_true", help="Measure alone; nothing is fitted to be kept.")
    given = options.parse_args()
    public, training = read_public(given.data), read_training()
    rows = public + read_own() + training
    texts = [row["text"] for row in rows]
    embedder = default_embedder(given.models)
    vectors = np.vstack([embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)])
    refuse_near(rows, vectors, len(training))
    rarity = measure_rarity([count_grams(row["text"]) for row in public])
    matrix = features(texts, rarity, vectors)
    labels = np.array(["other" if row["label"] == "oos" else row["label"] for row in rows])
    own = np.arange(len(rows)) >= len(public)
    weights = np.where(own & ~np.array([bool(row.get("pattern")) for row in rows]), OWN_WEIGHT, 1.0)
    usable = np.array([not row["kept_out"] for row in rows])
    if given.measure:
        leave_sources_out(rows, len(public), matrix, labels, weights)
        return
    model = Few(matrix[usable], labels[usable], weights[usable])
    for intent in sorted({row["label"] for row in rows if row["kept_out"]}):
        there = np.array([row["kept_out"] and row["label"] == intent for row in rows])
        kept_out = [row for row, is_it in zip(rows, there, strict=True) if is_it]
        measure(f"kept out, {intent}", model, matrix[there], kept_out)
    write(model, rarity)
    fitted_weights.cache_clear()
    for intent in sorted({row["label"] for row in rows if row["kept_out"]}):
        heard = [understand(row["text"], embedder).intent for row in rows if row["kept_out"] and row["label"] == intent]
        print(f"kept out, {intent}, as the assistant understands: {np.mean([said == intent for said in heard]):.4f}")
    if given.by_source:
        leave_sources_out(rows, len(public), matrix, labels, weights)
    if given.folds:
        cross_validate(rows, len(public), matrix, labels, weights, given.folds)


def write(model: Few, rarity: list[float]) -> None:
    """Write the weights; those of words and letters as eight-bit steps, which changes no probability by a percent."""
    linear, hidden = model.linear, model.hidden
    assert all(list(linear.classes_) == list(one.classes_) for one in hidden)
    parts: dict[str, Any] = {
        "intents": np.array([str(name) for name in linear.classes_]),
        "rarity": np.array(rarity, dtype=np.float32),
        "linear_share": np.float32(LINEAR_SHARE),
        "out": np.stack([one.coefs_[1] for one in hidden]).astype(np.float32),
        "out_bias": np.stack([one.intercepts_[1] for one in hidden]).astype(np.float32),
    }
    for name, table, bias in (
        ("linear", linear.coef_.T, linear.intercept_),
        (
            "hidden",
            np.concatenate([one.coefs_[0] for one in hidden], axis=1),
            np.concatenate([one.intercepts_[0] for one in hidden]),
        ),
    ):
        size = table.shape[0] - BUCKETS - len(CUES)
        words = table[size : size + BUCKETS]
        scale = float(np.abs(words).max()) / 127
        parts[f"{name}_bias"] = bias.astype(np.float32)
        parts[f"{name}_vector"] = table[:size].astype(np.float16)
        parts[f"{name}_grams"] = np.round(words / scale).astype(np.int8)
        parts[f"{name}_grams_scale"] = np.float32(scale)
        parts[f"{name}_cues"] = table[size + BUCKETS :].astype(np.float32)
    target = Path(__file__).parent.parent / "src" / "averment" / "language" / "intents" / WEIGHTS
    np.savez_compressed(target, **parts)
    print(f"{target.name}: {target.stat().st_size} bytes", flush=True)


if __name__ == "__main__":
    main()
