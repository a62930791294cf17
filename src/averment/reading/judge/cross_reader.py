"""The cross-reader: weighs what a plan says of itself beside the question it is to answer.

It is the installed sentence model with thin matrices beside its own (``cross.safetensors``, fitted by the recipe of
``make refit NAME=cross``; the card is docs/explain/cross-reader.md). Each read-back is read in one row with the
question, so that a score does not depend on the rivals beside it; the names of the tables' columns stand before all of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir, whole_tokens
from averment.reading.judge.thin_reader import ThinReader

QUESTION_TOKENS, TEXT_TOKENS, CONTEXT_TOKENS = 48, 56, 120
_KEPT_DIGITS = 3
"""Scores are rounded, so that what differs by the machine's rounding alone is the same."""
_MOST_KEPT = 512


def text_of(read_back: str) -> str:
    """What is read of a reading: its read-back, with the words of names apart."""
    return read_back.replace("_", " ")


def tables_text(tables: Iterable[tuple[str, Sequence[str]]]) -> str:
    """What is read of the tables: each with the names of its columns, so that a word may name what no plan uses."""
    return text_of("; ".join(f"{name}: {', '.join(columns)}" for name, columns in tables))


class CrossReader:
    """Scores of readings in words: log odds, as far as words alone tell."""

    def __init__(self, model: Path, fitted: Mapping[str, Any]) -> None:
        self._tokenizer, self._first, self._last = whole_tokens(model)
        self._reader = ThinReader(model, fitted)
        self._kept: dict[tuple[str, str, str], float] = {}

    def scores(self, question: str, texts: Sequence[str], tables: str = "") -> list[float]:
        """How well each text fits the question over these tables; the others beside it change nothing."""
        held = {text: self._kept.get((tables, question, text)) for text in texts}
        known = {text: score for text, score in held.items() if score is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            about, asked, *said = self._tokenizer.encode_batch([tables, question, *new], add_special_tokens=False)
            head = [self._first, *asked.ids[:QUESTION_TOKENS], self._last]
            # All rows see the tables, or one mark alone, before them, as they did while the numbers were fitted.
            before = [self._first, *about.ids[:CONTEXT_TOKENS], self._last] if about.ids else [self._first]
            found = self._reader.scores(before, [[*head, *one.ids[:TEXT_TOKENS], self._last] for one in said])
            found = [round(score, _KEPT_DIGITS) for score in found]
            known |= dict(zip(new, found, strict=True))
            if len(self._kept) > _MOST_KEPT:
                self._kept.clear()  # What this question needs of it is in ``known``.
            self._kept.update(((tables, question, text), known[text]) for text in new)
        return [known[text] for text in texts]


def packaged_cross_reader() -> CrossReader | None:
    """The cross-reader that comes with the package, made at the first question; None without the sentence model.

    That there is no sentence model is not remembered: it may be fetched while the process runs.
    """
    return _made() if MiniLmEmbedder.is_available() else None


@lru_cache(maxsize=1)
def _made() -> CrossReader:
    from safetensors.numpy import load

    packaged = resources.files("averment.reading").joinpath("cross.safetensors").read_bytes()
    return CrossReader(model_dir(), load(packaged))
