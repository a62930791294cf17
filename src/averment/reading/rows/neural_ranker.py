"""The reader: weighs the words of programs beside a question and its table.

It is the installed sentence model with a few fitted numbers added (``reader.safetensors`` beside this file, fitted by
``scripts/fit_row_ranker.py``), run by onnxruntime on one thread, so that the same question gets the same scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir
from averment.reading.judge.thin_reader import ThinReader
from averment.reading.rows.shortlist import ProgramTokens

_KEPT_DIGITS = 4
"""Scores are rounded, so that what differs by the machine's rounding alone is the same."""


class NeuralRanker:
    """Scores of programs in words."""

    def __init__(self) -> None:
        from safetensors.numpy import load

        home = model_dir()
        packaged = resources.files("averment.reading.rows").joinpath("reader.safetensors").read_bytes()
        self._reader = ThinReader(home, load(packaged))
        self._tokens = ProgramTokens(home)

    def scores(self, question: str, table: str, programs: Sequence[str]) -> list[float]:
        """How well each program fits the question, in any unit; the others beside it change nothing."""
        return self.token_scores(self._tokens.context(question, table), self._tokens.programs(list(programs)))

    def token_scores(self, context: Sequence[int], programs: Sequence[Sequence[int]]) -> list[float]:
        """The same for texts that are tokens already."""
        return [round(score, _KEPT_DIGITS) for score in self._reader.scores(context, programs)]


@lru_cache(maxsize=1)
def packaged_reader() -> NeuralRanker | None:
    """The reader that comes with the package, made at the first question; None without the sentence model."""
    return NeuralRanker() if MiniLmEmbedder.is_available() else None
