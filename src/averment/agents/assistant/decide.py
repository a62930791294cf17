"""What the assistant does about a message that reads as no act: talk, questions for a run, and guesses."""

from __future__ import annotations

from typing import Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.model_loop.rails import ACTS, wanted_acts
from averment.agents.assistant.plan import plan
from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.titles import NewTask
from averment.agents.assistant.scene import ActScene
from averment.agents.assistant.understand import GUESS, SURE, ParsedMessage

OFFERED = 0.05
"""What is less likely than this is not offered as a guess."""

ROUTES = {"analyze": "analyze", "drill": "drill", "research": "research"}
_VERBS = {"complete": "complete", "delete": "delete", "update": "update"}

MODEL_SAYS = "A model says, unchecked: "
"""What stands before words that a model chose."""


def decide(heard: ParsedMessage, scene: ActScene) -> Decision:
    """What to do about what was heard."""
    if heard.intent == "other" and heard.words:
        # One line, called what it is: a remark cannot pass for a finding.
        return Decision("say", words=f"{MODEL_SAYS}{' '.join(heard.words.split())}")
    if heard.intent == ACTS:
        return plan(wanted_acts(heard), scene) or not_understood(heard)
    if heard.confidence < GUESS or heard.intent == "other":
        return not_understood(heard)
    if heard.intent == "ask":
        return _ask_run(heard, scene.dialogue)
    if heard.intent == "create":
        return _create(heard, scene)
    if heard.intent == "list":
        status = heard.entities.get("status")
        return Decision("list", more={"status": status} if status else {})
    if heard.intent == "undo":
        if heard.confidence < SURE:
            words = "Shall I take your last change back? Then say 'undo'."
            return Decision("say", words=words, more={"asked_back": True})
        return Decision("undo")
    if heard.intent in ROUTES:
        return route(heard, scene.dialogue)
    if heard.intent in _VERBS:
        return _on_tasks(heard, scene)
    if heard.intent in {"deny", "cancel"} and scene.dialogue.last_act is not None:
        return Decision("say", words="All right. Say 'undo' to take back what I did last.")
    return Decision("say", words=SMALL_TALK.get(heard.intent, SMALL_TALK["help"]))


def _create(heard: ParsedMessage, scene: ActScene) -> Decision:
    """A task that the message only may ask for: the user is asked."""
    tasks = tuple(
        NewTask(
            str(task["title"]),
            task.get("description"),
            {name: str(value) for name, value in task.items() if value and name in {"due", "priority", "repeat"}},
        )
        for task in heard.entities.get("tasks") or ()
    )
    made = plan([Act("add", tasks=tasks, sure=False)], scene)
    return made or not_understood(heard)


def _on_tasks(heard: ParsedMessage, scene: ActScene) -> Decision:
    """A change that the classifier heard: never made without a yes, and only where it names its tasks."""
    verb: Any = _VERBS[heard.intent]
    fields = {name: heard.entities[name] for name in ("title", "description") if heard.entities.get(name)}
    made = plan([Act(verb, heard.text, fields=fields, sure=False)], scene)
    if made is None or made.kind in {"say", "list"}:
        return not_understood(heard)
    return made


def _ask_run(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """Ask a finished run; where the message only may be about it, with what is said if it has no answer.

    What surely asks about tables after an analysis is read as a change of its plan. Of an analysis the sources are kept
    in mind: what its report does not say, they may be asked.
    """
    if heard.entities.get("after"):
        asked = {"question": heard.text, "sources": list(dialogue.sources)}
        return Decision("route", more={"tool": "analyze", "after": heard.entities["run_id"], **asked})
    more: dict[str, Any] = {"tool": "ask_run", "question": heard.text}
    more |= {name: heard.entities[name] for name in ("run_id", "session_id") if heard.entities.get(name)}
    if heard.entities.get("leans"):
        more["sources"] = list(dialogue.sources)
    if not heard.entities.get("surely"):
        intent, confidence = heard.alternatives[0]
        before = ParsedMessage(intent, confidence, heard.text, alternatives=heard.alternatives[1:])
        more["otherwise"] = not_understood(before).words
    return Decision("route", more=more)


def route(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """Hand the question to the agent it is for, with the conversation's files."""
    if heard.intent != "research" and not dialogue.sources:
        return Decision("say", words="Which file should I look at? Attach it and ask again.", more={"asked_back": True})
    more = {"tool": ROUTES[heard.intent], "question": heard.text, "sources": list(dialogue.sources)}
    return Decision("route", more=more)


def not_understood(heard: ParsedMessage) -> Decision:
    """A plea for other words, with what the message may have wanted."""
    likely = ((heard.intent, heard.confidence), *heard.alternatives)
    guesses = [name for name, share in likely if name in OFFERED_ACTS and share >= OFFERED][:3]
    words = "I'm not sure what you'd like me to do."
    if guesses:
        words += f" Did you want to {', or '.join(OFFERED_ACTS[name] for name in guesses)}?"
    return Decision("say", words=f"{words} Say 'help' to see what I can do.", more={"asked_back": True})


OFFERED_ACTS = {
    "create": "add a task",
    "list": "see your tasks",
    "update": "change a task",
    "complete": "mark a task as completed",
    "delete": "delete a task",
    "analyze": "analyse a table",
    "drill": "find out why a metric moved",
    "research": "look into sources",
}
SMALL_TALK = {
    "help": (
        "I keep your tasks ('remind me to call John tomorrow at 9', 'show my tasks', 'complete the "
        "first one'), analyse "
        "tables ('average order value by month'), find out why a metric moved ('why did revenue drop last week?') and "
        "look into sources ('what do the sources say about heat pumps?'). Every number comes with its proof."
    ),
    "affirm": "There is no question open that a yes would answer.",
    "deny": "All right, nothing was changed.",
    "cancel": "All right, nothing was changed.",
    "greeting": "Hello! Tell me what to remember, or ask about a table, a metric that moved, or your sources.",
    "thanks": "You're welcome.",
    "bye": "Goodbye. Your tasks stay where they are.",
    "repeat": "Please say what you would like to see again, for example 'show my tasks'.",
}
