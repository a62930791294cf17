"""What a message wants by itself: plain words first, then the classifier. What it reads as an act is not heard here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from averment.agents.assistant.reading.questions import filters
from averment.agents.assistant.reading.spelling import corrected
from averment.agents.assistant.reading.titles import asks_for_tasks, new_tasks
from averment.agents.assistant.reading.words import bare, put_right
from averment.language.intents.classify import Classification, SentenceVectors, classify
from averment.records.base import utc_now

SURE = 0.9
"""Under this the assistant does not change anything without asking."""

GUESS = 0.5
"""Under this a message is not taken for what it most resembles; the user is asked what is wanted."""

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
            "^(?:(?:hi|hiya|howdy|hello|hey|yo|good (?:day|morning|afternoon|evening))(?: there| "
            r"again| averment| everyone)?[!.,]*\s*)?"
            "(?:hi|hello|hey|good (?:day|morning|afternoon|evening)|how(?:'s| is) (?:it going|"
            "everything|life|your day)|how are (?:you|things)"
            r"(?: doing| today| going)*|what's up|sup|nice to meet you)?(?: there| again| averment)?[!.?]*$",
            re.IGNORECASE,
        ),
    ),
    ("bye", re.compile(
        r"^good ?night\b[\w ,]*[!.]*$|^(?:ok(?:ay)?,? )?(?:good)?bye(?:[ -]bye)?(?: for now)?[!.]*$|^see "
        "you(?: later)?[!.]*$", re.I)
    ),
    ("cancel", re.compile(r"^(?:never ?mind|forget (?:it|about it))[!.]*$", re.IGNORECASE)),
    (
        "thanks",
        re.compile(
            "^(?:hey |oh |ah |aw+ |ok(?:ay)?,? )*(?:many )?(?:thanks?|thank you|thx|ta|cheers|great|perfect|"
            "nice|cool|awesome|brilliant|"
            "wonderful|well done|good (?:job|work)|nice one|you(?:'re| are) (?:great|awesome|the "
            "best))(?: a lot| so much| anyway| again| a bunch| for (?:that|your help)|,? you(?:'re| are) "
            "(?:an? |the )?[a-z]+)*[!.]*$",
            re.IGNORECASE),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """What a message wants, how surely, and what it says about it."""

    intent: str
    confidence: float
    text: str
    entities: dict[str, Any] = field(default_factory=dict)
    alternatives: tuple[tuple[str, float], ...] = ()
    by: str = "classifier"
    words: str = ""
    """What to say where nothing is asked for; only ever a model's, and checked."""


def understand(text: str, vectors: SentenceVectors) -> ParsedMessage:
    """What a message wants when no question is open."""
    text = corrected(text)
    said = bare(text)
    for intent, pattern in _PLAIN:
        if pattern.match(said) or pattern.match(text.strip()):
            return _heard(intent, 0.97, text, (), "plain words")
    found: Classification = classify(text, vectors)
    return _heard(found.intent, found.confidence, text, found.alternatives, "classifier")


def _heard(intent: str, confidence: float, text: str, others: tuple[tuple[str, float], ...], by: str) -> ParsedMessage:
    entities: dict[str, Any] = {}
    if intent == "create":
        writing = put_right(text)
        said = bare(writing.text)
        wanted = new_tasks(said, asks_for_tasks(said), writing, utc_now().astimezone().replace(tzinfo=None))
        entities["tasks"] = [{**task.as_parameters()} for task in wanted.tasks]
    elif intent == "list":
        entities["status"] = filters(text, utc_now().date()).get("status")
    return ParsedMessage(intent, confidence, text, entities, others, by)
