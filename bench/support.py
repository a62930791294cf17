"""The support check: a sentence stands only when the span it cites says the same.

Every amount and date of the sentence must stand in the span with the same meaning, every name too, denial must agree,
and the words or vectors must be close enough. What fails is cut, with the reason. The span is data: an instruction in
it is compared like any other text and followed by nobody.

Measures a part: averment.language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.language.claims.claim_values import StatedValue, compare, read_values
from averment.language.claims.names import find_names, name_words
from averment.language.claims.stance import claims_something, read_stance
from averment.language.claims.vectors import Similarity
from averment.language.stems import root
from averment.language.tokens import roots_of

SupportFault = Literal["no claim", "value", "date", "name", "negation", "certainty", "words", "order"]
"""What a span does not carry: nothing claimed, an amount, a date, a name, the polarity, the firmness, the other words,
or who did what to whom."""

_MARKER = re.compile(r"\s*\[cite:[^\]]*\]")
_WORDS_ENOUGH = 0.6
_WORDS_LEAST = 0.35
_VECTOR_ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Support:
    """The verdict on one sentence: supported or not, the first thing missing, and how many of its words were found."""

    supported: bool
    fault: SupportFault | None
    reason: str
    words: float
    likeness: float


def check_support(sentence: str, quote: str, likeness: Similarity | None = None) -> Support:
    """Whether a cited span carries a sentence. Without vectors the words alone must be close enough."""
    said = _MARKER.sub("", sentence).strip()
    words = _shared_words(said, quote)
    near = likeness.between(said, [quote])[0] if likeness is not None and likeness.is_there else 0.0
    fault, reason = _first_fault(said, quote)
    if fault is None and not (words >= _WORDS_ENOUGH or (words >= _WORDS_LEAST and near >= _VECTOR_ENOUGH)):
        fault, reason = "words", "the span speaks of something else"
    return Support(fault is None, fault, reason, words, near)


def _first_fault(said: str, quote: str) -> tuple[SupportFault | None, str]:
    if not claims_something(said):
        return "no claim", "the sentence states nothing"
    stated, given = read_values(said), read_values(quote)
    for value in stated:
        if not any(_carries(other, value) for other in given):
            kind: SupportFault = "date" if value.kind == "moment" else "value"
            return kind, f"the span does not say {value.text!r}"
    missing = _missing_name(said, quote)
    if missing:
        return "name", f"the span does not name {missing!r}"
    ours, theirs = read_stance(said), read_stance(quote)
    if ours.negated != theirs.negated:
        return "negation", "one of the two denies what the other says"
    if theirs.hedged and not ours.hedged and not ours.attribution:
        return "certainty", "the span says it with reserve, the sentence without"
    return None, ""


def _carries(given: StatedValue, stated: StatedValue) -> bool:
    """Whether a given value entitles to a stated one: the same, or a year for a day inside it, never the reverse."""
    verdict = compare(given, stated)
    if verdict == "same":
        return True
    if verdict != "compatible":
        return False
    if stated.kind == "moment":
        inside = (stated.first or "") <= (given.first or "") and (given.last or "9999") <= (stated.last or "9999")
        return inside and not (given.first or "").startswith("--")
    # An exact amount may be told as "about" or "more than"; an approximation may not become exact.
    return stated.about


def _missing_name(said: str, quote: str) -> str | None:
    known = set(name_words(quote))
    dates = [value.span for value in read_values(said) if value.kind == "moment"]
    for name in find_names(said, skip=dates):
        words = name_words(name.text)
        opens = said.startswith(name.text) and len(words) == 1 and not any(char.isupper() for char in name.text[1:])
        if not set(words) <= known and not (opens and root(words[0]) in roots_of(quote)):
            if opens and _is_common(name.text, said):
                continue
            return name.text
    return None


def _is_common(word: str, said: str) -> bool:
    """Whether a capital at the start of a sentence is only that: a plain word ending, followed by a small letter."""
    return bool(re.match(r"[A-Z][a-z]+(?:s|ed|ing|ly|tion|ment|ness|al|ic)?\s+[a-z]", said)) and word.lower() in _PLAIN


_PLAIN = frozenset(
    """
    sales revenue researchers scientists experts officials critics analysts profits prices costs people many most
    several some studies research evidence results reports figures data total overall today currently later earlier
    however moreover additionally sources documents another other both each these those such unlike while although
    because
    """.split()
)


def _shared_words(said: str, quote: str) -> float:
    ours, theirs = roots_of(said), roots_of(quote)
    return len(ours & theirs) / len(ours) if ours else 0.0
