"""Fitting the reader of a question and a sentence together, measured on articles it was not fitted on.

    python scripts/fit_document_reader.py prepare --squad dev-v2.0.json --pages DIR --kept DIR
    python scripts/fit_document_reader.py fit --kept DIR [--epochs N]
    python scripts/fit_document_reader.py write --kept DIR

``prepare`` collects windows and their token states; ``fit`` needs torch (a CPU does it in minutes) and leaves out every
article whose name's SHA-256 begins with a byte that four divides; ``write`` puts the net into the package with the
manifest of what it was fitted on and what it reached.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SEED = 1
RATE, BATCH, SPANS = 1e-3, 24, 0.4


def main() -> int:
    """One stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("prepare", "fit", "write"))
    parser.add_argument("--kept", type=Path, required=True, help="where what was collected is kept between the stages")
    parser.add_argument("--squad", type=Path, help="a file in the form of SQuAD 2.0")
    parser.add_argument("--pages", type=Path, help="a folder in the form of RAMDocs")
    parser.add_argument("--start", type=Path, help="go on from these weights")
    parser.add_argument("--epochs", type=int, default=6)
    chosen = parser.parse_args()
    {"prepare": prepare, "fit": fit, "write": write}[chosen.stage](chosen)
    return 0


def prepare(chosen: argparse.Namespace) -> None:
    """The windows, and the states of their tokens."""
    from answer_fitting.collect import HAND
    from reader_fitting.collect import from_pages, from_squad, sizes

    from averment.corpus.answering.windows import Tokens
    from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir

    tokens = Tokens(model_dir())
    sets = {"squad": from_squad(chosen.squad, tokens, HAND), "pages": from_pages(chosen.pages, tokens)}
    listed = [one for each in sets.values() for one in each]
    embedder = MiniLmEmbedder(chosen.kept)
    where: dict[tuple[int, ...], tuple[int, int]] = {}
    parts: list[Any] = []
    at = 0
    for ids in (ids for one in listed for ids in (one.asked, *(window.ids for window in one.windows))):
        if tuple(ids) not in where:
            parts.append(embedder.states(ids).astype(np.float16))
            where[tuple(ids)] = (at, len(ids))
            at += len(ids)
    np.save(chosen.kept / "states.npy", np.concatenate(parts))
    rows = [
        {
            "group": one.group,
            "asked": (*where[tuple(one.asked)], one.asked),
            "windows": [
                (*where[tuple(window.ids)], window.ids, window.first, len(window.offsets), right, span)
                for window, right, span in zip(one.windows, one.right, one.spans, strict=True)
            ],
        }
        for one in listed
    ]
    (chosen.kept / "rows.pickle").write_bytes(pickle.dumps(rows))
    sources = {
        "squad": hashlib.sha256(chosen.squad.read_bytes()).hexdigest(),
        "pages": hashlib.sha256((chosen.pages / "cases.jsonl").read_bytes()).hexdigest(),
    }
    manifest = {name: {"sha256": sources[name], **sizes(each)} for name, each in sets.items()}
    (chosen.kept / "manifest.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and a window."""

    q: np.ndarray
    w: np.ndarray
    own: np.ndarray
    right: bool
    span: tuple[int, int]


def main_directions(states: Any) -> np.ndarray:
    """The directions in which the states of tokens differ most."""
    from reader_fitting.model import STATE

    sample = states[:: max(1, len(states) // 40_000)].astype(np.float64)
    _, vectors = np.linalg.eigh(sample.T @ sample)
    return np.ascontiguousarray(vectors[:, ::-1][:, :STATE].astype(np.float16).astype(np.float32))


def nearness(asked: Any, window: Any, equal: Any, own: Any) -> tuple[Any, Any]:
    """How near the tokens of a question and of a window are, as the product computes it."""
    near = _unit(asked) @ _unit(window).T
    match = equal.astype(np.float32)
    near_q = np.stack([near.max(1), near[:, own].max(1), match[:, own].max(1)], 1)
    return near_q, np.stack([near.max(0), match.max(0), own.astype(np.float32)], 1)


def _unit(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)


def fit(chosen: argparse.Namespace) -> None:
    """The net, and what it reaches on articles it has not seen."""
    import torch
    from answer_fitting.left_out import is_left_out
    from reader_fitting.model import Reader, missed
    from safetensors.torch import load_file, save_file

    torch.manual_seed(SEED)
    rows = pickle.loads((chosen.kept / "rows.pickle").read_bytes())  # our own file of the stage before
    states = np.load(chosen.kept / "states.npy", mmap_mode="r")
    turn = main_directions(states)
    inside = pairs_of([one for one in rows if not is_left_out(one["group"])], states, turn)
    outside = pairs_of([one for one in rows if is_left_out(one["group"])], states, turn)
    order = np.random.default_rng(SEED)
    net = Reader()
    if chosen.start is not None:
        loaded = load_file(chosen.start)
        net.load_state_dict({name: value.float() for name, value in loaded.items() if name != "turn"})
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.02)
    steps = chosen.epochs * -(-len(inside) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / (0.08 * steps)) * max(0.0, 1 - step / steps)
    )
    began = time.perf_counter()
    for epoch in range(chosen.epochs):
        net.train()
        total = 0.0
        shuffled = order.permutation(len(inside))
        for start in range(0, len(shuffled), BATCH):
            part = [inside[n] for n in shuffled[start : start + BATCH]]
            made = batch_of(part)
            scores, ends = net(made)
            loss = missed(scores.float(), made["group"], made["right"])
            use = made["right"] & (made["spans"][:, 1] > 0)
            if use.any():
                logits = ends[use].float().masked_fill(~made["own"][use].unsqueeze(-1), -1e9).transpose(1, 2)
                target = made["spans"][use]
                loss = loss + SPANS * torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten())
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach()) * len(part)
        reached = measure(net, outside)
        print(epoch, round(total / len(inside), 4), reached, round(time.perf_counter() - began), flush=True)
        kept = net.state_dict() | {"turn": torch.from_numpy(turn)}
        save_file({name: value.half().contiguous() for name, value in kept.items()}, chosen.kept / "reader.safetensors")
        (chosen.kept / "reached.json").write_text(json.dumps(reached))


