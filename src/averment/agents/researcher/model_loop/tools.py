"""A model's tools in a research: it asks further, points to sentences, sets facts aside, outlines and writes.

Whatever it wants is checked: what passes is what the round keeps; what does not comes back with its reason. It may also
search the sources and open documents, which changes nothing by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

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
from averment.agents.researcher.sources import visible
from averment.claims.of_inferences import why_not_inferred
from averment.claims.of_restatements import restates
from averment.errors import AvermentError, InvalidArguments
from averment.evidence.check import uncovered_numbers
from averment.language.claims.names import find_names, name_words
from averment.language.claims.pages import TextPage
from averment.language.retelling.differences import difference
from averment.llm.toolsets import Form, ToolCall
from averment.records.research.plan import QuestionTree
from averment.runtime.model_loop.tool_loop import Outcome, Use

if TYPE_CHECKING:
    from uuid import UUID

    from averment.runtime.run_context import RunContext

Why = Literal["other_subject", "other_time", "no_answer", "repeats"]


class PickedSentence(Form, frozen=True):
    """A sentence a model points to, with the number of its passage."""

    passage: int
    sentence: str = Field(max_length=1_000)


class OutlinedSection(Form, frozen=True):
    """A section: the number of its question, and its facts in their order."""

    question: int = Field(ge=1)
    facts: list[str] = Field(default_factory=list[str], max_length=40)


class WrittenClaim(Form, frozen=True):
    """A fact told in other words that say the same, or a sentence that sets several facts side by side."""

    fact: str = ""
    facts: list[str] = Field(default_factory=list[str], max_length=8)
    text: str = Field(max_length=600)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The ids of its facts, each once."""
        return tuple(dict.fromkeys(name for name in (self.fact, *self.facts) if name))


class AskFurther(ToolCall, frozen=True):
    """Search further questions that what you read leaves open or leads to; you see what they brought."""

    OWN: ClassVar[tuple[str, ...]] = ("questions",)

    tool: Literal["ask"] = "ask"
    questions: list[str] = Field(default_factory=list[str], max_length=3)


class Point(ToolCall, frozen=True):
    """Add facts: sentences of the passages, each copied whole, letter by letter."""

    OWN: ClassVar[tuple[str, ...]] = ("sentences",)

    tool: Literal["point"] = "point"
    sentences: list[PickedSentence] = Field(default_factory=list[PickedSentence], max_length=20)


class Reject(ToolCall, frozen=True):
    """Set facts aside that do not belong, by their ids."""

    OWN: ClassVar[tuple[str, ...]] = ("facts",)

    tool: Literal["reject"] = "reject"
    facts: list[str] = Field(default_factory=list[str], max_length=20)
    why: Why = "no_answer"


class Outline(ToolCall, frozen=True):
    """Say which facts come first, and the sections in their order with their facts."""

    OWN: ClassVar[tuple[str, ...]] = ("sections", "summary")

    tool: Literal["outline"] = "outline"
    summary: list[str] = Field(default_factory=list[str], max_length=40)
    sections: list[OutlinedSection] = Field(default_factory=list[OutlinedSection], max_length=10)


class Write(ToolCall, frozen=True):
    """Tell a fact in other words that say the same, or two to four facts in one sentence."""

    OWN: ClassVar[tuple[str, ...]] = ("claims",)

    tool: Literal["write"] = "write"
    claims: list[WrittenClaim] = Field(default_factory=list[WrittenClaim], max_length=20)


class Search(ToolCall, frozen=True):
    """Look for words in the sources; nothing that is found becomes a fact by itself."""

    tool: Literal["search"] = "search"
    words: str = Field(min_length=1, max_length=300)


class OpenDocument(ToolCall, frozen=True):
    """Read a document by its title, from a place on."""

    tool: Literal["open_document"] = "open_document"
    title: str
    start: int = Field(default=0, ge=0)


class Done(ToolCall, frozen=True):
    """Nothing is left to do."""

    tool: Literal["done"] = "done"


ASKED_BY_MODEL, MODEL_TITLE = "A model asks: ", "A model's question"
"""A model's words stand nowhere without being called so; a heading has none of them."""
MOST_ASKED = 4
MOST_REJECTED = 0.5
"""Such a part of all facts a model may set aside at most."""
_KNOWN_WORDS = 0.5
MOST_FOUND, PASSAGE_LENGTH, OPENED = 6, 1_200, 6_000


