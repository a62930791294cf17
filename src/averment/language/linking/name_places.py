"""Short and long names of the same thing among values: states, countries, genders, yes and no.

Only codes in common use and beyond dispute are here; two-letter codes count in a question only when written in
capitals, since "in", "or" and "me" are words first.
"""

from __future__ import annotations

from averment.language.word_lists import word_lists


def _groups() -> list[tuple[str, ...]]:
    lists = word_lists("places")
    groups: list[tuple[str, ...]] = []
    for entry in lists["states"].splitlines():
        code, _, name = entry.partition(" ")
        groups.append((code, name))
    for entry in lists["countries"].splitlines():
        words = entry.split()
        codes = [word for word in words[:3] if len(word) <= 3]
        groups.append((*codes, " ".join(words[len(codes) :])))
    return [*groups, *(tuple(line.split(", ")) for line in lists["extra"].splitlines())]


ALIASES: dict[str, tuple[str, ...]] = {}
"""Every name in folded form with the other names of the same thing."""
for _group in _groups():
    for _name in _group:
        _others = (*ALIASES.get(_name, ()), *(other for other in _group if other != _name))
        ALIASES[_name] = tuple(dict.fromkeys(_others))
