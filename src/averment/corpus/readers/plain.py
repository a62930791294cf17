"""Text and Markdown: the encoding found, the front matter read, the marks of Markdown kept as written.

Markdown stays Markdown: what is quoted from a source is what stands in it.
"""

from __future__ import annotations

import codecs
import re

from averment.corpus.dates import read_date
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reading import Reading, Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FRONT = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(?P<name>[A-Za-z_][\w-]*)[ \t]*:[ \t]*(?P<value>[^\n]+)$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,2}[ \t]+(?P<title>[^\n]+?)[ \t#]*$", re.MULTILINE)
_DATE_FIELDS = ("date", "published", "published_at", "publish_date", "created", "updated")
_UNSAFE = frozenset({"utf-7", "utf7", "unicode-1-1-utf-7", "csunicode11utf7", "idna", "punycode"})
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decode(content: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of bytes and notes on how its encoding was found: by its mark, as UTF-8, as declared, or assumed.

    Raises:
        Unreadable: the content is not text.
    """
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace"), ()
    if encoding := _wide(content):
        return content.decode(encoding, "replace"), (f"encoding assumed: {encoding}",)
    try:
        text, notes = content.decode("utf-8"), ()
    except UnicodeDecodeError:
        text, notes = _declared(content, declared)
    if len(_NOT_TEXT.findall(text[:8_192])) > max(4, len(text[:8_192]) // 50):
        raise Unreadable("INVALID_FILE_TYPE", "the content is not text")
    return text, notes


def _wide(content: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of ordinary text is zero."""
    sample = content[:2_000]
    if len(sample) < 8 or len(sample) % 2:
        sample = sample[: len(sample) // 2 * 2]
    if len(sample) < 8:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.6 * half and even < 0.1 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.1 * half:
        return "utf-16-be"
    return None


def _declared(content: bytes, declared: str | None) -> tuple[str, tuple[str, ...]]:
    name = (declared or "").strip().strip("\"'").lower()
    # UTF-7 and its like let markup hide in plain letters; no page of today needs them.
    if name and name not in _UNSAFE:
        try:
            if codecs.lookup(name)._is_text_encoding:  # pyright: ignore[reportPrivateUsage]  # no public way to ask
                return content.decode(name), (f"encoding declared: {name}",)
        except (LookupError, UnicodeDecodeError):
            pass
    return content.decode("cp1252", "replace"), ("encoding assumed: cp1252",)


def read_text(content: bytes, limits: DocumentLimits, declared: str | None = None) -> Reading:
    """Plain text; its first line is its title where it is short."""
    text, notes = decode(content, declared)
    within(text, limits)
    first = text.strip().split("\n", 1)[0].strip()
    return Reading(text=text, title=first if len(first) <= 120 else "", notes=notes)


def read_markdown(content: bytes, limits: DocumentLimits) -> Reading:
    """Markdown; title and date from its front matter, else the title from its first heading."""
    text, notes = decode(content)
    within(text, limits)
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    fields = {}
    if front:
        fields = {
            found["name"].lower(): found["value"].strip().strip("\"'") for found in _FIELD.finditer(front["fields"])
        }
    # The front matter stays in the text: what a document says of itself is quoted from it like anything else.
    heading = _HEADING.search(text, front.end() if front else 0)
    title = fields.get("title") or (heading["title"] if heading else "")
    published = next((made for name in _DATE_FIELDS if (made := read_date(fields.get(name)))), None)
    return Reading(text=text, title=title, published_at=published, notes=notes)


def within(text: str, limits: DocumentLimits) -> None:
    """Nothing, if a text is not too long.

    Raises:
        Unreadable: it is.
    """
    if len(text) > limits.text_characters:
        raise Unreadable("FILE_TOO_LARGE", f"the text has more than {limits.text_characters:,} characters")
