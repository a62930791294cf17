"""The values a text asks for by name: ``@name[what it is]``, each with what the text says about it.

A text may end in such names to say which values it wants back and how they are to be written. Without them the
question's own words say what is wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SLOT = re.compile(r"@([A-Za-z_]\w*)\s*\[")
_NUMBER_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "no": 0, "zero": 0}
_PLACES = re.compile(
    r"(?P<n>\d+|one|two|three|four|five|six|zero)[\s-]*(?:\(\d\)\s*)?(?:decimal|digits? after the decimal)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:\.\d+)?")
_QUOTED = re.compile(r"[\"“”'‘’]([^\"“”'‘’\n]{1,60})[\"“”'‘’]")


@dataclass(frozen=True)
class Asked:
    """One value wanted: its name, the words of its name, what stands in its brackets and what is said of it."""

    name: str
    inner: str
    about: str
    words: tuple[str, ...] = field(default=())
    others: frozenset[str] = field(default=frozenset())

    @property
    def described(self) -> str:
        """Name, brackets and description in one line, for patterns."""
        return " ".join([*self.words, "|", self.inner.replace("_", " "), "|", self.about])

    def places(self) -> int | None:
        """Decimal places its own description asks for."""
        return decimal_places(self.inner) if decimal_places(self.inner) is not None else decimal_places(self.about)


def decimal_places(text: str) -> int | None:
    """The decimal places a text asks for, or None."""
    found = _PLACES.search(text)
    if found is None:
        return None
    said = found["n"].lower()
    return int(said) if said.isdigit() else _NUMBER_WORDS[said]


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name: ``mean_fare_class1`` is mean, fare, class, 1."""
    parts = re.sub(r"(?i)(?<![a-z])non(?=[a-z]{4})", "non_", name).split("_")
    return tuple(word for part in parts for word in _WORDS.findall(part))


def split_asked(text: str) -> tuple[str, list[Asked]]:
    """The text before the first named value, and the named values with what follows about each."""
    starts = list(_SLOT.finditer(text))
    if not starts:
        return text, []
    rough: list[tuple[str, str]] = []
    ends: list[int] = []
    for place, found in enumerate(starts):
        limit = starts[place + 1].start() if place + 1 < len(starts) else len(text)
        close = _closing(text, found.end(), limit)
        rough.append((found[1], _unquoted(text[found.end() : close].strip())))
        ends.append(min(limit, close + 1))
    rest = [text[ends[place] : starts[place + 1].start()] for place in range(len(starts) - 1)] + [text[ends[-1] :]]
    legend = " ".join(rest)
    merged: dict[str, list[str]] = {}
    for name, inner in rough:
        merged.setdefault(name, []).append(inner)
    inners = ["/".join(dict.fromkeys(several)) for several in merged.values()]
    others = [*merged, *inners]
    asked = [
        Asked(name, inner, _about(legend, name, inner, others), name_words(name), frozenset(others))
        for name, inner in zip(merged, inners, strict=True)
    ]
    body = text[: starts[0].start()]
    last = max(body.rfind("\n"), body.rfind("{"))
    return (body if len(body) - last > 40 else body[: last + 1] if last >= 0 else body), asked


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text


def _closing(text: str, start: int, limit: int) -> int:
    depth = 1
    for place in range(start, limit):
        depth += {"[": 1, "]": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return limit


def _about(legend: str, name: str, inner: str, inners: list[str]) -> str:
    """What the legend says of a placeholder: from its mention to the next placeholder's that is not joined to it."""
    for wanted in (inner, name):
        if not wanted:
            continue
        found = re.search(rf"[\"“'‘`]{re.escape(wanted)}[\"”'’`]", legend) or re.search(
            rf"(?<!\w){re.escape(wanted)}(?!\w)", legend
        )
        if found is None:
            continue
        end = len(legend)
        for other in inners:
            if other and other not in (name, inner):
                for again in re.finditer(rf"[\"“'‘`]{re.escape(other)}[\"”'’`]", legend[found.end() :]):
                    between = legend[found.end() : found.end() + again.start()]
                    verb = re.search(r"\b(?:is|are|should|represents?|denotes?|can)\b", between)
                    if verb or len(re.findall(r"[A-Za-z]{2,}", between)) > 3 or "." in between.strip(". "):
                        end = min(end, found.end() + again.start())
                        break
        return legend[found.start() : end].strip()
    return legend.strip() if len(inners) == 2 else ""


def options(asked: Asked) -> list[str]:
    """The words a value may be, as its description lists them."""
    text = f"{asked.inner} {asked.about}"
    if re.search(r"\bp ?val|coefficient|\bcount\b|\bnumber\b", " ".join(asked.words).lower()):
        return []
    if re.fullmatch(r"\s*\w+\s*/\s*\w+(\s*/\s*\w+)*\s*", asked.inner):
        return [word.strip() for word in asked.inner.split("/")]
    found = [
        word for word in _QUOTED.findall(text) if word not in (asked.inner, asked.name) and not word.startswith("@")
    ]
    found = [word for word in found if len(word.split()) <= 6 and word not in asked.others]
    if re.search(r"\blist\b|column names|names of the columns", text, re.IGNORECASE):
        return []
    if len(found) >= 2 and re.search(r"string|either|can be|one of|boolean|\bor\b|if", text, re.IGNORECASE):
        return list(dict.fromkeys(word.strip() for word in found))
    truth = re.findall(r"\b(?:True|False|true|false|Yes|No|yes|no)\b", text)
    if len({word.lower() for word in truth}) == 2:
        return list(dict.fromkeys(truth))
    if re.search(r"boolean|true or false", text, re.IGNORECASE):
        return ["True", "False"]
    return []
