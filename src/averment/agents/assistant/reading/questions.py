"""Clauses that ask about tasks: the list, a part of it, or one task. They change nothing."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.commands import DONE, LISTS
from averment.agents.assistant.reading.words import Writing
from averment.language.periods import find_periods
from averment.language.word_lists import patterns, word_lists

_PATTERNS = patterns("reading.questions", "averment.agents.assistant")
ASKS = re.compile(_PATTERNS["asks"], re.IGNORECASE)
_T = r"(?P<target>.+?)"
_URGENT = "urgent|important|pressing|critical"
_ANY = (
    "(?:anything|something|a task|any tasks?|tasks|all tasks|all the tasks|everything|a reminder|any "
    "reminders?|any todos?|items?|any items?|one|a todo)"
)
_ABOUT = r"(?:about|with|concerning|regarding|containing|mentioning|related to|to do with|involving|for)"
_LOOK = (
    "(?:when|what day|what date|what time|by when|until when)(?: is|'s| are| was| does| do i have to|"
    rf" do i need to| must i| should i) {_T}(?: due| scheduled| planned| to be (?:done|finished)| have "
    "to be done)?",
    "(?:what(?:'s| is| are| was|)|show(?: me)?|read(?: me)?|tell me|give me) (?:the )?(?:notes?|"
    rf"descriptions?|details?|due date|deadline|priority) (?:on|of|for|in|about|to|with) {_T}",
    rf"(?:describe|details? (?:of|on|for)|tell me (?:more )?about|more about) {_T}",
    "(?:what(?:'s| is| was| does)|show me|show|read(?: me)?) (?P<target>(?:task|item|number|"
    r"#)\s*#?\w+|the (?:first|second|third|fourth|fifth|last) (?:one|task|item))(?: about| say| "
    "again)?",
    rf"(?:is|are|was|did i (?:do|finish|complete)|have i (?:done|finished|completed)|has) {_T} "
    rf"(?:already |now |been |yet |still )*(?:{DONE}|open|pending|{_URGENT}|due(?: .+)?)(?: yet|"
    " already| now)?",
    rf"(?:did i|have i)(?: already)? (?P<done>{DONE[3:-1]}) {_T}(?: yet| already)?",
)
_FIND = (
    rf"(?:search|look|find|check)(?: (?:in |through )?(?:my|the) {LISTS})?(?: for| up)? (?:me "
    rf")?(?:(?:the |all |any |every )?(?:tasks?|todos?|items?|reminders?) )?(?:{_ABOUT} )?{_T}(?: "
    rf"(?:in|on) (?:my|the) {LISTS})?",
    "(?:is there |are there |do i (?:still )?have |have i got |got |show me |show |list |what |find "
    rf")?{_ANY}(?: (?:on my list|to do|do i have|are there|planned|left|open))* {_ABOUT} {_T}(?: (?:in|"
    rf"on) (?:my|the) {LISTS})?",
    "(?:which|what|show me (?:the|all|every)|list(?: all| the)?) (?:of my )?(?:tasks?|todos?|items?|"
    rf"reminders?) (?:are |is |have |do i have |that )*(?:{_ABOUT}|mention|contain|concern|involve) "
    rf"{_T}",
    rf"(?:is|are|is there|have i got|do i have) {_T} (?:already |still )?(?:on|in) (?:my|the) {LISTS}",
)
_OPEN = (
    "(?:left|open|pending|remaining|outstanding|still|unfinished|incomplete|undone|remains?|to do|todo|"
    "to be done|not done|have to do|need to do|must do|should do)"
)
_SPAN = (
    r"(?:today|tonight|tomorrow|this week|next week|this month|next month|this weekend|the weekend|on \w+day|by \w+day)"
)
_STATE = (
    rf"(?:{_OPEN}|{DONE}|overdue|late|{_URGENT}|high[ -]priority|low[ -]priority|top[ -]priority|"
    rf"due|coming up|next|planned|scheduled|{_SPAN})"
)
_LIST = (
    "(?:show|list|display|see|view|read|give|print|pull up|bring up|get|check|have|open|let me "
    "(?:see|have))(?: me| us| out| over)*(?: (?:a |the )?(?:whole |full |complete )?list of)? "
    rf"?(?P<words>[\w' -]*?)\b(?:{LISTS}|(?:stuff|things) to do|errands)\b(?P<tail>[\w ,'-]*)",
    "(?:show|list|display|let me see|read|see|view|tell)(?: me| out)* (?P<tail>(?:everything|all|"
    "them(?: all)?|it all|all of (?:them|it)|what(?:'s| is| i have| do i have| have i)?(?: "
    r"\w+){0,4}|the (?:done|open|completed|finished|pending|urgent|overdue) ones|it)(?: again)?)",
    "(?:(?:all|just|and|only) )*(?:my |the |your )?(?P<words>(?:open|pending|completed|done|finished|"
    rf"remaining|overdue|urgent|full|whole|current|all) )?{LISTS}(?P<tail>(?: {_STATE})?)",
    "(?:what|which|whats|what's|is|are|am|do|have|anything|any|so|and|there|i|else|still|anything's|"
    r"now|where|how) ?(?P<tail>(?:\b(?:is|are|do|does|have|i|there|anything|something|else|still|got|"
    rf"on|my|the|plate|for|me|of|it|be|a|lot|much|many|that|{_STATE})\b ?)+)",
    rf"(?:what|which|whats|what's|where|how)(?P<tail>\b.*?\b{LISTS}\b.*)",
    r"(?:what|which)(?: ones| of (?:them|those))? "
    r"(?P<tail>(?:have|has|are) (?:no|without(?: an?)?) (?:due dates?|deadlines?))",
    "(?:what|which|whats|what's|what all) (?P<tail>(?:have|did) (?:i|we) (?:already |just )?(?:do|"
    r"done|finish|finished|complete|completed|get done|achieve|achieved)\b.*)",
    "(?:do|have|are|is) (?:i |there )?(?:have |got |still have |still )*(?P<tail>(?:any|anything|"
    rf"something|a lot|much|many)\b[\w ]*?(?:{LISTS}|{_STATE})[\w ]*)",
    r"(?P<tail>(?:and )?now(?=\?)|show(?: me)?|what(?:'s| is) (?:on |in )?(?:there|it)(?: now)?|what "
    "now|now what|what else|what's next|what is next|what remains|"
    "the rest|what next)",
    r"(?P<tail>what (?:do|should|must) (?:i|we)(?: still| need| have)*(?: to)? do(?: \w+){0,3})",
    r"(?P<tail>(?:the )?(?:overdue|urgent|completed|finished|pending|open|remaining) ones)",
    "(?:go through|run through|walk me through|what are|recap|summari[sz]e) (?P<tail>(?:all )?(?:of "
    rf")?(?:my|the) (?:\w+ )?{LISTS}.*)",
)
_COUNT = (
    rf"how many(?P<tail>\b(?:(?: of (?:them|those|these))|(?: {LISTS})|(?: (?:is|are|do|have|i|there|left|"
    "still|that|those|these|remaining|in|total|now|to|got|on|my|the|list|be|all|we|altogether|"
    rf"{_STATE})))+)"
)


def _shape(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"^(?:{pattern})\s*[?.!]*$", re.IGNORECASE | re.DOTALL) for pattern in patterns)


_LOOKS, _FINDS, _LISTED, _COUNTS = _shape(*_LOOK), _shape(*_FIND), _shape(*_LIST), _shape(_COUNT)
_DATED = re.compile(r"(?:an?|the|any)? ?(?:deadlines?|due dates?|dates?)", re.IGNORECASE)
_PRONOUN = re.compile(r"^(?:it|that|this|they|them|these|those|i|we|you|there)$", re.IGNORECASE)
_WHEN_ASKED = re.compile(r"\b(?:when|what (?:day|date|time)|due|deadline|until)\b", re.IGNORECASE)
_IS_DONE = re.compile(rf"\b(?:{DONE}|open|pending)\b", re.IGNORECASE)


def read_question(said: str, writing: Writing, now: datetime) -> Act | None:
    """The list, the search or the look at one task that a clause asks for; None where it asks for none of these."""
    for shape in _COUNTS:
        if (found := shape.match(said)) is not None:
            return Act("list", wanted={**filters(found.group("tail"), now.date()), "counts": "yes"})
    for shape in _LISTED:
        found = shape.match(said)
        if found is not None and not re.search(rf"\b{_ABOUT[:-5]})\b", said, re.IGNORECASE):
            words = " ".join(part for part in (found.groupdict().get("words"), found.groupdict().get("tail")) if part)
            if _known_words(words) and (
                found.re is not _LISTED[3] or re.search(rf"\b{_STATE}\b|\bplate\b", words, re.IGNORECASE)
            ):
                return Act("list", wanted=filters(words, now.date()))
    for shape in _FINDS:
        if (found := shape.match(said)) is not None and not _PRONOUN.match(found.group("target")):
            if _DATED.fullmatch(found.group("target")):
                return Act("list", wanted=filters("due", now.date()))
            return Act(
                "find",
                writing.whole(found.group("target")).strip(" ?"),
                sure=bool(re.match(r"(?:search|find)\b", said, re.I)),
            )
    for shape in _LOOKS:
        if (found := shape.match(said)) is not None:
            asked = "due" if _WHEN_ASKED.search(said) else "status" if _IS_DONE.search(said) else "all"
            return Act("look", writing.whole(found.group("target")).strip(" ?"), wanted={"asked": asked})
    return None


_SMALL = frozenset(word_lists("questions", "averment.agents.assistant")["small"].split())


def _known_words(words: str) -> bool:
    """Whether a question for the list names nothing but parts of it."""
    return all(word in _SMALL for word in re.findall(r"[\w']+", words.casefold()))


def filters(words: str, today: date) -> dict[str, str | None]:
    """Which part of the list the words are about."""
    plain = words.casefold()
    found: dict[str, str | None] = {}
    both = re.search(r"\b(?:all|everything|whole|full|complete list|done ones too|both)\b", plain)
    undone = re.search(rf"\b(?:not|n't|un)\w*\s*(?:yet )?(?:{DONE})|\b(?:incomplete|unfinished|undone)\b", plain)
    if undone or re.search(rf"\b{_OPEN}\b", plain):
        found["status"] = "pending"
    elif re.search(rf"\b(?:{DONE}|did|finish|achieved?)\b", plain) and not both:
        found["status"] = "completed"
    if re.search(rf"\b(?:{_URGENT}|(?:high|top)[ -]priority)\b", plain):
        found["priority"] = "high"
    elif re.search(r"\blow[ -]priority\b", plain):
        found["priority"] = "low"
    if re.search(r"\b(?:no|without(?: an?| any)?|(?:not|n't) have an?) (?:due dates?|deadlines?|dates?)\b", plain):
        found["undated"] = "yes"
        return found
    span = _span(plain, today)
    if span is not None:
        found |= {"due_from": span[0].isoformat(), "due_to": span[1].isoformat()}
    return found


def _span(plain: str, today: date) -> tuple[date, date] | None:
    if re.search(r"\b(?:overdue|late)\b", plain):
        return date(1, 1, 1), today - timedelta(days=1)
    if "weekend" in plain:
        saturday = today + timedelta(days=(5 - today.weekday()) % 7)
        return saturday, saturday + timedelta(days=1)
    if re.search(r"\b(?:today|tonight)\b", plain):
        return date(1, 1, 1), today
    weekday = re.search(r"\b(?:on|by) (\w+day)s?\b", plain)
    text = f"next {weekday.group(1)}" if weekday else plain
    match = next((one for one in find_periods(text, anchor=today) if one.start and one.end), None)
    if match is None or match.start is None or match.end is None:
        return (date(1, 1, 1), date(9999, 12, 31)) if re.search(r"\bdue\b|\bdeadlines?\b", plain) else None
    return match.start, match.end
