"""British and American spellings of one word."""

from __future__ import annotations

import re
from functools import lru_cache

_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})tre$"), "ter"),
    (re.compile(r"(?<=[a-z]{2})our(?=$|ed$|ing$|s$|able$|ful$|ite$|hood$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=e$|ed$|er$|ing$|ation$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})ys(?=e$|ed$|er$|ing$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})ogue$"), "og"),
    (re.compile(r"(?<=[a-z]{3})ence$"), "ense"),
    (re.compile(r"ll(?=ed$|ing$|er$)"), "l"),
    (re.compile(r"mme$"), "m"),
)


@lru_cache(maxsize=50_000)
def american(word: str) -> str:
    """A word in one spelling, whichever of the two it has: centre and center, labour and labor."""
    for pattern, other in _BRITISH:
        word = pattern.sub(other, word)
    return word
