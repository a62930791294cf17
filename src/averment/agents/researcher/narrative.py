"""The narrative: which facts make which section, the summary, and how good the whole is.

Nothing is padded: a section has the sentences its sources carry. Each stands word for word as its source says it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from averment.agents.researcher.discrepancies import Resolution
from averment.agents.researcher.facets import roots_of
from averment.agents.researcher.facts import FoundFact, confirms, stands_alone
from averment.agents.researcher.inferences import Inference
from averment.agents.researcher.questions import MAIN, OTHERS, ResearchQuestion
from averment.agents.researcher.recall import QuestionReading, marked
from averment.records.research.report import MIN_SOURCES_PER_SECTION, SUMMARY_WORDS, word_count
from averment.tools.search_corpus import PinnedSource

ENOUGH_WORDS = 330
SUMMARY_ENOUGH = 260
MOST_SECTIONS = 10
MOST_CONFLICTS = 10
_SUMMARY_MOST = 480
_SUMMARY_SHARE, _SHARE_WITH_OTHERS = 3, 2
_REPEATS = 0.6
_FEW_WORDS = 4
_MAIN_SHARE = 0.5

_LEAST_SENTENCES = 2
"""A facet with fewer sentences has no section of its own, unless a second source says the same."""

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Section:
    """One theme: its question and its facts, source by source."""

    question: ResearchQuestion
    facts: tuple[FoundFact, ...]

    @property
    def words(self) -> int:
        """How many words its sentences have."""
        return sum(word_count(one.wording) for one in self.facts)

    @property
    def groups(self) -> int:
        """How many independent sources it rests on."""
        return len({one.passage.group for one in self.facts})

    @property
    def claims(self) -> tuple[tuple[FoundFact, ...], ...]:
        """What its sources say, the most agreed on first: a sentence, and those of other sources that say the same."""
        groups: list[list[FoundFact]] = []
        for one in self.facts:
            same = next((group for group in groups if any(confirms(one, other) for other in group)), None)
            if same is None:
                groups.append([one])
            else:
                same.append(one)
        return tuple(tuple(group) for group in sorted(groups, key=lambda group: -len(group)))


@dataclass(frozen=True, slots=True)
class ResearchNarrative:
    """All that a research tells: the best fact, summary, sections, conflicts, sources, and what stayed open.

    ``open_questions`` found nothing; ``unanswered`` found sentences that speak of the matter and do not answer;
    ``thin`` are questions of facets whose only sentence makes no section: it says too little, or stands in another one.
    """

    best: FoundFact | None
    summary: tuple[FoundFact, ...]
    sections: tuple[Section, ...]
    conflicts: tuple[Resolution, ...]
    owners: dict[Place, FoundFact]
    sources: dict[str, PinnedSource]
    open_questions: tuple[ResearchQuestion, ...]
    unanswered: tuple[ResearchQuestion, ...]
    thin: tuple[ResearchQuestion, ...] = ()
    parts: tuple[int, int] = (0, 0)
    """How many parts the questions have that were asked, and how many of them are answered."""
    inferred: tuple[Inference, ...] = ()
    """Sentences of a model that rest on several of these facts."""

    @property
    def cited(self) -> tuple[FoundFact, ...]:
        """Every fact that is told, once, in the order of the report."""
        told = [*self.summary, *(one for section in self.sections for one in section.facts)]
        told += [self.facts[fact_id] for one in self.conflicts for fact_id in one.discrepancy.fact_ids]
        told = [each for one in told for each in (self.named_in(one), one) if each is not None]
        return tuple({one.fact.id: one for one in told}.values())

    def named_in(self, fact: FoundFact) -> FoundFact | None:
        """The sentence that names what a fact speaks of, where the fact does not."""
        return None if fact.carried is None else self.owners[place_of(fact.carried)]

    def source_of(self, fact: FoundFact) -> PinnedSource:
        """The source of a fact."""
        return self.sources[fact.passage.snapshot_sha256]

    @property
    def facts(self) -> dict[UUID, FoundFact]:
        """Every fact by its id."""
        return {one.fact.id: one for one in self.owners.values()}

    @property
    def quality(self) -> tuple[float, float, float, float]:
        """The quality score and its three parts: answered parts, support and agreement, each from 0 to 1."""
        if not self.sections or not self.parts[0]:
            return 0.0, 0.0, 0.0, 0.0
        answered = self.parts[1] / self.parts[0]
        support = sum(min(1.0, one.groups / MIN_SOURCES_PER_SECTION) for one in self.sections) / len(self.sections)
        cited = self.cited
        against = {fact for one in self.conflicts for fact in one.discrepancy.fact_ids if fact not in one.stands}
        agreement = 1 - sum(one.fact.id in against for one in cited) / len(cited)
        score = (answered + support + agreement) / 3
        return round(score, 4), round(answered, 4), round(support, 4), round(agreement, 4)


def best_fact(reads: Sequence[QuestionReading]) -> FoundFact | None:
    """The fact that gives the most trusted answer to the question itself, else its surest one."""
    for read in reads:
        if read.question.facet != MAIN or not read.facts:
            continue
        if read.reply is not None and (read.reply.facts or read.reply.nearest):
            return (read.reply.facts or read.reply.nearest)[0]
        for answer in read.answers.answers if read.answers is not None else ():
            given = [statement.reading for statement in answer.entry.statements]
            for fact in read.facts:
                sure = fact.fact.confidence >= _MAIN_SHARE * read.facts[0].fact.confidence
                if sure and fact.timely and any(fact.answer is one for one in given):
                    return fact
        return next((fact for fact in read.facts if fact.timely), read.facts[0])
    return next((read.facts[0] for read in reads if read.facts), None)


def compose(reads: Sequence[QuestionReading], *, preferred: Sequence[str] = ()) -> ResearchNarrative:
    """The narrative of what the questions brought; each sentence is told once, under the first question it answers.

    ``preferred`` are the ids of facts that the summary takes first.
    """
    owners: dict[Place, FoundFact] = {}
    same: dict[UUID, UUID] = {}
    facts = [one for read in reads for one in read.facts]
    for one in (*facts, *(each.carried for each in facts if each.carried is not None)):
        owner = owners.setdefault(place_of(one), one)
        same[one.fact.id] = owner.fact.id
    conflicts = _conflicts(reads, same)
    owners = {place_of(one): one for one in marked(list(owners.values()), conflicts)}
    ahead = [one for fact_id in preferred for one in owners.values() if str(one.fact.id) == fact_id]
    used: set[Place] = set()
    sections: list[Section] = []
    thin: list[ResearchQuestion] = []
    for read in reads:
        fresh = [one for one in _near(read) if place_of(one) not in used]
        chosen = _enough(_spread(fresh), ENOUGH_WORDS)
        if _is_thin(read, chosen):
            # Where several of its sentences stand in earlier sections, or the answer is one of them, it is answered.
            main = {place_of(one) for one in sections[0].facts} if sections else set[Place]()
            if _is_thin(read, read.facts) and not any(place_of(one) in main for one in read.facts):
                thin.append(read.question)
        elif chosen and len(sections) < MOST_SECTIONS:
            used |= {place_of(one) for one in chosen}
            places = {place_of(each) for one in chosen for each in (one.carried, one) if each is not None}
            order = [*(place_of(one) for one in chosen), *sorted(places)]
            sections.append(Section(read.question, tuple(_told_by_source([owners[each] for each in order]))))
    first = best_fact(reads)
    best = owners[place_of(first)] if first else None
    return ResearchNarrative(
        best=best,
        summary=_summary(sections, [*([best] if best else []), *ahead], owners),
        sections=tuple(sections),
        conflicts=conflicts,
        owners=owners,
        sources={one.snapshot_sha256: one for read in reads for one in read.sources},
        open_questions=tuple(read.question for read in reads if not read.facts),
        unanswered=tuple(read.question for read in reads if read.facts and not read.answered),
        thin=tuple(thin),
        parts=_parts(reads, thin),
    )


def _is_thin(read: QuestionReading, chosen: Sequence[FoundFact]) -> bool:
    """Whether a facet's sentences are too few to make a section: none is better than one that says little."""
    if read.question.facet == MAIN or not read.facts or any(one.pointed for one in chosen):
        return False
    return len(chosen) < _LEAST_SENTENCES and not any(one.fact.verified for one in chosen)


