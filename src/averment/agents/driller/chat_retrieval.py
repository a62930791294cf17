"""The passages of a memory that answer a question, or none: near in meaning, about what was asked, naming it all."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from averment.agents.driller.chat_question import NEEDED, ChatQuestion, stems_of
from averment.language.stems import root
from averment.store.search.memory import MemoryPassage

MOST_PASSAGES = 5
NEAR = 0.45
"""The least cosine by which a passage may answer a question that neither aims at a part nor names anything."""
KEPT_SHARE = 0.6
"""Passages with less than this share of the best score say something else."""
ECHO_SHARE = 0.6
"""A passage of which this share was said already is not said again."""
_AIM_WEIGHT, _NAME_WEIGHT, _PLAN_WEIGHT = 0.6, 0.8, -0.4
_SILENT = frozenset({"report/Title", "report/Footer"})
_COUNTED = ("findings", "conclusions", "report/Header", "report/Explanations", "report/Analysis Performed")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class ScoredPassage:
    """A passage with its score and which of the question's names it holds."""

    passage: MemoryPassage
    score: float
    held: frozenset[str]
    aimed: bool


def passages_for(question: ChatQuestion, found: Sequence[tuple[MemoryPassage, float]]) -> tuple[MemoryPassage, ...]:
    """The passages that answer the question, in the memory's order; none when the memory does not answer it.

    ``found`` holds every passage of the memory with its cosine to the question.
    """
    scored = _score(question, found)
    if not scored or not _answers(question, scored):
        return ()
    fitting = [one for one in scored if _fits(question, one)]
    kept = [one for one in fitting if one.score >= KEPT_SHARE * fitting[0].score]
    chosen = _without_echoes([one.passage for one in kept])[:MOST_PASSAGES]
    return tuple(sorted(chosen, key=lambda passage: passage.number))


def _score(question: ChatQuestion, found: Sequence[tuple[MemoryPassage, float]]) -> list[ScoredPassage]:
    roots = [frozenset(root(name) for name in stems_of(passage.text)) for passage, _ in found]
    counts = Counter(name for names in roots for name in names)
    wanted = {name: root(name) for name in question.names}
    weight = {name: math.log((1 + len(found)) / (1 + counts[form])) + 0.1 for name, form in wanted.items()}
    whole = sum(weight.values())
    scored: list[ScoredPassage] = []
    for (passage, cosine), names in zip(found, roots, strict=True):
        held = frozenset(name for name, form in wanted.items() if form in names)
        aimed = any(_within(passage.section, section) for section in question.sections)
        share = sum(weight[name] for name in held) / whole if whole else 0.0
        planned = passage.section == "model/plan" and not aimed
        score = max(cosine, 0.0) + _AIM_WEIGHT * aimed + _NAME_WEIGHT * share + _PLAN_WEIGHT * planned
        scored.append(ScoredPassage(passage, score, held, aimed))
    return sorted(scored, key=lambda one: (-one.score, one.passage.number))


def _answers(question: ChatQuestion, scored: Sequence[ScoredPassage]) -> bool:
    whole = [one for one in scored if _fits(question, one)]
    if question.iteration is not None and not any(one.aimed for one in scored):
        return False
    if question.names:
        # A breakdown is a list: one passage that happens to name the same things is not one.
        told = Counter(one.passage.section for one in whole)
        return bool(whole) if not question.breakdown else max(told.values(), default=0) >= 2
    if question.aim is not None:
        return any(one.aimed for one in whole)
    return bool(whole) and not question.counts and whole[0].score >= NEAR


def _fits(question: ChatQuestion, one: ScoredPassage) -> bool:
    section, text = one.passage.section, one.passage.text
    if section in _SILENT or text.endswith("?"):
        return False
    needed = None if question.aim is None else NEEDED.get(question.aim)
    if needed is not None and not needed.search(text):
        return False
    if question.names:
        # Tables and plans name the columns of every count without having counted anything.
        counted = section.startswith(_COUNTED) and any(letter.isdigit() for letter in text)
        return one.held == question.names and (one.aimed or counted or not question.counts)
    return one.aimed or question.aim is None


def _within(section: str, wanted: str) -> bool:
    return section == wanted or section.startswith(f"{wanted}/")


def _without_echoes(passages: Sequence[MemoryPassage]) -> list[MemoryPassage]:
    """The passages without those that say mostly what better ones said; the report repeats the records."""
    kept: list[MemoryPassage] = []
    said: set[tuple[str, ...]] = set()
    for passage in passages:
        threes = _threes(passage.text)
        if len(threes & said) < ECHO_SHARE * len(threes) or not threes:
            kept.append(passage)
            said |= threes
    return kept


def _threes(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))