def pairs_of(rows: list[dict[str, Any]], states: Any, turn: np.ndarray) -> list[list[Pair]]:
    """Each question with its windows: turned states, and how near the tokens of both are."""
    found: list[list[Pair]] = []
    for one in rows:
        start, long, ids = one["asked"]
        asked = states[start : start + long].astype(np.float32)
        listed: list[Pair] = []
        for at, size, tokens, first, many, right, span in one["windows"]:
            window = states[at : at + size].astype(np.float32)
            own = np.zeros(size, bool)
            own[first : first + many] = True
            equal = np.array(ids)[:, None] == np.array(tokens)[None, :]
            near_q, near_w = nearness(asked, window, equal, own)
            q, w = np.hstack([asked @ turn, near_q]), np.hstack([window @ turn, near_w])
            listed.append(Pair(q.astype(np.float16), w.astype(np.float16), own, right, span))
        found.append(listed)
    return found


def batch_of(part: list[list[Pair]]) -> dict[str, Any]:
    """Some questions with their windows as tensors."""
    import torch

    pairs = [(n, pair) for n, one in enumerate(part) for pair in one]
    long_q, long_w = max(len(pair.q) for _, pair in pairs), max(len(pair.w) for _, pair in pairs)
    width = pairs[0][1].q.shape[1]
    q, w = np.zeros((len(pairs), long_q, width), np.float32), np.zeros((len(pairs), long_w, width), np.float32)
    q_mask, w_mask = np.zeros((len(pairs), long_q), bool), np.zeros((len(pairs), long_w), bool)
    own = np.zeros((len(pairs), long_w), bool)
    for row, (_, pair) in enumerate(pairs):
        q[row, : len(pair.q)], q_mask[row, : len(pair.q)] = pair.q, True
        w[row, : len(pair.w)], w_mask[row, : len(pair.w)] = pair.w, True
        own[row, : len(pair.w)] = pair.own
    made = {"q": q, "w": w, "q_mask": q_mask, "w_mask": w_mask, "own": own}
    return {name: torch.from_numpy(value) for name, value in made.items()} | {
        "group": torch.tensor([n for n, _ in pairs]),
        "right": torch.tensor([pair.right for _, pair in pairs]),
        "spans": torch.tensor([pair.span for _, pair in pairs]),
    }


def measure(net: Any, rows: list[list[Pair]]) -> dict[str, float]:
    """How often the first sentence is right, how well its score tells right ones from all others, and the words."""
    import torch

    net.eval()
    best: list[tuple[float, bool]] = []
    answerable, first, words = 0, 0, 0
    for start in range(0, len(rows), 64):
        part = rows[start : start + 64]
        with torch.no_grad():
            made = batch_of(part)
            scores, ends = net(made)
        at = 0
        for one in part:
            many = len(one)
            mine = scores[at : at + many].numpy()
            top = int(mine.argmax())
            right = bool(one[top].right)
            best.append((float(mine[top]), right))
            if any(pair.right for pair in one):
                answerable += 1
                first += right
                if right:
                    inside = ends[at + top].masked_fill(~made["own"][at + top].unsqueeze(-1), -1e9)
                    words += int(inside[:, 0].argmax()) == one[top].span[0]
            at += many
    best.sort(reverse=True)
    good = bad = below = 0
    for _, right in best:
        good, bad, below = (good + 1, bad, below) if right else (good, bad + 1, below + good)
    reached = {"questions": len(best), "first": first / answerable, "begins": words / max(1, first)}
    reached["auc"] = below / max(1, good * bad)
    for share in (0.1, 0.2, 0.3):
        told = best[: int(share * len(best))]
        reached[f"right of the surest {share:.0%}"] = sum(right for _, right in told) / len(told)
    return {name: round(value, 4) for name, value in reached.items()}


def write(chosen: argparse.Namespace) -> None:
    """The net into the package."""
    place = Path(__file__).parents[1] / "src/averment/corpus/answering"
    data = (chosen.kept / "reader.safetensors").read_bytes()
    (place / "reader.safetensors").write_bytes(data)
    manifest = json.loads((chosen.kept / "manifest.json").read_text())
    manifest |= {"script": "scripts/fit_document_reader.py", "seed": SEED, "sha256": hashlib.sha256(data).hexdigest()}
    manifest["reached"] = json.loads((chosen.kept / "reached.json").read_text())
    (place / "reader.json").write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
