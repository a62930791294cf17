"""The sentence model while it is fitted: thin matrices beside its own turn it into a reader of texts beside a context.

A context is read once; each text reads it and itself. ``averment.reading.judge.thin_graph`` is the same as a graph for
onnxruntime. Needs torch, which the product does not.
"""

from __future__ import annotations

import math
from typing import Protocol

import torch
from torch import nn
from torch.nn import functional

HEADS = 12
_ROLES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Recipe(Protocol):
    """What the model is told of how it is fitted."""

    @property
    def layers(self) -> int:
        """How many of the model's layers are used."""
        ...

    @property
    def rank(self) -> int:
        """How thin the matrices are."""
        ...

    @property
    def drop(self) -> float:
        """Which part of the numbers is dropped while fitting."""
        ...


class Turned(nn.Module):
    """One matrix of the model with two thin ones beside it."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, rank: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight.clone(), requires_grad=False)
        self.bias = nn.Parameter(bias.clone())
        self.down = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.up = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """The product."""
        return functional.linear(given, self.weight + self.up @ self.down, self.bias)


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
        made = [Turned(base[f"{path}.{r}.weight"], base[f"{path}.{r}.bias"], recipe.rank) for r in _ROLES]
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
    """Scores of texts."""

    def __init__(self, base: dict[str, torch.Tensor], recipe: Recipe) -> None:
        super().__init__()
        for name in ("word", "position", "token_type"):
            self.register_buffer(name, base[f"embeddings.{name}_embeddings.weight"], persistent=False)
        self.begin = Norm(base["embeddings.LayerNorm.weight"], base["embeddings.LayerNorm.bias"])
        self.layers = nn.ModuleList(Layer(base, f"encoder.layer.{n}", recipe) for n in range(recipe.layers))
        self.last = nn.Linear(base["embeddings.LayerNorm.weight"].shape[0], 1)
        nn.init.normal_(self.last.weight, std=0.02)
        nn.init.zeros_(self.last.bias)
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


def taken(whole: dict[str, torch.Tensor], places: torch.Tensor) -> dict[str, torch.Tensor]:
    """Some questions of many, without needless padding."""
    batch = {name: value[places] for name, value in whole.items()}
    long = int((batch["context"] != 0).sum(1).max())
    short = int((batch["programs"] != 0).sum(2).max())
    batch["context"], batch["programs"] = batch["context"][:, :long], batch["programs"][:, :, :short]
    return batch


def without_base(reader: nn.Module) -> dict[str, torch.Tensor]:
    """What was fitted, in half precision: the thin matrices, biases, norms and last weights."""
    kept = {name: value for name, value in reader.named_parameters() if value.requires_grad}
    return {name: value.detach().cpu().half().contiguous() for name, value in kept.items()}
