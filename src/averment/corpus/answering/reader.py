"""The reader of a question and a sentence together: how likely the sentence answers, and by which of its words.

The sentence model makes states of the tokens; a small fitted net (``reader.safetensors`` beside this file, fitted by
``scripts/fit_document_reader.py``) lets the question and the sentence look at each other. Scores are rounded, so that
what differs by a machine's rounding alone is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.windows import Tokens, Window

Array = npt.NDArray[np.float32]


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that also says what it makes of each token."""

    @property
    def model(self) -> Path:
        """The folder with its ``tokenizer.json``."""
        ...

    def states(self, ids: Sequence[int]) -> Array:
        """What it makes of each token of a text, one row a token."""
        ...


States = Callable[[Sequence[int]], Array]
"""Tokens to their states, one row a token."""

HEADS = 4
LONGEST = 24
"""So many tokens the answering words have at most."""
_KEPT_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the reader thinks of a sentence: its score, above 0 where it rather answers than not, and the words."""

    score: float
    words: str


class Reader:
    """Reads sentences beside a question."""

    def __init__(self, states: States, model: Path, weights: Mapping[str, Any] | None = None) -> None:
        self._states = states
        self._tokens = Tokens(model)
        self._net = _Net(packaged_weights() if weights is None else weights)

    def read(self, question: str, windows: Sequence[Window]) -> list[Opinion]:
        """An opinion of each window; the others beside it change nothing."""
        ids = self._tokens.question(question)
        asked = self._states(ids)
        found: list[Opinion] = []
        for window in windows:
            marked = self._tokens.window(window)
            if not marked.offsets:
                found.append(Opinion(-10.0, ""))
                continue
            own = np.zeros(len(marked.ids), bool)
            own[marked.first : marked.first + len(marked.offsets)] = True
            equal = np.array(ids)[:, None] == np.array(marked.ids)[None, :]
            score, ends = self._net.run(asked, self._states(marked.ids), equal, own)
            first, last = best_span(ends[own])
            words = window.own[marked.offsets[first][0] : marked.offsets[last][1]]
            found.append(Opinion(round(float(score), _KEPT_DIGITS), words))
        return found


def best_span(ends: Array) -> tuple[int, int]:
    """The likeliest first and last token."""
    many = len(ends)
    both = ends[:, 0][:, None] + ends[:, 1][None, :]
    places = np.arange(many)
    apart = places[None, :] - places[:, None]
    both = np.where((apart >= 0) & (apart < LONGEST), both, -np.inf)
    at = int(both.argmax())
    return at // many, at % many


@cache
def packaged_weights() -> dict[str, Array]:
    """The weights that come with the package."""
    from safetensors.numpy import load

    data = resources.files("averment.corpus.answering").joinpath("reader.safetensors").read_bytes()
    return {name: value.astype(np.float32) for name, value in load(data).items()}


class _Net:
    """The fitted net over the states of one question and one window."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self._weights = weights
        self._layers = len({name.split(".")[1] for name in weights if name.startswith("layers.")})

    def run(self, asked: Array, window: Array, equal: npt.NDArray[np.bool_], own: npt.NDArray[np.bool_]) -> Any:
        """The window's score, and two of each of its tokens."""
        near = _unit(asked) @ _unit(window).T
        match = equal.astype(np.float32)
        near_q = [near.max(1), near[:, own].max(1), match[:, own].max(1)]
        near_w = [near.max(0), match.max(0), own.astype(np.float32)]
        turn = self._weights["turn"]
        q = self._linear(np.hstack([asked @ turn, np.stack(near_q, 1)]), "question_in")
        w = self._linear(np.hstack([window @ turn, np.stack(near_w, 1)]), "window_in")
        for n in range(self._layers):
            w = self._mix(w, q, f"layers.{n}.window_asks")
            w = self._feed(self._mix(w, w, f"layers.{n}.window_own"), f"layers.{n}.window_feed")
            q = self._feed(self._mix(q, w, f"layers.{n}.question_asks"), f"layers.{n}.question_feed")
        whole = np.concatenate([w[own].max(0), w[own].mean(0), q.mean(0)])
        hidden = np.maximum(self._linear(whole, "hidden"), 0)
        return self._linear(hidden, "last")[0], self._linear(w, "ends")

    def _linear(self, given: Array, name: str) -> Array:
        return given @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, given: Array, name: str) -> Array:
        middle = given - given.mean(-1, keepdims=True)
        spread = np.sqrt((middle**2).mean(-1, keepdims=True) + 1e-5)
        return middle / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]

    def _feed(self, given: Array, name: str) -> Array:
        made = self._linear(np.maximum(self._linear(given, f"{name}.wide"), 0), f"{name}.narrow")
        return self._norm(given + made, f"{name}.norm")

    def _mix(self, given: Array, seen: Array, name: str) -> Array:
        q, k, v = (
            self._linear(tokens, f"{name}.{role}").reshape(len(tokens), HEADS, -1).transpose(1, 0, 2)
            for tokens, role in ((given, "query"), (seen, "key"), (seen, "value"))
        )
        raw = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        parts = np.exp(raw - raw.max(-1, keepdims=True))
        mixed = (parts / parts.sum(-1, keepdims=True)) @ v
        said = self._linear(mixed.transpose(1, 0, 2).reshape(len(given), -1), f"{name}.said")
        return self._norm(given + said, f"{name}.norm")


def _unit(rows: Array) -> Array:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
