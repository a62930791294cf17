"""The reader of a question and a sentence together: how likely the sentence answers, and by which of its words.

The sentence model reads both in one piece, with a few fitted numbers added to its own (``reader.safetensors`` beside
this file, fitted by ``scripts/fit_document_reader.py``). Scores are rounded, so that what differs by a machine's
rounding alone is the same.
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

from averment.corpus.answering.windows import SentenceWindow, TokenWindow, WindowTokens

Array = npt.NDArray[np.float32]
States = Callable[[Sequence[int], Sequence[int]], Array]
"""Tokens and their marks to their states, one row a token."""

QUESTION, AROUND, OWN = 0, 1, 2
"""The marks of tokens: of the question, of what stands around the sentence, of the sentence itself."""
LONGEST = 24
"""So many tokens the answering words have at most."""
_KEPT_DIGITS = 2


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that also reads with something fitted on top of it."""

    @property
    def model(self) -> Path:
        """The folder with its ``tokenizer.json``."""
        ...

    def refitted(self, fitted: bytes) -> States:
        """Itself with what was fitted on top: tokens and their marks to their states."""
        ...


@dataclass(frozen=True, slots=True)
class SpanOpinion:
    """What the reader thinks of a sentence: its score, above 0 where it rather answers than not, and the words."""

    score: float
    words: str


class SpanReader:
    """Reads sentences beside a question; the first one builds or loads what it reads with."""

    def __init__(self, embedder: TokenEmbedder, fitted: bytes | None = None) -> None:
        self._embedder = embedder
        self._fitted = packaged() if fitted is None else fitted
        self._tokens = WindowTokens(embedder.model)
        self._opened: tuple[States, Mapping[str, Array]] | None = None

    def read(self, question: str, windows: Sequence[SentenceWindow]) -> list[SpanOpinion]:
        """An opinion of each window; the others beside it change nothing."""
        if self._opened is None:
            self._opened = self._embedder.refitted(self._fitted), _outputs(self._fitted)
        states, outputs = self._opened
        ids = self._tokens.question(question)
        return [_opinion(ids, window, self._tokens.window(window), states, outputs) for window in windows]


def _opinion(
    asked: list[int], window: SentenceWindow, marked: TokenWindow, states: States, outputs: Mapping[str, Array]
) -> SpanOpinion:
    if not marked.offsets:
        return SpanOpinion(-10.0, "")
    first, last = len(asked) + marked.first - 1, len(asked) + marked.first - 1 + len(marked.offsets)
    ids = [*asked, *marked.ids[1:]]
    marks = [QUESTION if n < len(asked) else OWN if first <= n < last else AROUND for n in range(len(ids))]
    found = states(ids, marks)
    own = found[first:last]
    whole = np.concatenate([found[0], own.max(0), own.mean(0)])
    hidden = np.maximum(_linear(whole, "hidden", outputs), 0)
    begin, end = best_span(_linear(own, "ends", outputs))
    words = window.own[marked.offsets[begin][0] : marked.offsets[end][1]]
    return SpanOpinion(round(float(_linear(hidden, "last", outputs)[0]), _KEPT_DIGITS), words)


def _linear(given: Array, name: str, outputs: Mapping[str, Array]) -> Array:
    return given @ outputs[f"{name}.weight"].T + outputs[f"{name}.bias"]


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
def packaged() -> bytes:
    """What was fitted, as it comes with the package."""
    return resources.files("averment.corpus.answering").joinpath("reader.safetensors").read_bytes()


def _outputs(fitted: bytes) -> dict[str, Any]:
    from safetensors.numpy import load

    names = ("hidden.", "ends.", "last.")
    return {name: value.astype(np.float32) for name, value in load(fitted).items() if name.startswith(names)}
