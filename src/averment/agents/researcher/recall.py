"""What a research knows so far: for each question its passages, facts and conflicts, made of recorded results alone.

Reading passages costs the most of a research, so what was read is kept by its content: the same passages are read once.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from averment.agents.researcher.answered import Reply, prefer_sides, read_reply
from averment.agents.researcher.conflict_filter import filter_conflicts, spoken_words
from averment.agents.researcher.coreference import with_subject
from averment.agents.researcher.credibility import trust_of
from averment.agents.researcher.discrepancies import Resolution, find_discrepancies
from averment.agents.researcher.facets import BY_KEY, roots_of, without_opening_capital
from averment.agents.researcher.facts import (
    FactMaker,
    FoundFact,
    PilePassage,
    ReadPile,
    can_be_told,
    confidence_of,
    find_facts,
    is_of_another_year,
    ranked,
    read_pile,
    stands_alone,
    verify,
)
from averment.agents.researcher.questions import (
    HEADING,
    MAIN,
    OTHERS,
    ResearchQuestion,
    asked_questions,
    clip,
    picked_for,
    request_of,
)
from averment.agents.researcher.sources import MOST_SOURCES
from averment.corpus.answering.library import content_keys
from averment.corpus.answering.words import is_number
from averment.corpus.structure.shape import TextUnit
from averment.language.claims.claim_values import read_values
from averment.language.claims.disputes import Dispute, find_disputes, probability
from averment.language.claims.focus import Focus, read_focus
from averment.language.claims.names import find_names, name_words
from averment.language.claims.one_subject import speaks_of
from averment.language.claims.piles import PileEntry
from averment.language.claims.vectors import Similarity
from averment.language.stems import root, stem
from averment.tools.search_corpus import PinnedSource, SearchCorpusArgs, SearchCorpusOutput

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext


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


LEAST_POINTED = 0.15
"""A model may point to sentences the rules pass over, not to those that share next to nothing with the question."""


def pointed_facts(
    focus: Focus,
    passages: Sequence[PilePassage],
    places: Sequence[Mapping[str, Any]],
    known: Sequence[FoundFact],
    similarity: Similarity,
    *,
    question_id: UUID,
    extracted_at: datetime,
) -> list[FoundFact]:
    """The facts at these places that are whole sentences of the passages, near the question, and not known yet."""
    taken = {(one.evidence.snapshot_sha256, one.evidence.start, one.evidence.end) for one in known}
    found: list[FoundFact] = []
    for place in places:
        where = (place["snapshot_sha256"], place["start"], place["end"])
        for passage in passages:
            if passage.snapshot_sha256 != where[0] or where in taken:
                continue
            sentences = passage.page().sentences
            spans = [(passage.offset + one.start, passage.offset + one.end) for one in sentences]
            number = spans.index(where[1:]) if where[1:] in spans else -1
            if number < 0 or not can_be_told(sentences[number].text):
                continue
            text = sentences[number].text
            whole = with_subject(sentences, number)
            near = similarity.between(focus.question, [whole])[0]
            confidence = confidence_of(focus, whole, near, None)
            if confidence >= LEAST_POINTED and not is_of_another_year(focus, text):
                taken.add(where)
                made = FactMaker(passage, question_id, extracted_at).fact(sentences, number, confidence)
                found.append(replace(made, pointed=True))
    return found


def holds_what_is_asked(focus: Focus, fact: FoundFact) -> bool:
    """Whether a sentence holds a date, a figure or a new name where one is asked for."""
    values = {value.kind for value in read_values(fact.fact.text)}
    if focus.kind == "date":
        return "moment" in values
    if focus.kind == "number":
        return "amount" in values
    asked = set(name_words(focus.question))
    return any(not set(name_words(name.text)) <= asked for name in find_names(fact.fact.text))


_KEPT = 256
_CLOSE = 0.4
"""From which confidence on a sentence counts as an answer to a question that asks for no one thing."""
_MARKS = 0.7
"""From which weight on a word marks the relation asked for."""
_KIND_WORDS = frozenset("year date day month decade century age old number city country place name person".split())
_COMPARES = re.compile(r"\b(?:which|what|who)\b.* or |\bwhich of\b|\bboth\b", re.IGNORECASE)
_EXACT = frozenset({"date", "number", "person", "place", "name"})
_MEASURED = frozenset({"date", "number"})
_STRUCTURED = frozenset({"rst", "markdown"})
_FACT_LENGTH = (10, 500)
_SAME_MATTER = 0.7
"""Such a part of the question's words both sides of a conflict must hold."""


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """What one question brought: its sources, the facts of their passages, its answers and its conflicts."""

    question: ResearchQuestion
    sources: tuple[PinnedSource, ...]
    passages: tuple[PilePassage, ...]
    facts: tuple[FoundFact, ...]
    conflicts: tuple[Resolution, ...]
    answers: Answers | None
    answered: bool = False
    reply: Reply | None = None

    def source_of(self, fact: FoundFact) -> PinnedSource:
        """The source a fact stands in."""
        return next(one for one in self.sources if one.snapshot_sha256 == fact.passage.snapshot_sha256)


