"""The assistant's loop with a model: where the rules are not sure, it says what a message asks for, under the rails.

It may look at the tasks; whatever would change something is only wanted, and asked about before it happens. When the
model fails or makes things up, the rules' reading stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from averment.agents.assistant.dialogue import ShownItem, shown_line
from averment.agents.assistant.model_loop.rails import ACTS, ROUTES, WantedAct, entities_of, why_not
from averment.agents.assistant.understand import ParsedMessage
from averment.llm import Prompt, Proposer, render, tell_calls, with_fallback
from averment.llm.call import ModelCall
from averment.llm.toolsets import ToolCall
from averment.records.chat import Message
from averment.runtime.model_loop.tool_loop import LoopLimits, ModelLoop, Outcome, StepRecord, TakenStep
from averment.tools.local_calls import Call, LocalTools

UNSURE = 0.89
"""As sure as a model's word alone can be: under the line at which anything is changed unasked."""
TRUSTED = 0.97
"""What the rules heard this surely, no model is asked about."""

PURPOSE = "understand"
MOST_STEPS, MOST_ACTS, LOOP_SECONDS = 5, 8, 180.0
MOST_BEFORE, MOST_SAID = 8, 400
"""How many messages before, and how many characters of each, a model is shown."""
_CLAIMS = re.compile(r"\d|\b(?:added|delet\w*|remov\w*|complet\w*|updat\w*|chang\w*|done|finish\w*|cancel\w*)\b", re.I)

Journal = Callable[[str, "ModelCall"], None]
StepJournal = Callable[[str, TakenStep], None]


class Look(ToolCall, frozen=True):
    """See the person's tasks with their ids."""

    tool: Literal["look"] = "look"


class ActAsked(ToolCall, frozen=True):
    """Say all that the message asks for, in its order."""

    OWN: ClassVar[tuple[str, ...]] = ("acts",)

    tool: Literal["act"] = "act"
    acts: list[WantedAct] = Field(default_factory=list[WantedAct], max_length=MOST_ACTS)


class Reply(ToolCall, frozen=True):
    """Reply shortly, without facts, numbers or deeds: the message asks for nothing, or can be read in two ways."""

    OWN: ClassVar[tuple[str, ...]] = ("text",)

    tool: Literal["reply"] = "reply"
    text: str = Field(default="", max_length=2_000)


class TurnSteps(StepRecord):
    """Where the steps about one message go: its decision is kept, so a turn that is carried out again asks for none."""

    def __init__(self, key: str, journal: StepJournal | None) -> None:
        self._key = key
        self._journal = journal

    def keep(self, taken: TakenStep) -> None:
        """Tell the journal."""
        if self._journal is not None:
            self._journal(self._key, taken)


class MessageLoop:
    """Hears with a model what the rules are not sure of."""

    def __init__(
        self,
        line: Callable[[], Proposer],
        tools: LocalTools,
        *,
        journal: Journal | None = None,
        steps: StepJournal | None = None,
        replies: bool = True,
    ) -> None:
        """``line`` gives a line to the model with a budget of its own, for one message.

        ``journal`` keeps each call and ``steps`` each step, with the key of the turn; ``replies`` says whether the
        assistant's own replies, which may tell values of the data, are shown with what was said before.
        """
        self._line = line
        self._tools = tools
        self._journal = journal
        self._steps = steps
        self._replies = replies

    def hear(self, text: str, heard: ParsedMessage, *, key: str, before: Sequence[Message] = ()) -> ParsedMessage:
        """The rules' reading where it is sure, else the model's under the rails, else the rules' after all.

        ``before`` is what the conversation's own record holds before the message; it reaches the model as data.
        """
        if heard.confidence >= TRUSTED and heard.intent != "other":
            return heard
        codes: list[str] = []
        found = with_fallback(
            lambda: self._heard(text, heard, key, before),
            lambda: heard,
            lambda note: codes.append(note.code),
            purpose=PURPOSE,
        )
        return found if not codes else replace(heard, by=f"{heard.by}, no model: {codes[0]}")

    def _heard(self, text: str, heard: ParsedMessage, key: str, before: Sequence[Message]) -> ParsedMessage:
        line, journal = self._line(), self._journal
        if journal is not None:
            line = tell_calls(line, lambda call: journal(key, call))
        talk = [one for one in before if self._replies or one.role == "user"][-MOST_BEFORE:]
        # Each is cut to its beginning: enough to see what is spoken of.
        before_it = [{"by": one.role, "text": one.content[:MOST_SAID]} for one in talk]
        tasks: list[ShownItem] | None = None

        def look(_: Look | None = None) -> Outcome[ParsedMessage]:
            nonlocal tasks
            tasks = self._tasks(key) if tasks is None else tasks
            return Outcome(seen={"tasks": [{"id": t.task_id, "title": t.title, "status": t.status} for t in tasks]})

        def act(call: ActAsked) -> Outcome[ParsedMessage]:
            look()
            refused = why_not(call.acts, text, [one["text"] for one in before_it], tasks or [])
            if refused or not call.acts:
                return Outcome(seen={"refused": refused or [{"act": "none", "why": "no act was given"}]}, ok=False)
            return Outcome(seen={"accepted": True}, ended=_wanted(call.acts, text, heard, tasks or []))

        def reply(call: Reply) -> Outcome[ParsedMessage]:
            ended = _spoken(call.text, text, heard, looked=tasks is not None)
            return Outcome(seen={"replied": True}, ended=ended)

        def prompt(taken: Sequence[TakenStep], left: int) -> Prompt:
            steps = [{"step": one.step, "seen": one.observation} for one in taken]
            return render("understand_message", message=text, said_before=before_it, steps=steps, steps_left=left)

        return ModelLoop(
            line,
            TurnSteps(key, self._steps),
            {ActAsked: act, Look: look, Reply: reply},
            prompt,
            purpose=PURPOSE,
            limits=LoopLimits(steps=MOST_STEPS, seconds=LOOP_SECONDS),
            otherwise="reply",
        ).run()

    def _tasks(self, key: str) -> list[ShownItem]:
        outcome = self._tools.call([Call("list_tasks", {}, f"{key}/model")])[0]
        return [shown_line(task) for task in (outcome.result or {}).get("data", ())]


def _wanted(acts: Sequence[WantedAct], text: str, heard: ParsedMessage, tasks: Sequence[ShownItem]) -> ParsedMessage:
    """What a model wants, as it was heard: a whole question for an agent, or acts that wait for a yes."""
    others = ((heard.intent, heard.confidence),)
    first = acts[0]
    if first.tool in ROUTES:
        question = " ".join((first.question or text).split())
        resolved = {"resolved": True} if question.casefold() != text.strip().casefold() else {}
        return ParsedMessage(first.tool, UNSURE, question, resolved, others, "model")
    titles = {one.task_id: one.title for one in tasks}
    named = [{**act, "named": titles.get(act.get("task_id", 0), "")} for act in entities_of(acts)]
    return ParsedMessage(ACTS, UNSURE, text, {"acts": named}, others, "model")


def _spoken(words: str, text: str, heard: ParsedMessage, *, looked: bool) -> ParsedMessage:
    """Words alone: said where they claim nothing; where the model only looked, the user sees the list itself."""
    if looked and _CLAIMS.search(words):
        return ParsedMessage("list", UNSURE, text, {"status": None}, ((heard.intent, heard.confidence),), "model")
    if heard.intent == "other" and words.strip() and not _CLAIMS.search(words):
        return ParsedMessage("other", UNSURE, text, {}, heard.alternatives, "model", words.strip()[:500])
    return replace(heard, by=f"{heard.by}, asked a model")
