"""Questions made of the sentences that answer them: a sentence of a known build, turned round.

A question keeps the thing a sentence speaks of and asks for the rest, or the other way about. Nothing here knows the
documents; what does not have one of the builds is left out.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = r"[^\s,;:!?]+"
_NOUN = rf"(?:(?:[Tt]he|[Aa]n?|[Aa]ll|[Ee]ach|[Ee]very|[Ss]ome) )?{_WORD}(?: {_WORD}){{0,4}}?"
_BE = re.compile(rf"^({_NOUN}) (is|are|was|were) (.+?)\.?$")
_MODAL = re.compile(rf"^({_NOUN}) (can|cannot|must|should|may|will) (not )?(.+?)\.?$")
_VERBS = (
    "returns supports requires provides uses contains includes accepts allows raises takes creates means specifies "
    "represents determines controls holds implements runs reads writes has needs gives makes prints lists shows sets "
    "computes converts installs removes stores generates defines enables disables expects produces"
).split()
_ACTS = re.compile(rf"^({_NOUN}) ({'|'.join(_VERBS)}|defaults to|depends on) (.+?)\.?$")
_REASON = re.compile(r"^(.{15,140}?),? (?:because|since|so that) (?!of\b)(.{10,}?)\.?$")
_CASE = re.compile(r"^(If|When) (.{8,90}?), (?:then )?(.{8,}?)\.?$")
_MEANS = re.compile(r"^To ([a-z]+ .{5,80}?), (?:you (?:can|should|must) )?(.{5,}?)\.?$")
_ORDER = re.compile(
    r"^(?:You (?:can|should|must) |Please )?((?:[Uu]se|[Ss]et|[Rr]un|[Cc]all|[Pp]ass|[Aa]dd|[Ss]pecify) .{3,60}?) "
    r"(?:in order )?to ([a-z]+ .{6,}?)\.?$"
)
_DONE = re.compile(
    r"^(?:Return|Compute|Create|Convert|Check|Get|Read|Write|Load|Find|Remove|Split|Join|Parse|Test|Build)s? "
    r"(.{8,}?)\.?$"
)
_VERSION = re.compile(r"^(Added|New|Changed|Deprecated|Removed) in version ([\w.]+):? (.{8,}?)\.?$", re.IGNORECASE)
_LEANING = re.compile(
    r"(?:this|that|these|those|it|they|he|she|which|there|here|such|both|you|we|i|if|when|see)\b", re.IGNORECASE
)
_PREPOSITIONS = frozenset("in to for with from at on by as into under".split())
_SUBJECTLESS = "What"


@dataclass(frozen=True, slots=True)
class Made:
    """A question and the words of its sentence that answer it."""

    question: str
    words: str


def questions_of(sentence: str, name: str, chance: random.Random) -> list[Made]:
    """What can be asked of a sentence; ``name`` is the function or section it stands under."""
    text = " ".join(sentence.split())
    if not 5 <= len(text.split()) <= 60:
        return []
    return [one for one in _made(text, name, chance) if one.words in text and _says_enough(one.question)]


def _says_enough(question: str) -> bool:
    words = question.rstrip("?").split()
    return len(words) <= 24 and sum(len(word) > 3 and word.lower() not in _SMALL for word in words) >= 2


def _made(text: str, name: str, chance: random.Random) -> Iterator[Made]:
    if match := _VERSION.match(text):
        done = {"new": "added"}.get(match[1].lower(), match[1].lower())
        yield Made(
            chance.choice([f"In which version was {match[3]} {done}?", f"When was {match[3]} {done}?"]), match[2]
        )
    if match := _REASON.match(text):
        if asked := _asked_why(match[1]):
            yield Made(asked, match[2])
        text = match[1]
    if match := _CASE.match(text):
        opening = chance.choice(["What happens if", "What happens when", "What is done when"])
        yield Made(f"{opening} {match[2]}?", match[3])
    if match := _MEANS.match(text):
        yield Made(f"{chance.choice(['How do I', 'How can I', 'How to'])} {match[1]}?", match[2])
    if match := _ORDER.match(text):
        yield Made(f"{chance.choice(['How do I', 'How can one', 'How to'])} {match[2]}?", match[1])
    if name and (match := _DONE.match(text)):
        yield Made(chance.choice([f"What does {name} do?", f"What is {name} for?"]), text.rstrip("."))
        verb = text.split()[0].lower().rstrip("s")
        yield Made(f"Which function {verb}s {_short(match[1])}?", text.rstrip("."))
    if _LEANING.match(text):
        return
    if match := _BE.match(text):
        yield from _of_being(match[1], match[2], match[3], chance)
    if match := _MODAL.match(text):
        noun, modal, no, rest = match[1], match[2], match[3] or "", match[4]
        if modal != "cannot":
            yield Made(f"{modal.capitalize()} {_low(noun)} {_short(rest, 12)}?", f"{modal} {no}{rest}")
            yield Made(f"{_SUBJECTLESS} {modal} {no}{_short(rest, 12)}?", noun)
    if match := _ACTS.match(text):
        noun, verb, rest = match[1], match[2], match[3]
        yield Made(f"What does {_low(noun)} {_base(verb)}?", rest)
        yield Made(f"{chance.choice(['What', 'Which one'])} {verb} {_short(rest, 10)}?", noun)
        if number := re.match(r"(?:about |over |up to |at least |at most )?(\d[\d,.]*) ((?:[a-z]+ )?[a-z]+s)\b", rest):
            yield Made(f"How many {number[2]} does {_low(noun)} {_base(verb)}?", number[1])


def _of_being(noun: str, be: str, rest: str, chance: random.Random) -> Iterator[Made]:
    done = re.match(rf"((?:not |only |also |usually )?\w+(?:ed|en|used|set|built|made|run|sent)) ({_WORD}) (.+)$", rest)
    if done and done[2] in _PREPOSITIONS:
        if done[2] == "by":
            yield Made(f"{chance.choice(['Who', 'What'])} {be} {_low(noun)} {done[1]} by?", done[3])
        elif re.match(r"(?:version )?v?\d", done[3]):
            asked = "In which version" if "." in done[3][:10] else "When"
            yield Made(f"{asked} {be} {_low(noun)} {done[1]}?", done[3])
        else:
            yield Made(f"What {be} {_low(noun)} {done[1]} {done[2]}?", done[3])
            yield Made(f"{_SUBJECTLESS} {be} {done[1]} {done[2]} {_short(done[3], 9)}?", noun)
    elif re.match(r"(?:an?|the|one of) ", rest):
        yield Made(chance.choice([f"What {be} {_low(noun)}?", f"What's {_low(noun)}?"]), rest)
        yield Made(f"{chance.choice(['What', 'Which'])} {be} {_short(rest, 10)}?", noun)
    elif number := re.match(r"(?:about |over |set to )?(\d[\d,.]*)\b", rest):
        yield Made(f"What {be} {_low(noun)}?", number[1])
    else:
        yield Made(f"{be.capitalize()} {_low(noun)} {_short(rest, 10)}?", rest)


def _asked_why(clause: str) -> str:
    if _LEANING.match(clause):
        return ""
    if match := _BE.match(clause) or _MODAL.match(clause):
        rest = " ".join(part or "" for part in match.groups()[2:])
        return f"Why {match[2]} {_low(match[1])} {' '.join(rest.split())}?"
    if match := _ACTS.match(clause):
        return f"Why does {_low(match[1])} {_base(match[2])} {match[3]}?"
    return ""


def shortened(question: str, chance: random.Random) -> str:
    """A question as some type it: a few words only, in small letters."""
    words = [one for one in question.rstrip("?").split() if one.lower() not in _SMALL]
    return " ".join(words[:6]).lower() if len(words) > 2 and chance.random() < 0.5 else question.lower().rstrip("?")


_SMALL = frozenset(
    "what which who how when why is are was were does do did the a an of to in i can one be used happens function "
    "following done then form this that only".split()
)


def _low(noun: str) -> str:
    first = noun.split()[0]
    return noun[0].lower() + noun[1:] if first in {"The", "A", "An", "All", "Each", "Every", "Some"} else noun


def _base(verb: str) -> str:
    if verb == "has":
        return "have"
    first, *rest = verb.split()
    if first.endswith("ies"):
        first = first[:-3] + "y"
    elif first.endswith(("sses", "ches", "shes")):
        first = first[:-2]
    else:
        first = first.removesuffix("s")
    return " ".join([first, *rest])


def _short(text: str, most: int = 9) -> str:
    """The first words of a text, up to where a clause ends."""
    clause = re.split(r"[,;:(]| (?:which|that|because|since|if|when|unless|and|or|but) ", text)[0]
    return " ".join(clause.split()[:most]).rstrip(".")
