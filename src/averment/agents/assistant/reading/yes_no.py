"""Yes, no and wait, in the forms people give them; and what else an answer says beside."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.agents.assistant.reading.words import thumbs, without_signs

Verdict = Literal["yes", "no", "wait"]

_STRETCHED = re.compile(r"(\w)\1{2,}")
_YES = (
    "y|yes+|yse|ys|eys|yea+|yeah+|yep+|yup+|yessir|ya|yas+|aye|sure(?: thing)?|surely|certainly|ok(?:ay|"
    "ey)?|k|kk|okie|okey dokey|alright|"
    r"all right|correct|right|exactly|precisely|indeed|absolutely|totally|of course|definitely|by all means|"
    "please(?: do)?|do it|do that|do so|go(?: on| ahead| for it)?|make it so|confirm(?:ed|ing)?|i "
    "(?:do|am|confirm)|affirmative|agreed?|"
    "fine(?: by me| with me)?|sounds (?:good|great|fine|right)|looks (?:good|right)|perfect|great|"
    "good|that's (?:right|it|correct|fine|the one)|"
    r"that is (?:right|correct)|you got it|why not|i'm sure|i am sure|yes i (?:am|do)|all of (?:them|it)|"
    r"ja|oui|si|s\u00ed|da|hai"
)
_NO = (
    "n|no+|nope|nah+|nay|naw|negative|never(?: ?mind)?|don'?t(?: do (?:it|that|so))?|do not(?: do "
    "(?:it|that|so))?|cancel(?: (?:it|that))?|stop(?: (?:it|that))?|abort|"
    "forget (?:it|that|about it|about that)|leave (?:it|them|that)(?: (?:be|alone|there|as (?:it|"
    "they) (?:is|are)))?|keep (?:it|them|that|both|all)(?: (?:all|as (?:it|they) (?:is|are)))?|"
    "rather not|better not|"
    "i'd rather not|not (?:now|yet|really|today|at all)|no way|no thanks?(?: you)?|nothing|none(?: "
    "of (?:them|those|these))?|neither(?: of (?:them|those|these))?|"
    "i changed my mind|changed my mind|wrong|that's wrong|nein|non|skip(?: it)?|absolutely "
    "not|certainly not|of course not|definitely not|please don'?t"
)
_WAIT = (
    "wait(?: (?:a|one) (?:sec(?:ond)?|moment|minute|bit))?|hold on(?: (?:a|one) (?:sec(?:ond)?|"
    "moment|minute))?|hang on(?: (?:a|one) (?:sec(?:ond)?|moment|minute))?|"
    "(?:just |give me )?(?:a|one) (?:sec(?:ond)?|moment|minute)|hm+|um+|uh+|let me (?:think|see|"
    "check)(?: about (?:it|that))?|i'm not sure|not sure|"
    "i do(?:n't| not) know|maybe|perhaps|possibly|good question|thinking|later|in a (?:minute|moment|"
    "sec|second)|why|what|huh|sorry|pardon|"
    r"are you sure|really|what do you mean|which (?:one|task)s?|what will (?:happen|be (?:deleted|changed))"
)
_SMALL = (
    "please|thanks|thank you|then|now|so|well|oh|ah|just|and|yes|ok(?:ay)?|lol|haha|sir|mate|dude|it|"
    r"that|them|both|,|\.|!|\?|-"
)


def _only(words: str) -> re.Pattern[str]:
    return re.compile(
        rf"^(?:(?:{_SMALL})\s*)*(?:(?:{words})\b[\s,.!?-]*(?:(?:{_SMALL})\b[\s,.!?-]*)*)+$", re.IGNORECASE
    )


_ONLY = {"yes": _only(_YES), "no": _only(_NO), "wait": _only(_WAIT)}
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
