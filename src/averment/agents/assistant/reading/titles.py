"""What new tasks a clause asks for: its titles as the user wrote them, without the words that ask, and their fields.

Nothing is cut to fit: a title that is too long is told, and kept by no one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from averment.agents.assistant.reading.task_splitting import VERBS, take_apart
from averment.agents.assistant.reading.when import take_when
from averment.agents.assistant.reading.words import MARK, Writing
from averment.language.word_lists import patterns

_TASK_GUARDS_PATTERNS = patterns("reading.certainty", "averment.agents.assistant")
_ELSEWHERE = re.compile(_TASK_GUARDS_PATTERNS["elsewhere"], re.IGNORECASE)
"""Another place than the list of tasks, at the end or as a contact: "to my jazz playlist", "in my address book"."""
_CONTACT = re.compile(r"\S@\S|\b(?:e-?mail|contacts?|address book|phone number)\b", re.IGNORECASE)
_NUMBER = re.compile(_TASK_GUARDS_PATTERNS["number"], re.IGNORECASE)


def surely_asks(*, need: str, remind: str, listing: str, rest: str, timed: bool, titles: Sequence[str]) -> bool:
    """Whether the words surely ask for these tasks; ``rest`` is what follows the words that ask."""
    if need:
        # One errand may be anything; several, told one after the other, are a list.
        return len(titles) > 1 and all(title.split()[0].casefold() in VERBS for title in titles)
    if titles and all(_sum(title) for title in titles):
        return False
    if remind:
        # "Remind me of the date", "notify me about the meetings": told again, or kept?
        told_again = re.search(r"\bof$|^(?:notify|alert|ping)\b|me$", remind, re.IGNORECASE)
        return timed or told_again is None or rest.startswith(("\ue000", "not "))
    first = (re.findall(r"[\w'-]+", rest) or [""])[0].casefold()
    if not listing or first in VERBS or "\ue000" in rest:
        return True
    return not (_ELSEWHERE.search(rest) or _CONTACT.search(rest))


def _sum(title: str) -> bool:
    """Whether a title is nothing but numbers and what stands between them."""
    return bool(title.strip()) and not _NUMBER.sub("", title.strip()).strip()


MAX_TASKS = 20

_KIND = r"(?:tasks?|todos?|to-?dos?|reminders?|items?|entry|entries|notes?|things?(?:\s+to\s+do)?|list items?)"
_ADJECTIVE = (
    "(?:(?:an?|the|another|one|two|three|four|some|these|the following|following|more|few|my|new|single|"
    r"quick|recurring|repeating)\s+)*"
)
_URGENCY = r"(?P<urgency>(?:very\s+)?(?:high|low|top|normal)[ -]priority\s+|urgent\s+|important\s+)?"
_PUT = (
    "(?:create|make|start|open|add|set up|set|put|stick|throw|pop|write|jot|note|log|record|enter|insert|"
    "include|place|append|schedule|give me|have|get(?! rid| me))"
)
_HEADS = tuple(
    re.compile(rf"^{shape}", re.IGNORECASE)
    for shape in (
        # "add a high priority task called …", "create tasks:", "could I have a task for …"
        rf"(?P<listing>{_PUT}\s+(?:down\s+|me\s+)?{_ADJECTIVE}{_URGENCY}{_KIND}\b(?!\s+(?:lists?|pads?|books?)\b)(?:\s+(?:on|to|in|"
        r"into)\s+(?:my|the)\s+[\w -]*?list\b)?)"
        r"(?:\s+(?:called|named|titled|saying|that says|to say|which says|reading|for me to|for|about|"
        r"to|of|that|to remind me to|to remind me about)\b)?\s*[:\-\u2013]?",
        rf"(?P<listing>(?:set\s+)?(?:an?\s+)?(?:new\s+)?{_URGENCY}(?:task|todo|to-?do|reminder|note to "
        r"self|todo list|task list|tasks|todos|list))\s*(?:[:\u2013]|\s-|-\s)\s*",
        r"(?P<one>new (?:task|todo|reminder))\s+(?:to\s+)?",
        r"(?P<listing>(?:(?:two|three|four|five|six|seven|a few|several|some|\d+|"
        r"my)\s+(?:more\s+)?(?:things|tasks|todos|items|errands|jobs|reminders)|things to do|todo "
        "list|shopping list|to buy)"
        r"(?P<when>\s+(?:for\s+)?(?:today|tomorrow|tonight|this week|next week|this weekend|me|"
        r"later))?\s*(?:to do\s*)?):",
        r"(?P<remind>i(?:'d| would)? (?:need|want|like) a reminder)\b",
        # "Remind me what I wanted" asks to be told again.
        r"(?P<remind>(?:remind|ping|nudge|alert|notify) me)\b(?!\s+(?:(?:of|about)\s+)?(?:what|how|who|which|why|"
        r"whether|"
        r"(?:where|when) (?:is|was|are|were|do|does|did|the|my))\b)\s*(?:(?:that i (?:need|have|must) to|to|"
        r"about|of|that i(?:'ve| have) got to|that)\b)?",
        r"(?P<remind>(?:don't|do not) (?:let me|you let me) forget)\s*(?:(?:to|about|that)\b)?",
        "(?P<remind>(?:i )?(?:mustn't|must not|can't|cannot|shouldn't|don't want to|don't) "
        r"forget)\s*(?:(?:to|about|that)\b)?",
        r"(?P<remind>(?:make|be) sure (?:that )?i\b)\s*(?:(?:don't forget to|remember to)\b)?",
        r"(?P<remind>(?:i (?:need|have|must|should|ought|want|'ve got) to |(?:i )?got(?:ta| to) |please )?"
        r"remember (?:to|2)\b)",
        r"(?P<need>(?:i(?:'ve)?|we(?:'ve)?)\s+(?:really |still |also )?(?:need|have|ought|got|still "
        r"need|still have) to\b|got to\b|(?:i|we) (?:really |probably )?(?:must|should)(?: really| "
        r"probably)?\b|(?:i|we) need\b(?! to\b)|need to\b|have to\b|must\b)",
        r"(?P<listing>(?:(?:write|jot|note)(?:\s+down|\s*:)|put\s+down(?!\s+(?:to|as|the|my|your|that|this|it)\b))(?:\s+that\s+i\s+(?:need|have)\s+to)?)\s*[:\-\u2013]?",
        "(?P<listing>create|make|new)\\s*[:\u2013]?\\s*(?=\ue000)",
        r"(?P<listing>(?:add|append|queue)(?:\s+(?:down|in))?)(?!\s+up\b)\s*(?:to (?:my|the) "
        r"(?:[\w-]+ )?list\s*)?[:\-\u2013]?",
        "(?P<listing>(?:put|stick|throw|pop|place|include|insert|enter|write|note|log|record|keep|"
        r"save|get(?! me| rid)|chuck|whack|bung|slap|shove|sling|dump|drop))\b"
        r"(?=.+\s(?:on|onto|to|in|into)\s+(?:my|the|our)\s+(?:[\w-]+\s+)?(?:lists?|todos?|"
        r"tasks|reminders|agenda|planner)\b(?:\s*$|\s*[,;:]|\s+(?:please|for|by|on|at|due|with|asap)\b))",
    )
)  # fmt: skip
_PATTERNS = patterns("reading.titles", "averment.agents.assistant")
_ONTO = re.compile(_PATTERNS["onto"], re.IGNORECASE)
_DESCRIBED = re.compile(_PATTERNS["described"], re.IGNORECASE)
_EMPTY = re.compile(_PATTERNS["empty"], re.IGNORECASE)
_NOT_TO = re.compile(r"^not to\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NewTask:
    """A task to be made."""

    title: str
    description: str | None = None
    fields: dict[str, str] = field(default_factory=dict)

    def as_parameters(self) -> dict[str, str | None]:
        """The task as the tool that adds takes it."""
        return {"title": self.title, "description": self.description, **self.fields}


@dataclass(frozen=True, slots=True)
class NewTasks:
    """The tasks that a clause asks for, and the other reading where it is as good; ``sure`` where it surely asks."""

    tasks: tuple[NewTask, ...] = ()
    other: tuple[NewTask, ...] = ()
    sure: bool = True


def asks_for_tasks(said: str) -> re.Match[str] | None:
    """The words by which a bare clause asks for something to be kept, or None."""
    return next((found for shape in _HEADS if (found := shape.match(said)) is not None and _ends(said, found)), None)


def new_tasks(said: str, head: re.Match[str] | None, writing: Writing, now: datetime) -> NewTasks:
    """The tasks that a clause asks for after its head; none when it names none."""
    parts = {} if head is None else head.groupdict()
    rest = said[head.end() :] if head else said
    early: dict[str, str] = {}
    if parts.get("remind") or parts.get("urgency") or parts.get("when"):
        named = " ".join(part.strip() for part in (parts.get("urgency"), parts.get("when")) if part)
        rest, early = _early(rest, named, now)
    rest = _ONTO.sub("", rest.strip().rstrip("?").rstrip()).strip()
    if parts.get("remind"):
        rest = re.sub(r"^(?:to|about|that)\s+", "", _NOT_TO.sub("not ", rest), flags=re.IGNORECASE)
    if "\n" not in rest and _EMPTY.fullmatch(rest):
        return NewTasks()
    described = _DESCRIBED.search(rest) if "\n" not in rest else None
    description = writing.whole(described.group(1)).strip() if described else None
    rest = rest[: described.start()] if described else rest
    listing = bool(parts.get("listing"))
    # "A task to buy milk, eggs and bread" is one; "tasks: milk, eggs" are several.
    single = (
        bool(parts.get("one"))
        or (
            listing
            and bool(re.search(r"\b(?:task|todo|reminder|item|entry|note)$", str(parts["listing"]), re.I))
            and ":" not in head.group()
        )
        if head
        else False
    )
    apart = take_apart(rest, listing=listing, single=single)
    make = _TitleMaker(writing, now, early, description)
    tasks = make(apart.titles)
    sure = surely_asks(
        need=str(parts.get("need") or ""),
        remind=head.group().strip() if head is not None and parts.get("remind") else "",
        listing=str(parts.get("listing") or "")
        if head is not None and not re.search(_KIND, head.group(), re.I)
        else "",
        rest=rest,
        timed=any(task.fields for task in tasks),
        titles=[task.title for task in tasks],
    )
    return NewTasks(tasks, make(apart.other), sure)


def _early(rest: str, named: str, now: datetime) -> tuple[str, dict[str, str]]:
    """What is said of the time before the deed: "remind me at 5 to …", "an urgent task: …"."""
    when = (
        take_when(f"x {named.replace('urgent', ', urgent').replace('important', ', important')}", now).fields
        if named
        else {}
    )
    found = re.match(r"^\s*((?:(?!\bto\b).){1,60}?)\s+(to|about|that i)\s+(.+)$", rest, re.IGNORECASE | re.DOTALL)
    if found is not None:
        timed = take_when(f"x {found.group(1)}", now)
        if timed.words == "x" and timed.fields:
            return f"{found.group(2)} {found.group(3)}", {**when, **timed.fields}
    return rest, when


@dataclass(frozen=True, slots=True)
class _TitleMaker:
    writing: Writing
    now: datetime
    early: dict[str, str]
    description: str | None

    def __call__(self, titles: Sequence[str]) -> tuple[NewTask, ...]:
        made = [task for task in map(self._task, titles) if task is not None][:MAX_TASKS]
        if len(made) == 1 and self.description:
            return (NewTask(made[0].title, self.description, made[0].fields),)
        return tuple(made)

    def _task(self, words: str) -> NewTask | None:
        if MARK.fullmatch(words.strip().rstrip(".!")):
            title, fields = self.writing.whole(words.strip().rstrip(".!")), {}
        else:
            timed = take_when(_clean(words), self.now)
            title, fields = self.writing.whole(_clean(timed.words)), timed.fields
        return NewTask(title, None, {**self.early, **fields}) if title else None


def _clean(title: str) -> str:
    plain = re.sub(r"\s+instead$", "", title.strip().strip(",;:").strip(), flags=re.IGNORECASE)
    return plain[:-1] if plain.endswith(".") and not plain.endswith("..") else plain


def _ends(said: str, found: re.Match[str]) -> bool:
    """Whether the head ends with a whole word."""
    after = said[found.end() : found.end() + 1]
    return not found.group()[-1:].isalnum() or not after.isalnum()
