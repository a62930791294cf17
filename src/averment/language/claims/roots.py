"""The roots of the words of a text that carry meaning, for comparing what two texts say."""

from __future__ import annotations

from averment.language.stems import root
from averment.language.tokens import content_words


def roots_of(text: str) -> set[str]:
    """The roots of a text's content words; forms of one word share their root."""
    return {root(word.stem) for word in content_words(text)}
