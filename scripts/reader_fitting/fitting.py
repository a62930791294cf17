"""One fit of the reader, and what it reaches where it was not fitted; needs torch and safetensors alone."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from answer_fitting.left_out import FOLDER, is_left_out
from safetensors.torch import load_file, save

from reader_fitting.model import Reader, missed

BATCH, SORTED, SPANS, REPEATED = 32, 8, 0.3, 3
"""Questions in a step, steps that are sorted together, what the answering words weigh, and how often a question over a
folder is shown in an epoch."""
KNOWN = ("cmake", "docs")
Row = dict[str, Any]


def rows_of(kept: Path) -> list[Row]:
    """All questions that were prepared."""
    rows: list[Row] = []
    for path in sorted(kept.glob("rows*.json.gz")):
        with gzip.open(path, "rt") as file:
            rows += json.load(file)
    return rows


def fit_net(
    kept: Path,
    rows: Sequence[Row],
    without: frozenset[str],
    *,
    rank: int,
    epochs: int,
    rate: float,
    seed: int,
    repeated: int = REPEATED,
    start: Path | None = None,
    said: Callable[[str], None] = print,
) -> tuple[dict[str, Any], bytes]:
    """The figures of a fit and the net as it is packed; the groups of ``without`` are left out and measured.

    A fit may begin with what an earlier one gave (``start``), so that folders which are no longer at hand still count.
    """
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = load_file(str(kept / "base.safetensors"))
    base["embeddings.word_embeddings.weight"] = base.pop("words").float() * base.pop("word_scales")
    net = Reader(base, rank)
    if start is not None:
        net.begin_with(load_file(str(start)))
    net = net.to_device(device)
    inside: list[Row] = []
    outside: dict[str, list[Row]] = {}
    for one in rows:
        group = one["group"]
        if group in without:
            outside.setdefault(group, []).append(one)
        elif is_left_out(group):
            outside.setdefault(group if group in KNOWN else "squad", []).append(one)
        else:
            inside += [one] * (repeated if group.startswith(FOLDER) else 1)
    order = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01)
    steps = epochs * -(-len(inside) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, (step + 1) / (0.06 * steps)) * max(0.0, 1 - step / steps)
    )
    began = time.perf_counter()
    for epoch in range(epochs):
        net.train()
        total: Any = 0.0
        for part in _batches(inside, order):
            loss = _loss(net, batch_of(part, device), device)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total = total + loss.detach()
        spent = time.perf_counter() - began
        said(f"pass {epoch + 1} of {epochs}: {float(total) * BATCH / len(inside):.4f}, {spent:.0f} s")
    reached: dict[str, Any] = {name: measure(net, each, device) for name, each in sorted(outside.items())}
    reached["settings"] = {
        "epochs": epochs, "rank": rank, "rate": rate, "repeated": repeated, "without": sorted(without),
        "start_sha256": hashlib.sha256(start.read_bytes()).hexdigest() if start is not None else None,
    }  # fmt: skip
    return reached, save(net.kept())


def _batches(inside: Sequence[Row], order: np.random.Generator) -> list[list[Row]]:
    """All questions in steps of like length, so that little is filled up; which ones meet, and when, is by chance."""
    shuffled = order.permutation(len(inside))
    steps: list[list[Row]] = []
    for start in range(0, len(shuffled), BATCH * SORTED):
        part = [inside[n] for n in shuffled[start : start + BATCH * SORTED]]
        part.sort(key=lambda one: len(one["asked"]) + max(len(window[0]) for window in one["windows"]))
        steps += [part[n : n + BATCH] for n in range(0, len(part), BATCH)]
    return [steps[n] for n in order.permutation(len(steps))]


def _loss(net: Reader, made: dict[str, Any], device: str) -> torch.Tensor:
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        scores, ends = net(made["ids"], made["marks"], made["mask"])
    loss = missed(scores.float(), made["group"], made["right"])
    use = made["right"] & (made["spans"][:, 1] > 0)
    if use.any():
        logits = ends[use].float().transpose(1, 2)
        loss = loss + SPANS * torch.nn.functional.cross_entropy(logits.flatten(0, 1), made["spans"][use].flatten())
    return loss


def batch_of(part: Sequence[Row], device: str) -> dict[str, Any]:
    """Some questions with their windows as tensors."""
    pairs = [(n, one["asked"], window) for n, one in enumerate(part) for window in one["windows"]]
    long = max(len(asked) + len(window[0]) - 1 for _, asked, window in pairs)
    ids, marks = np.zeros((len(pairs), long), np.int64), np.zeros((len(pairs), long), np.int64)
    mask = np.zeros((len(pairs), long), bool)
    spans = np.zeros((len(pairs), 2), np.int64)
    for row, (_, asked, (window, first, many, _, span)) in enumerate(pairs):
        whole = [*asked, *window[1:]]
        ids[row, : len(whole)], mask[row, : len(whole)] = whole, True
        start = len(asked) + first - 1
        marks[row, len(asked) : len(whole)], marks[row, start : start + many] = 1, 2
        if span[1] > 0:
            spans[row] = span[0] + len(asked) - 1, span[1] + len(asked) - 1
    made = {"ids": ids, "marks": marks, "mask": mask, "spans": spans}
    found = {name: torch.from_numpy(value).to(device) for name, value in made.items()}
    found["group"] = torch.tensor([n for n, _, _ in pairs], device=device)
    found["right"] = torch.tensor([bool(window[3]) for _, _, window in pairs], device=device)
    return found


def measure(net: Any, rows: Sequence[Row], device: str) -> dict[str, float]:
    """How often the first sentence is right, and how well its score tells right ones from all others."""
    net.eval()
    best: list[tuple[float, bool]] = []
    answerable = first = 0
    for start in range(0, len(rows), 64):
        part = rows[start : start + 64]
        with torch.no_grad():
            made = batch_of(part, device)
            scores = net(made["ids"], made["marks"], made["mask"])[0].float().cpu().numpy()
        at = 0
        for one in part:
            mine = scores[at : at + len(one["windows"])]
            at += len(mine)
            right = bool(one["windows"][int(mine.argmax())][3])
            best.append((float(mine.max()), right))
            if any(window[3] for window in one["windows"]):
                answerable, first = answerable + 1, first + right
    best.sort(reverse=True)
    good = bad = below = 0
    for _, right in best:
        good, bad, below = (good + 1, bad, below) if right else (good, bad + 1, below + good)
    # Of pairs of a right and a wrong first sentence, those in which the right one scores higher.
    reached = {"questions": len(best), "first": first / max(1, answerable), "auc": below / max(1, good * bad)}
    for share in (0.1, 0.2, 0.3):
        told = best[: max(1, int(share * len(best)))]
        reached[f"right of the surest {share:.0%}"] = sum(right for _, right in told) / len(told)
    return {name: round(value, 4) for name, value in reached.items()}
