"""Questions whose second passage is found only through the first: two rounds of seeds, signals and weights.

The first round starts from likeness and titles named in the question; the second from what the first round found, which
reaches passages three steps away. Everything is arithmetic over the index: the same corpus gives the same order.
"""

from __future__ import annotations

import numpy as np

from averment.corpus.hop_signals import Signals, Texts, read_signals, titled
from averment.corpus.hop_weights import BIAS, WEIGHTS
from averment.corpus.index.passage_index import PassageIndex
from averment.corpus.ranking import Embed, Floats, Mask, score

Ranked = list[tuple[int, float]]


def rank(index: PassageIndex, question: str, texts: Texts, embed: Embed | None, allowed: Mask) -> Ranked:
    """Candidate passages with their chance of being needed, the surest first, equals by row; only allowed ones."""
    ranked: Ranked = []
    for number, signals in enumerate(rounds(index, question, texts, embed, allowed)):
        probabilities = probabilities_of(signals, number)
        order = np.lexsort((np.array(signals.rows), -probabilities))
        ranked = [(signals.rows[place], float(probabilities[place])) for place in order if allowed[signals.rows[place]]]
    return ranked


def rounds(index: PassageIndex, question: str, texts: Texts, embed: Embed | None, allowed: Mask) -> list[Signals]:
    """The signals of both rounds."""
    if not len(index):
        return []
    scored = score(index, question, embed, allowed)
    named = titled(index, scored)
    first = read_signals(index, scored, named, scored.mixed + named, texts, embed, first=True)
    strength = np.zeros(len(index))
    strength[first.rows] = probabilities_of(first, 0)
    strength[~allowed] = 0.0
    return [first, read_signals(index, scored, named, strength, texts, embed, first=False)]


def probabilities_of(signals: Signals, number: int) -> Floats:
    """The chance of each candidate by the weights of that round."""
    # Summed one signal after another: a matrix product may round differently from one machine to the next.
    total = np.full(len(signals.rows), BIAS[number])
    for column, weight in enumerate(WEIGHTS[number]):
        total = total + weight * signals.table[:, column]
    return 1.0 / (1.0 + np.exp(-total))
