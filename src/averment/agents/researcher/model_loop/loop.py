"""The researcher's loop with a model: once its questions are read, a model reads along and takes steps, each a round.

It is asked after the embedded planner's questions have been searched, so it plans by what it has read. What it may do
only points: every word that is told stands in a source. What its steps change is read off the rounds and checked again,
so that whoever verifies the run comes to the same without the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.agents.researcher.inferences import inferences_of
from averment.agents.researcher.model_loop.tools import PASSAGE_LENGTH, ShownMaterial, tools_of
from averment.agents.researcher.narrative import Place, ResearchNarrative, Section, compose, place_of
from averment.agents.researcher.questions import MAIN, asked_questions
from averment.claims.of_restatements import restates
from averment.claims.relation import make, told
from averment.errors import UntrueClaim
from averment.llm import FallbackNote, Prompt, Proposer, render, tell_calls, with_fallback
from averment.runtime.decisions import Round
from averment.runtime.model_loop.tool_loop import LoopLimits, ModelLoop, RunSteps, TakenStep

if TYPE_CHECKING:
    from averment.agents.researcher.facts import FoundFact, PilePassage
    from averment.agents.researcher.recall import PassageReader, QuestionReading
    from averment.records.claim import Claim
    from averment.runtime.run_context import RunContext

METHOD = "A sentence of an archived source in another order, voice or synonym, or without its asides."


def narrative_of(work: RunContext, reader: PassageReader) -> ResearchNarrative:
    """What the research tells, with what a model set aside, wrote in other words, put first and outlined."""
    rounds = work.state.rounds
    found = reader.read_all(work)
    # One sentence may be a fact of several questions: what is said of it holds for its place.
    places = {str(one.fact.id): place_of(one) for read in found for one in read.facts}
    aside = {places.get(name) for round_ in rounds for name in round_.state.get("rejected", ())}
    written = {places.get(n): text for round_ in rounds for n, text in round_.state.get("written", {}).items()}
    reads = [_applied(read, aside, written) for read in found]
    outline = next((round_ for round_ in reversed(rounds) if "sections" in round_.state), None)
    narrative = compose(reads, preferred=outline.state.get("summary", ()) if outline is not None else ())
    if outline is not None:
        narrative = _outlined(narrative, outline, reads)
    kept = [one for round_ in rounds for one in round_.state.get("inferred", ())]
    # A fact is known by its place: the sentence of one question may be told under another.
    told = {place_of(one): one for one in narrative.cited}
    facts = {name: told[place] for name, place in places.items() if place in told}
    return replace(narrative, inferred=inferences_of(kept, facts)) if kept else narrative


def _applied(read: QuestionReading, aside: set[Place | None], written: dict[Place | None, str]) -> QuestionReading:
    kept = [_told(one, written.get(place_of(one))) for one in read.facts if place_of(one) not in aside]
    return replace(read, facts=tuple(kept))


def _told(fact: FoundFact, text: str | None) -> FoundFact:
    before = fact.carried.fact.text if fact.carried is not None else ""
    return fact if text is None or not restates(text, fact.fact.text, before) else replace(fact, told=text)


def _outlined(narrative: ResearchNarrative, outline: Round, reads: Sequence[QuestionReading]) -> ResearchNarrative:
    """The sections in the model's order; a fact that it gave no place keeps its own."""
    questions = {read.question.id: read.question for read in reads}
    facts = {str(one.fact.id): one for section in narrative.sections for one in section.facts}
    sections: list[Section] = []
    used: set[str] = set()
    for wanted in outline.state["sections"]:
        fresh = [name for name in wanted["facts"] if name in facts and name not in used]
        if fresh and wanted["question"] in questions:
            used |= set(fresh)
            sections.append(Section(questions[wanted["question"]], tuple(facts[name] for name in fresh)))
    for section in narrative.sections:
        rest = tuple(one for one in section.facts if str(one.fact.id) not in used)
        known = next((at for at, one in enumerate(sections) if one.question.id == section.question.id), None)
        if known is not None:
            sections[known] = replace(sections[known], facts=(*sections[known].facts, *rest))
        elif rest:
            sections.append(replace(section, facts=rest))
    return replace(narrative, sections=tuple(sections))