def _parts(reads: Sequence[QuestionReading], thin: Sequence[ResearchQuestion]) -> tuple[int, int]:
    """How many parts the questions have, and how many of them are answered; one stray sentence answers no facet."""
    every = done = 0
    for read in reads:
        if read.reply is not None:
            every += len(read.reply.parts)
            done += len(read.reply.parts) - len(read.reply.missing)
        else:
            every += 1
            done += read.answered and read.question not in thin
    return every, done


def place_of(fact: FoundFact) -> Place:
    """Where a fact stands; a sentence that answers two questions is one sentence."""
    return fact.evidence.snapshot_sha256, fact.evidence.start, fact.evidence.end


def _near(read: QuestionReading) -> list[FoundFact]:
    """The facts that speak to their question; those far behind the surest are left to the facets."""
    if read.question.facet != MAIN:
        return list(read.facts)
    best = max((one.fact.confidence for one in read.facts), default=0.0)
    return [one for one in read.facts if one.fact.confidence >= _MAIN_SHARE * best]


def _spread(facts: Iterable[FoundFact]) -> list[FoundFact]:
    """The best of each source first, then the second best of each, so that few words still come from many sources."""
    waiting: dict[str, list[FoundFact]] = {}
    seen: set[str] = set()
    for one in facts:
        wording = " ".join(one.fact.text.casefold().split())
        if wording not in seen:
            seen.add(wording)
            waiting.setdefault(one.passage.group, []).append(one)
    mixed: list[FoundFact] = []
    while any(waiting.values()):
        turn = [group.pop(0) for group in waiting.values() if group]
        mixed += sorted(turn, key=lambda one: -one.fact.confidence)
    return mixed


