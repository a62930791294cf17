"""The loop: once its questions are read, a model reads what they brought and takes steps, each a round of the run.

It is asked after the embedded planner's questions have been searched, so it plans by what it has read. At most eight
steps, at most three corrections of each. What it may do only points: every word that is told stands in a source, and
what passes is kept with the rounds, so that nobody needs the model to verify the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.researcher.model_loop.accept import AcceptedStep, accept_step, counted
from averment.agents.researcher.model_loop.forms import ResearchStep
from averment.agents.researcher.model_loop.sight import show, values_of
from averment.errors import ModelNonsense
from averment.llm import FallbackNote, Proposer, render, tell_calls, with_fallback
from averment.runtime.decisions import Round
from averment.runtime.models.announce import announce
from averment.runtime.models.steps import ModelSteps
from averment.runtime.models.steps import TakenStep as TakenStep

if TYPE_CHECKING:
    from averment.agents.researcher.recall import PassageReader
    from averment.runtime.run_context import RunContext

PURPOSE = "research"
MODEL_KIND = "model"
MOST_STEPS = 8
MOST_REPAIRS = 3
LOOP_SECONDS = 180.0


class ReadingLoop:
    """Reads through a model; ``texts`` says whether it may see text of the sources."""

    def __init__(self, proposer: Proposer, *, texts: bool = True, seconds: float = LOOP_SECONDS) -> None:
        self._proposer = proposer
        self._texts = texts
        self._seconds = seconds

    def next_round(self, work: RunContext, reader: PassageReader, number: int) -> Round | None:
        """The next step as a round; None once the model is done, failed, or has used up its steps."""
        mine = [round_ for round_ in work.state.rounds if round_.state.get("kind") == MODEL_KIND]
        if len(mine) >= MOST_STEPS or any(round_.state["tool"] == "done" for round_ in mine):
            return None
        codes: list[str] = []

        def note(fallen: FallbackNote) -> None:
            codes.append(fallen.code)
            work.model_log.tell_fallback(fallen)

        def nothing() -> dict[str, Any]:
            return {"tool": "done"}

        state = with_fallback(lambda: self._step(work, reader, len(mine) + 1), nothing, note, purpose=PURPOSE)
        state = {"kind": MODEL_KIND, "fallback": codes[0] if codes else "", **state}
        return Round(number=number, decision=state["tool"].upper(), reason=_reason(state), state=state)

    def _step(self, work: RunContext, reader: PassageReader, number: int) -> dict[str, Any]:
        """What the model does in a step, as the round keeps it.

        Raises:
            ModelError: it fails, or repeats what was refused.
        """
        announce(work)
        line = tell_calls(self._proposer, work.model_log.keep_call)
        steps = ModelSteps(work, line, purpose=PURPOSE, seconds=self._seconds, prefix="research/")
        shown = show(work, reader, texts=self._texts)
        before = [
            {"tool": r.state["tool"], "refused": r.state.get("refused", {})}
            for r in work.state.rounds
            if r.state.get("kind") == MODEL_KIND
        ]
        taken, step, cut = AcceptedStep(), ResearchStep(tool="done"), dict[str, int]()
        for repair in range(MOST_REPAIRS + 1):
            values = {**values_of(work, shown), "steps": before, "steps_left": MOST_STEPS - number + 1}
            prompt = render("read_sources", **values, refused=taken.refused)
            wanted = steps.propose(ResearchStep, prompt, number, repair)
            if repair and wanted.said() == step.said():
                raise ModelNonsense("The model repeated a step that was refused.", details={"purpose": PURPOSE})
            step, taken = wanted, accept_step(work, wanted, shown)
            for why, count in counted(taken.refused).items():
                cut[why] = cut.get(why, 0) + count
            seen = {"kept": sorted(taken.kept), "refused": taken.refused}
            kept = TakenStep(number=number, repair=repair, step=step.said(), observation=seen, ok=taken.ok)
            steps.keep(kept, step.tool)
            if taken.ok:
                break
        return {"tool": step.tool, **taken.kept, **({"refused": cut} if cut else {})}


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
