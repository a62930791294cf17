"""DOCX: headings, paragraphs, lists and tables of the document part in their order, and what its properties say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from averment.corpus.dates import read_date
from averment.corpus.readers.archive import front_matter, member, opened, parse, table_text
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.plain import within
from averment.corpus.readers.reading import Reading, Unreadable

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_DOCUMENT = "word/document.xml"
_CORE = "docProps/core.xml"


def read_docx(content: bytes, limits: DocumentLimits) -> Reading:
    """The running text of a Word document, its headings and lists marked, with the title and dates of its properties.

    Raises:
        Unreadable: the archive is broken, lies about its sizes, or is a bomb; or the document part is not there.
    """
    with opened(content, limits) as archive:
        names = set(archive.namelist())
        if _DOCUMENT not in names:
            raise Unreadable("INVALID_FILE_TYPE", "the archive does not contain a Word document")
        body = parse(member(archive, _DOCUMENT, limits))
        core = parse(member(archive, _CORE, limits)) if _CORE in names else None
    text = "\n\n".join(block for block in _blocks(body) if block)
    within(text, limits)
    said, author, published = "", None, None
    if core is not None:
        said, author = core.findtext(f"{_DC}title") or "", core.findtext(f"{_DC}creator")
        published = read_date(core.findtext(f"{_TERMS}created")) or read_date(core.findtext(f"{_TERMS}modified"))
    title = said or text.split("\n", 1)[0].lstrip("# ")[:120]
    head = front_matter(title=said, author=author, created=published) if author else ""
    return Reading(text=head + text if text else "", title=title, published_at=published)


def _blocks(root: ET.Element) -> list[str]:
    """Paragraphs and tables in their order, however deep frames and content controls put them."""
    found: list[str] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.tag == f"{_W}p":
            found.append(_marked(node))
        elif node.tag == f"{_W}tbl":
            rows = [
                [" ".join(_paragraph(p) for p in cell.iter(f"{_W}p")) for cell in row.iter(f"{_W}tc")]
                for row in node.iter(f"{_W}tr")
            ]
            found.append(table_text(rows) if len(rows) > 1 else " ".join(rows[0]) if rows else "")
        else:
            stack.extend(reversed(node))
    return found


def _marked(block: ET.Element) -> str:
    """A paragraph with the mark of a heading or a list item, where its style says it is one."""
    text = _paragraph(block)
    style = block.find(f"{_W}pPr/{_W}pStyle")
    name = (style.get(f"{_W}val") or "").lower() if style is not None else ""
    if text and (heading := re.fullmatch(r"(?:heading|berschrift|titre|title)\s*([1-6]?)", name)):
        return f"{'#' * int(heading[1] or 1)} {text}"
    if text and (block.find(f"{_W}pPr/{_W}numPr") is not None or name.startswith("list")):
        return f"- {text}"
    return text


def _paragraph(block: ET.Element) -> str:
    parts: list[str] = []
    hidden = False
    for node in block.iter():
        if node.tag == f"{_W}r":
            # A hidden run is not shown by a word processor, so it is not quoted either.
            hidden = node.find(f"{_W}rPr/{_W}vanish") is not None
        elif node.tag == f"{_W}t" and not hidden:
            parts.append(node.text or "")
        elif node.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr") and not hidden:
            parts.append(" ")
    return "".join(parts).strip()
