"""The reader while it is fitted: the sentence model itself, reading question and window in one piece.

The model's own weights stay as they are; what is fitted are small additions to each of its matrices (two thin ones
whose product is added), the marks that tell question, surroundings and sentence apart, the norms, and the outputs.
``averment.corpus.answering.span_reader`` computes the same without torch.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, LAYERS, HIDDEN = 384, 12, 6, 128
MARKS = 3
PLACES = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
FEED = ("intermediate.dense", "output.dense")
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


class Reader(nn.Module):
    """Whether a window answers, and where its answering words begin and end."""

    def __init__(self, base: dict[str, torch.Tensor], rank: int, drop: float = 0.1) -> None:
        super().__init__()
        self.base = {name: value.float() for name, value in base.items()}
        self.rank, self.drop = rank, drop
        self.parts = nn.ParameterDict()
        for layer in range(LAYERS):
            for place in (*PLACES, *FEED):
                wide, long = self.base[f"encoder.layer.{layer}.{place}.weight"].shape
                self.parts[f"l{layer}.{place}.in".replace(".", "/")] = nn.Parameter(torch.randn(rank, long) * 0.02)
                self.parts[f"l{layer}.{place}.out".replace(".", "/")] = nn.Parameter(torch.zeros(wide, rank))
            for place in NORMS:
                for kind in ("weight", "bias"):
                    held = self.base[f"encoder.layer.{layer}.{place}.{kind}"]
                    self.parts[f"l{layer}.{place}.{kind}".replace(".", "/")] = nn.Parameter(held.clone())
        kind = self.base["embeddings.token_type_embeddings.weight"][0]
        self.marks = nn.Parameter(kind.repeat(MARKS, 1) + 0.02 * torch.randn(MARKS, WIDTH))
        self.hidden, self.last, self.ends = nn.Linear(3 * WIDTH, HIDDEN), nn.Linear(HIDDEN, 1), nn.Linear(WIDTH, 2)

    def to_device(self, device: str) -> Reader:
        """Itself on a device, with the weights that are not fitted."""
        self.base = {name: value.to(device) for name, value in self.base.items()}
        return self.to(device)

    def _linear(self, given: torch.Tensor, layer: int, place: str) -> torch.Tensor:
        path = f"encoder.layer.{layer}.{place}"
        plain = functional.linear(given, self.base[f"{path}.weight"], self.base[f"{path}.bias"])
        thin = self.parts[f"l{layer}.{place}.in".replace(".", "/")]
        back = self.parts[f"l{layer}.{place}.out".replace(".", "/")]
        return plain + functional.linear(functional.linear(given, thin), back)

    def _norm(self, given: torch.Tensor, layer: int, place: str) -> torch.Tensor:
        gain, shift = (self.parts[f"l{layer}.{place}.{kind}".replace(".", "/")] for kind in ("weight", "bias"))
        return functional.layer_norm(given, (WIDTH,), gain, shift, 1e-12)

    def forward(self, ids: torch.Tensor, marks: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The score of each window, and two scores of each of its tokens."""
        base = self.base
        h = base["embeddings.word_embeddings.weight"][ids] + self.marks[marks]
        h = h + base["embeddings.position_embeddings.weight"][: ids.shape[1]]
        gain, shift = base["embeddings.LayerNorm.weight"], base["embeddings.LayerNorm.bias"]
        h = functional.layer_norm(h, (WIDTH,), gain, shift, 1e-12)
        h = functional.dropout(h, self.drop, self.training)
        for layer in range(LAYERS):
            q, k, v = (
                self._linear(h, layer, place).unflatten(-1, (HEADS, WIDTH // HEADS)).transpose(1, 2)
                for place in PLACES[:3]
            )
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            said = self._linear(mixed.transpose(1, 2).flatten(2), layer, PLACES[3])
            h = self._norm(h + functional.dropout(said, self.drop, self.training), layer, NORMS[0])
            made = self._linear(functional.gelu(self._linear(h, layer, FEED[0])), layer, FEED[1])
            h = self._norm(h + functional.dropout(made, self.drop, self.training), layer, NORMS[1])
        own = (marks == MARKS - 1) & mask
        top = h.masked_fill(~own.unsqueeze(-1), -1e4).max(1).values
        mean = (h * own.unsqueeze(-1)).sum(1) / own.sum(1, keepdim=True).clamp(min=1)
        hidden = functional.relu(self.hidden(torch.cat([h[:, 0], top, mean], -1)))
        hidden = functional.dropout(hidden, self.drop, self.training)
        return self.last(hidden).squeeze(-1), self.ends(h).masked_fill(~own.unsqueeze(-1), -1e4)

    def kept(self) -> dict[str, torch.Tensor]:
        """What goes into the package, by names without the model's own."""
        named: dict[str, Any] = {
            name.replace("parts.", "").replace("/", "."): v for name, v in self.state_dict().items()
        }
        return {name: value.detach().half().cpu().contiguous() for name, value in named.items()}

    def begin_with(self, kept: dict[str, torch.Tensor]) -> None:
        """Take what was fitted before, as ``kept`` gave it, as the beginning."""
        held = {name.replace("parts.", "").replace("/", "."): name for name in self.state_dict()}
        self.load_state_dict({held[name]: value.float() for name, value in kept.items()})


def missed(scores: torch.Tensor, group: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """How improbable the right sentences, or none at all, are among those of their question."""
    many = int(group.max()) + 1
    zeros = torch.zeros(many, device=scores.device)
    top = zeros.scatter_reduce(0, group, scores, "amax").detach()
    parts = torch.exp(scores - top[group])
    none = torch.exp(-top)
    every = none.index_add(0, group, parts)
    good = zeros.index_add(0, group, parts * right)
    held = zeros.index_add(0, group, right.float()) > 0
    return (torch.log(every) - torch.log(torch.where(held, good.clamp(min=1e-30), none))).mean()
