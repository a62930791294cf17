"""What each step may do, checked: what passes is what the round keeps; what does not comes back with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from averment.agents.researcher.facets import roots_of
from averment.agents.researcher.facts import FoundFact, PilePassage, can_be_told
from averment.agents.researcher.inferences import premise_of
from averment.agents.researcher.questions import (
    MAIN,
    PROPOSED,
    ResearchQuestion,
    asked_questions,
    make_question,
    plan_id_of,
    request_of,
)
from averment.claims.of_inferences import why_not_inferred
from averment.claims.of_restatements import restates
from averment.errors import AvermentError
from averment.evidence.check import uncovered_numbers
from averment.language.claims.names import find_names, name_words
from averment.language.claims.pages import TextPage
from averment.language.retelling.differences import difference
from averment.records.research.plan import QuestionTree

if TYPE_CHECKING:
    from averment.agents.researcher.model_loop.forms import ResearchStep
    from averment.agents.researcher.model_loop.sight import ShownMaterial
    from averment.runtime.run_context import RunContext

ASKED_BY_MODEL, MODEL_TITLE = "A model asks: ", "A model's question"
"""A model's words stand nowhere without being called so; a heading has none of them."""
MOST_ASKED = 4
MOST_REJECTED = 0.5
"""Such a part of all facts a model may set aside at most."""
_KNOWN_WORDS = 0.5


@dataclass
class AcceptedStep:
    """What a step brought: what is kept, and what was refused by its reason."""

    kept: dict[str, Any] = field(default_factory=dict)
    refused: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    @property
    def ok(self) -> bool:
        """Whether anything was taken, or nothing was wanted."""
        return bool(self.kept) or not self.refused

    def refuse(self, what: str, why: str) -> None:
        """Note something that does not pass."""
        self.refused.append({"what": what[:200], "why": why})


def accept_step(work: RunContext, step: ResearchStep, shown: ShownMaterial) -> AcceptedStep:
    """What a step brings."""
    takers: dict[str, Callable[[RunContext, ResearchStep, ShownMaterial], AcceptedStep]] = {
        "ask": _asked,
        "point": _pointed,
        "reject": _rejected,
        "outline": _outlined,
        "write": _written,
    }
    return takers[step.tool](work, step, shown) if step.tool in takers else AcceptedStep()


def _asked(work: RunContext, step: ResearchStep, shown: ShownMaterial) -> AcceptedStep:
    taken, made = AcceptedStep(), list[ResearchQuestion]()
    asked = [*asked_questions(work), *wanted_questions(work)]
    main = next(question for question in asked if question.facet == MAIN)
    mine = sum(question.facet == PROPOSED for question in asked)
    for text in step.questions:
        plain = " ".join(text.split())
        why = why_not(plain, work.request.intent, shown.texts)
        if why is None and mine + len(made) >= MOST_ASKED:
            why = "so many further questions are not asked"
        if why is None and any(_folded(plain) == _folded(one.reading) for one in (*asked, *made)):
            why = "it was asked already"
        if why is None and request_of(work).limits.max_depth < 1:
            why = "this depth asks no further questions"
        if why is not None:
            taken.refuse(plain, why)
            continue
        question = make_question(
            work.run_id,
            f"{ASKED_BY_MODEL}{plain}",
            facet=PROPOSED,
            title=f"{MODEL_TITLE} {mine + len(made) + 1}",
            reading=plain,
            priority=min(10, 1 + sum(one.parent_id == main.id for one in (*asked, *made))),
            parent=main,
        )
        try:
            tree = QuestionTree(one.as_seed(plan_id_of(work.run_id)) for one in (*asked, *made))
            tree.insert(question.as_seed(plan_id_of(work.run_id)))
        except AvermentError as error:
            taken.refuse(plain, error.message)
            continue
        made.append(question)
    if made:
        taken.kept = {"asks": [question.model_dump(mode="json") for question in made]}
    return taken


def why_not(text: str, asked: str, sources: Sequence[str]) -> str | None:
    """Why a question may not be asked; None for one about the matter, in names and numbers that were given."""
    known = set(name_words(" ".join((asked, *sources))))
    if not text.endswith("?") or not 10 <= len(text) <= 180 or set(text) & set("<>{}\\") or not text.isprintable():
        return "it is not a question of 10 to 180 characters"
    if uncovered_numbers(text, covered=sources, own_words=asked):
        return "it holds a number that neither the person nor a source gave"
    plain = f"{text[:1].lower()}{text[1:]}"
    if any(not set(name_words(name.text)) <= known for name in find_names(plain)):
        return "it holds a name that neither the person nor a source gave"
    roots, ours = roots_of(text), roots_of(asked)
    given = ours.union(*(roots_of(source) for source in sources))
    if not roots & ours or len(roots & given) < _KNOWN_WORDS * len(roots):
        return "it is about something else"
    return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?!. ")


