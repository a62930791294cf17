"""Sentences that may answer: what the gate lets through, what speaks for each, and the odds that the best one is right.

The gate: numbers and names of the question must be covered by the sentence, its headings, its title or its document's
fields; a word that no document uses stops everything; what kind of answer is asked for must be there.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.binding import Embed
from averment.corpus.answering.expect import fits, is_told
from averment.corpus.answering.library import Library, Line
from averment.corpus.answering.question import Question, Term
from averment.corpus.answering.words import STOP, keys, kin_of

FEATURES = (
    "full own cosine context fits phrase hole bound short item row about heads pair exact tense focus verb "
    "behind_full behind_cosine behind_context crowd many defines reason dated"
).split()
"""What speaks for or against a sentence, by name; the order is that of the fitted weights."""

_NO_FACTS = re.compile(
    r"\b(?:references?|footnotes?|bibliography|copyright|links|see also|table of contents|further reading|"
    r"acknowledge?ments?)$",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:would|will|expected|scheduled|planned|could|might|should|proposes?|if)\b", re.IGNORECASE
)
_ANNOUNCES = re.compile(r":$|\b(?:the following|as follows|see below)\b", re.IGNORECASE)
_PAST = re.compile(r"^(?:when|who|why|how|in) .*\b(?:was|were|did|released)\b|^release date")
_ORPHAN = re.compile(
    r"(?:This|That|These|Those|It|They|He|She) (?:is|are|was|were|has|have|had|can|will|must|may|should|does)\b"
)
"""A sentence whose subject is named elsewhere."""
_MOST = 40
_WHOLE = 0.84
_NEAR = 0.74
_ALL = 0.99

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may answer, what speaks for it, and the odds by its own features."""

    line: int
    features: Mapping[str, float]
    odds: float
    words: str = ""
    """The words of it that answer, where a reader read it."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Fitted curves: is this sentence right, and is the best one right as it stands among the others.

    Both are there twice: without the reader of question and sentence, and (``read``, ``settled``) with it.
    """

    first: Mapping[str, float]
    second: Mapping[str, float]
    bar: float
    read: Mapping[str, float] = field(default_factory=dict[str, float])
    settled: Mapping[str, float] = field(default_factory=dict[str, float])
    read_bar: float = 1.0

    def of(self, features: Mapping[str, float]) -> float:
        """The odds of a sentence by its own features."""
        return _logistic(self.first, features)

    def standing(self, features: Mapping[str, float]) -> float:
        """The odds of the best sentence as it stands among the others."""
        return _logistic(self.settled if "read" in features else self.second, features)

    def read_of(self, features: Mapping[str, float]) -> float:
        """The odds of a sentence by its features and what the reader says of it."""
        return _logistic(self.read, features)

    def bar_for(self, features: Mapping[str, float]) -> float:
        """The odds from which the best sentence is told."""
        return self.read_bar if "read" in features else self.bar


@cache
def fitted_odds() -> Odds:
    """The curves that come with the package; ``scripts/fit_answer_odds.py`` fits them."""
    text = resources.files("averment.corpus.answering").joinpath("odds.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return Odds(
        **{name: data[name] for name in ("first", "second", "bar", "read", "settled", "read_bar") if name in data}
    )


