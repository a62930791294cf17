"""A text and its kind to its structure."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from averment.corpus.structure.header import read_header
from averment.corpus.structure.plain_text import plain
from averment.corpus.structure.shape import Block, Dialect, Field, Structure
from averment.corpus.structure.walker import Walker

_DIALECTS: dict[str, Dialect] = {"rst": "rst", "text": "text", "email": "text"}
_GENERIC = frozenset(
    {
        *"summary abstract introduction motivation overview preamble contents status authors readme about".split(),
        *("table of contents", "license", "licence", "faq", "history", "changelog", "changes", "news", "installation"),
        *("usage", "version history", "release notes", "quick start", "quickstart", "getting started"),
    }
)
_TITLE_KEYS = ("title", "subject", "name", "feature-name", "feature")
_GENERAL_NAMES = frozenset("readme index main document doc".split())
_NUMBERED = re.compile(r"(?:(?P<kind>[A-Za-z]+)(?:[-_ ]|(?=0|\d{3})))?0*(?P<number>\d{1,6})(?:[-_ ](?P<rest>\D.*))?$")
"""A file that is one of a series: "rfc-0012", "rfc2119", "0012-private-fields"; not "libffi8" or "GPL-3.0"."""
_LONG_TITLE, _SHORT_TITLE = 120, 60
_MARKUP = re.compile(r"\.\.(?:\s|$)|:[\w -]+:|[<|#\[!-]|\W*$")
"""How a line begins that is read by programs: a comment or directive, a field, a tag, an image."""


def read_structure(text: str, kind: str, url: str, title: str = "") -> Structure:
    """The structure of an archived text; ``title`` is what its reader found, where the text itself says none."""
    dialect = _DIALECTS.get(kind, "markdown")
    fields, start = read_header(text, dialect)
    walker = Walker(text, start, dialect)
    opening = _first_line(text[start:], dialect)
    first = text.strip().partition("\n")[0].strip()
    given = "" if dialect in ("text", "rst") and title.strip() == first and not opening else title
    named = _named(url, fields, walker.walk(), opening, given)
    # An entry of the body never numbers a document, and gives way to the header.
    known = {field.key for field in fields}
    further = tuple(one for one in walker.entries if one.key not in known)
    return replace(named, fields=(*fields, *further), examples=tuple(walker.examples))


def _first_line(body: str, dialect: Dialect) -> str:
    """The first line of a plain text, where it is a title: no markup, and no beginning of a wrapped sentence."""
    first, _, rest = body.lstrip().partition("\n")
    first = first.strip()
    alone = len(first) <= _SHORT_TITLE or not rest.partition("\n")[0].strip()
    fits = alone and len(first) <= _LONG_TITLE and not first.endswith(".") and not _MARKUP.match(first)
    return plain(first, dialect) if dialect == "text" and fits else ""


def _named(url: str, fields: tuple[Field, ...], blocks: list[Block], opening: str, given: str) -> Structure:
    """Kind, number and title: from the fields, else from the first heading, else from the file's name."""
    path = PurePosixPath(unquote(urlsplit(url).path))
    stem = path.name.rsplit(".", 1)[0] if "." in path.name[1:] else path.name
    folder = path.parent.name
    if stem.lower() in _GENERAL_NAMES and folder:
        stem = folder
    name = re.sub(r"[-_.]+", " ", stem)
    kind = number = ""
    slug = re.sub(r"[-_]+", " ", stem)
    if match := _NUMBERED.match(stem):
        kind, number = (match["kind"] or "").lower(), match["number"]
        slug = re.sub(r"[-_]+", " ", match["rest"] or "")
    for field in fields:
        digits = field.value.lstrip("0")
        if field.value.isdigit() and "-" not in field.key and (not number or digits == number):
            kind, number = kind or re.sub(r"-(?:number|id)$", "", field.key), digits
            break
    if number and not kind:
        kind = (folder[:-1] if folder.endswith("s") else folder).lower()
    return Structure(_title(fields, blocks, slug, opening, given) or stem, kind, number, fields, tuple(blocks), name)


_RELEASE = re.compile(r"(?:version|release)?\s*v?\d+(?:\.\d+)+\S*(?:\s*[-–(\[].*)?$", re.IGNORECASE)
"""What heads a release: the log of changes is not called by its newest one."""
_ENTRY = re.compile(r"(?:[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d)\b|\w+:\s*https?://")
"""How an entry of a log begins, and a field that gives an address: neither is what a document is called."""


def _title(fields: tuple[Field, ...], blocks: list[Block], slug: str, opening: str, given: str) -> str:
    said = next((field.value for key in _TITLE_KEYS for field in fields if field.key == key), "")
    # A heading after the first paragraph heads a section, not the document.
    heading = blocks[0].path[0] if blocks and blocks[0].path else ""
    title = re.sub(r"_", " ", said)
    for other in (heading, opening, given):
        called = other.lower() not in _GENERIC and not _RELEASE.match(other) and not _ENTRY.match(other)
        if not title and called and any(each.isalnum() for each in other):
            title = re.sub(r"^(?:[A-Z]+-?\s?)?\d+\s*[:.–-]\s*", "", other).strip(" -–:")
    if said and slug and " " not in title and slug.lower() not in title.lower():
        return f"{title} ({slug})"
    return title or slug
