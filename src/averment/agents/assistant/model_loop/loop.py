"""The loop: where the rules are not sure, a model says what a message asks for, step by step, under the rails.

It may look at the tasks; whatever would change something is only wanted, and asked about before it happens. What the
rails refuse comes back with the reason, three times at most. Every call and every step is in the ledger. When the model
fails or makes things up, the rules' reading stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from averment.agents.assistant.dialogue import ShownItem, shown_line
from averment.agents.assistant.model_loop.forms import MessageStep
from averment.agents.assistant.model_loop.model_acts import ACTS
from averment.agents.assistant.model_loop.rails import ROUTES, entities_of, why_not
from averment.agents.assistant.understand import ParsedMessage
from averment.errors import ModelBudgetExceeded, ModelNonsense
from averment.llm import Proposer, render, tell_calls, with_fallback
from averment.llm.call import ModelCall
from averment.records.chat import Message
from averment.tools.local_calls import Call, LocalTools

UNSURE = 0.89
"""As sure as a model's word alone can be: under the line at which anything is changed unasked."""
TRUSTED = 0.97
"""What the rules heard this surely, no model is asked about."""

PURPOSE = "understand"
MOST_STEPS, MOST_REPAIRS = 5, 3
MOST_BEFORE, MOST_SAID = 8, 400
"""How many messages before, and how many characters of each, a model is shown."""
_CLAIMS = re.compile(r"\d|\b(?:added|delet\w*|remov\w*|complet\w*|updat\w*|chang\w*|done|finish\w*|cancel\w*)\b", re.I)

Journal = Callable[[str, "ModelCall"], None]
StepJournal = Callable[[str, int, dict[str, Any], Any], None]


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
        self._keep = steps
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
        return found if not codes else _by(heard, f"{heard.by}, no model: {codes[0]}")

    def _heard(self, text: str, heard: ParsedMessage, key: str, before: Sequence[Message]) -> ParsedMessage:
        line, journal = self._line(), self._journal
        if journal is not None:
            line = tell_calls(line, lambda call: journal(key, call))
        said = _said_before([one for one in before if self._replies or one.role == "user"])
        taken: list[dict[str, Any]] = []
        tasks: list[ShownItem] | None = None
        repairs = 0
        for number in range(1, MOST_STEPS + MOST_REPAIRS + 1):
            prompt = render("understand_message", message=text, said_before=said, steps=taken)
            step = line.propose(MessageStep, purpose=PURPOSE, system=prompt.system, prompt=prompt.prompt)
            if step.tool == "reply":
                self._note(key, number, step, "replied")
                return _spoken(step.text, text, heard, looked=tasks is not None)
            if tasks is None:
                tasks = self._tasks(key)
            if step.tool == "look":
                seen: Any = [{"id": one.task_id, "title": one.title, "status": one.status} for one in tasks]
            else:
                refused = why_not(step.acts, text, [one["text"] for one in said], tasks)
                if not refused and step.acts:
                    self._note(key, number, step, "accepted")
                    return _wanted(step, text, heard, tasks)
                repairs += 1
                seen = {"refused": refused or [{"act": "none", "why": "no act was given"}]}
            self._note(key, number, step, seen)
            entry = {"step": step.model_dump(mode="json", exclude={"thoughts"}, exclude_defaults=True), "seen": seen}
            if entry in taken or repairs > MOST_REPAIRS:
                raise ModelNonsense("The model keeps repeating steps that lead nowhere.", details={"purpose": PURPOSE})
            taken.append(entry)
        raise ModelBudgetExceeded("The model made too many lookups.", details={"purpose": PURPOSE})

    def _tasks(self, key: str) -> list[ShownItem]:
        outcome = self._tools.call([Call("list_tasks", {}, f"{key}/model")])[0]
        return [shown_line(task) for task in (outcome.result or {}).get("data", ())]

    def _note(self, key: str, number: int, step: MessageStep, seen: Any) -> None:
        if self._keep is not None:
            self._keep(key, number, step.model_dump(mode="json", exclude={"thoughts"}, exclude_defaults=True), seen)


def _said_before(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The last messages, each cut to its beginning: enough to see what is spoken of."""
    return [{"by": message.role, "text": message.content[:MOST_SAID]} for message in messages[-MOST_BEFORE:]]


def _wanted(step: MessageStep, text: str, heard: ParsedMessage, tasks: Sequence[ShownItem]) -> ParsedMessage:
    """What a model wants, as it was heard: a whole question for an agent, or acts that wait for a yes."""
    others = ((heard.intent, heard.confidence),)
    first = step.acts[0]
    if first.tool in ROUTES:
        question = " ".join((first.question or text).split())
        resolved = {"resolved": True} if question.casefold() != text.strip().casefold() else {}
        return ParsedMessage(first.tool, UNSURE, question, resolved, others, "model")
    titles = {one.task_id: one.title for one in tasks}
    acts = [{**act, "named": titles.get(act.get("task_id", 0), "")} for act in entities_of(step.acts)]
    return ParsedMessage(ACTS, UNSURE, text, {"acts": acts}, others, "model")


def _spoken(words: str, text: str, heard: ParsedMessage, *, looked: bool) -> ParsedMessage:
    """Words alone: said where they claim nothing; where the model only looked, the user sees the list itself."""
    if looked and _CLAIMS.search(words):
        return ParsedMessage("list", UNSURE, text, {"status": None}, ((heard.intent, heard.confidence),), "model")
    if heard.intent == "other" and words.strip() and not _CLAIMS.search(words):
        return ParsedMessage("other", UNSURE, text, {}, heard.alternatives, "model", words.strip()[:500])
    return _by(heard, f"{heard.by}, asked a model")


def _by(heard: ParsedMessage, by: str) -> ParsedMessage:
    return ParsedMessage(
        heard.intent, heard.confidence, heard.text, heard.entities, heard.alternatives, by, heard.words
    )