def wanted_questions(work: RunContext) -> list[ResearchQuestion]:
    """The questions that a model asked and that were not searched yet, in their order."""
    asked = {question.id for question in asked_questions(work)}
    wanted = [
        ResearchQuestion.model_validate(one) for round_ in work.state.rounds for one in round_.state.get("asks", ())
    ]
    return [question for question in wanted if question.id not in asked]


def _pointed(work: RunContext, step: ResearchStep, shown: ShownMaterial) -> AcceptedStep:
    taken, kept = AcceptedStep(), dict[str, list[dict[str, Any]]]()
    for one in step.sentences:
        known = 0 <= one.passage < len(shown.passages)
        question_id, passage = shown.passages[one.passage] if known else ("", None)
        place = None if passage is None else _place_of(one.sentence, passage)
        if passage is None or place is None:
            taken.refuse(one.sentence, "no whole sentence of its passage reads exactly like this")
            continue
        found = {"snapshot_sha256": passage.snapshot_sha256, "start": place[0], "end": place[1]}
        if found not in kept.setdefault(question_id, []):
            kept[question_id].append(found)
    if kept:
        taken.kept = {"picked": kept}
    return taken


def _place_of(sentence: str, passage: PilePassage) -> tuple[int, int] | None:
    wanted = " ".join(sentence.split())
    for one in TextPage.of(passage.text).sentences:
        if " ".join(one.text.split()) == wanted and can_be_told(one.text):
            return passage.offset + one.start, passage.offset + one.end
    return None


def _rejected(work: RunContext, step: ResearchStep, shown: ShownMaterial) -> AcceptedStep:
    """Facts are set aside by their ids; what the answer rests on, and the sides of a conflict, are not."""
    taken, kept = AcceptedStep(), list[str]()
    before = sum(len(round_.state.get("rejected", ())) for round_ in work.state.rounds)
    for name in dict.fromkeys(step.facts):
        fact = shown.facts.get(name)
        if fact is None:
            taken.refuse(name, "there is no such fact")
        elif fact.fact.id in shown.fixed:
            taken.refuse(name, "the answer rests on it, or sources disagree about it")
        elif before + len(kept) + 1 > MOST_REJECTED * (len(shown.facts) + before):
            taken.refuse(name, "no more than half of the facts may be set aside")
        else:
            kept.append(str(fact.fact.id))
    if kept:
        taken.kept = {"rejected": kept, "why": step.why}
    return taken


def _outlined(work: RunContext, step: ResearchStep, shown: ShownMaterial) -> AcceptedStep:
    taken = AcceptedStep()
    summary = _known(step.summary, shown.facts, taken)
    sections: list[dict[str, Any]] = []
    for one in step.sections:
        if not 1 <= one.question <= len(shown.questions):
            taken.refuse(str(one.question), "there is no such question")
            continue
        question = shown.questions[one.question - 1]
        if not any(section["question"] == question.id for section in sections):
            sections.append({"question": question.id, "facts": _known(one.facts, shown.facts, taken)})
    if summary or sections:
        taken.kept = {"summary": summary, "sections": sections}
    return taken


def _known(names: Sequence[str], facts: Mapping[str, FoundFact], taken: AcceptedStep) -> list[str]:
    for name in names:
        if name not in facts:
            taken.refuse(name, "there is no such fact")
    return [str(facts[name].fact.id) for name in dict.fromkeys(names) if name in facts]


def _written(work: RunContext, step: ResearchStep, shown: ShownMaterial) -> AcceptedStep:
    taken, kept, inferred = AcceptedStep(), dict[str, str](), list[dict[str, Any]]()
    for one in step.claims:
        facts = [shown.facts.get(name) for name in one.rests_on]
        text = " ".join(one.text.split())
        known = [fact for fact in facts if fact is not None]
        if not known or len(known) < len(facts):
            taken.refuse(" ".join(one.rests_on) or text, "there is no such fact")
        elif len(known) > 1:
            why = why_not_inferred(text, [premise_of(fact) for fact in known])
            if why is None:
                inferred.append({"facts": [str(fact.fact.id) for fact in known], "text": text})
            else:
                taken.refuse(text, why)
        elif not restates(text, known[0].fact.text, known[0].carried.fact.text if known[0].carried is not None else ""):
            taken.refuse(text, difference(text, known[0].fact.text))
        else:
            kept[str(known[0].fact.id)] = text
    taken.kept = {**({"written": kept} if kept else {}), **({"inferred": inferred} if inferred else {})}
    return taken


def counted(refused: Sequence[Mapping[str, str]]) -> dict[str, int]:
    """How often each reason was given; the words of what was refused are kept nowhere."""
    return dict(Counter(one["why"] for one in refused))
