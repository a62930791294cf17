"""What a message says about tasks beside its intent: titles, descriptions, new words for old ones, a status.

A title is kept as the user wrote it, due phrase included; only the words that ask for the task are taken off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.agents.assistant.several import take_apart
from averment.records.chat import TaskStatus

MAX_TITLE = 255
MAX_TASKS = 20

_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|also|and|oh|please|pls|alexa|assistant|averment)[,!]?\s+)+", re.IGNORECASE
)
_ASKING = re.compile(
    r"^(?:can|could|would|will) (?:you|we) (?:please |kindly )?|^(?:i(?:'d| would) like (?:you )?to|i want (?:you )?to|"
    r"i need you to|let's|go ahead and) ",
    re.IGNORECASE,
)
_CREATE_HEADS = (
    r"(?:create|make|start|open|add|set up|set|put|write|jot|note|log|record|enter|insert|"
    r"include)\s+(?:down\s+)?(?:me\s+)?"
    r"(?:an?\s+|the\s+(?:following\s+)?|another\s+|some\s+|these\s+|\w+\s+(?=tasks))?(?:new\s+)?(?:tasks?|to-?dos?|reminders?|items?|entry|entries|notes?)\b"
    r"(?:\s+(?:called|named|titled|saying|that says|to say|for|about|to|of|that)\b)?\s*[:\-\u2013]?",
    r"(?:set\s+)?(?:an?\s+)?(?:new\s+)?(?:task|to-?do|reminder)\s*[:\-\u2013]\s*",
    r"remind me (?:that i (?:need|have|must) to|to|about|of|that)?",
    r"(?:don't|do not) let me forget (?:to|about|that)?",
    r"(?:make|be) sure (?:that )?i (?:don't forget to|remember to)?",
    r"i (?:need|have|must|should|ought|want|'ve got|gotta|got) to remember to",
    r"(?:i (?:need|have|must|should|ought|'ve got|got) to|i (?:must|should|gotta))",
    r"(?:add|put|include|insert|write|jot|note|log|record|place|throw|stick|append|enter)(?:\s+down)?",
)
_CREATE = re.compile(rf"^(?:{'|'.join(_CREATE_HEADS)})(?=\s|$|[:'\"\u201c])\s*[:\-\u2013]?\s*", re.IGNORECASE)
_ONTO = re.compile(
    r"\s+(?:on|onto|to|in|into|as|at)\s+(?:my|the|our|a|an)?\s*(?:[\w'-]+\s+){0,2}?(?:lists?|to-?dos?|to-?do list|"
    r"tasks?|"
    r"reminders?|agenda|calendar)(?:\s+please)?[.!]?$",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:[\s,]+(?:please|pls|thanks|thank you|for me|too|as well))+[.!]?$", re.IGNORECASE)
_DESCRIBED = re.compile(
    r"\s*[,;]?\s*(?:with (?:the )?(?:description|note|details?)|description|details?|note)(?:\s+(?:of|saying|"
    r"that says))?\s*[:=\-]?\s+(.+)$",
    re.IGNORECASE,
)
_WHEN_FIRST = re.compile(
    r"^(remind me)\s+((?:at|on|in|by|before|after|next|this|tomorrow|tonight|today|every)\b(?:(?!\bto\b).){0,40}?)"
    r"\s+(to\s.+)$",
    re.IGNORECASE,
)
_LISTING = re.compile(r"(?:add|put|include|throw|stick|place|insert|jot|note|log|write)\b")
_ONE = re.compile(r"\b(?:task|to-?do|reminder|item|entry)\b(?!\s*:)")
_EMPTY = re.compile(
    r"(?:(?:on|to|in)\s+)?(?:my|the|a|an|these|those|following|this)?\s*(?:\w+\s+)?(?:list|tasks?|reminders?|todos?|"
    r"to-dos?|things?|items?)?\s*:?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^['\"\u2018\u201c](.+)['\"\u2019\u201d][.!]?$")


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task to be made."""

    title: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Which words name the task, and what it is to say."""

    target: str
    title: str | None = None
    description: str | None = None


def bare(text: str) -> str:
    """The message without greetings and courtesies."""
    short = " ".join(text.split())
    for _ in range(2):
        short = _ASKING.sub("", _POLITE.sub("", short)).strip()
    return _TAIL.sub("", short).strip().rstrip("!").strip()


@dataclass(frozen=True, slots=True)
class NewTasks:
    """The tasks that a message asks for, and the other reading where it is as good."""

    tasks: tuple[NewTask, ...] = ()
    other: tuple[NewTask, ...] = ()


def new_tasks(text: str) -> NewTasks:
    """The tasks that a message asks for; none when it names none."""
    first, _, below = text.strip().partition("\n")
    said = _WHEN_FIRST.sub(r"\1 \3 \2", bare(first))
    head = _CREATE.match(said)
    rest = said[head.end() :] if head else said
    opening = head.group().casefold() if head else ""
    rest = _ONTO.sub("", rest).strip()
    if below.strip():
        rest = f"{'' if _EMPTY.fullmatch(rest) or rest.endswith(':') else rest}\n{below}".strip()
    elif _EMPTY.fullmatch(rest):
        return NewTasks()
    described = _DESCRIBED.search(rest)
    description = described.group(1).strip() if described else None
    rest = rest[: described.start()] if described else rest
    apart = take_apart(rest, listing=bool(_LISTING.match(opening)) or ":" in opening, single=bool(_ONE.search(opening)))
    made = _made(apart.titles, description)
    return NewTasks(made, _made(apart.other, description))


def _made(titles: Sequence[str], description: str | None) -> tuple[NewTask, ...]:
    cleaned = [title for title in map(_clean, titles) if title][:MAX_TASKS]
    return tuple(NewTask(title[:MAX_TITLE], description if len(cleaned) == 1 else None) for title in cleaned)


def _clean(title: str) -> str:
    quoted = _QUOTED.match(title.strip())
    plain = (quoted.group(1) if quoted else title).strip().strip(",;:").strip()
    return plain[:-1] if plain.endswith(".") and not plain.endswith("..") else plain


_EDIT_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        r"^(?:set|change|update|edit)\s+(?:the\s+)?(?P<field>description|notes?|details?)\s+(?:of|for|on|"
        r"in)\s+(?P<target>.+?)\s+(?:to|as|with|:)\s*(?P<new>.+)$",
        r"^(?:change|update|edit|set)\s+(?:its|the)\s+(?P<field>description|notes?|details?)\s+(?:to|"
        r"as)\s+(?P<new>.+)$",
        r"^(?:add|put|attach)\s+(?:a\s+)?(?P<field>note|detail)\s+(?:to|on)\s+(?P<target>.+?)\s*(?::|\bsaying\b|"
        r"\bthat\b)\s*(?P<new>.+)$",
        r"^(?:set|change|update|edit)\s+(?:the\s+)?(?:title|name|text|wording)\s+(?:of|"
        r"for)\s+(?P<target>.+?)\s+(?:to|as|:)\s*(?P<new>.+)$",
        r"^(?:rename|retitle|reword|rephrase|rewrite|change|update|edit|modify|turn|"
        r"make)\s+(?P<target>.+?)\s+(?:to say|to read|to|into|as|so (?:that )?it says)\s+(?P<new>.+)$",
        r"^(?:update|edit|change|modify)\s+(?P<target>.+?)\s*(?::|,)\s*(?:new title is|new title:?|the title is|"
        r"it should (?:say|read|be))?\s*(?P<new>.+)$",
        r"^make\s+(?P<target>.+?)\s+(?:say|read)\s+(?P<new>.+)$",
        r"^(?P<target>.+?)\s+should\s+(?:say|read|be)\s+(?P<new>.+)$",
        r"^(?:let's\s+)?call\s+(?P<target>(?:the\s+)?(?:[\w']+\s+){1,4}?(?:one|task|item)|(?:task|number)\s+\w+|#\d+|it|that)"
        r"\s+(?P<new>.+?)\s+instead$",
        r"^(?:actually,?\s+)?make\s+(?P<target>it|that|this)\s+(?!done|complete)(?P<new>.+)$",
        r"^give\s+(?P<target>.+?)\s+(?:a|another)\s+(?:better\s+|new\s+)?(?:name|title)\s*:?\s*(?P<new>.+)$",
    )
)


def edit_of(text: str) -> Edit | None:
    """Which task is to say what instead, or None when the message does not say it whole."""
    said = bare(text)
    for shape in _EDIT_SHAPES:
        found = shape.match(said)
        if found is None:
            continue
        parts = found.groupdict()
        new = _clean(parts["new"])[:MAX_TITLE]
        target = (parts.get("target") or "it").strip()
        if not new or not target:
            continue
        return Edit(target, description=new) if parts.get("field") else Edit(target, title=new)
    return None


def status_asked(text: str) -> TaskStatus | None:
    """Which tasks a question for the list is about; None for all."""
    plain = text.casefold()
    if re.search(r"\b(?:done|completed?|finish(?:ed)?|closed)\b", plain):
        return (
            None
            if re.search(r"\b(?:not|n't|un)\w*\s*(?:done|completed?|finished)\b|incomplete", plain)
            else "completed"
        )
    if re.search(r"\b(?:pending|open|left|remaining|outstanding|still|unfinished|incomplete)\b", plain):
        return "pending"
    return None
