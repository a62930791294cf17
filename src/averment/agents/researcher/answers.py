"""Answers: which of the things that sources answer to a question stand, and which are set aside and why.

A question may have several right answers when sources speak of different things of one name; a majority vote would
destroy them. So each answer is judged by itself: how directly it is stated, by whom, and whether texts about the very
same thing say otherwise. Nothing is dropped silently.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from averment.agents.researcher.facts import ReadPile
from averment.language.claims.disputes import Dispute, find_disputes, probability
from averment.language.claims.piles import PileEntry

SetAsideReason = Literal["contradicted", "implausible", "in passing"]
"""Contradicted by better supported texts on the same thing; stated as planted statements are; or hardly stated."""

TRUST = 0.12
"""From which trust on an answer is given; its trust is always shown beside it."""
SUSPECT = 0.3
"""From which suspicion on an answer is set aside."""
_SEVERAL = 0.3


@dataclass(frozen=True, slots=True)
class ResearchAnswer:
    """One answer: its wording, how far it is trusted, and the passages (by place in the pile) that give it."""

    text: str
    trust: float
    stated: float
    passages: tuple[int, ...]
    entry: PileEntry


@dataclass(frozen=True, slots=True)
class SetAside:
    """An answer that some source gives and that was not taken over, with the reason for a reader."""

    answer: ResearchAnswer
    kind: SetAsideReason
    reason: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What a pile answers: the answers that stand, the surest first, those set aside, and what is disputed."""

    answers: tuple[ResearchAnswer, ...]
    set_aside: tuple[SetAside, ...]
    disputes: tuple[Dispute, ...]

    @property
    def several(self) -> bool:
        """Whether sources state more than one distinct answer, rightly or not."""
        stated = [one for one in (*self.answers, *(aside.answer for aside in self.set_aside)) if one.stated >= _SEVERAL]
        return len(stated) > 1


def choose_answers(pile: ReadPile, *, trust: float = TRUST, suspect: float = SUSPECT) -> Answers:
    """The answers of a pile; the best one always stands, so that what was found is never hidden."""
    disputes = find_disputes(pile.focus, pile.entries, pile.heard)
    judged = [
        ResearchAnswer(entry.wording, probability("right", entry), probability("stated", entry), entry.texts, entry)
        for entry in pile.entries
    ]
    judged.sort(key=lambda answer: (-answer.trust, answer.text))
    kept: list[ResearchAnswer] = []
    aside: list[SetAside] = []
    for answer in judged:
        suspicion = probability("misled", answer.entry)
        if kept and suspicion >= suspect:
            aside.append(_suspicious(answer, kept))
        elif kept and answer.trust < trust:
            aside.append(SetAside(answer, "in passing", f"{answer.text!r} is named in passing, not given as an answer"))
        else:
            kept.append(answer)
    return Answers(tuple(kept), tuple(aside), tuple(disputes))


def _suspicious(answer: ResearchAnswer, kept: list[ResearchAnswer]) -> SetAside:
    features = answer.entry.features
    if features["stronger twin"] > 0.2:
        rival = kept[0]
        reason = f"{len(rival.passages)} passage(s) about the same thing say {rival.text!r} instead of {answer.text!r}"
        return SetAside(answer, "contradicted", reason)
    if features["round"]:
        return SetAside(
            answer, "implausible", f"{answer.text!r} looks made up and only {len(answer.passages)} passage(s) give it"
        )
    return SetAside(answer, "implausible", f"{answer.text!r} does not fit what its own source says around it")
