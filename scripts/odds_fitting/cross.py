"""The cross-reader's fit: the sentence model learns to weigh a reading's read-back beside its question.

    python scripts/odds_fitting/cross.py --pack DIR --out DIR [--without 0,1 …] [--at-once N] [--recipe JSON]

``--pack`` is a folder made by ``odds_fitting.pack``; nothing of the product is needed, so that it can be fitted on a
machine that has torch and a graphics card. Each ``--without`` names folds to leave out; of these the scores are kept
(``scores.npz``), and the weights of the fit that leaves out none (``all``) are what ships.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parents[1]))
from thin_model import Reader, taken, without_base

QUESTION_TOKENS, TEXT_TOKENS = 48, 56


@dataclass(frozen=True)
class Recipe:
    """How the cross-reader is fitted."""

    layers: int = 6
    rank: int = 24
    epochs: int = 12
    settle: int = 3
    """In so many last epochs only readings that were run count, no altered plans."""
    rate: float = 4e-4
    batch: int = 32
    drop: float = 0.1
    hide: float = 0.08
    """Such a part of the words is hidden while fitting."""
    decay: float = 0.01
    listwise: float = 1.0
    single: float = 3.0
    start: str = "before.safetensors"
    """What the thin matrices begin with: those of the reader of rows, which knows tables already."""
    seed: int = 3
    tables: bool = True
    """Whether the columns of the tables are read beside the question."""
    texts: int = 200
    """So many texts of a question are read, the first ones."""
    bare: float = 0.1
    """Such a part of the questions is read without them while fitting."""


class Pack:
    """The questions and readings in tokens."""

    def __init__(self, folder: Path, recipe: Recipe, device: str) -> None:
        with np.load(folder / "data.npz") as held:
            self.held = {name: held[name] for name in held.files}
        self.recipe, self.device = recipe, device
        self.first, self.last = (int(mark) for mark in self.held["marks"])
        self.starts = self.held["starts"]
        self.count = len(self.starts) - 1

    def _text(self, name: str, at: int) -> list[int]:
        places = self.held[f"{name}_at"]
        return [int(token) for token in self.held[name][places[at] : places[at + 1]]]

    def rows(self, at: int) -> range:
        """The texts of a question that are read."""
        return range(self.starts[at], min(self.starts[at + 1], self.starts[at] + self.recipe.texts))

    def padded(self, questions: list[int]) -> dict[str, torch.Tensor]:
        """Some questions as tensors."""
        texts: list[list[list[int]]] = []
        for at in questions:
            head = [self.first, *self._text("q", at)[:QUESTION_TOKENS], self.last]
            said = [self._text("s", row)[:TEXT_TOKENS] for row in self.rows(at)]
            texts.append([[*head, *one, self.last] for one in said])
        many = max(len(one) for one in texts)
        tables = [
            [self.first, *self._text("c", at), self.last] if self.recipe.tables else [self.first] for at in questions
        ]
        context = np.zeros((len(texts), max(map(len, tables))), np.int64)  # read by all texts of a question
        for row, text in enumerate(tables):
            context[row, : len(text)] = text
        programs = np.zeros((len(texts), many, max(len(t) for one in texts for t in one)), np.int64)
        right = np.zeros((len(texts), many), np.float32)
        real, ran = np.zeros((len(texts), many), bool), np.zeros((len(texts), many), bool)
        weight = np.ones(len(texts), np.float32)
        for row, (at, said) in enumerate(zip(questions, texts, strict=True)):
            for place, text in enumerate(said):
                programs[row, place, : len(text)] = text
            programs[row, len(said) :, 0] = self.first
            read = self.rows(at)
            right[row, : len(said)] = self.held["right"][read.start : read.stop]
            real[row, : len(said)] = True
            ran[row, : len(said)] = self.held["ran"][read.start : read.stop]
            weight[row] = self.recipe.single if self.held["kind"][at] < 2 else 1.0
        made = {"context": context, "programs": programs, "right": right, "real": real, "ran": ran, "weight": weight}
        return {name: torch.from_numpy(value).to(self.device) for name, value in made.items()}


def missed(scores: torch.Tensor, batch: dict[str, torch.Tensor], recipe: Recipe) -> torch.Tensor:
    """How improbable right and wrong are, each reading for itself and among those of its question."""
    scores = scores.float()
    right, real = batch["right"], batch["real"]
    alone = functional.binary_cross_entropy_with_logits(scores, right, reduction="none")
    alone = (alone * real).sum(1) / real.sum(1).clamp(min=1)
    every = torch.logsumexp(scores.masked_fill(~real, -1e4), 1)
    good = torch.logsumexp(scores.masked_fill(~(real & (right > 0)), -1e4), 1)
    mixed = ((right > 0) & real).any(1)
    listed = torch.where(mixed, every - good, 0.0)
    return ((alone + recipe.listwise * listed) * batch["weight"]).sum() / batch["weight"].sum()


def fit(pack: Pack, base: dict[str, torch.Tensor], start: dict[str, torch.Tensor], inside: np.ndarray) -> Reader:
    """A cross-reader fitted on the questions ``inside``."""
    recipe, device = pack.recipe, pack.device
    torch.manual_seed(recipe.seed)
    order = np.random.default_rng(recipe.seed)
    reader = Reader(base, recipe).to(device)
    if recipe.start != "base":
        reader.load_state_dict({k: v.float() for k, v in start.items() if k != "prior"}, strict=False)
    free = [p for p in reader.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        free, lr=recipe.rate, weight_decay=recipe.decay, betas=(0.9, 0.98), fused=device == "cuda"
    )
    places = np.flatnonzero(inside)
    whole = pack.padded([int(at) for at in places])
    steps = recipe.epochs * math.ceil(len(places) / recipe.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, step / (0.06 * steps)) * max(0.0, 1 - step / steps)
    )
    sizes = (whole["real"].sum(1) * (whole["programs"] != 0).sum(2).amax(1)).cpu().numpy()
    began = time.perf_counter()
    for epoch in range(recipe.epochs):
        reader.train()
        total = torch.zeros((), device=device)
        for chosen in _batches(sizes, recipe.batch, order):
            batch = taken(whole, torch.from_numpy(chosen).to(device))
            if epoch >= recipe.epochs - recipe.settle:
                batch["real"] = batch["ran"]
            many = max(1, int(batch["real"].sum(1).max()))  # readings that were run come first
            batch |= {name: batch[name][:, :many] for name in ("programs", "right", "real")}
            bare = torch.rand(len(batch["context"]), device=device) < recipe.bare
            batch["context"][:, 1:] = batch["context"][:, 1:].masked_fill(bare[:, None], 0)
            for name in ("context", "programs"):
                hidden = torch.rand(batch[name].shape, device=device) < recipe.hide
                hidden[..., 0] = False
                batch[name] = batch[name].masked_fill(hidden, 0)
            with torch.autocast(device, torch.bfloat16):
                scores = reader(batch["context"], batch["programs"])
            loss = missed(scores, batch, recipe)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(free, 1.0)
            optimiser.step()
            schedule.step()
            total += loss.detach()
        mean = float(total) / math.ceil(len(places) / recipe.batch)
        print(f"epoch {epoch} loss {mean:.4f} {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return reader


def _batches(sizes: np.ndarray, batch: int, order: np.random.Generator) -> list[np.ndarray]:
    """All questions in a new order, those of like size together, so that little is padded."""
    places = order.permutation(len(sizes))
    found: list[np.ndarray] = []
    for begin in range(0, len(places), 16 * batch):
        part = places[begin : begin + 16 * batch]
        part = part[np.argsort(sizes[part], kind="stable")]
        found += [part[at : at + batch] for at in range(0, len(part), batch)]
    return [found[at] for at in order.permutation(len(found))]


@torch.no_grad()
def read_all(reader: Reader, pack: Pack, questions: np.ndarray) -> dict[int, np.ndarray]:
    """The scores of every reading of some questions, in full precision."""
    reader.eval()
    found: dict[int, np.ndarray] = {}
    for begin in range(0, len(questions), 64):
        part = [int(at) for at in questions[begin : begin + 64]]
        made = pack.padded(part)
        scores = reader(made["context"], made["programs"]).float().cpu().numpy()
        for row, at in enumerate(part):
            found[at] = scores[row, : len(pack.rows(at))]
    return found


def _one(job: tuple[Path, Path, str, Recipe, str]) -> str:
    """One fit: its scores of what it left out, and its weights where it left out nothing."""
    folder, out, without, recipe, name = job
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = {k: v.float().to(device) for k, v in load_file(folder / "base.safetensors").items()}
    start = load_file(folder / recipe.start) if recipe.start != "base" else {}
    pack = Pack(folder, recipe, device)
    aside = {int(n) for n in without.split(",")} if without != "all" else set[int]()
    inside = np.array([int(fold) not in aside for fold in pack.held["fold"]])
    reader = fit(pack, base, start, inside)
    stem = f"{name}_{without.replace(',', '')}"
    save_file(without_base(reader), out / f"{stem}.safetensors", {"recipe": json.dumps(asdict(recipe))})
    if without == "all":
        return "all"
    outside = np.flatnonzero(~inside)
    scores = np.full(int(pack.starts[-1]), np.nan, np.float32)
    for at, found in read_all(reader, pack, outside).items():
        scores[pack.starts[at] : pack.starts[at] + len(found)] = found
    np.save(out / f"{stem}.npy", scores)
    return f"{name} {without}: {told(pack, scores, outside)}"


def told(pack: Pack, scores: np.ndarray, questions: np.ndarray) -> dict[str, Any]:
    """How often the best reading is right, by the scores, by the grammar, and at all; single tables and joined ones."""
    right, left, ran = (pack.held[name] for name in ("right", "left", "ran"))
    found: dict[str, Any] = {}
    for side, kinds in (("single", (0, 1)), ("joined", (2,)), ("reworded", (3,))):
        rows = [np.arange(pack.starts[q], pack.starts[q + 1]) for q in questions if pack.held["kind"][q] in kinds]
        rows = [here for each in rows if len(here := each[ran[each]])]
        best = [each[np.lexsort((-scores[each], left[each] > 0))[0]] for each in rows]
        found[side] = {
            "questions": len(rows),
            "any": round(float(np.mean([right[each].any() for each in rows])), 4),
            "grammar": round(float(np.mean([right[each[0]] for each in rows])), 4),
            "cross": round(float(np.mean(right[best])), 4),
        }
    return found


def main() -> int:
    """All fits that are named, some at once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", nargs="+", default=["0", "1", "2", "3", "4", "all"])
    parser.add_argument("--at-once", type=int, default=6)
    parser.add_argument("--recipe", nargs="+", default=["{}"], help="in JSON, where not as usual; several are compared")
    chosen = parser.parse_args()
    recipes = [Recipe(**json.loads(each)) for each in chosen.recipe]
    names = ["cross"] if len(recipes) == 1 else [f"try{n}" for n in range(len(recipes))]
    jobs = [(chosen.pack, chosen.out, w, r, n) for w in chosen.without for r, n in zip(recipes, names, strict=True)]
    with multiprocessing.get_context("spawn").Pool(chosen.at_once, maxtasksperchild=1) as pool:
        for said in pool.imap_unordered(_one, jobs, chunksize=1):
            print(said, flush=True)
    kept = sorted(chosen.out.glob("*.npy"))
    np.savez_compressed(chosen.out / "scores.npz", **{path.stem: np.load(path) for path in kept})
    for path in kept:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
