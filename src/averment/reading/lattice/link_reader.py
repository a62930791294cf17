"""How likely open words of a question mean a column or a value that it does not name: a learned reader.

It is the installed sentence model with thin matrices beside its own (``links.safetensors``), fitted on questions with
gold queries over tables it is not measured on (docs/explain/links.md). Its scores are put on a line that makes them
hold on tables it has not seen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir, whole_tokens
from averment.reading.judge.thin_reader import ThinReader

if TYPE_CHECKING:
    from averment.reading.lattice.learned_links import Link

QUESTION_TOKENS, TEXT_TOKENS = 96, 56
_AT_ONCE = 64
_DIGITS = 3
_MOST_KEPT = 4_096


def before(tokenizer: Any, question: str, words: Sequence[str]) -> list[int]:
    """What every text is read beside: the question, then its open words."""
    asked, said = tokenizer.encode_batch([question, " ".join(words)], add_special_tokens=False)
    return [*asked.ids[: QUESTION_TOKENS - 24], int(tokenizer.token_to_id("[SEP]")), *said.ids[:23]]


class LinkReader:
    """Probabilities that texts are meant."""

    def __init__(self, model: Path, fitted: Mapping[str, Any], line: tuple[float, float]) -> None:
        self._tokenizer, self._first, self._last = whole_tokens(model)
        self._reader = ThinReader(model, fitted)
        self._line = line
        self._kept: dict[tuple[str, str, str], float] = {}

    def __call__(self, question: str, words: Sequence[str], texts: Sequence[str]) -> list[float]:
        """How likely the open words mean each text; the others beside it change nothing."""
        said_before = " ".join(words)
        new = [each for each in dict.fromkeys(texts) if (question, said_before, each) not in self._kept]
        if len(self._kept) > _MOST_KEPT:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        context = [self._first, *before(self._tokenizer, question, words), self._last]
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            said = self._tokenizer.encode_batch(part, add_special_tokens=False)
            rows = [[self._first, self._last, *one.ids[:TEXT_TOKENS], self._last] for one in said]
            for text, score in zip(part, self._reader.scores(context, rows), strict=True):
                self._kept[question, said_before, text] = self._probability(score)
        return [self._kept[question, said_before, text] for text in texts]

    def _probability(self, score: float) -> float:
        """A score as a probability."""
        slope, height = self._line
        return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, slope * score + height)))), _DIGITS)


def packaged_link() -> Link | None:
    """The reader that comes with the package, made when a question first needs it; None without the sentence model."""
    return _asked if MiniLmEmbedder.is_available() else None


def _asked(question: str, words: Sequence[str], texts: Sequence[str]) -> Sequence[float]:
    return _made()(question, words, texts)


@lru_cache(maxsize=1)
def _made() -> LinkReader:
    from safetensors.numpy import load

    weights = resources.files("averment.reading").joinpath("links.safetensors").read_bytes()
    return LinkReader(model_dir(), load(weights), packaged_line())


def packaged_line() -> tuple[float, float]:
    """Slope and height of the line that makes scores hold."""
    held = json.loads(resources.files("averment.reading").joinpath("links.json").read_text(encoding="utf-8"))
    return float(held["line"][0]), float(held["line"][1])
