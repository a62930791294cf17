"""Sentences that may answer: what the gate lets through, what speaks for each, and the odds that the best one is right.

The gate: numbers of the question must be covered by the sentence, its section, its title or its document's fields, and
names by the document; a word that no document uses stops everything; the kind of answer asked for must be there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.binding import Embed
from averment.corpus.answering.expect import is_told
from averment.corpus.answering.features import FEATURES, WHOLE, Scores, beside_others, features_of
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion, QuestionTerm
from averment.corpus.answering.words import STOP, is_met, kin_of

_NO_FACTS = re.compile(
    r"\b(?:references?|footnotes?|bibliography|copyright|see also|table of contents|further reading|"
    r"acknowledge?ments?)$|^(?:(?:external|useful|related|other|quick) )?links$",
    re.IGNORECASE,
)
_MOST = 40
_NUMBER_NEAR, _NAME_NEAR = 0.44, 0.14
"""A number of the question must stand in the section at least, a name in the document."""
_ALL = 0.99


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that may answer, what speaks for it, and the odds by its own features."""

    line: int
    features: Mapping[str, float]
    odds: float
    words: str = ""
    """The words of it that answer, where a reader read it."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Fitted curves: is this sentence right, and is the best one right as it stands among the others.

    Both are there twice: without the reader of question and sentence, and (``read``, ``settled``) with it. A sentence
    is told with what stands around it, which is right more often than the sentence by itself: ``told`` turns what one
    or both of the curves say into the odds of that.
    """

    first: Mapping[str, float]
    second: Mapping[str, float]
    bar: float
    read: Mapping[str, float] = field(default_factory=dict[str, float])
    settled: Mapping[str, float] = field(default_factory=dict[str, float])
    read_bar: float = 1.0
    told: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])

    def of(self, features: Mapping[str, float]) -> float:
        """The odds of a sentence by its own features."""
        return _logistic(self.first, features)

    def standing(self, features: Mapping[str, float]) -> float:
        """The odds of the best sentence as it stands among the others."""
        return _logistic(self.settled if "read" in features else self.second, features)

    def read_of(self, features: Mapping[str, float]) -> float:
        """The odds of a sentence by its features and what the reader says of it."""
        return _logistic(self.read, features)

    def together(self, plain: float, read: float | None, covered: float) -> float:
        """The odds of what is told: by the standing without the reader, by that with it, and by what it covers.

        ``covered`` is the share of the question that what is told, its headings and its title have.
        """
        known = {"plain": logit(plain), "covered": covered} | ({} if read is None else {"read": logit(read)})
        weights = self.told.get("with" if read is not None else "without")
        return _logistic(weights, known) if weights else plain if read is None else read

    def bar_for(self, read: bool) -> float:
        """The odds from which the best sentence is told."""
        return self.read_bar if read else self.bar


