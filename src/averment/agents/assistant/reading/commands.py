"""Clauses that command: a leading verb says what is done, the words after it to what."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.when import value_of
from averment.agents.assistant.reading.words import Writing, shapes, target_of
from averment.language.word_lists import patterns

Names = Callable[[str], bool]
"""Whether words name a task there is."""

LISTS = r"(?:lists?|tasks?|todos?|to-?dos?|reminders?|agenda|plate|todo list|task list|planner)"
DONE = (
    r"(?:done|complete|completed|finished|closed|ticked(?: off)?|checked(?: off)?|sorted(?: out)?|over|taken care of|"
    r"dealt with|accomplished|handled)"
)
_T = r"(?P<target>.+?)"
_DELETE = (
    r"(?:delete|remove|erase|scrap|drop|nuke|bin|trash|kill|ditch|wipe|clear(?: out| away| up)?|cancel|discard|scratch|"
    "toss(?: out)?|chuck(?: out)?|dump|zap|purge|strike out|get rid of|throw (?:out|away)|do away with|dismiss|"
    "eliminate|axe|forget about)"
)
_COMPLETE = (
    "(?:complete|finish(?: off| up)?|tick(?: off)?|check off|cross(?: off| out)?|close(?: out| off)?|"
    "strike off|wrap up)"
)
_CHANGE = r"(?:rename|retitle|reword|rephrase|rewrite|change|update|edit|modify|amend|alter|revise|correct|turn|adjust)"
_MOVE = r"(?:move|push(?: back)?|postpone|reschedule|delay|shift|defer|schedule|put off|snooze|bring forward)"
_SELF = r"(?P<target>it|that|this|them|those|these|both|all(?: of (?:them|those))?|everything)"


UNDO = shapes(
    "(?:undo|revert|reverse|roll back|take back|ctrl[ +-]?z)(?: (?:that|it|this|them|again|the last "
    "(?:one|change|thing|act|"
    r"step|action|edit)|my last (?:change|act|step|action|edit)|what you (?:just )?did|everything you just did))*",
    rf"(?:take|put|bring|get|change|set|turn|roll|switch) {_SELF} back(?: again)?(?: the way (?:it was|they were))?",
    "(?:i want|i'd like|i need|give me|get me|have|i want to have|let me have) (?:it|that|them|those|"
    "both|all of them)(?: one)? back(?: again)?",
    rf"(?:restore|recover|un-?delete) {_SELF}",
    r"(?:bring|put|get|take) back (?:it|that|them|those|everything|what .+)",
    r"(?:that|this|it) was (?:a mistake|an error|wrong|the wrong (?:one|task)|not what i (?:meant|wanted|said))",
    r"(?:wrong one|my mistake|not that one|not what i meant|go back(?: one step| a step)?|step back)",
)
_REOPEN = shapes(
    rf"(?:re-?open|uncheck|untick|unmark|un-?complete|reactivate) {_T}",
    rf"(?:mark|set|put|flag) {_T} (?:as |back (?:as |to )?|to )?(?:not (?:yet )?{DONE}|undone|"
    "unfinished|incomplete|open|"
    r"pending|todo|active)(?: again)?",
)
_RESTORE = shapes(
    rf"(?:restore|recover|un-?delete) {_T}",
    r"(?:bring|put|get) (?P<target>(?:the|that|my) .+?) back",
    r"(?:bring|put|get) back (?P<target>.+)",
)
_NOTE = shapes(
    "(?:add|put|attach|make|write|leave|set|change|update|edit) (?:a |an |the |another )?(?:notes?|"
    "descriptions?|details?|comments?) (?:to|on|for|of|in|"
    rf"with) {_T}\s*(?::|,? saying(?: that)?|,? that says|,? that|,? as)\s*(?P<new>.+)",
    rf"(?:set|change|update|edit) (?:the )?(?:notes?|descriptions?|details?) (?:of|for|on|in) {_T} to (?P<new>.+)",
    rf"note (?:on|for|to) {_T}\s*:\s*(?P<new>.+)",
    r"(?:change|update|edit|set) (?:its|the) (?:description|notes?|details?) (?:to|as) (?P<new>.+)",
    rf"(?P<clear>remove|delete|clear|drop) (?:the |its )?(?:notes?|descriptions?|details?) (?:of|from|on|for) {_T}",
)
_SET = shapes(
    rf"{_MOVE} {_T} (?:to|until|till|for|on|by|at) (?P<value>.+)",
    rf"(?:bring|push|move|put) {_T} (?:forward|back|off) (?:to|until|till|by) (?P<value>.+)",
    "(?:change|set|update|move|raise|lower|put) (?:the )?(?:due date|deadline|due|time|date|priority|"
    rf"reminder)(?: of| for| on) {_T} (?:to|as|on|at|for) (?P<value>.+)",
    rf"(?:make|mark|flag|set|consider|treat|change|update|turn|edit|rename) {_T} (?:(?:as|to|to "
    "be|for|into|due|at|on|by) )?(?P<value>.+)",
    rf"give {_T} (?:a |an )?(?:(?:due date|deadline|priority|reminder) (?:of |for |on )?)?(?P<value>.+)",
    rf"(?P<high>prioriti[sz]e|bump(?: up)?|escalate) {_T}",
    rf"(?P<clear>take) (?:the |its )?(?P<field>due date|deadline|date|priority) off(?: (?:of )?{_T})?",
    rf"(?P<clear>stop|quit) (?P<field>repeating)(?: {_T})?",
    r"(?P<clear>remove|delete|clear|drop|cancel|lose) (?:the |its |that )?"
    r"(?P<field>due date|deadline|priority|repeat|repetition)",
    "(?P<clear>remove|delete|clear|drop|cancel) (?:the |its )?(?P<field>due date|deadline|date|"
    rf"priority|repeat|repetition) (?:of|from|on|for) {_T}",
)
_PATTERNS = patterns("reading.commands", "averment.agents.assistant")
_AGAIN = re.compile(_PATTERNS["again"], re.IGNORECASE)
"""A time alone, said as a reminder: the task that was spoken of is to ring then."""
_UPDATE = shapes(
    rf"(?:set|change|update|edit) (?:the )?(?:title|name|text|wording) (?:of|for) {_T} (?:to|as|:)\s*(?P<new>.+)",
    rf"(?:{_CHANGE}|make) {_T} (?:to say|to read|say|read|so (?:that )?it (?:says|reads)) (?P<new>.+)",
    rf"(?:replace|swap|exchange|substitute) {_T} (?:with|for|by) (?P<new>.+)",
    rf"{_CHANGE} {_T} (?:to|into|as) (?P<new>.+)",
    rf"{_CHANGE} {_T}\s*(?::|,|->|=>|\u2192)\s*(?:(?:the )?(?:new )?(?:title|name) (?:is|:)|it should "
    r"(?:say|read|be))?\s*(?P<new>.+)",
    r"(?:let's )?call (?P<target>(?:the )?(?:[\w']+ ){1,4}?(?:one|task|item)|(?:task|number) \w+|#\d+|"
    "it|that) (?P<new>.+?) instead",
    rf"give {_T} (?:a|another) (?:better |new )?(?:name|title)\s*:?\s*(?P<new>.+)",
    r"make (?P<target>it|that|this) (?P<new>.+)",
)
_BARE_UPDATE = shapes(rf"{_CHANGE} {_T}")
_DELETED = shapes(
    rf"take {_T} off(?: of)?(?: (?:my|the) (?:[\w-]+ )?{LISTS})?",
    rf"{_DELETE} {_T} (?:from|off|in|on) (?:my|the) (?:[\w-]+ )?{LISTS}",
    "(?:empty|clean(?: up| out)?|wipe|clear|reset)(?: out)? (?P<target>(?:my|the|all(?: my| "
    rf"the)?)(?: whole| entire| todo| task)* {LISTS})",
    rf"{_DELETE} {_T}",
)
_EXCEPT = r"(?:except|apart from|besides|other than|excluding|leaving out|save|(?:but|just|and) not|but|not)(?: for)?"
_APART = re.compile(rf"^(?P<act>.+?),? {_EXCEPT}(?: for)? (?P<out>.+?)[.!]*$", re.IGNORECASE)
_MANY = re.compile(r"^(?:all|every|each|them|my|the)\b", re.IGNORECASE)
_ONTO_LIST = re.compile(
    rf"^(?:chuck|dump|drop|toss)\b.+\b(?:on|onto|in|into) (?:my|the) (?:[\w-]+ )?{LISTS}\b", re.IGNORECASE
)
"""What throws something onto the list adds it, unless it names what is there."""
_COMPLETED = shapes(
    rf"(?:mark|set|flag|tick|check|put|make) {_T} (?:off )?(?:as )?{DONE},? (?P<except>{_EXCEPT} .+)",
    rf"(?:mark|set|flag|tick|check|put|count|log|record|make) {_T} (?:off (?:as )?|as |to |down as |is "
    rf")?(?:all |already )?{DONE}",
    rf"(?:tick|check|cross|strike) {_T} (?:off|out)(?:(?: of)? (?:my|the) (?:[\w-]+ )?{LISTS})?",
    rf"(?:mark|flag|set|tick|check) (?:off )?{_T} as (?P<participle>\w+(?:ed|en|ne|nt|t|d|one|out|up))",
    rf"(?:mark|tick|check|cross) off {_T}",
    rf"(?:consider|call|count) {_T} (?:as )?{DONE}",
    rf"{_COMPLETE} {_T}(?: (?:off|from) (?:my|the) (?:[\w-]+ )?{LISTS})?",
    rf"(?:mark|tick) {_T}",
)
_NOT_MEANT = re.compile(r"^(?:up\b|down\b|out\b|in\b|on\b)", re.IGNORECASE)


def read_command(said: str, writing: Writing, now: datetime, names: Names = bool) -> Act | None:
    """The act that a clause commands; None where it commands none of these. What adds is not read here.

    ``names`` tells whether words name a task, where a title holds the words that divide.
    """
    if _hit(UNDO, said) is not None:
        return Act("undo")
    if (found := _hit(_REOPEN, said)) is not None:
        return Act("reopen", target_of(found, writing))
    if (found := _hit(_RESTORE, said)) is not None:
        return Act("undo", target_of(found, writing))
    if (found := _hit(_NOTE, said)) is not None:
        new = None if found.groupdict().get("clear") else writing.whole(found.group("new")).strip()
        return Act("update", target_of(found, writing), fields={"description": new})
    timed = _set(said, writing, now)
    if timed is not None:
        return timed
    for verb, forms in (
        ("complete", _COMPLETED[:6]),
        ("update", _UPDATE),
        ("delete", _DELETED),
        ("complete", _COMPLETED[6:]),
    ):
        found = _hit(forms, said)
        if found is None or _NOT_MEANT.match(found.group("target")):
            continue
        if verb == "delete" and _ONTO_LIST.match(said) and not names(target_of(found, writing)):
            continue
        if verb == "update":
            better = _split(found, names)
            if better is not None:
                return Act("update", writing.whole(better[0]), fields={"title": _title(better[1], writing)})
            return Act("update", target_of(found, writing), fields={"title": _title(found.group("new"), writing)})
        target = target_of(found, writing)
        if found.groupdict().get("except"):
            target = f"{target} {writing.whole(found.group('except'))}"
        if verb == "complete" and found.groupdict().get("participle"):
            return Act("complete", target, wanted={"participle": found.group("participle")})
        return Act("delete" if verb == "delete" else "complete", target)
    found = _hit(_BARE_UPDATE, said)
    return None if found is None else Act("update", target_of(found, writing))


def read_again(said: str, now: datetime) -> Act | None:
    """A reminder of what was just spoken of, at another time: "remind me again in ten minutes"."""
    found = _AGAIN.match(said)
    if found is None or not (found.group("target") or found.group("again") or found.group("moved")):
        return None
    value = found.group("value")
    if not value_of(value, now, due="2000-01-01T00:00"):
        return None
    return Act("update", found.group("target") or "it", fields={}, wanted={"value": value})


def _split(found: re.Match[str], names: Names) -> tuple[str, str] | None:
    """Target and new title by the last word that divides them and leaves a task's name before it."""
    text = found.string[found.start("target") : found.end("new")]
    best = None
    for divider in re.finditer(r"\s+(?:to|into|as|with|for|by)\s+", text, re.IGNORECASE):
        if names(text[: divider.start()]) and text[divider.end() :].strip():
            best = text[: divider.start()], text[divider.end() :]
    return best


