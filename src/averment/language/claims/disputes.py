"""Which answers of a pile cannot both hold, and which are only said once or about something else.

Two answers are disputed when texts that say the one do not say the other, when enough texts say each, and when what
they say is on point. One text against three or more is a stray unless it is on the very same point in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from averment.language.claims.fitted import weights
from averment.language.claims.focus import Focus
from averment.language.claims.names import name_words
from averment.language.claims.piles import Entry, Heard
from averment.language.claims.values import compare
from averment.language.stems import root
from averment.language.tokens import content_words

DisputeKind = Literal["several", "even", "swapped"]
"""Several texts on each side; one or two on each, all on point; or one sentence with another value in it."""

STATED = 0.2
"""From which chance on an answer of a pile counts as stated at all."""
_HINTED = 0.1
"""From which chance on an answer counts when several texts give it."""
_ON_POINT = 0.6
_LIKELY = 0.45
_SWAPPED = 0.8
_SHARED_WORDS = 5


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two answers that cannot both hold, the texts that give only the one or only the other, and why it counts."""

    one: Entry
    other: Entry
    texts: tuple[int, ...]
    against: tuple[int, ...]
    kind: DisputeKind


Side = tuple[Entry, frozenset[int]]
"""An answer and the texts that give only it."""


def chance(name: str, entry: Entry) -> float:
    """A fitted chance about an entry: ``stated``, ``right`` or ``misled``."""
    table = weights(name)
    score = table["bias"] + sum(table.get(feature, 0.0) * value for feature, value in entry.features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


def find_disputes(focus: Focus, entries: Sequence[Entry], pile: Sequence[Heard]) -> list[Dispute]:
    """The disputes of a pile, each against the answer that is supported best."""
    stated = [entry for entry in entries if chance("stated", entry) >= _HINTED]
    if len(stated) < 2:
        return []
    lead = max(stated, key=lambda entry: _weight(entry, pile))
    found = (_dispute(focus, lead, other, pile) for other in stated if other is not lead and _differ(lead, other))
    return [dispute for dispute in found if dispute is not None]


def _weight(entry: Entry, pile: Sequence[Heard]) -> float:
    return chance("stated", entry) * math.sqrt(_groups(entry.support, pile)) * (0.5 + entry.features["on point"])


def _groups(texts: frozenset[int], pile: Sequence[Heard]) -> int:
    return len({pile[place].group for place in texts})


def _dispute(focus: Focus, lead: Entry, other: Entry, pile: Sequence[Heard]) -> Dispute | None:
    texts, against = lead.support - other.support, other.support - lead.support
    many, few = _groups(texts, pile), _groups(against, pile)
    kind: DisputeKind | None = None
    if many >= 2 and few >= 2 and 2 * few >= many:
        kind = "several"
    elif chance("stated", other) < STATED:
        return None
    elif (
        few >= 1 and many in {1, 2} and few <= many and _is_on_point(other, few, many) and _is_on_point(lead, few, many)
    ):
        kind = "even"
    elif few >= 1 and _is_swapped(focus, (lead, texts), (other, against), pile):
        kind = "swapped"
    return Dispute(lead, other, tuple(sorted(texts)), tuple(sorted(against)), kind) if kind else None


def _is_on_point(entry: Entry, few: int, many: int) -> bool:
    """One against one needs two likely statements; one against two a statement on the very point."""
    if few == many:
        in_scope = entry.features["its limits not in text"] == 0.0
        return entry.features["on point"] >= 0.25 or (in_scope and chance("stated", entry) >= _LIKELY)
    return entry.features["on point"] >= _ON_POINT and chance("stated", entry) >= 0.35


def _differ(one: Entry, other: Entry) -> bool:
    if one.value is None or other.value is None:
        return True
    if one.value.kind == "name":
        left, right = name_words(one.wording), name_words(other.wording)
        shared = len(set(left) & set(right))
        # "Microsoft HoloLens" and "HoloLens": names that end alike, or share most of their words, are no contrast.
        return bool(left and right) and left[-1] != right[-1] and 2 * shared <= min(len(left), len(right))
    return compare(one.value, other.value) == "different"


def _is_swapped(focus: Focus, lead: Side, other: Side, pile: Sequence[Heard]) -> bool:
    """Whether one sentence stands on both sides, with another value in it."""
    asked = {root(word) for word in focus.spoken}
    for mine in _sentences(lead, pile):
        for theirs in _sentences(other, pile):
            ours, rest = mine - asked, theirs - asked
            shared = len(ours & rest) / max(1, len(ours), len(rest))
            if shared >= _SWAPPED and min(len(ours), len(rest)) >= _SHARED_WORDS:
                return True
    return False


def _sentences(side: Side, pile: Sequence[Heard]) -> list[set[str]]:
    """The words of each sentence in which a side states its answer, without the answer."""
    entry, texts = side
    return [
        _roots(pile[one.text].page.sentences[one.reading.sentence].text) - _roots(entry.wording)
        for one in entry.statements
        if one.text in texts
    ]


def _roots(text: str) -> set[str]:
    return {root(word.stem) for word in content_words(text)}
