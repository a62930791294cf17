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
from torch import nn
from torch.nn import functional

from row_fitting.shortlists import Listed

HEADS = 12
_ROLES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


@dataclass(frozen=True)
class Recipe:
    """How the reader is fitted."""

    layers: int = 6
    rank: int = 24
    whole: bool = False
    epochs: int = 5
    rate: float = 5e-4
    batch: int = 16
    drop: float = 0.1
    decay: float = 0.01
    blind: float = 0.9
    """In such a part of the questions the linear ranker's scores are hidden."""


class Turned(nn.Module):
    """One matrix of the model with two thin ones beside it."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, rank: int, whole: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight.clone(), requires_grad=whole)
        self.bias = nn.Parameter(bias.clone())
        self.whole = whole
        if not whole:
            self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
            self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """The product."""
        weight = self.weight if self.whole else self.weight + self.up @ self.down
        return functional.linear(given, weight, self.bias)


class Norm(nn.Module):
    """A norm of the model."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """The normed rows."""
        return functional.layer_norm(given, given.shape[-1:], self.weight, self.bias, 1e-12)


class Layer(nn.Module):
    """One layer: the context reads itself, each program reads the context and itself."""

    def __init__(self, base: dict[str, torch.Tensor], path: str, recipe: Recipe) -> None:
        super().__init__()
        made = [Turned(base[f"{path}.{r}.weight"], base[f"{path}.{r}.bias"], recipe.rank, recipe.whole) for r in _ROLES]
        self.query, self.key, self.value, self.said, self.wide, self.narrow = made
        norm = [f"{path}.attention.output.LayerNorm", f"{path}.output.LayerNorm"]
        self.first, self.second = (Norm(base[f"{n}.weight"], base[f"{n}.bias"]) for n in norm)
        self.drop = recipe.drop

    def forward(
        self, context: torch.Tensor, programs: torch.Tensor, seen: torch.Tensor, own: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The context and the programs after this layer; masks say which tokens are no padding."""
        batch, long, width = context.shape
        _, many, short, _ = programs.shape
        shape = (HEADS, width // HEADS)
        q, k, v = (part(context).unflatten(-1, shape).transpose(1, 2) for part in (self.query, self.key, self.value))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen[:, None, None, :])
        flat = programs.flatten(0, 1)
        pq, pk, pv = (part(flat).unflatten(-1, shape).transpose(1, 2) for part in (self.query, self.key, self.value))
        keys, values = (
            torch.cat([each[:, None].expand(-1, many, -1, -1, -1).flatten(0, 1), mine], 2)
            for each, mine in ((k, pk), (v, pv))
        )
        open_to = torch.cat([seen[:, None].expand(-1, many, -1), own], -1).flatten(0, 1)
        got = functional.scaled_dot_product_attention(pq, keys, values, attn_mask=open_to[:, None, None, :])
        mixed = mixed.transpose(1, 2).reshape(batch, long, width)
        got = got.transpose(1, 2).reshape(batch, many, short, width)
        return self._after(context, mixed), self._after(programs, got)

    def _after(self, given: torch.Tensor, mixed: torch.Tensor) -> torch.Tensor:
        middle = self.first(given + self._dropped(self.said(mixed)))
        return self.second(middle + self._dropped(self.narrow(functional.gelu(self.wide(middle)))))

    def _dropped(self, given: torch.Tensor) -> torch.Tensor:
        return functional.dropout(given, self.drop, self.training)


class Reader(nn.Module):
    """Scores of programs."""

    def __init__(self, base: dict[str, torch.Tensor], recipe: Recipe) -> None:
        super().__init__()
        for name in ("word", "position", "token_type"):
            self.register_buffer(name, base[f"embeddings.{name}_embeddings.weight"], persistent=False)
        self.begin = Norm(base["embeddings.LayerNorm.weight"], base["embeddings.LayerNorm.bias"])
        self.layers = nn.ModuleList(Layer(base, f"encoder.layer.{n}", recipe) for n in range(recipe.layers))
        self.last = nn.Linear(base["embeddings.LayerNorm.weight"].shape[0], 1)
        nn.init.normal_(self.last.weight, std=0.02)
        nn.init.zeros_(self.last.bias)
        self.prior = nn.Parameter(torch.tensor([0.65, 0.45]))
        self.drop = recipe.drop

    def forward(self, context: torch.Tensor, programs: torch.Tensor) -> torch.Tensor:
        """Scores, one a program; token 0 is padding."""
        seen, own = context != 0, programs != 0
        lengths = (context != 0).sum(1)
        place = lengths[:, None] + torch.arange(programs.shape[2], device=context.device)[None, :]
        one = self.word[context] + self.position[: context.shape[1]] + self.token_type[0]
        two = self.word[programs] + self.position[place][:, None] + self.token_type[1]
        one, two = (functional.dropout(self.begin(each), self.drop, self.training) for each in (one, two))
        for layer in self.layers:
            one, two = layer(one, two, seen, own)
        return self.last(two[:, :, 0]).squeeze(-1)


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


def taken(whole: dict[str, torch.Tensor], places: torch.Tensor) -> dict[str, torch.Tensor]:
    """Some questions of many, without needless padding."""
    batch = {name: value[places] for name, value in whole.items()}
    long = int((batch["context"] != 0).sum(1).max())
    short = int((batch["programs"] != 0).sum(2).max())
    batch["context"], batch["programs"] = batch["context"][:, :long], batch["programs"][:, :, :short]
    return batch


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


def without_base(reader: Reader) -> dict[str, torch.Tensor]:
    """What was fitted, in half precision: the thin matrices, biases, norms, last weights and those of first scores."""
    kept = {name: value for name, value in reader.named_parameters() if value.requires_grad}
    return {name: value.detach().cpu().half().contiguous() for name, value in kept.items()}