@dataclass(frozen=True, kw_only=True)
class ShownMaterial:
    """What a step's names mean: facts by id, passages and questions by number, and the texts it may take words from."""

    facts: dict[str, FoundFact]
    fixed: frozenset[UUID]
    passages: list[tuple[str, PilePassage]]
    questions: list[ResearchQuestion]
    texts: list[str]
    answer: str


@dataclass
class AcceptedStep:
    """What a step brought: what is kept, and what was refused by its reason."""

    kept: dict[str, Any] = field(default_factory=dict)
    refused: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    @property
    def ok(self) -> bool:
        """Whether anything was taken, or nothing was wanted."""
        return bool(self.kept) or not self.refused

    def outcome(self, call: ToolCall) -> Outcome[dict[str, Any]]:
        """What the model sees of it, and the round that it makes."""
        seen = {"kept": sorted(self.kept), "refused": self.refused}
        return Outcome(seen=seen, ok=self.ok, ended={"tool": call.tool, **self.kept} if self.ok else None)

    def refuse(self, what: str, why: str) -> None:
        """Note something that does not pass."""
        self.refused.append({"what": what[:200], "why": why})


def tools_of(work: RunContext, shown: ShownMaterial, *, texts: bool) -> dict[type[ToolCall], Use[dict[str, Any]]]:
    """Every tool with what it does; those that show text of the sources only with ``texts``."""
    steps: dict[type[ToolCall], Use[dict[str, Any]]] = {
        kind: lambda call: accept_call(work, call, shown).outcome(call) for kind in (*_TAKERS, Done)
    }
    looks: dict[type[ToolCall], Use[dict[str, Any]]] = {
        Search: lambda call: _search(work, call, shown),
        OpenDocument: lambda call: _open(work, call, shown),
    }
    return steps | (looks if texts else {})


def accept_call(work: RunContext, call: ToolCall, shown: ShownMaterial) -> AcceptedStep:
    """What a call brings."""
    return _TAKERS[type(call)](work, call, shown) if type(call) in _TAKERS else AcceptedStep()


def _search(work: RunContext, call: Search, shown: ShownMaterial) -> Outcome[dict[str, Any]]:
    """The passages that fit the words best, within the documents that the research may see."""
    found = work.services.texts.corpus.search(call.words, MOST_FOUND, within=visible(work))
    shown.texts.extend(f"{hit.title} {hit.text}" for hit in found)
    passages = [{"title": hit.title, "start": hit.start, "text": hit.text[:PASSAGE_LENGTH]} for hit in found]
    return Outcome(seen={"passages": passages})


def _open(work: RunContext, call: OpenDocument, shown: ShownMaterial) -> Outcome[dict[str, Any]]:
    """A stretch of a document.

    Raises:
        InvalidArguments: the research sees no document of that title.
    """
    corpus, wanted = work.services.texts.corpus, call.title.strip().casefold()
    seen = (corpus.document(name) for name in sorted(visible(work)))
    document = next((one for one in seen if one.title.casefold() == wanted), None)
    if document is None:
        raise InvalidArguments("There is no document of that title.", hint="Search for it first.")
    whole = corpus.snapshot(document.snapshot_sha256)
    text = whole[call.start : call.start + OPENED]
    shown.texts.append(f"{document.title} {text}")
    return Outcome(seen={"title": document.title, "start": call.start, "of": len(whole), "text": text})


def _asked(work: RunContext, step: AskFurther, shown: ShownMaterial) -> AcceptedStep:
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


def _pointed(work: RunContext, step: Point, shown: ShownMaterial) -> AcceptedStep:
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


def _rejected(work: RunContext, step: Reject, shown: ShownMaterial) -> AcceptedStep:
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


def _outlined(work: RunContext, step: Outline, shown: ShownMaterial) -> AcceptedStep:
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


def _written(work: RunContext, step: Write, shown: ShownMaterial) -> AcceptedStep:
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


_TAKERS: dict[type[ToolCall], Callable[[RunContext, Any, ShownMaterial], AcceptedStep]] = {
    AskFurther: _asked,
    Point: _pointed,
    Reject: _rejected,
    Outline: _outlined,
    Write: _written,
}
