"""Whether a sentence speaks of the very thing that a question names, and not of its namesake, successor or part.

"Falcon 3" is another thing than "Falcon 2", "Elmstad FK" than "Elmstad", "the new wing of the museum" than the museum.
"""

from __future__ import annotations

import re

from averment.agents.researcher.facets import roots_of, without_opening_capital
from averment.language.claims import find_names, read_focus

_NUMBER = re.compile(r"\s+v?(\d[\w.]*\w|\d)\b")
_NUMBERED = re.compile(r"(.*\D)\s+v?(\d[\w.]*)")
_POSSESSED = re.compile(r"['’]s?\s+(\w+)")
_CAPITAL = re.compile(r"\s+([A-Z][\w-]*)")
_PART_OF = re.compile(r"(\w+) (?:of|in|at) (?:the )?$")
_WHOLE = frozenset({"date", "number"})
"""What is asked of these kinds is asked of a thing itself; who does something for it is named beside it."""


def speaks_of(question: str, text: str) -> bool:
    """Whether a text that holds the names of a question holds each of them as the thing that is asked about."""
    asked = without_opening_capital(question)
    known, whole = roots_of(asked), read_focus(question).kind in _WHOLE
    for name in find_names(asked):
        within = _NUMBERED.fullmatch(name.text)
        number = _NUMBER.match(asked[name.span[1] :])
        called, wanted = (within[1], within[2]) if within else (name.text, number[1] if number else "")
        places = [found.span() for found in re.finditer(rf"\b{re.escape(called)}(?!\w)", text)]
        if places and not any(_is_it(text, start, end, wanted, known, whole=whole) for start, end in places):
            return False
    return True


def _is_it(text: str, start: int, end: int, number: str, known: frozenset[str], *, whole: bool) -> bool:
    after = text[end:]
    said = _NUMBER.match(after)
    if (said[1] if said else "") != number:
        return False
    rest = after[said.end() :] if said else after
    owned, longer = _POSSESSED.match(rest), _CAPITAL.match(rest)
    if any(found is not None and not roots_of(found[1]) <= known for found in (owned, longer)):
        return False
    part = _PART_OF.search(text[:start]) if whole else None
    return part is None or roots_of(part[1]) <= known