def restated_claims(narrative: ResearchNarrative) -> list[Claim]:
    """The facts that are told in other words, each as a claim over its span."""
    found: list[Claim] = []
    for fact in narrative.cited:
        if not fact.told or fact.told == fact.fact.text:
            continue
        values = [told("quote", fact.evidence, "quote")]
        values += [told("subject", fact.carried.evidence, "quote")] if fact.carried is not None else []
        try:
            name = f"restated_{fact.fact.id}"
            found.append(
                make("restated", claim_id=name, values=values, sealed=None, words={"said": fact.told}, method=METHOD)
            )
        except UntrueClaim:
            continue  # Words without their markup are told by the quotation itself.
    return found


MOST_FACTS, MOST_PASSAGES, MOST_OF_A_QUESTION = 40, 10, 4


def show(work: RunContext, reader: PassageReader, *, texts: bool) -> ShownMaterial:
    """What a model is shown; without ``texts`` nothing of the sources."""
    reads = reader.read_all(work)
    questions = list(asked_questions(work))
    if not texts:
        return ShownMaterial(facts={}, fixed=frozenset(), passages=[], questions=questions, texts=[], answer="")
    narrative = narrative_of(work, reader)
    facts = {f"f{number}": one for number, one in enumerate(narrative.cited[:MOST_FACTS], start=1)}
    reply = next((read.reply for read in reads if read.question.facet == MAIN), None)
    rests = [*reply.facts, *reply.nearest] if reply is not None else []
    places = {(one.evidence.snapshot_sha256, one.evidence.start) for one in rests}
    fixed = {one.fact.id for one in facts.values() if (one.evidence.snapshot_sha256, one.evidence.start) in places}
    fixed |= {each for one in narrative.conflicts for each in one.discrepancy.fact_ids}
    fixed |= {narrative.best.fact.id} if narrative.best is not None else set()
    seen: set[tuple[str, int]] = set()
    passages: list[tuple[str, PilePassage]] = []
    # The questions asked last are read first: what they brought has not been seen yet.
    for read in sorted(reads, key=lambda one: -one.question.depth):
        fresh = [one for one in read.passages if (one.snapshot_sha256, one.offset) not in seen][:MOST_OF_A_QUESTION]
        seen |= {(one.snapshot_sha256, one.offset) for one in fresh}
        passages += [(read.question.id, one) for one in fresh]
    passages = passages[:MOST_PASSAGES]
    said = [f"{one.title} {one.text}" for _, one in passages]
    answer = " ".join(part.answer for part in reply.parts if part.answer) if reply is not None else ""
    return ShownMaterial(
        facts=facts, fixed=frozenset(fixed), passages=passages, questions=questions, texts=said, answer=answer
    )


def values_of(work: RunContext, shown: ShownMaterial) -> dict[str, Any]:
    """The values of the prompt."""
    facts: list[dict[str, Any]] = []
    for name, one in shown.facts.items():
        card: dict[str, Any] = {"id": name, "text": one.fact.text, "source": one.passage.title}
        if one.carried is not None:
            card["sentence_before"] = one.carried.fact.text
        if one.fact.id in shown.fixed:
            card["fixed"] = True
        facts.append(card)
    return {
        "question": work.request.intent,
        "answer": shown.answer,
        "asked": [{"number": at, "question": one.reading} for at, one in enumerate(shown.questions, start=1)],
        "facts": facts,
        "passages": [
            {"number": at, "title": one.title, "text": one.text[:PASSAGE_LENGTH]}
            for at, (_, one) in enumerate(shown.passages)
        ],
    }


PURPOSE = "research"
MODEL_KIND = "model"
MOST_STEPS = 8
LOOP_SECONDS = 180.0


