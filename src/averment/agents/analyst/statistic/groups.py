"""By what a question splits its rows: a column's values, the bins it defines, a part of a date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from averment.agents.analyst.statistic.wording import Wording

_EACH = re.compile(
    r"\b(?:for each|for every|in each|of each|each|per|grouped by|group by|by each|for different|"
    r"across(?: different)?|for the different|by)\b(?P<rest>[^.,;?]{1,60})",
    re.IGNORECASE,
)
_PART = re.compile(r"\b(month|year|quarter|hour|weekday|day of the week)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Grouping:
    """The column of the groups and the values they have, as texts."""

    column: str
    values: tuple[str, ...]


def read_grouping(wording: Wording, steps: list[dict[str, Any]]) -> Grouping | None:
    """The split the question makes, or None; a part of a date becomes a step of its own."""
    for step in steps:
        if step.get("how") == "bins":
            return Grouping(str(step["name"]), tuple(str(one["label"]) for one in step["bins"]))
    for sentence in wording.sentences:
        for found in _EACH.finditer(sentence):
            before = sentence[max(0, found.start() - 25) : found.start()].lower()
            rest = found["rest"]
            if found[0].lower().startswith("by ") and (
                re.search(r"divid|multipl|subtract|follow|replac|sort|caused|measured|calculat|creat|order", before)
                or not any(one.start < 20 for one in wording.columns.mentions(rest, minimum=0.6))
            ):
                continue
            named = [name for name in wording.columns.named(rest, minimum=0.6) if _few(wording, name)]
            if named:
                return Grouping(named[0], _values(wording, named[0]))
            part = _PART.match(rest.strip())
            moments = [c.name for c in wording.columns.profile.columns if c.data_type in ("date", "datetime")]
            if (
                part
                and moments
                and found[0].lower().startswith(("for each", "each", "per", "in each", "by", "for every"))
            ):
                how = {"day of the week": "weekday_name", "weekday": "weekday_name"}.get(
                    part[1].lower(), part[1].lower()
                )
                steps.append({"do": "derive", "name": part[1].lower(), "how": how, "columns": moments[:1]})
                wording.columns.add(part[1].lower())
                return Grouping(part[1].lower(), ())
    return None


def _few(wording: Wording, name: str) -> bool:
    found = wording.columns.of(name)
    return found is not None and (
        found.data_type == "string" or (found.values is not None and found.data_type == "integer")
    )


def _values(wording: Wording, name: str) -> tuple[str, ...]:
    found = wording.columns.of(name)
    return tuple(str(value) for value, _ in found.values) if found is not None and found.values else ()


def value_in(words: list[str], grouping: Grouping) -> str | None:
    """The group's value that left-over words of a name mean: ``class1`` is 1, ``new_york`` is New York."""
    said = "".join(re.findall(r"[a-z0-9.]", " ".join(words).lower().replace(" ", "")))
    best = [value for value in grouping.values if _squash(value) == said]
    if best:
        return best[0]
    ends = [value for value in grouping.values if _squash(value) in [_squash(word) for word in words]]
    return ends[0] if len(ends) == 1 else None


def _squash(text: str) -> str:
    return "".join(re.findall(r"[a-z0-9.]", text.lower()))
