"""What an act hangs on, as far as the list of tasks can tell: whether a task is there, open or done."""

from __future__ import annotations

import re

from averment.agents.assistant.reading.act import ActCondition, State
from averment.agents.assistant.reading.commands import DONE, LISTS
from averment.agents.assistant.reading.words import Writing, bare

_THERE: tuple[tuple[re.Pattern[str], State], ...] = (
    (
        re.compile(
            r"^(?:there(?:'s| is)|i(?:'ve got| have)|i see|you (?:have|see|find))(?: (?:still|yet))? (?P<no>nothing)"
            r"(?: (?:on|in) (?:my|the|it)(?: \w+)?(?: list)?)? (?:about|for|with|on) (?P<target>.+?)"
            r"(?: (?:on|in) (?:my|the|it)(?: \w+)?(?: list)?| already| yet| there)*$",
            re.IGNORECASE,
        ),
        "there",
    ),
    (
        re.compile(
            r"^(?:i|we) (?P<no>don't|do not) (?:already |yet )?have (?:an? |any |some |the )?"
            r"(?:(?:task|todo|item|reminder|anything|something)s? (?:about|for|with|named|called|to) )?(?P<target>.+?)"
            r"(?: (?:already |yet )?(?:on|in) (?:my|the|it)(?: \w+)?(?: list)?| already| yet| there)?$",
            re.IGNORECASE,
        ),
        "there",
    ),
    (re.compile(
        "^(?:there(?:'s| is| are| is already)|i (?:already )?have|i've got|we have|you (?:have|see|find)|"
        r"my list (?:has|contains|holds))(?P<no>n't| not| no|)\s*(?:already |still )?(?:an? |any |some |"
        "the )?(?:(?:task|todo|item|reminder|entry|anything|something)s? (?:about|for|with|named|called|"
        r"containing|to) )?(?P<target>.+?)(?: (?:already )?(?:on|in) (?:my|the|it)(?: \w+)?(?: list)?| "
        "already| there)?$", re.IGNORECASE), "there"),
    (re.compile(
        "^(?P<target>.+?)(?:'s| is| are|'re)(?P<no>n't| not|)(?: already| still| yet)* (?:there|(?:on|in|"
        rf"among) (?:it|there|(?:my|the) {LISTS}))(?: already| yet)?$", re.IGNORECASE), "there"),
    (re.compile(
        rf"^(?P<target>.+?)(?:'s| is| are|'re)(?P<no>n't| not|)(?: already| still| yet)* {DONE}(?: yet| "
        "already)?$", re.IGNORECASE), "done"),
    (re.compile(
        "^(?P<target>.+?)(?:'s| is| are|'re)(?P<no>n't| not|)(?: already| still| yet)* (?:open|pending|"
        "unfinished|to do)$", re.IGNORECASE), "open"),
    (re.compile(r"^(?P<target>it|that)(?:'s| is)(?P<no>n't| not|)(?: already| still| yet)*$", re.IGNORECASE), "there"),
)  # fmt: skip


def condition_of(words: str, word: str, writing: Writing) -> ActCondition:
    """The condition that stands after "if", "unless" and their like; without words where the list cannot tell."""
    plain = bare(words).rstrip("?.! ")
    if word in {"if", "unless", "in case", "provided", "only if", "but only if"}:
        for shape, state in _THERE:
            found = shape.match(plain)
            if found is not None:
                holds = not (found.group("no") or "").strip()
                named = writing.whole(found.group("target")).strip()
                return ActCondition(named, state, holds != (word == "unless"))
    return ActCondition(None)
