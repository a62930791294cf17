"""Which sentences of a report answer a question: near in meaning, about what was asked, naming all that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.assistant.run_memory import HEAD, ReportPassage
from averment.language.stems import root, stem
from averment.language.tokens import split_words, tokenise
from averment.language.word_lists import word_lists

if TYPE_CHECKING:
    from averment.language.intents.classify import SentenceVectors

MOST = 5
NEAR = 0.5
"""The least likeness by which a sentence answers a question that neither aims at a part nor names anything."""
KEPT_SHARE = 0.6
"""Sentences with less than this share of the best one's score say something else."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A part of a report that questions are about: how they ask, and which sentences can answer."""

    asked: re.Pattern[str]
    sections: tuple[str, ...] = ()
    needed: re.Pattern[str] | None = None


def _aim(asked: str, *sections: str, needed: str | None = None) -> Aim:
    return Aim(
        re.compile(asked, re.IGNORECASE), sections, None if needed is None else re.compile(needed, re.IGNORECASE)
    )


_FOUND = (HEAD, "Executive summary", "Findings", "Explanations")
# The first that fits is the aim: from the narrow ones to the wide.
_AIMS = (
    _aim(r"\bruled?[ -]out\b|\breject\w*|\bnot the (?:cause|reason)\b", needed=r"ruled[_ ]out"),
    _aim(r"\bconfirm\w*", needed=r"\bconfirmed\b"),
    _aim(r"\bhypothes[ie]s\b|\bwhat (?:else )?(?:did you|was|were) (?:test|consider)\w*", needed=r"\bhypothesis\b"),
    _aim(r"\biteration \d+|\bround \d+", "Analysis Performed", needed=r"\biteration: \d+"),
    _aim(r"\bnext\b|\brecommend\w*|\bshould (?:we|i)\b|\bwhat (?:can|could) (?:we|i) do\b", "Recommended Next Steps"),
    _aim(r"\bunexplained\b|\bremain\w*|\bleft over\b", needed=r"\bunexplained\b"),
    _aim(r"\bdisagree\w*|\bconflict\w*|\bcontradict\w*|\bdiffer\b", "Where sources disagree"),
    _aim(
        r"\bhow (?:sure|certain|confident|reliable)\b|\bsignifican\w*|\bconfidence\b|\bby chance\b",
        needed=r"\bstandard errors?\b|\bchance\b|\bconfidence\b|\bp[- ]value\b|\binterval\b|\bcredibility\b",
    ),
    _aim(
        r"\bevidence\b|\bpro(?:ve|of|ven)\b|\bhow do you know\b|\bfrom\b.*\?|\bwh(?:ich|at) (?:sources?|files?|data)\b"
        r"|\bcit(?:e|ation)s?\b|\bquote",
        "Evidence",
        "Citations",
        "Sources",
    ),
    _aim(r"\bsql\b|\bquer(?:y|ies)\b|\bformula\b", "Method", "Analysis Performed", needed=r"^SQL: "),
    _aim(
        r"\bhow did you\b|\bmethod\b|\bcomput\w*|\bcalculat\w*|\bread (?:it|my question)\b|\bunderst\w+",
        "Method",
        *("How the question was interpreted", "How the question was read"),
        "Analysis Performed",
    ),
    _aim(r"\bwhen\b|\bsince when\b|\bwhich day\b", needed=r"\b\d{4}(?:-\d{2}-\d{2})?\b"),
    _aim(r"\bsummar\w+|\bwhat (?:else )?did you find\b|\bfindings?\b|\bin short\b|\bmain points?\b", *_FOUND),
    _aim(r"^(?:please )?(?:show|give|open|read)(?: me)? (?:the|that|this) (?:report|results?|answer)", *_FOUND),
    _aim(
        r"\bwhy\b|\bcaus\w+|\breasons?\b|\bexplain\w*|\bdr(?:ive|ove|ivers?)\b|\bbehind\b|\bresponsible\b",
        *_FOUND,
        needed=r"^(?!.*ruled[_ ]out)",
    ),
    _aim(r"\bhow (?:much|far|many)\b|\bby how\b|\boverall\b|\btotal\b|\bchanged?\b", HEAD, "Findings"),
)
_ABOUT = frozenset(stem(word) for word in word_lists("runs", "averment.agents.assistant")["about"].split())
_SILENT = frozenset({"Quality score"})
_PROOF = frozenset({"Evidence", "Citations", "Sources"})
"""Sections that answer where they are asked for, and say nothing of themselves."""


def answering(question: str, passages: Sequence[ReportPassage], vectors: SentenceVectors) -> tuple[ReportPassage, ...]:
    """The sentences that answer, in the report's order; none where it does not say."""
    usable = [passage for passage in passages if passage.section not in _SILENT]
    if not usable:
        return ()
    aim = next((aim for aim in _AIMS if aim.asked.search(question)), None)
    names = frozenset(root(name) for name in _stems(question) if name not in _ABOUT)
    candidates: list[tuple[ReportPassage, bool]] = []
    for passage in usable:
        aimed = aim is not None and _aimed(aim, passage)
        if names:
            held = {root(name) for name in _stems(passage.text)} & names
            fits = len(held) == len(names) and (aimed or passage.section not in _PROOF)
        else:
            fits = aimed if aim is not None else passage.section not in _PROOF
        if fits:
            candidates.append((passage, aimed))
    similarity = _similarity(question, [passage for passage, _ in candidates], vectors)
    scored = [
        (max(alike, 0.0) + 0.6 * aimed + 0.3 * bool(names), passage)
        for alike, (passage, aimed) in zip(similarity, candidates, strict=True)
        if names or aimed or alike >= NEAR
    ]
    if not scored:
        return ()
    best = max(score for score, _ in scored)
    ranked = sorted(scored, key=lambda one: -one[0])
    chosen = _without_echoes([passage for score, passage in ranked if score >= KEPT_SHARE * best])[:MOST]
    return tuple(passage for passage in usable if passage in chosen)


def _aimed(aim: Aim, passage: ReportPassage) -> bool:
    if aim.sections and passage.section not in aim.sections:
        return False
    return aim.needed is None or bool(aim.needed.search(passage.text))


def _similarity(question: str, passages: Sequence[ReportPassage], vectors: SentenceVectors) -> list[float]:
    import numpy as np

    if not passages:
        return []
    found = vectors.embed([question, *(passage.text for passage in passages)])
    return [float(share) for share in np.asarray(found[1:]) @ np.asarray(found[0])]


def _without_echoes(passages: Sequence[ReportPassage]) -> list[ReportPassage]:
    """The sentences without those that say what better ones said: a report repeats itself."""
    kept: list[ReportPassage] = []
    said: set[str] = set()
    for passage in passages:
        words = set(re.findall(r"\w+", passage.text.casefold()))
        if len(words & said) < 0.8 * len(words) or not kept:
            kept.append(passage)
            said |= words
    return kept


def _stems(text: str) -> set[str]:
    found: set[str] = set()
    for token in tokenise(text):
        if token.kind == "number":
            found.add(token.normal.replace(",", ""))
        elif token.kind == "word" and not token.is_stop:
            found.add(token.stem)
            found |= {word.stem for word in split_words(token.text) if not word.is_stop}
    return found
