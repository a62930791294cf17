"""The reader while it is fitted: a small net over the sentence model's token states of a question and a window.

``averment.corpus.answering.reader`` computes the same with numpy; a test keeps both equal. Needs torch, which the
product does not.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

STATE, WIDTH, HEADS, WIDE, LAYERS = 96, 64, 4, 128, 2
EXTRA = 3


class Mix(nn.Module):
    """Tokens look at other tokens and take over what fits."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.said = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, given: torch.Tensor, seen: torch.Tensor, mask: torch.Tensor, drop: float) -> torch.Tensor:
        """The tokens after they looked."""
        shape = (HEADS, WIDTH // HEADS)
        q = self.query(given).unflatten(-1, shape).transpose(1, 2)
        k, v = (part(seen).unflatten(-1, shape).transpose(1, 2) for part in (self.key, self.value))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        said = self.said(mixed.transpose(1, 2).flatten(2))
        return self.norm(given + functional.dropout(said, drop, self.training))


class Feed(nn.Module):
    """Each token by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.narrow = nn.Linear(WIDTH, WIDE), nn.Linear(WIDE, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, given: torch.Tensor, drop: float) -> torch.Tensor:
        """The tokens after it."""
        made = self.narrow(functional.relu(self.wide(given)))
        return self.norm(given + functional.dropout(made, drop, self.training))


class Layer(nn.Module):
    """Question and window read each other, and the window itself."""

    def __init__(self) -> None:
        super().__init__()
        self.window_asks, self.window_own, self.question_asks = Mix(), Mix(), Mix()
        self.window_feed, self.question_feed = Feed(), Feed()


class Reader(nn.Module):
    """Whether a window answers, and where its answering words begin and end."""

    def __init__(self, drop: float = 0.15) -> None:
        super().__init__()
        self.question_in = nn.Linear(STATE + EXTRA, WIDTH)
        self.window_in = nn.Linear(STATE + EXTRA, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.ends = nn.Linear(WIDTH, 2)
        self.hidden, self.last = nn.Linear(3 * WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.drop = drop

    def forward(self, given: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """The score of each window, and two scores of each of its tokens."""
        q_mask, w_mask, own = given["q_mask"], given["w_mask"], given["own"]
        q, w = self.question_in(given["q"]), self.window_in(given["w"])
        q, w = (functional.dropout(one, self.drop, self.training) for one in (q, w))
        for layer in self.layers:
            w = layer.window_asks(w, q, q_mask, self.drop)
            w = layer.window_feed(layer.window_own(w, w, w_mask, self.drop), self.drop)
            q = layer.question_feed(layer.question_asks(q, w, w_mask, self.drop), self.drop)
        inside = own.unsqueeze(-1)
        top = w.masked_fill(~inside, -1e4).max(1).values
        mean = (w * inside).sum(1) / inside.sum(1).clamp(min=1)
        whole = (q * q_mask.unsqueeze(-1)).sum(1) / q_mask.sum(1, keepdim=True)
        hidden = functional.relu(self.hidden(torch.cat([top, mean, whole], -1)))
        hidden = functional.dropout(hidden, self.drop, self.training)
        return self.last(hidden).squeeze(-1), self.ends(w)


def missed(scores: torch.Tensor, group: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """How improbable the right sentences, or none at all, are among those of their question."""
    many = int(group.max()) + 1
    top = torch.zeros(many).scatter_reduce(0, group, scores, "amax").detach()
    parts = torch.exp(scores - top[group])
    none = torch.exp(-top)
    every = none.index_add(0, group, parts)
    good = torch.zeros(many).index_add(0, group, parts * right)
    held = torch.zeros(many).index_add(0, group, right.float()) > 0
    return (torch.log(every) - torch.log(torch.where(held, good, none))).mean()
