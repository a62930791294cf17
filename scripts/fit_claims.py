"""Fits the reader's weights on open question sets and writes them into the package.

    python scripts/fit_claims.py --data DIR [DIR ...] --cache FOLDER [--write]

DIR holds ``cases.jsonl`` and ``gold.jsonl`` with the answer each document states. Figures are cross-validated by
question; ``--write`` fits on all of it and rewrites ``src/averment/language/claims/fitted.json``.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from averment.language.claims.focus import read_focus
from averment.language.claims.pages import TextPage
from averment.language.claims.piles import PileEntry, PileText, group_answers
from averment.language.claims.reader import AnswerCandidate, prepare, rank, silence
from averment.language.claims.vectors import Similarity
from averment.language.embeddings import default_embedder

FOLDS = 5
TARGET = Path(__file__).parents[1] / "src" / "averment" / "language" / "claims" / "fitted.json"
KINDS = ("date", "number", "person", "place", "name", "kind", "definition")


class Kept:
    """An embedder that keeps every vector in a file, since fitting reads the same texts many times."""

    name, dimension = "kept", 384

    def __init__(self, inner: Any, path: Path) -> None:
        self.inner, self.path = inner, path
        self.rows: dict[str, Any] = pickle.loads(path.read_bytes()) if path.exists() else {}

    def embed(self, texts: Any) -> Any:
        """One row for each text."""
        new = [text for text in texts if text not in self.rows]
        if new:
            self.rows.update(zip(new, self.inner.embed(new).astype(np.float16), strict=True))
        return np.stack([self.rows[text] for text in texts]).astype(np.float32)

    def save(self) -> None:
        """Keep the rows."""
        self.path.write_bytes(pickle.dumps(self.rows))


def plain(text: str) -> str:
    """A text as the sets compare it."""
    folded = unicodedata.normalize("NFKD", text).lower().replace(",", "")
    folded = "".join(char for char in folded if unicodedata.category(char) != "Mn")
    return " ".join(word for word in re.findall(r"[^\W_]+", folded) if word not in ("a", "an", "the"))


def says(said: str, truth: str) -> bool:
    """Whether a candidate names the answer and little more."""
    a, b = plain(said), plain(truth)
    return bool(a and b) and (
        a == b or f" {b} " in f" {a} " or (len(a) >= 3 and f" {a} " in f" {b} " and len(a) * 2 >= len(b))
    )


def spellings(gold: dict[str, Any], answer: str | list[str]) -> list[str]:
    """Every accepted spelling of an answer."""
    if isinstance(answer, list):
        return answer
    lists = [truth for truth in gold["answers"] if isinstance(truth, list) and answer in truth]
    return lists[0] if lists else [answer]


Item = tuple[str, str, str, list[AnswerCandidate], list[bool]]


def load(folder: Path, similarity: Similarity) -> list[Item]:
    """Each document with its candidates and which of them are what it states."""
    cases = [json.loads(line) for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]
    golds = {row["id"]: row for row in map(json.loads, (folder / "gold.jsonl").read_text("utf-8").splitlines())}
    items: list[Item] = []
    for case in cases:
        gold = golds[case["id"]]
        focus = read_focus(case["question"])
        for document in case["documents"]:
            page = TextPage.of(document["text"])
            candidates = prepare(focus, page, similarity)
            if document["doc_id"] in gold["evidence"]:
                truths = spellings(gold, gold["evidence"][document["doc_id"]])
            elif document["doc_id"] in gold["misinformation"]:
                truths = list(gold["wrong"])
            else:
                truths = []
            right = [any(says(candidate.text, truth) for truth in truths) for candidate in candidates]
            # A document that states its answer in words the reader does not see teaches nothing, not even silence.
            if any(right) or not truths:
                items.append(
                    (f"{folder.name} {case['id'].split('-')[0]}", document["doc_id"], focus.kind, candidates, right)
                )
    return items


def matrices(items: list[Item], names: dict[str, int]) -> list[tuple[np.ndarray, np.ndarray, int]]:
    """Features and target of each document; the last row is silence."""
    out = []
    for _, _, kind, candidates, right in items:
        rows = [candidate.features for candidate in candidates] + [silence(candidates)]
        matrix = np.zeros((len(rows), 2 * len(names)))
        shift = {k: n for n, k in enumerate(KINDS)}[kind]
        for place, row in enumerate(rows):
            for name, value in row.items():
                matrix[place, names[name]] = value
        target = np.array([*right, not any(right)], float)
        out.append((matrix[:, : len(names)], target, shift))
    return out


def fit(data: list[tuple[np.ndarray, np.ndarray, int]], width: int, l2: float, l2_kind: float) -> np.ndarray:
    """Shared weights and one deviation for each kind, by penalised likelihood."""
    blocks = 1 + len(KINDS)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        w = flat.reshape(blocks, width)
        total, gradient = 0.0, np.zeros_like(w)
        for x, y, kind in data:
            scores = x @ (w[0] + w[1 + kind])
            scores -= scores.max()
            e = np.exp(scores)
            p = e / e.sum()
            good = e * y
            q = good / good.sum()
            total -= np.log(max(good.sum() / e.sum(), 1e-12))
            g = x.T @ (p - q)
            gradient[0] += g
            gradient[1 + kind] += g
        total += l2 * (w[0] ** 2).sum() + l2_kind * (w[1:] ** 2).sum()
        gradient[0] += 2 * l2 * w[0]
        gradient[1:] += 2 * l2_kind * w[1:]
        return total, gradient.ravel()

    found = minimize(loss, np.zeros(blocks * width), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return found.x.reshape(blocks, width)


Row = tuple[dict[str, Any], list[PileEntry], list[PileText]]


def named(w: np.ndarray, names: dict[str, int]) -> dict[str, float]:
    """A fitted matrix as weights by feature."""
    table = {name: round(float(w[0][n]), 3) for name, n in names.items()}
    for k, kind in enumerate(KINDS):
        table |= {f"{kind}: {name}": round(float(w[1 + k][n]), 3) for name, n in names.items()}
    return {name: weight for name, weight in table.items() if abs(weight) >= 0.005}


def same(said: str, truth: str | list[str]) -> bool:
    """Whether an answer names a truth, in any accepted spelling."""
    if isinstance(truth, list):
        return any(same(said, one) for one in truth)
    a, b = plain(said), plain(truth)
    return bool(a and b) and (a == b or f" {b} " in f" {a} " or (len(a) >= 3 and f" {a} " in f" {b} "))


def logistic(x: np.ndarray, y: np.ndarray, l2: float) -> np.ndarray:
    """Weights of a penalised logistic regression; the last column is constant."""

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        p = 1 / (1 + np.exp(-x @ w))
        gain = y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9)
        return float(-gain.sum() + l2 * (w[:-1] ** 2).sum()), x.T @ (p - y) + 2 * l2 * np.r_[w[:-1], 0]

    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x


def fit_entries(rows: list[Row], l2: float = 3.0) -> dict[str, dict[str, float]]:
    """The chances that an answer of a pile is stated, right, or planted."""
    names = sorted({feature for _, entries, _ in rows for entry in entries for feature in entry.features})
    x = np.array([[entry.features.get(name, 0.0) for name in names] for _, entries, _ in rows for entry in entries])
    middle, spread = x.mean(0), x.std(0) + 1e-6
    z = np.c_[(x - middle) / spread, np.ones(len(x))]
    labels: dict[str, list[float]] = {"stated": [], "right": [], "misled": []}
    known = []
    for gold, entries, _ in rows:
        for entry in entries:
            right = any(same(entry.wording, truth) for truth in gold["answers"])
            wrong = any(f" {plain(w)} " in f" {plain(entry.wording)} " for w in gold["wrong"])
            labels["stated"].append(float(right or wrong or any(same(entry.wording, w) for w in gold["wrong"])))
            labels["right"].append(float(right and not wrong))
            labels["misled"].append(float(wrong))
            known.append(gold["category"] not in ("agree", "disagree"))
    out: dict[str, dict[str, float]] = {}
    for name, values in labels.items():
        keep = np.ones(len(z), bool) if name == "stated" else np.array(known)
        w = logistic(z[keep], np.array(values)[keep], l2)
        table = {feature: round(float(w[n] / spread[n]), 4) for n, feature in enumerate(names)}
        table["bias"] = round(float(w[-1] - (w[:-1] * middle / spread).sum()), 4)
        out[name] = {feature: weight for feature, weight in table.items() if weight}
    return out


def gathered(folders: list[Path], weights_of: Any, similarity: Similarity) -> list[Row]:
    """Every pile's entries, each question read with weights that never saw it."""
    rows = []
    for folder in folders:
        golds = {row["id"]: row for row in map(json.loads, (folder / "gold.jsonl").read_text("utf-8").splitlines())}
        for case in map(json.loads, (folder / "cases.jsonl").read_text("utf-8").splitlines()):
            focus = read_focus(case["question"])
            weights = weights_of(f"{folder.name} {case['id'].split('-')[0]}")
            pages = [TextPage.of(document["text"]) for document in case["documents"]]
            pile = [
                PileText(page, tuple(rank(focus, prepare(focus, page, similarity), weights)), str(n))
                for n, page in enumerate(pages)
            ]
            rows.append((golds[case["id"]], group_answers(focus, pile), pile))
    return rows


