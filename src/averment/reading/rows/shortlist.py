"""The shortlist: which programs are read word by word, after named features have weighed them all."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from pathlib import Path

from averment.language.embeddings.minilm import whole_tokens

MOST_READ = 16
"""So many programs are read."""

OF_ONE_ANSWER = 2
UNLIKELY = 1e-4
"""Answers less probable than this are not read."""

QUESTION_TOKENS, CONTEXT_TOKENS, PROGRAM_TOKENS = 36, 96, 25


def shortlist(answers: Sequence[Hashable], scores: Sequence[float]) -> tuple[list[int], list[float], list[float]]:
    """Places of the programs to read, of each the logarithm of its probability and of its answer's.

    The most probable answers come first, each with its best programs.
    """
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    whole = math.fsum(parts)
    held: dict[Hashable, list[int]] = {}
    for place, answer in enumerate(answers):
        held.setdefault(answer, []).append(place)
    masses = {answer: math.fsum(parts[place] for place in places) / whole for answer, places in held.items()}
    chosen: list[int] = []
    mass: list[float] = []
    for answer in sorted(held, key=lambda one: (-masses[one], held[one][0])):
        if chosen and (masses[answer] < UNLIKELY or len(chosen) >= MOST_READ):
            break
        best = sorted(held[answer], key=lambda place: (-scores[place], place))[:OF_ONE_ANSWER]
        chosen += best
        mass += [math.log(masses[answer])] * len(best)
    prior = [math.log(max(parts[place] / whole, 1e-12)) for place in chosen]
    return chosen, prior, mass


class ProgramTokens:
    """Texts as the sentence model's tokens."""

    def __init__(self, model: Path) -> None:
        self._tokenizer, self._first, self._last = whole_tokens(model)

    def context(self, question: str, table: str) -> list[int]:
        """A question and its table."""
        asked: list[int] = self._tokenizer.encode(question, add_special_tokens=False).ids[:QUESTION_TOKENS]
        held: list[int] = self._tokenizer.encode(table, add_special_tokens=False).ids
        return [self._first, *asked, self._last, *held[: CONTEXT_TOKENS - len(asked) - 3], self._last]

    def programs(self, words: list[str]) -> list[list[int]]:
        """Programs, one list each."""
        found = self._tokenizer.encode_batch(words, add_special_tokens=False)
        return [[self._first, *one.ids[:PROGRAM_TOKENS]] for one in found]
