"""Carried subjects: a sentence that opens with "It" or "The club" speaks of what an earlier sentence names.

Such a sentence is told together with the one that names its subject, and both are bound. Where no earlier sentence of
the passage names one, the sentence stays alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from averment.language.claims.claim_values import read_values
from averment.language.claims.names import find_names, name_words
from averment.language.claims.stance import claims_something
from averment.language.sentences import Sentence

_BACK = 3
"""So many sentences back a subject is looked for; farther off it is anyone's guess."""
_PRONOUN = re.compile(
    r"(?:It|He|She|They|Its|His|Her|Their|This|These|That|Those|Both|Such)\b(?! (?:is|was) (?:not )?(?:possible|clear|"
    r"likely|known|said|believed|estimated|thought|reported|important|unclear|expected) )"
)
_GENERIC = re.compile(
    r"The (?:[a-z][a-z-]+ ){0,2}?(?P<noun>[a-z][a-z-]+) "
    r"(?:is|are|was|were|has|had|have|became|began|opened|closed|won|lost|played?s?|ran|runs|took|takes|also|now|later|"
    r"received|moved|includes?|included|consists?|features?|featured|stars?|starred|serves?|served|made|makes)\b"
)
_LEADING = re.compile(r"^(?:In|On|At|By|Since|From|During|After|Before|Until|As of)\b[^,]{1,40}, ")


def opens_carried(sentence: str) -> bool:
    """Whether a sentence's subject stands in another one: a pronoun, or "the" with a plain noun."""
    plain = _LEADING.sub("", sentence.strip())
    plain = f"{plain[:1].upper()}{plain[1:]}"
    return bool(_PRONOUN.match(plain) or _GENERIC.match(plain))


def antecedent_of(sentences: Sequence[Sentence], place: int) -> int | None:
    """The sentence that names what this one speaks of, by its place; None where it names its own or none is near."""
    if not opens_carried(sentences[place].text):
        return None
    for back in range(place - 1, max(-1, place - 1 - _BACK), -1):
        text = sentences[back].text
        if opens_carried(text):
            continue
        if text.startswith("#") or not claims_something(text):
            return None  # A heading or an order lies between: what comes before is another matter.
        if subject_words(text):
            return back
    return None


def with_subject(sentences: Sequence[Sentence], place: int) -> str:
    """The sentence with the name it speaks of before it, where an earlier sentence gives that name."""
    named = antecedent_of(sentences, place)
    text = sentences[place].text
    if named is None:
        return text
    names = find_names(sentences[named].text)
    return f"{names[0].text}: {text}" if names else text


def subject_words(sentence: str) -> frozenset[str]:
    """The words of the first name a sentence gives, which is what the next one speaks of; none for a date."""
    moments = [value.span for value in read_values(sentence) if value.kind == "moment"]
    names = find_names(sentence, skip=moments)
    return frozenset(name_words(names[0].text)) if names else frozenset()
