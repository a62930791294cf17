"""Yes, no and wait, in the forms people give them; and what else an answer says beside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.agents.assistant.reading.words import thumbs, without_signs
from averment.language.word_lists import word_lists

Verdict = Literal["yes", "no", "wait"]

_STRETCHED = re.compile(r"(\w)\1{2,}")
_LISTS = word_lists("yes_no", "averment.agents.assistant")
_SMALL = "|".join(_LISTS["small"].splitlines())


def _only(kind: str) -> re.Pattern[str]:
    words = "|".join(_LISTS[kind].splitlines())
    return re.compile(
        rf"^(?:(?:{_SMALL})\s*)*(?:(?:{words})\b[\s,.!?-]*(?:(?:{_SMALL})\b[\s,.!?-]*)*)+$", re.IGNORECASE
    )


_ONLY = {kind: _only(kind) for kind in ("yes", "no", "wait")}
_HEAD = {
    "no": re.compile(
        r"^(?:(?:oh|ah|um+|uh|hm+|sorry|oops|whoops|wait|hang on|hold on)\b[\s,.!-]*)*(?:no+|nope|nah|"
        r"naw|wrong(?: one)?)\b[\s,.!;:-]+", re.I
    ),
    "yes": re.compile(
        "^(?:yes+|yeah+|yep|yup|yea|ya|sure(?: thing)?|ok(?:ay)?|alright|right|correct|fine|absolutely|"
        r"definitely|of course)\b[\s,.!;:-]+", re.I),
    "wait": re.compile(
        r"^(?:(?:oh|ah|um+|uh)\b[\s,.!-]*)*(?:wait(?: a (?:sec|second|moment|minute))?|hang on|hold "
        "on|oops|whoops|sorry|actually|hm+|scratch that|scrap that|my bad|my mistake|"
        r"correction)\b[\s,.!;:-]+", re.I
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """What a message answers, and the words it goes on with, which may say something else."""

    verdict: Verdict | None
    rest: str = ""


def verdict_of(text: str) -> AnswerReading:
    """The yes, no or wait that a message is, or begins with."""
    said = " ".join(without_signs(text).replace("\u2019", "'").split())
    if not re.search(r"\w", said):
        sign = thumbs(text)
        return AnswerReading(None if sign is None else "yes" if sign else "no")
    plain = _STRETCHED.sub(r"\1\1", said.casefold())
    for name in ("no", "yes", "wait"):
        if _ONLY[name].match(plain):
            return AnswerReading(name)  # pyright: ignore[reportArgumentType] - one of the three
    for name in ("no", "yes", "wait"):
        found = _HEAD[name].match(said)
        if found is not None:
            rest = said[found.end() :].strip()
            inner = verdict_of(rest) if name == "wait" and rest else None
            if inner is not None and inner.verdict in {"yes", "no"}:
                return inner
            return AnswerReading(name, rest)  # pyright: ignore[reportArgumentType] - as above
    return AnswerReading(None, said)
