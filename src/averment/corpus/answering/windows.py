"""What the reader sees of a sentence: title, headings and the sentence before it, then the sentence, as tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from averment.corpus.answering.library import Library, TextLine
from averment.language.embeddings.minilm import whole_tokens

QUESTION_TOKENS, HEAD_TOKENS, BEFORE_TOKENS, OWN_TOKENS = 40, 14, 22, 72
"""So many tokens of each part are read at most; of the sentence before, the last ones."""


@dataclass(frozen=True, slots=True)
class SentenceWindow:
    """A sentence with what stands before it."""

    heads: str
    before: str
    own: str


@dataclass(frozen=True, slots=True)
class TokenWindow:
    """A window as tokens: where the sentence itself begins among them, and which letters each of its tokens is."""

    ids: list[int]
    first: int
    offsets: list[tuple[int, int]]


def window_of(library: Library, line: TextLine) -> SentenceWindow:
    """A line of a document with its title, headings, lead and the sentence before it."""
    block = library.block_of(line)
    lead = block.lead.text if block.lead is not None and block.kind != "para" else ""
    before = line.before.text if line.before is not None else ""
    heads = ": ".join(part for part in (library.cards[line.document].title, " / ".join(block.path[-2:])) if part)
    return SentenceWindow(heads, f"{lead} {before}".strip(), line.unit.text)


class WindowTokens:
    """Questions and windows as the sentence model's tokens."""

    def __init__(self, model: Path) -> None:
        self._tokenizer, self._first, self._last = whole_tokens(model)

    def question(self, text: str) -> list[int]:
        """A question."""
        return [self._first, *self._plain(text).ids[:QUESTION_TOKENS], self._last]

    def window(self, window: SentenceWindow) -> TokenWindow:
        """A window."""
        heads = self._plain(f"{window.heads}:").ids[:HEAD_TOKENS] if window.heads else []
        before = [self._first, *heads, *self._plain(window.before).ids[-BEFORE_TOKENS:]]
        own = self._plain(window.own)
        return TokenWindow([*before, *own.ids[:OWN_TOKENS], self._last], len(before), list(own.offsets[:OWN_TOKENS]))

    def _plain(self, text: str) -> Any:
        return self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8"), add_special_tokens=False)
