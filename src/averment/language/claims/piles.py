"""What several texts answer to one question, put together: one entry for each distinct answer, with who says it.

Texts about different things of one name may each be right; texts about the same thing with different answers cannot all
be. Which is which shows in the names and numbers that texts share besides the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from averment.language.claims.claim_values import StatedValue, compare, read_moments
from averment.language.claims.focus import Focus
from averment.language.claims.names import find_names, name_words
from averment.language.claims.pages import TextPage
from averment.language.claims.reader import StatedAnswer
from averment.language.tokens import normalise, strip_accents, tokenise

HEARD = 0.12
"""From which chance on a text counts as saying something."""
_PER_TEXT = 3
_SURE = 0.2
_REFERRED = 0.8
"""How much "the game" counts where a text does not name the game that was asked about."""


@dataclass(frozen=True, slots=True)
class AnswerStatement:
    """One text giving one answer."""

    text: int
    reading: StatedAnswer


@dataclass(frozen=True, slots=True)
class PileEntry:
    """One distinct answer of a pile: its best wording, every text that gives it, and what speaks for it.

    ``support`` are the texts that give it or at least name it.
    """

    wording: str
    value: StatedValue | None
    statements: tuple[AnswerStatement, ...]
    features: dict[str, float]
    support: frozenset[int] = frozenset()

    @property
    def texts(self) -> tuple[int, ...]:
        """The texts that give it, in order."""
        return tuple(sorted({statement.text for statement in self.statements}))

    @property
    def best(self) -> AnswerStatement:
        """Where it is said best."""
        return max(self.statements, key=lambda statement: statement.reading.probability)


@dataclass(frozen=True, slots=True)
class PileText:
    """A text of a pile with what it answers; texts with one ``group`` are copies and count once."""

    page: TextPage
    readings: tuple[StatedAnswer, ...]
    group: str


def group_answers(focus: Focus, pile: Sequence[PileText]) -> list[PileEntry]:
    """The distinct answers of a pile, the best supported first."""
    statements = [
        AnswerStatement(place, reading)
        for place, heard in enumerate(pile)
        for reading in heard.readings[:_PER_TEXT]
        if reading.probability >= HEARD
    ]
    statements.sort(
        key=lambda statement: (-statement.reading.probability, statement.text, statement.reading.candidate.span)
    )
    groups: list[list[AnswerStatement]] = []
    for statement in statements:
        group = next((group for group in groups if agree(group[0].reading, statement.reading)), None)
        if group is None:
            groups.append([statement])
        else:
            group.append(statement)
    marks = [_marks(focus, heard.page.text) for heard in pile]
    entries = [_entry(focus, group, pile) for group in groups]
    entries.sort(key=lambda entry: -entry.features["total"])
    return [_seen(focus, entry, entries, pile, marks) for entry in entries]


def agree(one: StatedAnswer, other: StatedAnswer) -> bool:
    """Whether two readings give one answer; a day inside the other's year is one answer, more exact."""
    left, right = one.candidate.value, other.candidate.value
    if left is None or right is None:
        return normalise(one.text) == normalise(other.text)
    verdict = compare(left, right)
    return verdict == "same" or (verdict == "compatible" and left.kind != "name")


_CARRIED = (
    "subject in sentence",
    "subject in text",
    "name in sentence",
    "name in text",
    "like the question",
    "best sentence",
    "first sentence",
    "cue there",
    "own cue there",
    "cue touches",
    "limits not in text",
    "another year",
    "menu",
    "article",
    "day",
    "like a person",
    "like a thing",
    "one word",
    "after by",
    "acts",
)


def on_point(focus: Focus, statement: AnswerStatement) -> float:
    """How surely a statement is about what was asked: its subject, its relation, its year, in the right sentence."""
    features = statement.reading.candidate.features
    named = max(features["subject in text"], _REFERRED * features["refers back"])
    about = named * (1.0 - features["limits not in text"]) * (1.0 - features["another year"])
    about *= 1.0 - features["another part"]
    relation = features["cue there"] if focus.cues else 1.0
    return about * min(1.0, relation / 0.7) * statement.reading.probability


def _entry(focus: Focus, group: list[AnswerStatement], pile: Sequence[PileText]) -> PileEntry:
    by_text: dict[int, float] = {}
    for statement in group:
        by_text[statement.text] = by_text.get(statement.text, 0.0) + statement.reading.probability
    best = group[0].reading
    probabilities = sorted(by_text.values(), reverse=True)
    features = {
        "total": sum(probabilities),
        "best": probabilities[0],
        "second": probabilities[1] if len(probabilities) > 1 else 0.0,
        "texts": float(len(probabilities)),
        "clear texts": float(sum(probability >= 0.5 for probability in probabilities)),
    }
    wording = min(
        (s.reading for s in group if s.reading.probability >= 0.6 * best.probability),
        key=lambda r: (-len(r.text), r.text),
    )
    value = best.candidate.value
    words = {statement.reading.text for statement in group if statement.reading.probability >= _SURE} | {wording.text}
    support = frozenset(
        place for place, heard in enumerate(pile) if place in by_text or _named(focus, heard.page.text, words, value)
    )
    return PileEntry(wording.text, value, tuple(group), features, support)