def _set(said: str, writing: Writing, now: datetime) -> Act | None:
    """A new time, urgency or repetition for a task; the value must be one as a whole."""
    apart = _APART.match(said)
    if apart is not None:
        act = _set(apart.group("act"), writing, now)
        if act is not None and _MANY.match(act.target):
            return replace(act, target=f"{act.target} except {writing.whole(apart.group('out'))}")
    for shape in _SET:
        found = shape.match(said)
        if found is None:
            continue
        parts = found.groupdict()
        if parts.get("clear"):
            name = "due" if "d" in parts["field"][:1] else "repeat" if parts["field"].startswith("rep") else "priority"
            return Act("update", target_of(found, writing), fields={name: None})
        if parts.get("high"):
            return Act("update", target_of(found, writing), fields={"priority": "high"})
        split = _split_value(found, now)
        if split is not None:
            return Act("update", writing.whole(split[0]), fields={}, wanted={"value": split[1]})
    return None


def _split_value(found: re.Match[str], now: datetime) -> tuple[str, str] | None:
    """Target and value where the value is a time or an urgency; the shortest target first, as the pattern gives it."""
    text = f"{found.group('target')} {found.string[found.start('value') :]}".rstrip(".! ")
    words = text.split()
    for at in range(1, len(words)):
        value = " ".join(words[at:])
        if value_of(value, now, due="2000-01-01T00:00" if words[0].casefold() in {"it", "that", "this"} else None):
            target = " ".join(words[:at])
            return re.sub(
                r"\s+(?:to|as|for|into|a|an|at|on|by|until|till|due|be)$", "", target, flags=re.IGNORECASE
            ), value
    return None


def apply_value(act: Act, now: datetime, due: str | None) -> Act:
    """A change whose value hangs on when the task was due, with its fields."""
    value = act.wanted.get("value")
    if value is None:
        return act
    return replace(act, fields={**value_of(value, now, due=due)})


def _hit(shapes: tuple[re.Pattern[str], ...], said: str) -> re.Match[str] | None:
    return next((found for shape in shapes if (found := shape.match(said)) is not None), None)


def _title(words: str, writing: Writing) -> str:
    return writing.whole(words.strip().strip(",;").strip().removesuffix("."))
