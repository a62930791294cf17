"""A question about an investigation, read by rules: which part of the memory it aims at, and what it names.

A question that names something in particular, a value, a column, a way of counting, is answered from the memory only
by passages that name it as well; whatever else they say would be the answer to another question.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from averment.language.stems import root, stem
from averment.language.tokens import split_words, tokenise
from averment.language.word_lists import word_lists
from averment.store.search.memory import MemoryPassage

Aim = Literal[
    "ruled_out",
    "confirmed",
    "hypotheses",
    "next",
    "rest",
    "causes",
    "relations",
    "dimensions",
    "tables",
    "plan",
    "periods",
    "metric",
    "change",
    "onset",
    "faults",
    "calendar",
    "certainty",
    "iteration",
    "ending",
]

SECTIONS_OF: dict[Aim, tuple[str, ...]] = {
    "ruled_out": ("hypotheses/ruled out",),
    "confirmed": ("hypotheses/confirmed",),
    "hypotheses": ("hypotheses",),
    "next": ("report/Recommended Next Steps",),
    "rest": ("report/Header", "report/Explanations", "conclusions"),
    "causes": ("conclusions",),
    "relations": ("model/relations",),
    "dimensions": ("model/dimensions",),
    "tables": ("model/tables",),
    "plan": ("model/plan", "report/Analysis Performed"),
    "periods": ("context",),
    "metric": ("context",),
    "change": ("report/Header",),
    "onset": ("findings", "conclusions"),
    "faults": ("hypotheses", "findings"),
    "calendar": ("hypotheses", "findings"),
    "certainty": ("conclusions", "findings"),
    "iteration": ("findings",),
    "ending": ("findings",),
}
"""Where the memory speaks of what a question aims at; a section counts with everything under it."""

NEEDED: dict[Aim, re.Pattern[str]] = {
    "onset": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
    "rest": re.compile(r"\bunexplained\b", re.IGNORECASE),
    "faults": re.compile(r"\bfaults?\b", re.IGNORECASE),
    "calendar": re.compile(r"\bcalendar\b|\bweekdays?\b", re.IGNORECASE),
    "certainty": re.compile(r"\bstandard errors?\b|\bchance\b|\bNo explanation\b", re.IGNORECASE),
}
"""What a passage must hold to answer a question of that aim."""

# The first that fits is the aim: from the narrow ones to the wide.
_AIMS: tuple[tuple[Aim, str], ...] = (
    ("iteration", r"\b(?:iteration|round|finding)\s+#?\d+\b"),
    ("ruled_out", r"\bruled?[ -]out\b|\breject\w*|\bdismiss\w*|\bdiscard\w*|\bnot the (?:cause|reason)\b"),
    ("confirmed", r"\bconfirm\w*"),
    ("hypotheses", r"\bhypothes[ie]s\b|\bhyp_\d+|\bwhat (?:else )?(?:did you|was|were) (?:test|consider)\w*"),
    ("faults", r"\bdata (?:problem|quality|fault|error|issue)s?\b|\bfaults?\b|\bmissing (?:data|days)\b|\bduplicat\w*"),
    ("calendar", r"\bseason\w*|\bcalendar\b|\bweekdays?\b|\bholidays?\b|\btrend\b"),
    ("certainty", r"\bhow (?:sure|certain|confident)\b|\bsignifican\w+|\bconfiden\w+|\bby chance\b|\bjust noise\b"),
    ("next", r"\bnext\b|\brecommend\w*|\bshould (?:we|i|they|one)\b|\bwhat (?:can|could) (?:we|i) do\b|\bactions?\b"),
    ("rest", r"\bunexplained\b|\bnot explained\b|\bremain\w*|\bleft over\b|\bunaccounted\b"),
    ("ending", r"\bhow many iterations\b|\bwhy did (?:it|you|the (?:loop|investigation|analysis)) (?:stop|end)\w*"),
    (
        "plan",
        r"\bplan(?:ned)?\b|\bhow did you (?:do|analy|investigat|find|proceed|test)\w*|\banalysis (?:was )?performed\b",
    ),
    ("relations", r"\bjoin\w*|\brelat(?:ed?|ions?|ionships?)\b|\bdata model\b|\bschema\b|\bconnect\w*|\blinked\b"),
    (
        "dimensions",
        r"\b(?:which|what) (?:dimensions|segments (?:were|did))\b|\bdimensions? (?:were|was|recommend\w*)\b",
    ),
    ("tables", r"\bhow many (?:rows|columns|tables|files)\b|\b(?:which|what) (?:tables|files|data)\b"),
    ("onset", r"\bwhen\b.*\b(?:did|has|was|were|begin|start|happen)\w*|\bsince when\b|\b(?:which|what) day did\b"),
    ("change", r"\b(?:baseline|comparison) (?:value|level|figure|amount)s?\b|\bbefore and after\b"),
    ("periods", r"\bperiods?\b|\bbaseline\b|\bcomparison\b|\bwhich (?:dates|days)\b|\bdate range\b"),
    ("metric", r"\bmetric\b.*\b(?:defin|mean|is|was|investigat)\w*|\bbusiness context\b|\b(?:which|what) metric\b"),
    ("causes", r"\bwhy\b|\bcaus\w+|\breasons?\b|\bexplain\w*|\bexplanations?\b|\bdr(?:ive|ove|iving|iven|ivers?)\b"),
    ("causes", r"\b(?:any|some)thing (?:was )?found\b|\bwhat (?:did you find|was found)\b|\bfindings\b"),
    ("causes", r"\bwhat happened\b|\bbehind\b|\bresponsible\b|\bmost likely\b|\bculprits?\b|\bevidence\b|\bconclu\w+"),
    ("causes", r"\bcontribut\w*|\bimpact\w*|\b(?:biggest|largest|main|top|strongest)\b"),
    ("change", r"\bhow (?:much|far|strongly)\b|\boverall\b|\bby how\b|\bchanged?\b|\bdrop\w*|\bf[ae]ll\w*|\br[io]se\b"),
    ("change", r"\bincreas\w*|\bdecreas\w*|\bgr[eo]w\w*|\bsummar\w+|\bdeclin\w*"),
)
_NUMBERED = re.compile(r"\b(?:iteration|round|finding)\s+#?(\d+)\b", re.IGNORECASE)
_BREAKDOWN = re.compile(r"\b(?:by|per|each|every)\s+(?!how\b|what\b|which\b|the\b)([^\W\d]\w*)", re.IGNORECASE)

_LISTS = word_lists("questions", "averment.agents.driller")
METRIC_STEMS = frozenset(stem(word) for word in _LISTS["metric_names"].split())
"""Words by which people call a metric, whatever its definition says."""

ABOUT_STEMS = frozenset(stem(word) for word in _LISTS["about"].split())
"""Words by which one speaks about an investigation and not about its data."""


@dataclass(frozen=True)
class ChatQuestion:
    """A question as it was read: its aim if it has one, the stems of what it names, and how it is to be counted."""

    text: str
    aim: Aim | None
    names: frozenset[str]
    iteration: int | None
    breakdown: bool
    counts: bool

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of the memory the question aims at."""
        if self.iteration is not None:
            return (f"findings/{self.iteration}",)
        return () if self.aim is None else SECTIONS_OF[self.aim]