class ReadingLoop:
    """Reads through a model; ``texts`` says whether it may see text of the sources."""

    def __init__(self, proposer: Proposer, *, texts: bool = True, seconds: float = LOOP_SECONDS) -> None:
        self._proposer = proposer
        self._texts = texts
        self._seconds = seconds

    def next_round(self, work: RunContext, reader: PassageReader, number: int) -> Round | None:
        """The next step as a round; None once the model is done, failed, or has used up its steps."""
        mine = [round_.state for round_ in work.state.rounds if round_.state.get("kind") == MODEL_KIND]
        first = max((int(state.get("step", at)) for at, state in enumerate(mine, start=1)), default=0) + 1
        if first > MOST_STEPS or any(state["tool"] == "done" for state in mine):
            return None
        codes: list[str] = []

        def note(fallen: FallbackNote) -> None:
            codes.append(fallen.code)
            work.model_log.tell_fallback(fallen)

        def nothing() -> dict[str, Any]:
            return {"tool": "done"}

        state = with_fallback(lambda: self._step(work, reader, mine, first), nothing, note, purpose=PURPOSE)
        state = {"kind": MODEL_KIND, "fallback": codes[0] if codes else "", **state}
        return Round(number=number, decision=state["tool"].upper(), reason=_reason(state), state=state)

    def _step(
        self, work: RunContext, reader: PassageReader, mine: Sequence[Mapping[str, Any]], first: int
    ) -> dict[str, Any]:
        """What the model does next, as the round keeps it: its looks, its corrections, and what is taken of it.

        Raises:
            ModelError: it fails, or comes to nothing.
        """
        work.model_log.announce()
        shown = show(work, reader, texts=self._texts)
        values = values_of(work, shown)
        before = [{"tool": state["tool"], "refused": state.get("refused", {})} for state in mine]

        def prompt(taken: Sequence[TakenStep], left: int) -> Prompt:
            steps = [*before, *({"step": one.step, "observation": one.observation} for one in taken)]
            return render("read_sources", **values, steps=steps, steps_left=left)

        loop = ModelLoop(
            tell_calls(self._proposer, work.model_log.keep_call),
            RunSteps(work, "research/"),
            tools_of(work, shown, texts=self._texts),
            prompt,
            purpose=PURPOSE,
            limits=LoopLimits(steps=MOST_STEPS - first + 1, seconds=self._seconds, first=first),
            otherwise="done",
        )
        state = loop.run()
        # The words of what was refused are kept nowhere, only how often each reason was given.
        seen = [taken.observation for taken in loop.taken if "kept" in taken.observation]
        refused = Counter(one["why"] for observation in seen for one in observation["refused"])
        return {**state, "step": loop.taken[-1].number, **({"refused": dict(refused)} if refused else {})}


def _reason(state: dict[str, Any]) -> str:
    if state["fallback"]:
        return f"the model fell silent: {state['fallback']}"
    return "a model has nothing more to say" if state["tool"] == "done" else f"a model wants to {state['tool']}"


def taken_words(state: dict[str, Any]) -> str:
    """What a step brought, for whoever follows the run."""
    parts = [
        f"{len(state['asks'])} further questions" if state.get("asks") else "",
        f"{sum(map(len, state['picked'].values()))} sentences pointed to" if state.get("picked") else "",
        f"{len(state['rejected'])} facts set aside" if state.get("rejected") else "",
        "an outline" if "sections" in state else "",
        f"{len(state['written'])} facts reworded" if state.get("written") else "",
        f"{len(state['inferred'])} sentences over several facts" if state.get("inferred") else "",
    ]
    return "; ".join(part for part in parts if part) or "nothing"


def model_lines(work: RunContext) -> list[str]:
    """What a reader is told of a model: what was taken from it, what was refused and why, where it fell silent."""
    states = [round_.state for round_ in work.state.rounds if round_.state.get("kind") == MODEL_KIND]
    if not states:
        return []
    brought = [words for state in states if (words := taken_words(state)) != "nothing"]
    lines = [f"From a model: {'; '.join(brought) or 'nothing'}."]
    aside = {state["why"].replace("_", " ") for state in states if state.get("rejected")}
    if aside:
        lines.append(f"Set aside by a model as: {', '.join(sorted(aside))}.")
    cut: dict[str, int] = {}
    for state in states:
        for why, count in state.get("refused", {}).items():
            cut[why] = cut.get(why, 0) + int(count)
    if cut:
        lines.append(f"Refused of what it wanted: {'; '.join(f'{why}: {n}' for why, n in sorted(cut.items()))}.")
    fell = [str(state["fallback"]) for state in states if state.get("fallback")]
    return [*lines, f"The built-in readers were used instead of the model ({fell[0]})."] if fell else lines
