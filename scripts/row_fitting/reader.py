"""The reader: the sentence model's layers, turned by small matrices, weigh the words of programs beside a question.

A question and its table are read once; each program reads them and itself. What is fitted are two thin matrices beside
each of the model's own, its norms and biases, and a last row of weights. Needs torch, which the product does not.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass

import numpy as np
import torch
from thin_model import Reader as Scored
from thin_model import taken
from torch import nn

from row_fitting.shortlists import Listed


@dataclass(frozen=True)
class Recipe:
    """How the reader is fitted."""

    layers: int = 6
    rank: int = 24
    epochs: int = 5
    rate: float = 5e-4
    batch: int = 16
    drop: float = 0.1
    decay: float = 0.01
    blind: float = 0.9
    """In such a part of the questions the linear ranker's scores are hidden."""


class Reader(Scored):
    """Scores of programs, and how much their first scores count beside them."""

    def __init__(self, base: dict[str, torch.Tensor], recipe: Recipe) -> None:
        super().__init__(base, recipe)
        self.prior = nn.Parameter(torch.tensor([0.65, 0.45]))


def answer_logits(scores: torch.Tensor, batch: dict[str, torch.Tensor], prior: torch.Tensor) -> torch.Tensor:
    """For each program its answer's logit: programs of one answer add up, and the answer's first probability counts."""
    logit = scores.float() + prior[0] * batch["prior"]
    logit = logit.masked_fill(~batch["real"], -1e9)
    same = (batch["answers"][:, :, None] == batch["answers"][:, None, :]) & batch["real"][:, None, :]
    joined = torch.logsumexp(logit[:, None, :].expand(same.shape).masked_fill(~same, -1e9), -1)
    return (joined + prior[1] * batch["mass"]).masked_fill(~batch["real"], -1e9)


def missed(logits: torch.Tensor, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """How improbable the right answers are; an answer with several programs counts once."""
    once = batch["first"]
    every = torch.logsumexp(logits.masked_fill(~once, -1e9), -1)
    good = torch.logsumexp(logits.masked_fill(~(once & batch["right"]), -1e9), -1)
    return every - good


def padded(listed: list[Listed], device: str) -> dict[str, torch.Tensor]:
    """Some questions as tensors."""
    long = max(len(one.context) for one in listed)
    many = max(len(one.programs) for one in listed)
    short = max(len(p) for one in listed for p in one.programs)
    context = np.zeros((len(listed), long), np.int64)
    programs = np.zeros((len(listed), many, short), np.int64)
    numbers = {name: np.zeros((len(listed), many), np.float32) for name in ("prior", "mass")}
    marks = {name: np.zeros((len(listed), many), bool) for name in ("real", "right", "first")}
    answers = np.full((len(listed), many), -1, np.int64)
    for row, one in enumerate(listed):
        size = len(one.programs)
        context[row, : len(one.context)] = one.context
        for place, program in enumerate(one.programs):
            programs[row, place, : len(program)] = program
        programs[row, size:, 0] = 1
        numbers["prior"][row, :size], numbers["mass"][row, :size] = one.prior, one.mass
        answers[row, :size] = one.answers
        marks["real"][row, :size], marks["right"][row, :size] = True, one.right
        seen: set[int] = set()
        for place, answer in enumerate(one.answers):
            marks["first"][row, place] = int(answer) not in seen
            seen.add(int(answer))
    made = {"context": context, "programs": programs, "answers": answers, **numbers, **marks}
    return {name: torch.from_numpy(value).to(device) for name, value in made.items()}


def fit_reader(
    base: dict[str, torch.Tensor], listed: list[Listed], watched: list[Listed], recipe: Recipe, device: str, seed: int
) -> Reader:
    """A reader fitted on questions whose shortlist holds right and wrong answers; others are only watched."""
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    use = [one for one in listed if 0 < one.right.sum() < len(one.right)]
    reader = Reader(base, recipe).to(device)
    free = [p for p in reader.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(free, lr=recipe.rate, weight_decay=recipe.decay, betas=(0.9, 0.98))
    steps = recipe.epochs * math.ceil(len(use) / recipe.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, step / (0.06 * steps)) * max(0.0, 1 - step / steps)
    )
    began = time.perf_counter()
    whole = padded(use, device)
    for epoch in range(recipe.epochs):
        reader.train()
        total = torch.zeros((), device=device)
        places = torch.from_numpy(order.permutation(len(use))).to(device)
        for start in range(0, len(use), recipe.batch):
            batch = taken(whole, places[start : start + recipe.batch])
            hidden = (torch.rand(len(batch["prior"]), 1, device=device) < recipe.blind).float()
            batch["prior"], batch["mass"] = batch["prior"] * (1 - hidden), batch["mass"] * (1 - hidden)
            with torch.autocast(device, torch.bfloat16):
                scores = reader(batch["context"], batch["programs"])
            loss = missed(answer_logits(scores, batch, reader.prior), batch).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(free, 1.0)
            optimiser.step()
            schedule.step()
            total += loss.detach()
        mean = float(total) / math.ceil(len(use) / recipe.batch)
        said = f"epoch {epoch} loss {mean:.4f} {time.perf_counter() - began:.0f} s"
        if watched and epoch % 3 == 2:
            said += f", watched {_right(reader, watched, device):.4f}"
        print(said, [round(value, 3) for value in reader.prior.tolist()], file=sys.stderr, flush=True)
    return reader


@torch.no_grad()
def _right(reader: Reader, listed: list[Listed], device: str) -> float:
    """In which part of the questions the most probable answer is right."""
    hits = 0
    for one, scores in zip(listed, read_all(reader, listed, device), strict=True):
        batch = padded([one], "cpu")
        logits = answer_logits(torch.from_numpy(scores)[None], batch, reader.prior.detach().cpu())
        hits += bool(one.right[int(logits[0].argmax())])
    return hits / len(listed)


@torch.no_grad()
def read_all(reader: Reader, listed: list[Listed], device: str, batch: int = 64) -> list[np.ndarray]:
    """The reader's scores of each program of each shortlist, in full precision."""
    reader.eval()
    found: list[np.ndarray] = []
    for start in range(0, len(listed), batch):
        part = listed[start : start + batch]
        made = padded(part, device)
        scores = reader(made["context"], made["programs"]).float().cpu().numpy()
        found += [scores[row, : len(one.programs)] for row, one in enumerate(part)]
    return found
