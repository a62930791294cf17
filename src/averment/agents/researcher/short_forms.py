"""The short form that sources use for what is asked about: a thing is named in full once, and by its initials then."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_DEFINED = re.compile(r"(?P<long>(?:[\w'’]+[\s-]+){2,7})\(\W{0,4}(?P<short>[A-Z][A-Za-z]{1,6})\W{0,4}\)")


def shortened(topic: str, texts: Iterable[str]) -> str:
    """The topic with the short form that texts define most often for words of it; the topic itself where none does.

    Where the topic is that thing in some place ("the global interpreter lock in CPython") the short form is enough:
    who defines it speaks of the one that is asked about.
    """
    plain = " ".join(topic.split())
    found: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for one in _DEFINED.finditer(text):
            words = re.split(r"[\s-]+", one["long"].strip())[-len(one["short"]) :]
            initials = "".join(word[0] for word in words)
            long = " ".join(words)
            if initials.casefold() == one["short"].casefold() and f" {long.casefold()} " in f" {plain.casefold()} ":
                found[long.casefold(), one["short"]] += 1
    if not found:
        return topic
    long, short = max(found, key=lambda pair: (found[pair], len(pair[0]), pair))
    whole = re.fullmatch(rf"(?:(?:the|an?) )?{re.escape(long)}(?: (?:in|of|for) \S+)?", plain, re.IGNORECASE)
    return short if whole else re.sub(re.escape(long), short, plain, count=1, flags=re.IGNORECASE)
