"""A fence around data which the data cannot close.

The value is written as one line of JSON in which no angle bracket, no look-alike of one, no line break and no invisible
character is left as it is: each becomes a ``\\uXXXX`` escape. The closing line therefore cannot occur inside, and the
value, if it is valid Unicode, can be read back exactly.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache

from pydantic import BaseModel

from averment.errors import InvalidArguments

OPEN = '<data name="{name}">'
CLOSE = "</data>"

_SUSPECT = re.compile(r"[<>\x7f]|[^\x00-\x7f]")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Marks that draw nothing of their own and can carry hidden text.
_SILENT_MARKS = re.compile("[\u034f\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def fence(name: str, value: object) -> str:
    """The value between its delimiters, as data for a model.

    Raises:
        InvalidArguments: the value has no JSON form.
    """
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    try:
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidArguments(f"The value {name} of the prompt is not JSON.") from None
    return f"{OPEN.format(name=name)}\n{_SUSPECT.sub(_disarm, text)}\n{CLOSE}"


def _disarm(match: re.Match[str]) -> str:
    return _written(match.group())


@cache
def _written(character: str) -> str:
    """The character itself where it is plainly visible and no bracket, else its JSON escape."""
    look = unicodedata.normalize("NFKC", character)
    if (
        "<" in look
        or ">" in look
        or character in _LOOK_ALIKES
        or unicodedata.category(character) in _INVISIBLE
        or _SILENT_MARKS.fullmatch(character)
    ):
        return json.dumps(character)[1:-1] if character > "\x7f" else f"\\u{ord(character):04x}"
    return character


# Drawn like angle brackets, but not folded to them by Unicode's compatibility mapping.
_LOOK_ALIKES = frozenset("‹›〈〉⟨⟩«»˂˃ᐸᐳ❮❯❰❱⧼⧽⟪⟫《》〈〉")
