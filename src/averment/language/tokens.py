"""Text cut into tokens that know where they stand, their normal form and their stem.

Positions are those of the text as given; normal forms are NFKC and casefolded. Identifiers such as ``orderTotalUSD2``
are one token in ``tokenise`` and several words in ``split_words``. What words mean together lives in the neighbouring
modules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from averment.language.stems import root, stem

Span = tuple[int, int]
TokenKind = Literal["word", "number", "symbol"]

STOP_WORDS = frozenset(
    """
    a about all also am an and any are as at be been being both but by can could did do does doing done each either
    else ever every for from get give had has have having he her here him his how i if in into is it its itself just
    know let like list many may me might more most much must my name no nor not of off on only or other our out over
    own per please provide return s same shall she should show so some such t tell than that the their them then there
    these they this those through to too under until up us using very was we were what when where whether which while
    who whom whose why will with would you your
    """.split()
) - {"name", "list", "number"}
"""Words that carry no name of their own. ``name`` and ``number`` stay out: columns are called that."""

_TOKEN = re.compile(
    r"(?P<number>(?<!\w)[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?!\w))|(?P<word>\w+(?:'\w+)*)|(?P<symbol>[^\w\s])", re.UNICODE
)
_POSSESSIVE = re.compile(r"'s?$")
_QUOTES = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)|‘([^’\n]+)’(?!\w)|«([^»\n]+)»")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_MARKS = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"'}


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a text: ``text[start:end]`` as written, ``normal`` for equality, ``stem`` for kinship."""

    text: str
    start: int
    end: int
    kind: TokenKind
    normal: str
    stem: str

    @property
    def span(self) -> Span:
        """Where the token stands in the text."""
        return (self.start, self.end)

    @property
    def is_stop(self) -> bool:
        """Whether the token is a word that names nothing."""
        return self.kind == "symbol" or self.normal in STOP_WORDS


def normalise(text: str) -> str:
    """The normal form of a text: NFKC, casefolded, inner white space as single blanks, none around."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def strip_accents(text: str) -> str:
    """The text without combining marks: ``São`` becomes ``Sao``."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


def fold(text: str) -> str:
    """The text in lower case with plain quotes, dashes and blanks, of exactly the same length.

    Patterns run over this form, so that every position they report is a position of the text as given.
    """
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_one, text))


@lru_cache(maxsize=4096)
def _fold_one(char: str) -> str:
    mapped = char.translate(_DASHES).translate(_MARKS)
    if mapped.isspace():
        return mapped if mapped in "\n\r\t" else " "
    for form in (unicodedata.normalize("NFKC", mapped).lower(), mapped.lower()):
        if len(form) == 1:
            return form
    return mapped


def tokenise(text: str) -> list[Token]:
    """The tokens of a text in order, identifiers kept whole, white space left out."""
    plain = text.translate(_MARKS)
    return [_token(text, found) for found in _TOKEN.finditer(plain)]


def _token(text: str, found: re.Match[str]) -> Token:
    start, end = found.span()
    kind: TokenKind = "number" if found["number"] else "word" if found["word"] else "symbol"
    normal = normalise(found.group())
    if kind == "word":
        normal = _POSSESSIVE.sub("", normal) or normal
    elif kind == "number":
        normal = normal.replace(",", "")
    return Token(text[start:end], start, end, kind, normal, stem(normal) if kind == "word" else normal)


def split_words(text: str) -> list[Token]:
    """The words and numbers of a text, identifiers split into their words, symbols left out; positions kept."""
    words: list[Token] = []
    for token in tokenise(text):
        if token.kind == "symbol":
            continue
        pieces = list(_pieces(token))
        words.extend(pieces if len(pieces) > 1 else [token])
    return words


def _pieces(token: Token) -> Iterable[Token]:
    if token.kind == "number":
        return
    for start, end in split_identifier_spans(_POSSESSIVE.sub("", token.text.translate(_MARKS))):
        text = token.text[start:end]
        normal = normalise(text)
        yield Token(
            text, token.start + start, token.start + end, "number" if text.isdigit() else "word", normal, stem(normal)
        )


def split_identifier_spans(name: str) -> list[Span]:
    """Where the words of an identifier stand: snake_case, camelCase, kebab-case, digits apart."""
    spans: list[Span] = []
    start = 0
    for place in range(1, len(name) + 1):
        if place == len(name) or _parts(name, place):
            if name[start].isalnum():
                spans.append((start, place))
            start = place
    return spans


def _parts(name: str, place: int) -> bool:
    """Whether a new word begins at a place: at a change of kind, at a capital after a small letter, at ``S|erver``."""
    before, here = name[place - 1], name[place]
    if unicodedata.combining(here):
        return False
    if (before.isalnum(), before.isdigit()) != (here.isalnum(), here.isdigit()):
        return True
    if not here.isupper():
        return False
    return not before.isupper() or (place + 1 < len(name) and name[place + 1].islower())


def split_identifier(name: str) -> list[str]:
    """The words of an identifier in normal form: ``orderTotalUSD2`` gives order, total, usd, 2."""
    return [normalise(name[start:end]) for start, end in split_identifier_spans(name)]


def content_words(text: str) -> list[Token]:
    """The words of a text that may name something: no stop words, no symbols."""
    return [word for word in split_words(text) if not word.is_stop]


def quoted_spans(text: str) -> list[Span]:
    """Where quoted stretches stand, without their quotes; an apostrophe inside a word opens nothing."""
    spans: list[Span] = []
    for found in _QUOTES.finditer(text):
        group = next(index for index in range(1, 7) if found.group(index) is not None)
        spans.append(found.span(group))
    return spans


def roots_of(text: str) -> frozenset[str]:
    """The roots of a text's content words, for comparing what two texts say; forms of one word share their root."""
    return frozenset(root(word.stem) for word in content_words(text))


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Whether a span shares a character with one of others."""
    return any(span[0] < end and start < span[1] for start, end in others)