def _logistic(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    value = weights["bias"] + sum(weights.get(name, 0.0) * one for name, one in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


def stopped(question: Question) -> str:
    """The word of a question that no document uses, where there is one."""
    return next((term.key for term in question.terms if term.role == "unknown" and term.weight > 0), "")


def find_candidates(
    question: Question, library: Library, embed: Embed | None, odds: Odds, most: int = _MOST
) -> list[Candidate]:
    """The sentences that cover most of a question, the likeliest first; what the gate stops is left out."""
    asked = [term for term in question.terms if term.weight > 0]
    if not asked or not library.lines or stopped(question):
        return []
    covers = _covers(asked, library)
    total = sum(term.weight for term in asked)
    full = sum((term.weight * covers[term.key] for term in asked), np.zeros(len(library.lines))) / total
    own = sum((term.weight * (covers[term.key] >= _WHOLE) for term in asked), np.zeros(len(library.lines))) / total
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
        features = _features(question, library, place, asked, covers, total)
        if features is not None:
            features |= {"full": float(full[place]), "own": float(own[place])}
            features |= {"cosine": float(near[at]), "context": float(around[at])}
            rows.append((place, features))
    _beside_others(question, library, rows, len(asked))
    found = [Candidate(place, features, odds.of(features)) for place, features in rows]
    return sorted(found, key=lambda one: (-one.odds, one.line))


def _covers(asked: Sequence[Term], library: Library) -> dict[str, Scores]:
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


def spent(asked: Sequence[Term], library: Library) -> dict[int, set[str]]:
    """For documents that a question names by words of their title or a person of their fields: the keys used up so."""
    telling = [term for term in asked if term.role not in ("soft", "number")]
    found: dict[int, set[str]] = {}
    for number, card in enumerate(library.cards[: len(library.bodies)]):
        title = {one for one in card.title_keys if one not in STOP and not library.is_common(one)}
        used = {term.key for term in telling if term.key in title or kin_of(term.key) & title}
        named = {term.key for term in telling if term.role == "name" and term.key in card.field_keys}
        if len(used) >= 2 or (title and len(used) >= 0.5 * len(title)):
            found[number] = used | named
        elif len(named) >= 2:
            found[number] = named
    return found


def _allowed(
    question: Question, asked: Sequence[Term], library: Library, covers: Mapping[str, Scores]
) -> npt.NDArray[np.bool_]:
    allowed = np.ones(len(library.lines), bool)
    if question.bound:
        allowed = np.isin(np.array([line.document for line in library.lines]), question.bound)
    for term in asked:
        if term.role == "number":
            allowed &= covers[term.key] >= 0.5
        elif term.role in ("name", "literal"):
            allowed &= covers[term.key] >= 0.39
    return allowed


def _may_be_told(library: Library, line: Line) -> bool:
    return is_told(line.unit.text) and not any(_NO_FACTS.search(title) for title in library.block_of(line).path)


def context_of(library: Library, line: Line) -> str:
    """A line with its title, headings and lead before it."""
    block = library.block_of(line)
    lead = f"{block.lead.text[:120]} " if block.lead is not None and block.kind != "para" else ""
    return f"{library.cards[line.document].title}: {' / '.join(block.path[-2:])}: {lead}{line.unit.text[:400]}"


def _nearness(question: Question, library: Library, order: list[int], embed: Embed | None) -> tuple[Scores, Scores]:
    if embed is None:
        flat = np.full(len(order), 0.4, np.float32)
        return flat, flat
    lines = [library.lines[place] for place in order]
    texts = [line.whole[:400] for line in lines]
    vectors = embed([question.text, *texts, *(context_of(library, line) for line in lines)])
    near = vectors[1:] @ vectors[0]
    return near[: len(order)].round(3), near[len(order) :].round(3)


def _features(
    question: Question,
    library: Library,
    place: int,
    asked: Sequence[Term],
    covers: Mapping[str, Scores],
    total: float,
) -> dict[str, float] | None:
    line = library.lines[place]
    block, text = library.block_of(line), line.unit.text
    kind = fits(question, text, line.unit.code, library.small_words if question.expects == "person" else ())
    listing = question.wants_list or question.expects in ("thing", "how", "difference")
    announces = bool(_ANNOUNCES.search(text))
    opens = announces and listing and bool(library.items_after(line))
    if announces and not opens:
        return None  # It says that something follows, and what follows is not what is asked for.
    if kind <= -1 and block.kind != "row" and not opens:
        return None
    if line.before is None and question.expects != "yesno" and _ORPHAN.match(text):
        return None  # What it speaks of stands in a heading or another paragraph: told alone it says nothing.
    unmet = any(verb in covers and covers[verb][place] < _NEAR for verb in question.verbs)
    if question.expects == "why" and unmet:
        return None
    mine = keys(line.whole)
    held = set(mine)
    order = [term.key for term in asked]
    pairs = list(pairwise(order))
    adjacent = sum(any(b in mine[i : i + 4] for i, one in enumerate(mine) if one == a) for a, b in pairs)
    wanted = set(order) | {other for one in order for other in kin_of(one)}
    telling = {one: library.telling(one) for one in held if one not in STOP}
    exact = sum(telling.get(one, 0.0) for one in held & wanted) / max(1e-9, sum(telling.values()))
    heads = {one for title in block.path for one in keys(title)}
    card = library.cards[line.document]
    profile = library.profiles[line.document]
    verbs = [
        0.5 * (covers[v][place] >= _NEAR) + 0.5 * (covers[v][place] >= _WHOLE) for v in question.verbs if v in covers
    ]
    holes = [term.weight * (1 - float(covers[term.key][place])) for term in asked if term.role != "soft"]
    focused = question.focus in held or bool(kin_of(question.focus) & held)
    return {
        "fits": max(kind, -0.5),
        "phrase": adjacent / max(1, len(pairs)),
        "hole": max(holes, default=0.0) / total,
        "bound": float(bool(question.bound)),
        "short": float(line.size < 6 and block.kind == "para"),
        "item": float(block.kind == "item"),
        "row": float(block.kind == "row"),
        "about": sum(t.weight for t in asked if t.key in card.title_keys or t.key in profile) / total,
        "heads": sum(term.weight for term in asked if term.key in heads) / total,
        "pair": pair_of(question, library, line),
        "exact": exact,
        "tense": float(bool(_PAST.search(question.low) and _HYPOTHETICAL.search(text))),
        "focus": float(bool(question.focus) and focused),
        "verb": float(min(verbs, default=0.5)),
    }


def pair_of(question: Question, library: Library, line: Line) -> float:
    """How far the key of a row or of "key: value" is what a question asks for; 0 where there is no key."""
    block = library.block_of(line)
    if block.kind == "row":
        named = block.cells[0][1]
    else:
        match = re.match(r"^([^:]{2,60}):\s+\S", line.unit.text)
        if not match or block.kind == "para":
            return 0.0
        named = match[1]
    asked = set(keys(question.low))
    asked |= {other for one in asked for other in kin_of(one)}
    own = set(keys(named))
    return len(own & asked) / len(own) if own else 0.0


def _beside_others(question: Question, library: Library, rows: list[tuple[int, dict[str, float]]], many: int) -> None:
    for name in ("full", "cosine", "context"):
        top = max((features[name] for _, features in rows), default=0.0)
        for _, features in rows:
            features[f"behind_{name}"] = features[name] - top
    owners = [library.lines[place].document for place, _ in rows]
    for place, features in rows:
        features["crowd"] = owners.count(library.lines[place].document) / len(rows)
        features["many"] = min(many, 10) / 10
        for name, kind in (("defines", "definition"), ("reason", "why"), ("dated", "date")):
            features[name] = features["fits"] if question.expects == kind else 0.0


STANDING = [
    *"logit lead first_full first_cosine first_context first_exact rank_cosine rank_context sum agreed firm".split(),
    *("read", "share", "any", "first_read"),
    *FEATURES,
]
"""What the second curve sees: the first one's odds and lead, whether the rankers agree, and the features."""


def standing_of(found: Sequence[Candidate], said: Sequence[str]) -> dict[str, float]:
    """How the best candidate stands among the others; ``said`` is what would be told for each of the first ones."""

    def logit(odds: float) -> float:
        return math.log((odds + 0.001) / (1.001 - odds))

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