def _enough(facts: Iterable[FoundFact], words: int) -> list[FoundFact]:
    chosen: list[FoundFact] = []
    count = 0
    for one in facts:
        if count >= words:
            break
        chosen.append(one)
        count += word_count(one.fact.text)
    return chosen


def _told_by_source(facts: list[FoundFact]) -> list[FoundFact]:
    """Sentences of one source together and in its order; the source of the surest sentence first."""
    order = {group: rank for rank, group in enumerate(dict.fromkeys(one.passage.snapshot_sha256 for one in facts))}
    once = {place_of(one): one for one in facts}.values()
    return sorted(once, key=lambda one: (order[one.passage.snapshot_sha256], one.evidence.start))


def _summary(
    sections: Sequence[Section], first: Sequence[FoundFact], owners: dict[Place, FoundFact]
) -> tuple[FoundFact, ...]:
    """The sentence that answers, then the surest: most from the question itself, some from each other section.

    A sentence follows the one that names its subject.
    """
    main = [section for section in sections if section.question.facet == MAIN]
    others = [section for section in sections if section.question.facet != MAIN]
    ranked = [_spread(_surest(section.facts)) for section in (*main, *others)]
    told = (*main, *others)
    spread = any(section.question.facet == OTHERS for section in others)
    share = {MAIN: _SHARE_WITH_OTHERS if spread else _SUMMARY_SHARE, OTHERS: _SHARE_WITH_OTHERS}
    shares = [share.get(section.question.facet, 1) for section in told]
    mixed: list[FoundFact] = [*first]
    for turn in range(max((len(facts) for facts in ranked), default=0)):
        for place, facts in enumerate(ranked):
            step = shares[place]
            mixed += facts[turn * step : (turn + 1) * step]
    chosen: list[Place] = []
    once = {place_of(each): each for each in mixed}.values()
    later = [one for one in once if not _taken(one, chosen, owners, SUMMARY_ENOUGH, freely=one in first)]
    for one in later:
        _taken(one, chosen, owners, SUMMARY_WORDS[0], freely=True)
    return tuple(owners[each] for each in chosen)


def _taken(
    one: FoundFact, chosen: list[Place], owners: dict[Place, FoundFact], enough: int, *, freely: bool = False
) -> bool:
    """Whether a sentence was put into the summary, behind the one that names its subject.

    Not ``freely``, it must be one that can be read by itself and says something new.
    """
    named = None if one.carried is None else place_of(one.carried)
    fresh = [each for each in (named, place_of(one)) if each is not None and each not in chosen]
    count = sum(word_count(owners[each].wording) for each in chosen)
    words = sum(word_count(owners[each].wording) for each in fresh)
    if not fresh or count >= enough or count + words > _SUMMARY_MOST:
        return False
    if not freely:
        alone = named is not None or stands_alone(one.wording)
        if not alone or any(_repeats(one, owners[each]) for each in chosen):
            return False
    at = chosen.index(named) + 1 if named in chosen else len(chosen)
    chosen[at:at] = fresh
    return True


def _repeats(one: FoundFact, other: FoundFact) -> bool:
    """Whether most of what the shorter of two sentences says stands in the other one: a summary says it once."""
    mine, theirs = roots_of(one.wording), roots_of(other.wording)
    few = min(len(mine), len(theirs))
    shorter, longer = sorted((mine, theirs), key=len)
    # Two figures, dates or numbered things are two statements, however alike their words are.
    told = any(character.isdigit() for word in shorter - longer for character in word)
    return few >= _FEW_WORDS and not told and len(mine & theirs) >= _REPEATS * few


def _surest(facts: Iterable[FoundFact]) -> list[FoundFact]:
    return sorted(facts, key=lambda one: (not one.fact.verified, -one.fact.confidence))


def _conflicts(reads: Sequence[QuestionReading], same: dict[UUID, UUID]) -> tuple[Resolution, ...]:
    """The conflicts of all questions, each once, over the facts that are told; the surest settled first."""
    found: list[Resolution] = []
    seen: list[set[UUID]] = []
    for read in reads:
        for one in read.conflicts:
            ids = tuple(dict.fromkeys(same[fact_id] for fact_id in one.discrepancy.fact_ids))
            if len(ids) < 2 or any(len(known.intersection(ids)) >= 2 for known in seen):
                continue
            seen.append(set(ids))
            stands = tuple(dict.fromkeys(same[fact_id] for fact_id in one.stands))
            found.append(Resolution(one.discrepancy.changed(fact_ids=ids), one.rule, stands))
    return tuple(found[:MOST_CONFLICTS])