def _named(focus: Focus, text: str, words: set[str], value: StatedValue | None) -> bool:
    """Whether a text names an answer at all, by one of its wordings, its surname, or a date that fits."""
    if value is not None and value.kind == "moment":
        return any(_names_moment(focus, other, value) for other in read_moments(text))
    if value is not None and value.kind == "name":
        words = words | {name_words(word)[-1] for word in words if len(name_words(word)) == 2}
    return any(_mentions(text, word) for word in words)


def _seen(
    focus: Focus, entry: PileEntry, entries: list[PileEntry], pile: Sequence[PileText], marks: list[frozenset[str]]
) -> PileEntry:
    others = [other for other in entries if other is not entry]
    own = entry.texts
    best = entry.best.reading.candidate.features
    features = dict(entry.features)
    features["groups"] = float(len({pile[place].group for place in own}))
    features["share of the best"] = entry.features["total"] / max(e.features["total"] for e in entries)
    features["rank"] = 1.0 / (1 + entries.index(entry))
    for name in _CARRIED:
        features[f"its {name}"] = best.get(name, 0.0)
    features["on point"] = max(on_point(focus, statement) for statement in entry.statements)
    features["on point twice"] = float(len({s.text for s in entry.statements if on_point(focus, s) >= 0.5}) > 1)
    ahead = max((other.features["total"] for other in others), default=0.0)
    features["best rival"] = ahead
    features["lead of the rival"] = max(0.0, ahead - entry.features["total"])
    features["rival texts"] = max((other.features["texts"] for other in others), default=0.0)
    features["mentioned elsewhere"] = float(
        sum(_mentions(heard.page.text, entry.wording) for place, heard in enumerate(pile) if place not in own)
    )
    features["mentions a rival"] = max(
        (
            sum(_mentions(pile[place].page.text, other.wording) for place in own) / len(own)
            for other in others
            if other.features["best"] >= 0.4
        ),
        default=0.0,
    )
    features["rival mentions it"] = max(
        (
            sum(_mentions(pile[place].page.text, entry.wording) for place in other.texts) / len(other.texts)
            for other in others
            if other.features["best"] >= 0.4
        ),
        default=0.0,
    )
    twin, stronger = 0.0, 0.0
    for other in others:
        alike = max((_alike(marks[a], marks[b]) for a in own for b in other.texts if a != b), default=0.0)
        twin = max(twin, alike * min(1.0, other.features["best"]))
        if other.features["total"] > entry.features["total"]:
            stronger = max(stronger, alike * min(1.0, other.features["best"]))
    features["twin"], features["stronger twin"] = twin, stronger
    features["kin"] = max((_alike(marks[a], marks[b]) for a in own for b in own if a < b), default=0.0)
    features["company"] = max(
        (_alike(marks[a], marks[b]) for a in own for b in range(len(pile)) if a != b), default=0.0
    )
    features["round"] = float(_is_round(entry.value))
    features["rivals"] = float(len([other for other in others if other.features["best"] >= 0.4]))
    features["alone"] = float(not others)
    return replace(entry, features=features)


def _names_moment(focus: Focus, other: StatedValue, value: StatedValue) -> bool:
    verdict = compare(other, value)
    # A year the question itself names fits every answer and says nothing.
    return verdict == "same" or (verdict == "compatible" and (other.first or "")[:4] not in focus.limits)


def _mentions(text: str, wording: str) -> bool:
    words = name_words(wording)
    return bool(words) and f" {' '.join(words)} " in f" {' '.join(_flat(text))} "


def _flat(text: str) -> list[str]:
    plain = normalise(strip_accents(text)).replace(".", "").replace("’", "'")
    return [re.sub(r"'s?$", "", word) for word in re.findall(r"[^\W_][\w'&-]*", plain)]


def _marks(focus: Focus, text: str) -> frozenset[str]:
    """The names and numbers of a text that the question does not hold: what it is about, beside the answer."""
    names = {word for name in find_names(text) for word in name_words(name.text) if len(word) > 2}
    numbers = {token.normal for token in tokenise(text) if token.kind == "number" and len(token.normal) > 1}
    return frozenset((names | numbers) - focus.words)


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller >= 3 else 0.0


def _is_round(value: StatedValue | None) -> bool:
    """Whether an amount looks made up: one leading digit, or digits that count up."""
    if value is None or value.kind != "amount" or value.low is None:
        return False
    digits = "".join(str(digit) for digit in value.low.normalize().as_tuple().digits)
    size = abs(value.low)
    return size >= 100 and (len(digits) == 1 or digits in "123456789")
