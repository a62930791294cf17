"""A text prepared for reading: cut into sentences, labels joined to what they label, endless lines cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from averment.language.sentences import Sentence, split_sentences
from averment.language.tokens import Token, tokenise


@dataclass(frozen=True, slots=True)
class TextPage:
    """A text prepared once for reading: sentences, and the tokens of each."""

    text: str
    sentences: tuple[Sentence, ...]
    tokens: tuple[tuple[Token, ...], ...]

    @classmethod
    def of(cls, text: str) -> TextPage:
        """A text cut into sentences and tokens."""
        sentences = tuple(_shorter(_labelled(text, split_sentences(text))))
        return cls(text, sentences, tuple(tuple(tokenise(sentence.text)) for sentence in sentences))


_LONGEST = 400
_LABEL_WORDS = 3


def _labelled(text: str, sentences: Sequence[Sentence]) -> Iterable[Sentence]:
    """Sentences, a label of a few words on the same line ("Release date. 21 July") joined to what it labels."""
    label: Sentence | None = None
    for sentence in sentences:
        if label is not None and not text[label.end : sentence.start].strip(" "):
            sentence = Sentence(text[label.start : sentence.end], label.start, sentence.end)
        elif label is not None:
            yield label
        label = sentence if len(sentence.text.split()) <= _LABEL_WORDS else None
        if label is None:
            yield sentence
    if label is not None:
        yield label


def _shorter(sentences: Iterable[Sentence]) -> Iterable[Sentence]:
    """Sentences, those that never end (menus, tables) cut at a blank near the limit."""
    for sentence in sentences:
        start = 0
        while len(sentence.text) - start > _LONGEST:
            cut = sentence.text.rfind(" ", start, start + _LONGEST)
            cut = cut if cut > start else start + _LONGEST
            yield Sentence(sentence.text[start:cut], sentence.start + start, sentence.start + cut)
            start = cut + 1
        yield Sentence(sentence.text[start:], sentence.start + start, sentence.end)
