"""The head of a document: front matter, header lines, leading "Key: value" bullets, all as fields with their places."""

from __future__ import annotations

import re

from averment.corpus.structure.plain_text import plain
from averment.corpus.structure.shape import Dialect, Field

_FRONT = re.compile(r"\A\s*(?P<mark>---|\+\+\+)[ \t]*\n(?P<body>.*?)\n(?:---|\+\+\+|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"^([ ]*)(?:([\w][\w .-]{0,60}?)[ ]?[:=](?:[ ]+(.*))?|-[ ]+(.*))$", re.MULTILINE)
_NAMED = re.compile(
    r"^(?P<mark>[-*+][ \t]+|:|\|[ \t]*)?(?:\*\*|__)?(?P<key>[A-Z][\w /()-]{1,40}?)(?:\*\*|__)?:(?:\*\*|__)?"
    r"(?:[ \t]+(?P<value>.*)|$)"
)
_EMPTY = frozenset({"", "none", "null", "n/a", "tbd", "[]", "-", "{}", "~", "todo"})
_FAR = 400
_LEAST = 2
_KEY_WORDS = 4


def read_header(text: str, dialect: Dialect) -> tuple[tuple[Field, ...], int]:
    """The fields at the head of a text, and where its body begins."""
    front = _FRONT.match(text)
    if front:
        return tuple(_front_fields(front["body"], front.start("body"), dialect)), front.end()
    return _header_lines(text, dialect)


def key_of(name: str) -> str:
    """A key in its one form: small, its words joined by hyphens."""
    return re.sub(r"[\s_/]+", "-", name.strip().strip("*_:").lower())


def _field(name: str, value: str, start: int, end: int, dialect: Dialect) -> Field | None:
    shown = plain(value, dialect).strip().strip("\"'")
    if shown.lower() in _EMPTY or shown.startswith("(fill"):
        return None
    return Field(key_of(name), shown, start, end)


def _front_fields(body: str, offset: int, dialect: Dialect) -> list[Field]:
    found: list[Field] = []
    outer = key = ""
    for match in _ENTRY.finditer(body):
        indent, name, value, item = match.groups()
        start, end = offset + match.start(), offset + match.end()
        if name:
            outer = name if not indent else outer
            key = name if not indent or not outer else f"{outer}-{name}"
            shown = (value or "").split(" #")[0].strip()
            parts = (
                shown.strip("[]").split(",") if shown.startswith("[") and shown.endswith("]") else [shown.strip("|>")]
            )
            made = [_field(key, part.strip().strip("\"'"), start, end, dialect) for part in parts]
        elif item and (key or outer):
            made = [_field(key or outer, re.sub(r"^\w+:[ ]+", "", item), start, end, dialect)]
        else:
            continue
        found += [one for one in made if one is not None]
    return found


def _header_lines(text: str, dialect: Dialect) -> tuple[tuple[Field, ...], int]:
    found: list[Field] = []
    place, key, count, begin = 0, "", 0, 0
    value = ""
    for match in re.finditer(r"^(.*)(?:\n|\Z)", text, re.MULTILINE):
        line = match[1]
        named = _NAMED.match(line)
        if named and (count or len(named["key"].split()) <= _KEY_WORDS):
            count += 1
            key, value, begin = named["key"], named["value"] or "", match.start()
            _keep(found, _field(key, value, begin, match.start() + len(line.rstrip()), dialect))
        elif key and line[:1] in " \t" and line.strip():
            if found and found[-1].start == begin:
                found.pop()
            value = f"{value} {line.strip()}"
            _keep(found, _field(key, value, begin, match.start() + len(line.rstrip()), dialect))
        elif not line.strip():
            if count and dialect != "markdown":
                break
        elif not _may_precede(line, count, match.start()):
            break
        place = match.end()
        if match.end() >= len(text):
            break
    if count < _LEAST or not found:
        return (), 0
    return tuple(found), place


def _keep(found: list[Field], field: Field | None) -> None:
    if field is not None:
        found.append(field)


def _may_precede(line: str, count: int, place: int) -> bool:
    """Whether a line may stand before or between the header's own: a heading first, a comment anywhere."""
    if line.startswith("<!--"):
        return True
    return not count and place < _FAR and bool(re.match(r"#|[=\-~]{3,}\s*$", line))
