"""Named things in a text: capitalised phrases and titles, as keys that one passage can be linked to another by.

No dictionary of names is needed. A phrase of a text that is the title of a document is a link to that document,
whatever its words are; and a passage that names the title of another is linked back to it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from averment.corpus.terms import STOP_WORDS, words

LONGEST_NAME = 10
"""Words in the longest phrase that is looked up as a title."""

_PIECE = re.compile(r"[^\W_]+(?:['’.\-&/][^\W_]+)*", re.UNICODE)
_BRACKETED = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_SENTENCE_END = re.compile(r"[.!?]\s+$|[.!?]\s|\n|;")
_CLOSING = re.compile(r"[,()\"“”:]")
_JOINING = frozenset("of the de la le du da di del der den von van y al bin ibn and for in on to a an at".split())


@dataclass(frozen=True, slots=True)
class NameMention:
    """A phrase of a text that names something: its comparable form and where it stands."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    start: int
    end: int
    words: tuple[str, ...]
    capital: bool
    closes: bool
    """Whether a sentence ends between this piece and the next."""


def name_key(text: str) -> str:
    """The comparable form of a name: folded words without a possessive, parted by blanks."""
    return " ".join(word for word in words(text) if word != "s")


def title_keys(title: str) -> tuple[str, ...]:
    """The forms under which a title is mentioned: whole, without its bracket, and without what follows a comma."""
    forms = [title, _BRACKETED.sub("", title)]
    if "," in forms[-1]:
        forms.append(forms[-1].split(",")[0])
    return tuple(dict.fromkeys(key for key in map(name_key, forms) if key))


def find_titles(text: str, known: Container[str], *, is_question: bool = False) -> list[NameMention]:
    """The phrases of a text that are known titles, the longest at each place, none overlapping.

    In prose a title begins with a capital or a digit. A question may be written in any case, but some word of the
    phrase must have a capital or a digit, or every common word that is also a title would be found.
    """
    pieces = _pieces(text)
    found: list[NameMention] = []
    place = 0
    while place < len(pieces):
        mention, after = _longest(pieces, place, known, is_question=is_question)
        if mention is not None:
            found.append(mention)
        place = after
    return found


def _longest(
    pieces: list[_Piece], place: int, known: Container[str], *, is_question: bool
) -> tuple[NameMention | None, int]:
    first = pieces[place]
    if not (first.capital or is_question):
        return None, place + 1
    best: tuple[NameMention, int] | None = None
    key, capital = "", False
    for ahead in range(place, min(place + LONGEST_NAME, len(pieces))):
        piece = pieces[ahead]
        key = " ".join((key, *piece.words)).strip()
        capital = capital or piece.capital
        if capital and key in known and not (ahead == place and (key in STOP_WORDS or len(key) < 3)):
            best = (NameMention(key, first.start, piece.end), ahead + 1)
        if piece.closes and not is_question:
            break
    return best if best is not None else (None, place + 1)


def names(text: str) -> Iterator[str]:
    """The keys of the capitalised phrases of a text, joined over little words such as "of", with their parts.

    A part begins and ends with a capital, so that "Lothair II of Lotharingia" is found by "Lothair II" as well.
    """
    # Most words are in no name, so nothing is made of them: every passage of the corpus comes through here.
    run: list[tuple[str, bool]] = []
    end = 0
    for match in _PIECE.finditer(text):
        first = match[0][0]
        capital = first.isupper() or first.isdigit()
        if run and _parting(text, end, match.start(), run[-1][0]):
            yield from _parts(run)
            run = []
        if capital or (run and match[0].lower() in _JOINING):
            run.append((name_key(match[0]), capital))
            end = match.end()
        elif run:
            yield from _parts(run)
            run = []
    yield from _parts(run)


def _parting(text: str, end: int, start: int, before: str) -> bool:
    """Whether what stands between two words keeps them from being one name; an initial's full stop does not."""
    if start == end + 1 and text[end] == " ":
        return False
    between = text[end:start]
    return bool(_CLOSING.search(between)) or (bool(_SENTENCE_END.search(between)) and len(before) != 1)


def _parts(run: list[tuple[str, bool]]) -> Iterator[str]:
    for first, (_, capital) in enumerate(run):
        if not capital:
            continue
        key = ""
        for word, closing in run[first : first + LONGEST_NAME]:
            key = f"{key} {word}" if key else word
            if closing and len(key) > 2 and key not in STOP_WORDS:
                yield key


def _pieces(text: str) -> list[_Piece]:
    matches = list(_PIECE.finditer(text))
    found: list[_Piece] = []
    for place, match in enumerate(matches):
        after = matches[place + 1].start() if place + 1 < len(matches) else match.end()
        between = text[match.end() : after]
        # An initial's full stop ends no sentence: "John F. Kennedy".
        closes = bool(_SENTENCE_END.search(between)) and not (len(match[0]) == 1 and match[0].isupper())
        own = tuple(word for word in words(match[0]) if word != "s")
        capital = match[0][0].isupper() or match[0][0].isdigit()
        found.append(_Piece(match[0], match.start(), match.end(), own, capital, closes))
    return found
