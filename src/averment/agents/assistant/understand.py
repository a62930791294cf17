"""From a message to what it wants, in a fixed order: an open question first, then plain words, then the classifier."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.entities import bare, edit_of, new_tasks, status_asked
from averment.agents.assistant.spelling import corrected
from averment.language.intents.classify import Classified, classify

if TYPE_CHECKING:
    from averment.language.intents.classify import SentenceVectors
    from averment.records.chat import IntentResult

SURE = 0.9
"""Under this the assistant does not change anything without asking."""

GUESS = 0.5
"""Under this a message is not taken for what it most resembles; the user is asked what is wanted."""

_YES = re.compile(
    r"^(?:yes|yep|yeah|yup|sure|ok(?:ay)?|correct|right|exactly|please do|do it|go ahead|confirm(?:ed)?|absolutely|"
    r"of course|definitely|that's right|y|yes please|yes,? (?:please|do it|go ahead|delete (?:it|them)|that's right|"
    r"all of them))[.!]*$",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^(?:no|nope|nah|don't|do not|never mind|nevermind|cancel|stop|forget it|leave (?:it|them)|keep (?:it|them)|n|"
    r"no,? (?:thanks|thank you|don't|keep (?:it|them)|leave (?:it|them)|stop|cancel)|rather not|not now|wait)[.!]*$",
    re.IGNORECASE,
)
_PLAIN = (
    ("undo", re.compile(r"^(?:please )?undo(?: that| it| this)?(?: please)?[.!]?$", re.IGNORECASE)),
    (
        "list",
        re.compile(
            r"^(?:show|list|display|see|view)(?: me)?(?: all)?(?: of)?(?: my| the)?(?: \w+)? (?:tasks?|to-?dos?|"
            r"list|reminders)\b"
            r"[\w ]*[.?!]?$|^(?:my )?(?:tasks|to-?dos|todo list)\??$|^what(?:'s| is) on my (?:to-?do )?list\??$|"
            r"^(?:show me |tell me |so |and )*what(?:'s| is| do i)? (?:still )?(?:have )?(?:left|open|remain(?:s|ing)|"
            r"to do)(?: to do)?\??$|^how many (?:open |pending |completed )?tasks\b[\w ]*\??$",
            re.IGNORECASE,
        ),
    ),
    ("create", re.compile(r"^(?:remind me to|(?:add|create|make|new)(?: an?| a new| new)? (?:task|to-?do|"
        r"reminder)\b(?!\s+(?:#?\d+\b|number\b)))", re.IGNORECASE)),
    (
        "delete",
        re.compile(r"^(?:delete|remove|erase)(?: the| my)? (?:(?:task|item|number|#)\b|#?\d|first|second|third|last|"
            r"all|everything|it\b|that\b)", re.IGNORECASE),
    ),
    (
        "complete",
        re.compile(r"^(?:complete|finish|tick off|check off|mark)(?: the)? (?:(?:task|item|number)\b|#?\d|first|"
            r"second|third|last|it\b|that\b|all\b)", re.IGNORECASE),
    ),
    ("update", re.compile(r"^(?:rename|retitle|reword)\b|^(?:update|edit|change)(?: the| my)?[\w' ]* task\b|"
        r"^(?:update|edit|change) (?:task|item|number|#)|"
        r"^(?:change|replace|swap|edit|correct)\b.+\b(?:to|with|for)\b.+\b(?:in|on) my (?:\w+ )?list$", re.IGNORECASE)),
    (
        "help",
        re.compile(r"^(?:help(?: me)?|(?:hi|hello|hey)?(?: there)?[,!]? ?(?:what can you do|how does this work|"
            r"who are you|what are you)(?: for me)?)[?!.]*$", re.IGNORECASE),
    ),
    (
        "greeting",
        re.compile(
            r"^(?:hi|hiya|howdy|hello|hey|good (?:day|morning|afternoon|evening))(?: there| again| averment)?[!.]*$",
            re.IGNORECASE,
        ),
    ),
    ("bye", re.compile(r"^(?:ok(?:ay)?,? )?(?:good)?bye(?:[ -]bye)?(?: for now)?[!.]*$|^see you(?: later)?[!.]*$", re.I)
    ),
    ("cancel", re.compile(r"^(?:never ?mind|forget (?:it|about it))[!.]*$", re.IGNORECASE)),
    (
        "thanks",
        re.compile(r"^(?:many )?(?:thanks?|thank you|thx|cheers|great|perfect|nice|cool)(?: a lot| so much)?[!.]*$",
            re.IGNORECASE),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message wants, how surely, and what it says about it."""

    intent: str
    confidence: float
    text: str
    entities: dict[str, Any] = field(default_factory=dict)
    alternatives: tuple[tuple[str, float], ...] = ()
    by: str = "classifier"
    words: str = ""
    """What to say where nothing is asked for; only ever a model's, and checked."""

    def as_result(self) -> IntentResult | None:
        """The seed's record of it; None for what the seed has no intent for."""
        from averment.records.chat import IntentResult

        try:
            return IntentResult(
                intent_type=self.intent,  # pyright: ignore[reportArgumentType] - checked by the record itself
                confidence=self.confidence,
                entities=self.entities,
                alternatives=self.alternatives,
                reasoning=self.by,
            )
        except ValueError:
            return None


def yes_or_no(text: str) -> bool | None:
    """The answer to a question that wants one, or None when it is something else."""
    said = " ".join(text.split())
    if _YES.match(said):
        return True
    return False if _NO.match(said) else None


def understand(text: str, vectors: SentenceVectors) -> Heard:
    """What a message wants when no question is open."""
    text = corrected(text)
    said = bare(text)
    for intent, pattern in _PLAIN:
        if pattern.match(said) or pattern.match(text.strip()):
            return _heard(intent, 0.97, text, (), "plain words")
    found: Classified = classify(text, vectors)
    return _heard(found.intent, found.confidence, text, found.alternatives, "classifier")


def _heard(intent: str, confidence: float, text: str, others: tuple[tuple[str, float], ...], by: str) -> Heard:
    entities: dict[str, Any] = {}
    if intent == "create":
        wanted = new_tasks(text)
        entities["tasks"] = [{"title": task.title, "description": task.description} for task in wanted.tasks]
        if wanted.other:
            entities["other"] = [{"title": task.title, "description": task.description} for task in wanted.other]
    elif intent == "update":
        edit = edit_of(text)
        if edit is not None:
            entities = {"target": edit.target, "title": edit.title, "description": edit.description}
    elif intent == "list":
        entities["status"] = status_asked(text)
        if re.match(r"how many\b", said := bare(text), re.IGNORECASE) and "task" in said.casefold():
            entities["counts"] = True
    return Heard(intent, confidence, text, entities, others, by)
