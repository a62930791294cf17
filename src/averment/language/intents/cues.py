"""Plain signs of what a sentence wants, found by patterns of a few words.

A sign alone proves little ("change" is as good for a task as for a playlist), so the classifier weighs the signs
together with everything else it sees; where two meet, such as a question for causes and a movement, they have a sign
of their own.
"""

from __future__ import annotations

import re

from averment.language.intents.vocabulary import (
    CAUSE,
    DATA,
    METRIC,
    MOVE,
    REFERENCE,
    SOURCES,
    STATISTIC,
    TASK_WORDS,
    VERB_PAST,
    pattern,
)

_UNDO = pattern("undo")
_UPDATE_VERB = pattern("update_verb")
_UPDATE_SHAPE = pattern("update_shape")
_COMPLETE = pattern("complete")
_DID = re.compile(rf"^(?:yep,? |yes,? |ok,? )?(?:i|we)(?:'ve| have)?(?: already| just| finally)? (?:{VERB_PAST})\b")
_ASKS = re.compile(r"(?:what|which|who|where|when|why|how|is|are|do|does|did|can|could|will|would|should|has|have)\b")
_NOT_DONE = re.compile(r"\b(?:not|n't|never|if|when|until|did i|have i|should)\b|\?")


CUES = (
    "undo",
    "drill",
    "update",
    "update_shape",
    "complete",
    "did",
    "research",
    "analyze",
    "about_task",
    "cause",
    "move",
    "metric",
    "statistic",
    "data",
    "question",
)
"""What ``cues`` may name, in the order of the classifier's weights."""


def cues(text: str) -> frozenset[str]:
    """Which plain signs of an intent the words hold."""
    plain = " ".join(text.casefold().replace("\u2019", "'").split())
    about_task = bool(REFERENCE.search(plain) or TASK_WORDS.search(plain))
    cause, move, metric = (bool(pattern.search(plain)) for pattern in (CAUSE, MOVE, METRIC))
    statistic, data = bool(STATISTIC.search(plain)), bool(DATA.search(plain))
    finished, shaped = bool(_COMPLETE.search(plain)), bool(_UPDATE_SHAPE.search(plain))
    told = {
        "undo": bool(_UNDO.search(plain)),
        "drill": cause and (move or metric),
        "update": about_task and bool(_UPDATE_VERB.search(plain)) and not finished,
        "update_shape": shaped and not finished,
        "complete": finished and not _NOT_DONE.search(plain),
        "did": bool(_DID.search(plain)) and not _NOT_DONE.search(plain),
        "research": bool(SOURCES.search(plain)),
        "analyze": statistic and data,
        "about_task": about_task,
        "cause": cause,
        "move": move,
        "metric": metric,
        "statistic": statistic,
        "data": data,
        "question": plain.endswith("?") or bool(_ASKS.match(plain)),
    }
    return frozenset(name for name, there in told.items() if there)