def main() -> None:
    """Cross-validate the reader, then write every table of weights when asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, nargs="+")
    parser.add_argument("--cache", type=Path, required=True, help="a folder for vectors and features")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--l2", type=float, default=2.0)
    parser.add_argument("--l2-kind", type=float, default=6.0)
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    kept = Kept(default_embedder(args.cache), args.cache / "vectors.pkl")
    similarity = Similarity(kept)
    items = [item for folder in args.data for item in load(folder, similarity)]
    kept.save()
    features = {feature for *_, candidates, _ in items for one in candidates for feature in one.features}
    names = {name: n for n, name in enumerate(sorted(features | set(silence([]))))}
    data = matrices(items, names)
    fold_of = {question: n % FOLDS for n, question in enumerate(sorted({item[0] for item in items}))}
    tables = []
    for fold in range(FOLDS):
        seen = [d for d, item in zip(data, items, strict=True) if fold_of[item[0]] != fold]
        tables.append(fit(seen, len(names), args.l2, args.l2_kind))
    report(items, data, fold_of, tables)
    rows = gathered(args.data, lambda question: named(tables[fold_of.get(question, 0)], names), similarity)
    kept.save()
    (args.cache / "entries.pkl").write_bytes(pickle.dumps(rows))
    if args.write:
        whole = {"reader": named(fit(data, len(names), args.l2, args.l2_kind), names), **fit_entries(rows)}
        TARGET.write_text("{\n" + ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in whole.items()) + "\n}\n", "utf-8")


def report(items: list[Item], data: Any, fold_of: dict[str, int], tables: list[np.ndarray]) -> None:
    """How often the reader is right on questions it was not fitted on."""
    tally: dict[tuple[str, str], list[float]] = {}
    for (x, y, kind), item in zip(data, items, strict=True):
        w = tables[fold_of[item[0]]]
        scores = x @ (w[0] + w[1 + kind])
        for key in (KINDS[kind], "all"):
            if any(item[4]):
                tally.setdefault((key, "best right"), []).append(float(y[int(scores[:-1].argmax())]))
                tally.setdefault((key, "said right"), []).append(float(y[int(scores.argmax())]))
            else:
                tally.setdefault((key, "silent right"), []).append(float(int(scores.argmax()) == len(scores) - 1))
    for key in (*KINDS, "all"):
        print(key, {name: (round(float(np.mean(v)), 3), len(v)) for (k, name), v in tally.items() if k == key})


if __name__ == "__main__":
    main()
