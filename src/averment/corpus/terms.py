"""Text as the terms that are searched: folded, stemmed, counted, and packed as 64-bit keys.

A passage is kept with its packed terms, so that an index is loaded without reading any text again. Keys are hashes and
depend on nothing but the term: the same on every machine and in both databases.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from averment.corpus.stemmer import stem

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

STOP_WORDS = frozenset(
    """
    a about also am an and any are as at be been being but by can could did do does doing done for from had has have
    having he her hers him his how i if in into is it its itself may me might must my no nor not of on or our ours out
    own s shall she should so such t than that the their theirs them then there these they this those to too up us was
    we were what when where which while who whom whose why will with would you your yours
    """.split()
)
"""Words too frequent to tell passages apart."""

_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def fold(text: str) -> str:
    """The text in lower case without accents and compatibility forms, for comparing only."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(part for part in parts if not unicodedata.combining(part))


def words(text: str) -> list[str]:
    """The words and numbers of a text in order, folded, none left out."""
    return _WORD.findall(fold(text))


def terms(text: str) -> list[str]:
    """The stemmed words of a text in order, without stop words; all words where nothing else is there."""
    found = words(text)
    kept = [stem(word) for word in found if word not in STOP_WORDS]
    return kept or [stem(word) for word in found]


@lru_cache(maxsize=200_000)
def key_of(term: str) -> int:
    """The 64-bit key of a term."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def pack(counts: Counter[str]) -> bytes:
    """Counted terms as bytes: the sorted keys, then the counts, so that equal texts give equal bytes."""
    import numpy as np

    pairs = sorted((key_of(term), min(count, 65_535)) for term, count in counts.items())
    keys = np.array([key for key, _ in pairs], dtype="<u8")
    return keys.tobytes() + np.array([count for _, count in pairs], dtype="<u2").tobytes()


def unpack(packed: bytes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16]]:
    """The keys and counts of packed terms."""
    import numpy as np

    size = len(packed) // 10
    return np.frombuffer(packed, dtype="<u8", count=size), np.frombuffer(packed, dtype="<u2", offset=8 * size)


def pack_keys(names: Iterable[str]) -> bytes:
    """Names as the bytes of their sorted keys, each once."""
    import numpy as np

    return np.array(sorted({key_of(name) for name in names}), dtype="<u8").tobytes()
