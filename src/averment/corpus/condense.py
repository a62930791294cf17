"""What the sentence model reads of a passage: its title, then the words that say something, each once.

Most of a passage's tokens are markup, small words and words said before. Without them a vector costs a third and finds
as much; the text itself, which is shown and quoted, stays whole.
"""

from __future__ import annotations

import re

from averment.corpus.terms import STOP_WORDS, fold

MOST = 720
"""So many characters are read at most; technical text has seldom so many different words in a passage."""
VERSION = "brief2"
"""Part of the name that vectors are kept under: those of another way of shortening are never compared with these."""

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")


def condensed(title: str, text: str) -> str:
    """The title and the telling words of a passage in order, cut where there are enough."""
    kept: list[str] = []
    said: set[str] = set()
    size = len(title)
    for word in _WORD.findall(text):
        folded = fold(word)
        if folded in STOP_WORDS or folded in said or (len(word) == 1 and word == folded and not word.isdigit()):
            continue
        said.add(folded)
        kept.append(word)
        size += len(word) + 1
        if size > MOST:
            break
    return f"{title}\n{' '.join(kept)}" if kept else f"{title}\n{text}"
