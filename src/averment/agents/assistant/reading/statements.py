"""Clauses that tell: what was done, what was not, what is urgent or no longer needed.

What was done is an act only where it names a task: whether it does is for those to say who know the tasks.
"""

from __future__ import annotations

import re
from datetime import datetime

from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.commands import DONE, LISTS
from averment.agents.assistant.reading.deeds import commands_too, verb_of
from averment.agents.assistant.reading.when import value_of
from averment.agents.assistant.reading.words import Writing, shapes, target_of
from averment.language.word_lists import patterns

_T = r"(?P<target>.+?)"
_SOON = (
    "(?: (?:yesterday|today|tonight|last night|this morning|just now|earlier|a (?:minute|moment|while) "
    "ago|now|already|finally|at last))*"
)


_NOT_DONE = shapes(
    rf"{_T}(?: is| are| was| were)?(?:n't|n\u2019t| not|'s not|'re not)(?: actually| really| all)? "
    rf"(?:yet )?{DONE}(?: yet| after all| at all)?",
    rf"{_T}(?: is|'s| are) still (?:open|pending|to do|not {DONE}|undone|unfinished)",
    rf"(?P<target>it|that|this)?\s*not (?:yet )?{DONE}(?: yet| after all)?",
)
_PATTERNS = patterns("reading.statements", "averment.agents.assistant")
_DID_NOT = re.compile(_PATTERNS["did_not"], re.IGNORECASE)
_NOT_NEEDED = shapes(
    rf"(?:there(?:'s| is) )?no (?:longer (?:any )?|more )?need to {_T} (?:any ?more|any longer|now|after all)",
    rf"(?:i|we) (?:do not|don't) (?:need|have) to {_T} (?:any ?more|any longer|now|after all)",
    rf"(?:(?:i|we) )?no longer (?:need|have) to {_T}",
    rf"(?:i |we )?(?:do not|don't|no longer) (?:need|want)(?: to (?:do|keep|have))? {_T} (?:any ?more|"
    rf"any longer|(?:on|in) (?:my|the) {LISTS}|after all)",
    rf"(?:i|we) no longer (?:need|want)(?: to (?:do|keep))? {_T}",
    rf"{_T} (?:is|are) (?:no longer|not|n't) (?:needed|necessary|relevant|required)(?: any ?more| any longer)?",
    rf"(?:i (?:want|wanted|need)|i'd like|i meant) {_T} (?:gone|deleted|removed|to go|(?:off|out of) "
    rf"(?:my|the) {LISTS})",
    rf"{_T} can go(?: now| away)?",
    r"(?:forget|never ?mind) (?P<target>(?:the|that|my) .+|(?:task|item|number) .+|#\d+)",
)
_DONE_WITH = shapes(
    rf"(?:i'm |i am |we're |we are |i |we )?(?:all |already |finally )?(?:done|finished|through) with {_T}{_SOON}",
    rf"{_T}\s*[:\u2013-]\s*{DONE}",
    rf"{_T}(?: (?:is|are|was|were|has been|have been|got)|'s(?: been)?|'re) (?:now |already |all |both "
    rf"|finally |as good as )*{DONE}(?: and dusted| as well| too)?{_SOON}",
    rf"{_T}\s*{DONE}(?: and dusted)?",
    rf"(?:all )?{DONE}(?: (?:and dusted|that|it|this|that one))?",
    "(?:i (?:already |just )?|i've (?:already |just )?|we )?(?:did|done|took care of|handled|sorted|"
    "dealt with|completed|finished)(?: with)? (?P<target>it|that|this|them|both|all(?: of (?:it|"
    "them))?|"
    r"everything|#?\d+|(?:task|number) #?\w+|the (?:first|second|third|fourth|fifth|last)(?: one| task)?)",
)
_URGENT = shapes(
    rf"{_T} (?:is|are|'s|was|has become|should be|must be) (?:now |very |really |super |pretty |so "
    ")*(?P<value>urgent|important|high[ -]priority|top[ -]priority|low[ -]priority)",
    rf"{_T} (?:is|are|'s) (?:now )?(?:due|scheduled|planned)(?: for| on| by| at)? (?P<value>.+)",
)
_SHOULD = shapes(rf"{_T} should (?:say|read|be called|be) (?P<new>.+)")
_TOLD = re.compile(
    r"^(?P<who>(?:i|we)(?:'ve| have|'d| had)?\s+)?(?:(?P<soon>already|just|finally|now|also|only|"
    rf"recently|actually)\s+)*(?P<verb>[a-z]+)\b\s*(?P<rest>.*?){_SOON}[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_PASSIVE = re.compile(
    rf"^{_T}(?: (?:is|are|was|were|has been|have been|got)|'s(?: been)?|'re|'ve been) (?:now |already |"
    rf"all |both |finally )*(?P<verb>[a-z]+){_SOON}[.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_WAS_DOING = re.compile(
    r"^(?:(?:i|we)(?:'ve| have|'m| am)?\s+)?(?:already |just |finally )*(?:finished|done|"
    rf"completed)\s+(?P<doing>\w+ing)\s+(?P<rest>.+?){_SOON}[.!]*$",
    re.IGNORECASE,
)


def read_statement(said: str, writing: Writing, now: datetime) -> Act | None:
    """The act that a clause tells of; None where it tells of none."""
    for shape in _NOT_DONE:
        if (found := shape.match(said)) is not None:
            return Act("reopen", target_of(found, writing), told=True)
    for shape in _NOT_NEEDED:
        if (found := shape.match(said)) is not None:
            return Act("delete", target_of(found, writing), told=True)
    found = _DID_NOT.match(said)
    if found is not None:
        words = f"{found.groupdict().get('subject') or ''} {found.group('target')}"
        return Act("complete", writing.whole(words).strip(), negated=True, told=True)
    for shape in _DONE_WITH:
        if (found := shape.match(said)) is not None and not re.search(r"\b(?:not|never|n't)\b", said, re.IGNORECASE):
            return Act("complete", target_of(found, writing), told=True)
    for shape in _URGENT:
        if (found := shape.match(said)) is not None and value_of(found.group("value"), now):
            return Act("update", target_of(found, writing), wanted={"value": found.group("value")}, told=True)
    for shape in _SHOULD:
        if (found := shape.match(said)) is not None:
            return Act(
                "update",
                target_of(found, writing),
                fields={"title": writing.whole(found.group("new")).strip().removesuffix(".")},
                told=True,
            )
    return _deed(said, writing)


def _deed(said: str, writing: Writing) -> Act | None:
    """A deed in the past, with the words of deed and thing as what names its task."""
    if re.search(r"\b(?:not|never|nobody|nothing|if|when|would|should|could|will)\b|n't\b", said, re.IGNORECASE):
        return None
    found = _WAS_DOING.match(said)
    if found is not None:
        return _did(f"{found.group('doing')} {found.group('rest')}", writing)
    found = _TOLD.match(said)
    if found is not None and (verb := verb_of(found.group("verb"))) is not None:
        spoken = bool(found.group("who") or found.group("soon"))
        if found.group("rest").strip() and (spoken or not commands_too(found.group("verb"))):
            return _did(f"{verb} {found.group('rest')}", writing)
    found = _PASSIVE.match(said)
    if found is not None and (verb := verb_of(found.group("verb"))) is not None:
        return _did(f"{verb} {found.group('target')}", writing)
    return None


def _did(words: str, writing: Writing) -> Act:
    return Act("complete", writing.whole(words).strip(), told=True, wanted={"deed": "yes"})
