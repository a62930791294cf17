"""The likeliest sentences, read once more by the reader of question and sentence together, and put in a new order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from averment.corpus.answering.features import FEATURES
from averment.corpus.answering.library import Library
from averment.corpus.answering.question import CorpusQuestion
from averment.corpus.answering.sentences import Odds, SentenceCandidate, logit
from averment.corpus.answering.span_reader import SpanOpinion, SpanReader
from averment.corpus.answering.windows import window_of

READ = 8
"""So many candidates are read."""
_FAR = 8.0
READ_FEATURES = ["first", "read", "share", "any", "behind_read", *FEATURES]
"""What the curve of read candidates sees, by name."""


def read_again(
    question: CorpusQuestion, library: Library, found: Sequence[SentenceCandidate], reader: SpanReader, odds: Odds
) -> list[SentenceCandidate]:
    """The candidates in the order of what their features and the reader say together; the unread ones come last."""
    listed = list(found[:READ])
    windows = [window_of(library, library.lines[one.line]) for one in listed]
    return reordered(found, reader.read(question.text, windows), odds)


def reordered(
    found: Sequence[SentenceCandidate], opinions: Sequence[SpanOpinion], odds: Odds
) -> list[SentenceCandidate]:
    """Candidates, of which the first ones have opinions, by the odds that both give."""
    read = [
        replace(one, features=features, odds=odds.read_of(features), words=opinion.words)
        for one, opinion, features in zip(found, opinions, with_opinions(found, opinions), strict=False)
    ]
    read.sort(key=lambda one: (-one.odds, one.line))
    least = min((one.odds for one in read), default=1.0)
    return [*read, *(replace(one, odds=min(one.odds, least)) for one in found[len(read) :])]


def with_opinions(found: Sequence[SentenceCandidate], opinions: Sequence[SpanOpinion]) -> list[dict[str, float]]:
    """The features of read candidates: their own, the first odds, and the reader's score by itself and beside others.

    The share is that of a sentence among all that were read and "none of them"; ``any`` is what all have together.
    """
    scores = [max(-_FAR, min(_FAR, one.score)) for one in opinions]
    top = max(scores, default=0.0)
    whole = 1.0 + sum(math.exp(score) for score in scores)
    return [
        {
            **one.features,
            "first": logit(one.odds),
            "read": score,
            "share": math.exp(score) / whole,
            "any": 1 - 1 / whole,
            "behind_read": score - top,
        }
        for one, score in zip(found, scores, strict=False)
    ]
