"""Before a question is answered: its spelling is mended, and the documents that may answer it are chosen.

This looks through the cards of all documents; what it decides goes into the arguments of the search, so that the
search itself can be repeated over the chosen documents alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from averment.corpus.answering.answerer import Answerer
from averment.corpus.answering.binding import Embed
from averment.corpus.answering.card import DocumentCard
from averment.corpus.answering.library import Library, content_keys
from averment.corpus.answering.question import bind_identifiers, repair_spelling
from averment.corpus.answering.words import kin_of
from averment.corpus.terms import words


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """A question made ready: its words, other wordings to search with, the cards to open first, and what is known.

    ``holding`` says for each of its keys how many documents hold it; ``known`` are the keys that any document holds.
    """

    question: str
    wordings: tuple[str, ...]
    cards: tuple[int, ...]
    documents: int
    holding: Mapping[str, int]
    known: tuple[str, ...]


def scout(
    question: str,
    cards: Sequence[DocumentCard],
    *,
    embed: Embed | None,
    vocabulary: Callable[[], Mapping[str, int]],
    is_held: Callable[[str], bool],
) -> PreparedQuestion:
    """Make a question ready; ``is_held`` says whether any passage holds a word as it is searched for."""
    asked = question
    if any(not is_held(word) for word in words(question) if len(word) > 3):
        asked = repair_spelling(question, vocabulary())
    library = Library(cards)
    wanted = [*content_keys(asked)]
    wanted += [other for one in list(wanted) for other in sorted(kin_of(one))]
    holding = {one: library.holding[one] for one in dict.fromkeys(wanted)}
    known = tuple(one for one in holding if all(is_held(part) for part in re.findall(r"[^\W_]+", one)))
    answerer = Answerer(library, embed, known=known)
    wordings: list[str] = []
    for part, told in answerer.ask(asked):
        wordings.append(part)
        answerer.binder.touched += [n for n in told.documents if n not in answerer.binder.touched]
    wordings += answerer.resolved
    bound = bind_identifiers(asked, library)[0]
    for text in answerer.resolved:
        bound += bind_identifiers(text, library)[0]
    first = tuple(dict.fromkeys((*bound, *answerer.binder.touched)))
    return PreparedQuestion(asked, tuple(dict.fromkeys(wordings)), first, len(cards), holding, known)
