"""JSON by RFC 8259 and nothing else: no NaN, no comments, no endless depth, and numbers to the last digit.

orjson decides what is JSON. Its numbers are doubles, so that the accepted text is read a second time with every
number as it is written.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from averment.errors import SourceUnreadable

MAX_DEPTH = 256
MAX_DIGITS = 1_000
_LONG_DIGITS = re.compile(rb"[0-9]{1001}")
_BOM = b"\xef\xbb\xbf"


class Number(str):
    """A JSON number as it is written."""

    __slots__ = ()


@dataclass
class ParsedJson:
    """A JSON value with its numbers as text, and the keys that an object held twice."""

    value: Any
    duplicate_keys: set[str] = field(default_factory=set[str])


def check_json(data: bytes) -> Any:
    """The value that the bytes stand for, by orjson; a byte order mark before it is allowed.

    Raises:
        SourceUnreadable: this is not JSON, or nested deeper than 256 levels.
    """
    import orjson

    body = data.removeprefix(_BOM)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        _refuse(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    if _too_deep(value):
        _refuse(f"nested deeper than {MAX_DEPTH} levels")
    return value


def parse_json(data: bytes) -> ParsedJson:
    """The value with every number as text.

    Raises:
        SourceUnreadable: not JSON, nested too deep, or a number has more than 1000 digits.
    """
    if _LONG_DIGITS.search(data):
        _refuse(f"a number has more than {MAX_DIGITS} digits")
    check_json(data)
    parsed = ParsedJson(None)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items):
            seen = set[str]()
            parsed.duplicate_keys |= {key for key, _ in items if key in seen or seen.add(key)}
        return found

    text = data.removeprefix(_BOM).decode("utf-8")
    parsed.value = json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=pairs)
    return parsed


def _too_deep(value: Any) -> bool:
    """Whether the value is nested deeper than allowed; walks level by level, without recursion."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        following: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                following.extend(child for child in item.values() if isinstance(child, (dict, list)))
            elif isinstance(item, list):
                following.extend(child for child in item if isinstance(child, (dict, list)))
        if not following:
            return False
        level = following
    return True


def _refuse(reason: str) -> NoReturn:
    raise SourceUnreadable(f"The JSON could not be parsed: {reason}.", hint="Repair the file, or export it again.")
