"""A model beside the researcher: it may divide the question, point to sentences and order facts; it decides nothing.

What passes the checks is kept with the run's plan and rounds, so that nobody needs the model to verify the run. Where
it fails, lies or is too slow the rules' own questions, sentences and order stand, and both ledger and report say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from averment.agents.researcher.proposals import (
    ChosenFacts,
    PickedSentences,
    ProposedQuestions,
    accept_order,
    accept_questions,
    accept_sentences,
)
from averment.errors import ModelError, ModelNonsense
from averment.llm import FallbackNote, Proposer, render, tell_calls, with_fallback

if TYPE_CHECKING:
    from averment.agents.researcher.narrative import Narrative
    from averment.agents.researcher.questions import Question
    from averment.agents.researcher.recall import Read
    from averment.agents.researcher.sources import Surveyed
    from averment.records.research.run import ResearchRun
    from averment.spine.work import Work

T = TypeVar("T")
Kept = dict[str, Any]

QUESTIONS, SENTENCES, ORDER = "sub-questions", "sentences", "order of facts"
_TITLES, _PASSAGES, _PASSAGE_LENGTH, _FACTS = 12, 6, 1_200, 40


class ModelAdviser:
    """Proposes through a model; ``samples`` says whether it may see text of the sources."""

    def __init__(self, proposer: Proposer, *, samples: bool = True) -> None:
        self._proposer = proposer
        self._samples = samples
        self._gave_up = ""

    def questions(
        self, work: Work, request: ResearchRun, found: Surveyed, rules: tuple[Question, ...]
    ) -> tuple[tuple[Question, ...], Kept]:
        """The model's plan where it passes the checks, else the rules', and what is to be told of it."""
        titles = list(dict.fromkeys(hit.title for hit in found.hits))[:_TITLES] if self._samples else []
        texts = [f"{hit.title} {hit.text}" for hit in found.hits] if self._samples else []
        limits = request.limits

        def attempt() -> tuple[Question, ...]:
            told = {
                "fewest": limits.min_questions,
                "most": limits.max_questions,
                "deepest": limits.max_depth,
            }
            prompt = render("divide_question", question=request.intent, limits=told, titles=titles)
            proposed = self._propose(work, ProposedQuestions, "questions", prompt.system, prompt.prompt)
            return accept_questions(request, proposed, texts)

        made, code = self._with_fallback(work, attempt, rules, QUESTIONS)
        return made, {"proposed": 0 if code else len(made) - 1, "fallback": code}

    def sentences(self, work: Work, read: Read) -> Kept:
        """The places of the sentences that the model points to for a question, and what was cut."""
        shown = read.passages[:_PASSAGES]
        if not shown or not self._samples:
            return _nothing("")

        def attempt() -> Kept:
            passages = [{"number": n, "text": one.text[:_PASSAGE_LENGTH]} for n, one in enumerate(shown)]
            prompt = render("pick_sentences", question=read.question.text, passages=passages)
            purpose = f"sentences_{read.question.id[:8]}"
            proposed = self._propose(work, PickedSentences, purpose, prompt.system, prompt.prompt)
            kept, cut = accept_sentences(proposed, shown)
            return {"picked": kept, "cut": dict(cut), "fallback": ""}

        made, code = self._with_fallback(work, attempt, _nothing(""), SENTENCES)
        return {**made, "fallback": code}

    def order(self, work: Work, narrative: Narrative) -> Kept:
        """The facts that the model would tell first, and what was cut."""
        cited = narrative.cited[:_FACTS]
        if not cited or not self._samples:
            return _nothing("")
        facts = {f"f{number}": one for number, one in enumerate(cited, start=1)}

        def attempt() -> Kept:
            shown: list[dict[str, str]] = []
            for name, one in facts.items():
                subject = {} if one.carried is None else {"subject": one.carried.fact.text}
                shown.append({"id": name, "text": one.fact.text, **subject})
            prompt = render("order_facts", question=work.request.intent, facts=shown)
            proposed = self._propose(work, ChosenFacts, "order", prompt.system, prompt.prompt)
            summary, cut = accept_order(proposed, facts)
            return {"summary": summary, "cut": dict(cut), "fallback": ""}

        made, code = self._with_fallback(work, attempt, _nothing(""), ORDER)
        return {**made, "fallback": code}

    def _propose(self, work: Work, form: type[Any], purpose: str, system: str, prompt: str) -> Any:
        return tell_calls(self._proposer, work.keep_call).propose(form, purpose=purpose, system=system, prompt=prompt)

    def _with_fallback(self, work: Work, attempt: Callable[[], T], rules: T, purpose: str) -> tuple[T, str]:
        """What the attempt gives, or the rules' with the code of why; one that cannot be reached is asked no more."""
        if self._gave_up:
            return rules, self._gave_up
        failed: list[str] = []

        def record(note: FallbackNote) -> None:
            failed.append(note.code)
            work.tell_fallback(note)

        def guarded() -> T:
            try:
                return attempt()
            except ModelNonsense:
                raise
            except ModelError as error:
                self._gave_up = error.code
                raise

        made = with_fallback(guarded, lambda: rules, record, purpose=purpose)
        return made, failed[0] if failed else ""


def _nothing(code: str) -> Kept:
    return {"picked": [], "summary": [], "cut": {}, "fallback": code}


def tell_of_model(planned: Kept | None, states: Sequence[Kept]) -> list[str]:
    """What a reader is told of a model's part: what was taken from it, what was cut and why, where rules stood in."""
    if planned is None:
        return []
    lines: list[str] = []
    picked = sum(len(state.get("picked", ())) for state in states)
    first = sum(len(state.get("summary", ())) for state in states)
    taken = [
        f"{planned['proposed']} sub-questions" if planned["proposed"] else "",
        f"{picked} sentences it pointed to, each found in its source word for word" if picked else "",
        f"the order of {first} facts in the summary" if first else "",
    ]
    lines.append(f"From a model: {'; '.join(one for one in taken if one) or 'nothing'}.")
    cut: dict[str, int] = {}
    for state in states:
        for reason, count in state.get("cut", {}).items():
            cut[reason] = cut.get(reason, 0) + int(count)
    if cut:
        told_cut = "; ".join(f"{reason}: {count}" for reason, count in sorted(cut.items()))
        lines.append(f"Cut from what the model proposed: {sum(cut.values())} ({told_cut}).")
    fell = {QUESTIONS: planned["fallback"]}
    for state in states:
        name = SENTENCES if state.get("kind") == "sentences" else ORDER
        fell[name] = fell.get(name) or state.get("fallback", "")
    stood_in = [f"{name} ({code})" for name, code in fell.items() if code]
    if stood_in:
        lines.append(f"The rules stood in for the model: {', '.join(stood_in)}.")
    return lines
