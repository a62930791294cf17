"""Which answers of a pile cannot both hold, and which are only said once or about something else.

Two answers are disputed when texts that say the one do not say the other, when enough texts say each, and when what
they say is on point. One text against three or more is a stray unless it is on the very same point in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from averment.language.claims.claim_values import compare, read_moments
from averment.language.claims.fitted import weights
from averment.language.claims.focus import Focus
from averment.language.claims.names import name_words
from averment.language.claims.piles import AnswerStatement, PileEntry, PileText, on_point
from averment.language.stems import root
from averment.language.tokens import roots_of

DisputeKind = Literal["several", "even", "swapped"]
"""Several texts on each side; one or two on each, all on point; or one sentence with another value in it."""

STATED = 0.2
"""From which chance on an answer of a pile counts as stated at all."""
_HINTED = 0.1
"""From which chance on an answer counts when several texts give it."""
_FIRM = 0.5
_LIKELY = 0.35
_ONE_SORT = 0.4
_SWAPPED = 0.8
_SHARED_WORDS = 5


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two answers that cannot both hold, the texts that give only the one or only the other, and why it counts."""

    one: PileEntry
    other: PileEntry
    texts: tuple[int, ...]
    against: tuple[int, ...]
    kind: DisputeKind


Side = tuple[PileEntry, frozenset[int]]
"""An answer and the texts that give only it."""


def probability(name: str, entry: PileEntry) -> float:
    """A fitted chance about an entry: ``stated``, ``right`` or ``misled``."""
    table = weights(name)
    score = table["bias"] + sum(table.get(feature, 0.0) * value for feature, value in entry.features.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


def find_disputes(focus: Focus, entries: Sequence[PileEntry], pile: Sequence[PileText]) -> list[Dispute]:
    """The disputes of a pile: against the answer supported best, else between others that several texts give."""
    stated = [entry for entry in entries if probability("stated", entry) >= _HINTED]
    if len(stated) < 2:
        return []
    lead = max(stated, key=lambda entry: _weight(entry, pile))
    found = [_dispute(focus, lead, other, pile) for other in stated if _contrast(focus, lead, other, pile)]
    if not any(found):
        likely = [entry for entry in stated if entry is not lead and probability("stated", entry) >= _FIRM]
        pairs = [pair for pair in combinations(likely, 2) if _contrast(focus, *pair, pile)]
        found = [_dispute(focus, *pair, pile) for pair in pairs]
        return [dispute for dispute in found if dispute is not None and dispute.kind == "several"]
    return [dispute for dispute in found if dispute is not None]


def _contrast(focus: Focus, one: PileEntry, other: PileEntry, pile: Sequence[PileText]) -> bool:
    """Whether two answers are of one sort and one time, and not the same."""
    return (
        one is not other and _differ(one, other) and _of_one_sort(one, other) and _of_one_time(focus, one, other, pile)
    )


def _weight(entry: PileEntry, pile: Sequence[PileText]) -> float:
    return probability("stated", entry) * math.sqrt(_groups(entry.support, pile)) * (0.5 + entry.features["on point"])


def _groups(texts: frozenset[int], pile: Sequence[PileText]) -> int:
    return len({pile[place].group for place in texts})


def _dispute(focus: Focus, lead: PileEntry, other: PileEntry, pile: Sequence[PileText]) -> Dispute | None:
    texts, against = lead.support - other.support, other.support - lead.support
    many, few = _groups(texts, pile), _groups(against, pile)
    kind: DisputeKind | None = None
    if many >= 2 and few >= 2 and 2 * few >= many:
        kind = "several"
    elif probability("stated", other) < STATED:
        return None
    elif (
        few >= 1
        and many in {1, 2}
        and few <= many
        and _is_on_point(focus, (other, against))
        and _is_on_point(focus, (lead, texts))
    ):
        kind = "even"
    elif few >= 1 and _is_swapped(focus, (lead, texts), (other, against), pile):
        kind = "swapped"
    return Dispute(lead, other, tuple(sorted(texts)), tuple(sorted(against)), kind) if kind else None


def _is_on_point(focus: Focus, side: Side) -> bool:
    """A single text speaks against others only by a firm statement on the very point, made where only it is said."""
    entry, texts = side
    if probability("stated", entry) < _LIKELY or _is_a_namesake(focus, entry):
        return False
    return any(one.text in texts and on_point(focus, one) >= _FIRM and _is_firm(one) for one in entry.statements)


def _is_firm(statement: AnswerStatement) -> bool:
    """Whether a statement is more than a mention: likely, and of no one who only was."""
    features = statement.reading.candidate.features
    return statement.reading.probability >= _FIRM and not features["former"]


def _of_one_sort(one: PileEntry, other: PileEntry) -> bool:
    """Whether two names may answer one question: a person and a city, or an award, hardly do."""
    shares = [
        {name: value for name, value in entry.best.reading.candidate.features.items() if name.startswith("like a ")}
        for entry in (one, other)
    ]
    if not all(shares):
        return True
    return sum(min(shares[0][sort], shares[1].get(sort, 0.0)) for sort in shares[0]) >= _ONE_SORT


def _is_a_namesake(focus: Focus, entry: PileEntry) -> bool:
    """Whether a name holds a word of what was asked about, as another thing named after it does."""
    return (
        entry.value is not None and entry.value.kind == "name" and bool(roots_of(entry.wording) & roots_of(focus.name))
    )


def _of_one_time(focus: Focus, one: PileEntry, other: PileEntry, pile: Sequence[PileText]) -> bool:
    """Whether two names may be said of one time: who bought it in 1985 and who bought it in 2019 do not disagree."""
    if one.value is None or one.value.kind != "name" or focus.limits:
        return True
    times = [
        [moment for said in entry.statements for moment in read_moments(_sentence(said, pile))]
        for entry in (one, other)
    ]
    return not all(times) or any(compare(mine, theirs) != "different" for mine in times[0] for theirs in times[1])


def _sentence(statement: AnswerStatement, pile: Sequence[PileText]) -> str:
    return pile[statement.text].page.sentences[statement.reading.sentence].text


def _differ(one: PileEntry, other: PileEntry) -> bool:
    if one.value is None or other.value is None:
        return True
    if one.value.kind == "name":
        left, right = name_words(one.wording), name_words(other.wording)
        shared = len(set(left) & set(right))
        # "Microsoft HoloLens" and "HoloLens": names that end alike, or share most of their words, are no contrast.
        return bool(left and right) and left[-1] != right[-1] and 2 * shared <= min(len(left), len(right))
    return compare(one.value, other.value) == "different"


def _is_swapped(focus: Focus, lead: Side, other: Side, pile: Sequence[PileText]) -> bool:
    """Whether one sentence stands on both sides, with another value in it."""
    asked = {root(word) for word in focus.spoken}
    for mine in _sentences(lead, pile):
        for theirs in _sentences(other, pile):
            ours, rest = mine - asked, theirs - asked
            shared = len(ours & rest) / max(1, len(ours), len(rest))
            if shared >= _SWAPPED and min(len(ours), len(rest)) >= _SHARED_WORDS:
                return True
    return False


def _sentences(side: Side, pile: Sequence[PileText]) -> list[frozenset[str]]:
    """The words of each sentence in which a side states its answer, without the answer."""
    entry, texts = side
    return [roots_of(_sentence(one, pile)) - roots_of(entry.wording) for one in entry.statements if one.text in texts]