_COUNTING = re.compile(
    r"\bhow (?:many|much)\b|\bnumber of\b|\bwhat (?:is|was|were|are) the (?:\w+ )?(?:average|mean|median|total|sum|"
    r"share|highest|lowest|maximum|minimum|percentage)\b",
    re.IGNORECASE,
)


def read_question(text: str, *, metric: str) -> ChatQuestion:
    """The question read by rules; the words of the metric itself name nothing in particular.

    In a question after causes or the change a common name of metrics means the one that was investigated.
    """
    numbered = _NUMBERED.search(text)
    aim: Aim | None = next((aim for aim, pattern in _AIMS if re.search(pattern, text, re.IGNORECASE)), None)
    known = stems_of(metric) | ABOUT_STEMS | _counting_words(metric)
    names = frozenset(name for name in stems_of(text) if name not in known)
    if aim in {"causes", "change", "onset", "rest"}:
        names -= METRIC_STEMS
    apart = _BREAKDOWN.search(text)
    if apart is not None:
        names |= stems_of(apart.group(1))
    if numbered is not None:
        names -= {numbered.group(1)}
    return ChatQuestion(
        text=text,
        aim=aim,
        names=names,
        iteration=None if numbered is None else int(numbered.group(1)),
        breakdown=apart is not None,
        counts=apart is not None or _COUNTING.search(text) is not None,
    )


def stems_of(text: str) -> frozenset[str]:
    """The stems of the words that name something; the parts of an identifier count as well."""
    return frozenset(_stems(text))


def _stems(text: str) -> Iterable[str]:
    for token in tokenise(text):
        if token.kind == "number":
            yield token.normal.replace(",", "")
        elif token.kind == "word" and not token.is_stop:
            yield token.stem
            yield from (word.stem for word in split_words(token.text) if not word.is_stop)


def _counting_words(metric: str) -> frozenset[str]:
    """The words that say how the metric itself is counted."""
    words = {
        "sum": "total sum amount value",
        "count": "count total number many",
        "avg": "average mean avg",
        "/": "rate ratio share percent percentage",
    }
    lowered = metric.lower()
    return frozenset(stem(word) for sign, group in words.items() if sign in lowered for word in group.split())


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
