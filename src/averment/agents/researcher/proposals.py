"""What a model may propose to a research, in closed forms, and the checks each proposal passes before it counts.

A sub-question may ask only with names and numbers that the user or the sources gave, and stands in the report as what a
model asks. A sentence must stand in its passage, word for word. Which facts the summary begins with is said by their
ids. Everything else is cut and counted by its reason; the words of what was cut are kept nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from averment.agents.researcher.facets import roots_of
from averment.agents.researcher.facts import FoundFact, Passage, can_be_told
from averment.agents.researcher.planner import plan_of
from averment.agents.researcher.questions import MAIN, PROPOSED, Question, make_question
from averment.errors import AvermentError, ModelNonsense
from averment.evidence.check import uncovered_numbers
from averment.language.claims import Page, find_names
from averment.language.claims.names import name_words
from averment.records.research import check_plan
from averment.records.research.run import ResearchRun

ASKED_BY_MODEL, MODEL_TITLE = "A model asks: ", "A model's question"
"""A model's words stand nowhere without being called so; a heading has none of them."""
_KNOWN_WORDS = 0.5
NO_SUCH_FACT, NOT_A_SENTENCE = "a fact that does not exist", "a sentence that its passage does not hold"


class ProposedQuestion(BaseModel):
    """One sub-question; ``parent`` is the priority of the question it goes deeper into."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=10, max_length=200)
    priority: int = Field(ge=1, le=10)
    parent: int | None = None


class ProposedQuestions(BaseModel):
    """The sub-questions a model would ask."""

    model_config = ConfigDict(extra="forbid")

    questions: list[ProposedQuestion] = Field(max_length=20)


class PickedSentence(BaseModel):
    """A sentence a model points to, with the number of its passage."""

    model_config = ConfigDict(extra="forbid")

    passage: int
    sentence: str = Field(max_length=1_000)


class PickedSentences(BaseModel):
    """The sentences a model points to."""

    model_config = ConfigDict(extra="forbid")

    sentences: list[PickedSentence] = Field(default_factory=list, max_length=20)


class ChosenFacts(BaseModel):
    """The facts a model would tell first, by their ids; the words stay their sources'."""

    model_config = ConfigDict(extra="forbid")

    summary: list[str] = Field(default_factory=list, max_length=40)


def accept_questions(request: ResearchRun, proposed: ProposedQuestions, sources: Sequence[str]) -> tuple[Question, ...]:
    """The proposed plan, the user's own question always first; ``sources`` are the texts it may take words from.

    Raises:
        ModelNonsense: the number does not fit the depth, a priority is given twice, parents run in a circle or are not
            there, or a question brings in a name, a number or a matter of its own.
    """
    ordered = sorted(proposed.questions, key=lambda one: one.priority)
    if len({one.priority for one in ordered}) != len(ordered):
        raise ModelNonsense("The model gave a priority twice.")
    if len({" ".join(one.text.casefold().split()) for one in ordered}) != len(ordered):
        raise ModelNonsense("The model asked one question twice.")
    for one in ordered:
        _check_question(one.text, request.intent, sources)
    own = make_question(
        request.request_id, request.intent, facet=MAIN, title="The question", reading=request.intent, priority=1
    )
    fresh = [one for one in ordered if _folded(one.text) != _folded(own.text)]
    limits = request.limits
    roots = [one.priority for one in fresh if one.parent is None]
    if not limits.min_questions <= sum(one.parent is None for one in ordered) <= limits.max_questions:
        raise ModelNonsense("The model gave another number of questions than the depth asks for.")
    beyond = set(roots[limits.max_questions - 1 :])  # The user's own question takes a place.
    fresh = [one for one in fresh if one.priority not in beyond and one.parent not in beyond]
    made: dict[int, Question] = {}
    waiting = {one.priority: one for one in fresh}
    while waiting:
        ready = [one for one in waiting.values() if one.parent is None or one.parent in made]
        if not ready:
            raise ModelNonsense(
                "The model's questions descend from each other in a circle, or from none that is there."
            )
        for one in ready:
            del waiting[one.priority]
            text = " ".join(one.text.split())
            made[one.priority] = make_question(
                request.request_id,
                f"{ASKED_BY_MODEL}{text}",
                facet=PROPOSED,
                title=f"{MODEL_TITLE} {len(made) + 1}",
                reading=text,
                priority=1,
                parent=None if one.parent is None else made[one.parent],
            )
    found = [own, *(made[priority] for priority in sorted(made))]
    questions = tuple(one.changed(priority=place) for place, one in enumerate(found[:10], start=1))
    try:
        check_plan(plan_of(request, questions), request.depth_level)
    except (AvermentError, ValidationError) as error:
        raise ModelNonsense("The model's questions do not fit the depth that was asked for.") from error
    return questions


def _check_question(text: str, asked: str, sources: Sequence[str]) -> None:
    known = set(name_words(" ".join((asked, *sources))))
    plain = f"{text.strip()[:1].lower()}{text.strip()[1:]}"
    if not text.strip().endswith("?") or len(text.strip()) < 10:
        raise ModelNonsense("The model proposed something that is no question.")
    if uncovered_numbers(text, covered=sources, own_words=asked):
        raise ModelNonsense("The model's question holds a number that neither the user nor a source gave.")
    if any(not set(name_words(name.text)) <= known for name in find_names(plain)):
        raise ModelNonsense("The model's question holds a name that neither the user nor a source gave.")
    roots, ours = roots_of(text), roots_of(asked)
    given = ours.union(*(roots_of(source) for source in sources))
    if not roots & ours or len(roots & given) < _KNOWN_WORDS * len(roots):
        raise ModelNonsense("The model's question is about something else.")


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?!. ")


def accept_sentences(
    proposed: PickedSentences, passages: Sequence[Passage]
) -> tuple[list[dict[str, Any]], Counter[str]]:
    """The places of sentences that stand in their passages whole and word for word, and what was cut by its reason."""
    kept: list[dict[str, Any]] = []
    cut: Counter[str] = Counter()
    for one in proposed.sentences:
        passage = passages[one.passage] if 0 <= one.passage < len(passages) else None
        place = None if passage is None else _place_of(one.sentence, passage)
        if passage is None or place is None:
            cut[NOT_A_SENTENCE] += 1
            continue
        found = {"snapshot_sha256": passage.snapshot_sha256, "start": place[0], "end": place[1]}
        if found not in kept:
            kept.append(found)
    return kept, cut


def _place_of(sentence: str, passage: Passage) -> tuple[int, int] | None:
    wanted = " ".join(sentence.split())
    for one in Page.of(passage.text).sentences:
        if " ".join(one.text.split()) == wanted and can_be_told(one.text):
            return passage.offset + one.start, passage.offset + one.end
    return None


def accept_order(proposed: ChosenFacts, facts: Mapping[str, FoundFact]) -> tuple[list[str], Counter[str]]:
    """The ids of the facts that the summary is to begin with, and what was cut by its reason."""
    known = [one for one in dict.fromkeys(proposed.summary) if one in facts]
    cut = Counter({NO_SUCH_FACT: len(set(proposed.summary)) - len(known)})
    return [str(facts[one].fact.id) for one in known], +cut