@cache
def fitted_odds() -> Odds:
    """The curves that come with the package; ``scripts/fit_answer_odds.py`` fits them."""
    text = resources.files("averment.corpus.answering").joinpath("odds.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return Odds(**{name: value for name, value in data.items() if name != "manifest"})


def _logistic(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    value = weights["bias"] + sum(weights.get(name, 0.0) * one for name, one in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


def logit(odds: float) -> float:
    """Odds on the scale on which they are added up."""
    return math.log((odds + 0.001) / (1.001 - odds))


def stopped(question: CorpusQuestion) -> str:
    """The word of a question that no document uses, where there is one."""
    return next((term.key for term in question.terms if term.role == "unknown" and term.weight > 0), "")


def find_candidates(
    question: CorpusQuestion, library: Library, embed: Embed | None, odds: Odds, most: int = _MOST
) -> list[SentenceCandidate]:
    """The sentences that cover most of a question, the likeliest first; what the gate stops is left out."""
    asked = [term for term in question.terms if term.weight > 0]
    if not asked or not library.lines or stopped(question):
        return []
    covers = _covers(asked, library)
    total = sum(term.weight for term in asked)
    full = sum((term.weight * covers[term.key] for term in asked), np.zeros(len(library.lines))) / total
    own = sum((term.weight * (covers[term.key] >= WHOLE) for term in asked), np.zeros(len(library.lines))) / total
    allowed = _allowed(question, asked, library, covers)
    sizes = np.array([line.size for line in library.lines])
    first = np.where(allowed, full + 0.5 * own - 0.002 * np.maximum(0, sizes - 45), -1.0)
    order = [int(place) for place in np.lexsort((np.arange(len(first)), -first))[: 2 * most] if first[place] > 0.25]
    order = [place for place in order if _may_be_told(library, library.lines[place])][:most]
    if not order:
        return []
    near, around = _nearness(question, library, order, embed)
    rows: list[tuple[int, dict[str, float]]] = []
    for at, place in enumerate(order):
        features = features_of(question, library, place, asked, covers, total)
        if features is not None:
            features |= {"full": float(full[place]), "own": float(own[place])}
            features |= {"cosine": float(near[at]), "context": float(around[at])}
            rows.append((place, features))
    beside_others(question, library, rows, len(asked))
    found = [SentenceCandidate(place, features, odds.of(features)) for place, features in rows]
    return sorted(found, key=lambda one: (-one.odds, one.line))


def _covers(asked: Sequence[QuestionTerm], library: Library) -> dict[str, Scores]:
    """How far each sentence covers each key; a key may be met by its kin, and need not be said again of a title."""
    covers: dict[str, Scores] = {}
    for term in asked:
        found = library.cover(term.key)
        for other in sorted(kin_of(term.key)):
            found = np.maximum(found, np.float32(0.85) * library.cover(other))
        covers[term.key] = found
    for number, used in spent(asked, library).items():
        first, last = library.ranges[number]
        for one in used:
            covers[one][first:last] = np.maximum(covers[one][first:last], 0.9)
    return covers


def spent(asked: Sequence[QuestionTerm], library: Library) -> dict[int, set[str]]:
    """For documents that a question names by words of their title or a person of their fields: the keys used up so."""
    telling = [term for term in asked if term.role not in ("soft", "number")]
    found: dict[int, set[str]] = {}
    for number, card in enumerate(library.cards[: len(library.bodies)]):
        title = {one for one in card.title_keys if one not in STOP and not library.is_common(one)}
        used = {term.key for term in telling if is_met(term.key, title)}
        called = {term.key for term in telling if term.key in card.name_keys and not library.is_common(term.key)}
        named = {term.key for term in telling if term.role == "name" and term.key in card.field_keys}
        if len(used) >= 2 or (title and len(used) >= 0.5 * len(title)):
            found[number] = used | named | called
        elif len(named) >= 2 or called:
            found[number] = (named if len(named) >= 2 else set()) | called
    return found


def _allowed(
    question: CorpusQuestion, asked: Sequence[QuestionTerm], library: Library, covers: Mapping[str, Scores]
) -> npt.NDArray[np.bool_]:
    allowed = np.ones(len(library.lines), bool)
    if question.bound:
        allowed = np.isin(np.array([line.document for line in library.lines]), question.bound)
    for term in asked:
        if term.role == "number":
            allowed &= covers[term.key] >= _NUMBER_NEAR
        elif term.role in ("name", "literal"):
            allowed &= covers[term.key] >= _NAME_NEAR
    return allowed


def _may_be_told(library: Library, line: TextLine) -> bool:
    return is_told(line.unit.text) and not any(_NO_FACTS.search(title) for title in library.block_of(line).path)


def context_of(library: Library, line: TextLine) -> str:
    """A line with its title, headings and lead before it."""
    block = library.block_of(line)
    lead = f"{block.lead.text[:120]} " if block.lead is not None and block.kind != "para" else ""
    return f"{library.cards[line.document].title}: {' / '.join(block.path[-2:])}: {lead}{line.unit.text[:400]}"


def _nearness(
    question: CorpusQuestion, library: Library, order: list[int], embed: Embed | None
) -> tuple[Scores, Scores]:
    if embed is None:
        flat = np.full(len(order), 0.4, np.float32)
        return flat, flat
    lines = [library.lines[place] for place in order]
    texts = [line.whole[:400] for line in lines]
    vectors = embed([question.text, *texts, *(context_of(library, line) for line in lines)])
    near = vectors[1:] @ vectors[0]
    return near[: len(order)].round(3), near[len(order) :].round(3)


STANDING = [
    *"logit lead first_full first_cosine first_context first_exact rank_cosine rank_context sum agreed firm".split(),
    *("read", "share", "any", "first_read"),
    *FEATURES,
]
"""What the second curve sees: the first one's odds and lead, whether the rankers agree, and the features."""


def standing_of(found: Sequence[SentenceCandidate], said: Sequence[str]) -> dict[str, float]:
    """How the best candidate stands among the others; ``said`` is what would be told for each of the first ones."""
    best = found[0]
    others = [
        one.odds
        for one, text in zip(found[1:], said[1:], strict=False)
        if text and text[:40] not in said[0] and said[0][:40] not in text
    ]
    values = {"logit": logit(best.odds), "lead": logit(best.odds) - logit(others[0] if others else 0.0)}
    for name in ("full", "cosine", "context", "exact"):
        top = max(one.features[name] for one in found)
        values[f"first_{name}"] = float(best.features[name] >= top - 1e-6)
    for name in ("cosine", "context"):
        better = sum(one.features[name] > best.features[name] + 1e-6 for one in found)
        values[f"rank_{name}"] = min(better, 10) / 10
    if "read" in best.features:
        values["first_read"] = float(best.features["behind_read"] >= 0)
    values["sum"] = min(sum(one.odds for one in found), 6.0)
    # Every word of the question is there, and whoever ranks puts it first; with what kind of thing was asked for.
    values["agreed"] = float(best.features["own"] >= _ALL and values["first_full"] + values["first_context"] == 2)
    values["firm"] = values["agreed"] * float(best.features["fits"] >= 1)
    return values | dict(best.features)