@dataclass
class PassageReader:
    """Reads passages for questions; what it read is found again by content."""

    _similarity: Similarity | None = None
    _read: dict[str, QuestionReading] = field(default_factory=dict[str, QuestionReading])
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def read_all(self, work: RunContext) -> list[QuestionReading]:
        """What every question brought whose round is over, in their order."""
        return [self.read(work, question) for question in asked_questions(work)]

    def read(self, work: RunContext, question: ResearchQuestion) -> QuestionReading:
        """What a question brought; nothing where its search failed."""
        reply = read_reply(work, question, request_of(work).timestamp) if question.facet == MAIN else None
        answered = work.state.answered.get(question.task_id)
        if answered is None:
            facts = reply.facts or reply.nearest if reply is not None else ()
            pins = reply.sources if reply is not None else ()
            return QuestionReading(question, pins, (), facts, (), None, reply is not None and reply.answered, reply)
        call, observation = answered
        sources = SearchCorpusArgs.model_validate(call.arguments).sources
        output = SearchCorpusOutput.model_validate(observation.data)
        moment = request_of(work).timestamp
        picked = picked_for(work, question.id)
        basis = f"{question.model_dump_json()}{output.model_dump_json()}{sources!r}{moment}{picked!r}{reply!r}"
        key = hashlib.sha256(basis.encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            if key not in self._read:
                if len(self._read) >= _KEPT:
                    self._read.clear()
                passages = _passages(work, question, sources, output)
                self._read[key] = self._make(work, question, sources, passages, moment, picked, reply)
            return self._read[key]

    def similarity(self, work: RunContext) -> Similarity:
        """How alike texts are, by the home's embedder."""
        with self._lock:
            if self._similarity is None:
                self._similarity = Similarity(work.services.texts.embedder())
            return self._similarity

    def _make(
        self,
        work: RunContext,
        question: ResearchQuestion,
        sources: tuple[PinnedSource, ...],
        passages: Sequence[PilePassage],
        moment: datetime,
        picked: Sequence[Mapping[str, Any]],
        reply: Reply | None,
    ) -> QuestionReading:
        similarity = self.similarity(work)
        titles = {one.snapshot_sha256: one.title for one in sources}
        about, beside = part_passages(question.reading, passages, titles)
        exact = question.facet == MAIN and read_focus(question.reading).kind in _EXACT
        pile = read_pile(question.reading, about, similarity, exact=exact)
        known: dict[str, Any] = {"question_id": UUID(question.id), "extracted_at": moment}
        found = find_facts(pile, similarity, **known)
        if beside:
            found += find_facts(read_pile(question.reading, beside, similarity, exact=exact), similarity, **known)
        facts = [one for one in found if _shows(question, one)]
        if question.facet == HEADING:
            kinds = {one.snapshot_sha256: one for one in sources}
            facts = [one for one in facts if _stands_under(work, question.title, kinds, one)]
        facts = verify(ranked([*facts, *pointed_facts(pile.focus, passages, picked, facts, similarity, **known)]))
        sides = _conflict_pile(question, pile)
        # What is of another time or another thing is no side of a conflict, in whatever words it says it.
        apart = [passage for passage in pile.passages if passage not in sides.passages]
        fitting = [one for one in facts if one.passage not in apart]
        conflicts = find_discrepancies(sides, fitting, found_at=moment, trust=trust_of(work))
        texts = {one.fact.id: one.fact.text for one in facts}
        conflicts = [one for one in conflicts if one.discrepancy.topic == question.reading or _one_thing(one, texts)]
        if reply is None and any(source.kind in _STRUCTURED for source in sources) and question.facet != MAIN:
            conflicts = []  # A facet asks for no one attribute: two things said on it are no two sides.
        facts = marked(facts, conflicts)
        answers = _answers(pile) if question.facet == MAIN and facts else None
        if reply is not None:
            told = reply.facts or reply.nearest
            places = {(one.evidence.snapshot_sha256, one.evidence.start) for one in told}
            facts = [*told, *(f for f in facts if (f.evidence.snapshot_sha256, f.evidence.start) not in places)]
            sources = (*sources, *(one for one in reply.sources if one not in sources))
            first = list(dict.fromkeys(one.passage.snapshot_sha256 for one in facts))[:MOST_SOURCES]
            facts = [one for one in facts if one.passage.snapshot_sha256 in first]
            conflicts = _past_the_gate(question, reply, facts, conflicts)
            reply = prefer_sides(reply, facts, conflicts, sources)
        shown = [one for one in facts if one.pointed] if reply is not None else facts
        answered = (reply is not None and reply.answered) or _answers_it(question, shown)
        return QuestionReading(
            question, sources, tuple(passages), tuple(facts), tuple(conflicts), answers, answered, reply
        )


def part_passages(
    question: str, passages: Sequence[PilePassage], titles: Mapping[str, str]
) -> tuple[list[PilePassage], list[PilePassage]]:
    """The passages that name what is asked about, and those of things that these name in turn; the others are left out.

    Of several names the most must be there, or the one that the fewest passages name: it is the most telling. Where
    the question names nothing, all passages are about it.
    """
    asked = [spoken_words(name.text) for name in find_names(without_opening_capital(question))]
    if not asked:
        return list(passages), []
    words = [spoken_words(f"{titles[one.snapshot_sha256]} {one.text}") for one in passages]
    shares = [sum(name <= held for name in asked) for held in words]
    most = max(shares, default=0)
    if not most:
        return list(passages), []
    held = [sum(name <= one for one in words) for name in asked]
    rarest = asked[held.index(min(count for count in held if count))]
    fit = [share == most or rarest <= one for share, one in zip(shares, words, strict=True)]
    about = [one for one, fits in zip(passages, fit, strict=True) if fits]
    bridges = {" ".join(name_words(name.text)) for one in about for name in find_names(one.text)}
    bridges |= {" ".join(name_words(name.text)) for name in find_names(question)}
    others = [one for one, fits in zip(passages, fit, strict=True) if not fits]
    return about, [one for one in others if " ".join(name_words(titles[one.snapshot_sha256])) in bridges]


def _conflict_pile(question: ResearchQuestion, pile: ReadPile) -> ReadPile:
    """The pile with its answers only where one thing was asked for: two things said of a topic are no two answers."""
    exact = question.facet == MAIN and pile.focus.kind in _EXACT
    return filter_conflicts(pile) if exact else replace(pile, entries=())


def _one_thing(conflict: Resolution, texts: Mapping[UUID, str]) -> bool:
    """Whether both sides begin with one name, whole or shortened: kin share words of a name and are two people."""
    ids = conflict.discrepancy.fact_ids
    firsts = [next((name_words(name.text) for name in find_names(texts[each])), ()) for each in (ids[0], ids[-1])]
    short, long = sorted(firsts, key=len)
    return bool(short) and (long[: len(short)] == short or long[-len(short) :] == short)


def _past_the_gate(
    question: ResearchQuestion, reply: Reply, facts: Sequence[FoundFact], conflicts: Sequence[Resolution]
) -> list[Resolution]:
    """The conflicts over one subject, attribute and scope: both sides cover every name and number of the question.

    One side is a sentence that answers; sides of one document, or of documents that name other versions or numbers
    than the question does, speak of different things.
    """
    known = {one.fact.id: one for one in facts}
    asked = set(content_keys(question.reading))
    hard = {one for one in asked if is_number(one)} | {
        key for name in find_names(without_opening_capital(question.reading)) for key in content_keys(name.text)
    }
    answers = {(one.evidence.snapshot_sha256, one.evidence.start) for one in reply.facts}
    if not reply.answered or any(part.how != "sentence" for part in reply.parts if part.answer):
        return []
    kept: list[Resolution] = []
    for conflict in conflicts:
        sides = [known[each] for each in conflict.discrepancy.fact_ids if each in known]
        if len(sides) < len(conflict.discrepancy.fact_ids):
            continue
        said = [set(content_keys(f"{one.passage.title} {one.wording} {' '.join(one.subject)}")) for one in sides]
        if not all(hard <= words and len(asked & words) >= _SAME_MATTER * len(asked) for words in said):
            continue
        told = [" ".join(each.fact.text for each in (one.carried, one) if each is not None) for one in sides]
        plain, itself = without_opening_capital(question.reading), read_focus(question.reading).kind in _MEASURED
        if not all(speaks_of(plain, text, itself=itself) for text in told):
            continue
        places = [(one.evidence.snapshot_sha256, one.evidence.start) for one in sides]
        if any(place in answers for place in places) or not answers:
            kept.append(conflict)
    return kept


def marked(facts: Sequence[FoundFact], conflicts: Sequence[Resolution]) -> list[FoundFact]:
    """The facts with the conflict they are in; what is contradicted counts as verified only where it stands."""
    of_fact: dict[UUID, Resolution] = {}
    for conflict in conflicts:
        for fact_id in conflict.discrepancy.fact_ids:
            of_fact.setdefault(fact_id, conflict)
    told: list[FoundFact] = []
    for one in facts:
        conflict = of_fact.get(one.fact.id)
        if conflict is not None:
            verified = one.fact.verified and one.fact.id in conflict.stands
            fact = one.fact.changed(verified=verified, discrepancy_id=conflict.discrepancy.id)
            told.append(replace(one, fact=fact))
        else:
            told.append(one)
    return told


def _answers(pile: ReadPile) -> Answers | None:
    return choose_answers(pile) if pile.entries else None


def _answers_it(question: ResearchQuestion, facts: Sequence[FoundFact]) -> bool:
    """Whether a sentence gives what the question asks for; one that only speaks of the same thing does not."""
    if question.facet != MAIN:
        return bool(facts)
    focus = read_focus(question.reading)
    if _leaves_open(question.reading, facts):
        return False
    if focus.kind in _EXACT:
        return any(_gives_it(focus, one) or (one.pointed and holds_what_is_asked(focus, one)) for one in facts)
    return any(one.answer is not None or one.fact.confidence >= _CLOSE for one in facts)


def _leaves_open(question: str, facts: Sequence[FoundFact]) -> bool:
    """Whether a question compares things and not each of them is spoken of."""
    if not _COMPARES.search(question):
        return False
    names = [set(name_words(name.text)) for name in find_names(without_opening_capital(question))]
    said = [set(name_words(one.fact.text)) | one.subject | set(name_words(one.passage.title)) for one in facts]
    return not names or any(not any(name <= words for words in said) for name in names)


def _gives_it(focus: Focus, fact: FoundFact) -> bool:
    """Whether a sentence gives what is asked for, with a word that marks the relation asked for where there is one."""
    if fact.answer is None or not fact.timely:
        return False
    plain = {root(stem(word)) for word in _KIND_WORDS}  # They say what kind of thing is asked for, not which.
    marks = {mark for mark, weight in focus.cues.items() if weight >= _MARKS and mark not in plain}
    return not marks or bool(marks & roots_of(fact.fact.text))


def _shows(question: ResearchQuestion, fact: FoundFact) -> bool:
    """Whether a sentence shows the facet its question asks for."""
    facet = BY_KEY.get(question.facet)
    alone = fact.carried is not None or stands_alone(fact.fact.text)
    if facet is None:
        return alone or question.facet != OTHERS
    return alone and facet.is_shown(fact.fact.text, question.reading)


def _stands_under(work: RunContext, heading: str, sources: Mapping[str, PinnedSource], fact: FoundFact) -> bool:
    """Whether a sentence stands under a heading of its document; one without structure has no headings to ask for."""
    source = sources[fact.passage.snapshot_sha256]
    body = work.services.texts.corpus.catalogue.structure(source.snapshot_sha256, source.kind, source.url, source.title)
    paths = [block.path for block in body.blocks if block.units and block.units[0].start <= fact.evidence.start]
    return bool(paths) and any(clip(" ".join(one.split()).strip(" :."), 60) == heading for one in paths[-1])


def _passages(
    work: RunContext, question: ResearchQuestion, sources: tuple[PinnedSource, ...], output: SearchCorpusOutput
) -> tuple[PilePassage, ...]:
    found: list[PilePassage] = []
    for one in output.passages:
        source = sources[one.source]
        units = _units(work, source, one.start, one.end) if source.kind in _STRUCTURED else ()
        if source.kind in _STRUCTURED and not units:
            continue  # Code, links or contents: nothing there is a fact.
        published = day_of(source.published_at)
        found.append(PilePassage.of(question.id, source, one.text, one.start, published=published, units=units))
    return tuple(found)


def _units(work: RunContext, source: PinnedSource, start: int, end: int) -> tuple[TextUnit, ...]:
    """The sentences of a document's structure that lie within a stretch of its archived text."""
    catalogue = work.services.texts.corpus.catalogue
    body = catalogue.structure(source.snapshot_sha256, source.kind, source.url, source.title)
    inside = (unit for block in body.blocks for unit in block.units if start <= unit.start and unit.end <= end)
    return tuple(unit for unit in inside if _FACT_LENGTH[0] <= unit.end - unit.start <= _FACT_LENGTH[1])


def day_of(published: str | None) -> date | None:
    """The day a date of publication means; the first of its month or year where it says no more."""
    if not published:
        return None
    parts = published[:10].split("-")
    try:
        return date(int(parts[0]), int(parts[1]) if len(parts) > 1 else 1, int(parts[2]) if len(parts) > 2 else 1)
    except ValueError:
        return None
