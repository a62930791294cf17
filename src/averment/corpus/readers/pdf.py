"""PDF: the text layer of each page by pdfium; scripts, forms and attachments are never run or opened."""

from __future__ import annotations

import re
from typing import Any

from averment.corpus.dates import read_date
from averment.corpus.readers.archive import front_matter
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reading import Reading, Unreadable
from averment.errors.extras import needs

HIDDEN_NOTE = "text that the pages hide was left out"
SCRIPT_NOTE = "it holds a script, which was not run"
_SCRIPT = re.compile(rb"/(?:JavaScript|JS)\b")
_MOST_HEADINGS = 2_000


def read_pdf(content: bytes, limits: DocumentLimits) -> Reading:
    """The text of all pages in order, an empty line between pages.

    Raises:
        Unreadable: the file is broken or locked, or has too many pages or too much text.
    """
    with needs("documents"):
        import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        raise Unreadable("SOURCE_UNREADABLE", f"pdfium cannot open it ({error})") from error
    with document:
        pages = len(document)
        if pages > limits.pages:
            raise Unreadable("FILE_TOO_LARGE", f"it has more than {limits.pages:,} pages")
        if not pages:
            raise Unreadable("SOURCE_UNREADABLE", "it has no pages")
        texts: list[str] = []
        total, hides = 0, False
        for number in range(pages):
            text, hidden = _page(document, number)
            hides = hides or hidden
            total += len(text)
            if total > limits.text_characters:
                raise Unreadable("FILE_TOO_LARGE", f"the text has more than {limits.text_characters:,} characters")
            texts.append(text)
        facts = document.get_metadata_dict(skip_empty=True)
        headings = _outline(document)
    title = facts.get("Title", "")
    published = read_date(facts.get("CreationDate")) or read_date(facts.get("ModDate"))
    notes = [HIDDEN_NOTE] if hides else []
    if _SCRIPT.search(content):
        notes.append(SCRIPT_NOTE)
    body = "\n\n".join(_with_headings(text, headings) for text in texts)
    head = front_matter(title=title, author=facts.get("Author"), created=published) if facts.get("Author") else ""
    whole = head + body if body.strip() else body
    return Reading(text=whole, title=title, published_at=published, notes=tuple(notes))


def _outline(document: Any) -> dict[str, int]:
    """The headings that the file's own outline names, with their levels; none where it has none or it is broken."""
    import pypdfium2 as pdfium

    found: dict[str, int] = {}
    try:
        for number, mark in enumerate(document.get_toc(max_depth=6)):
            if number >= _MOST_HEADINGS:
                break
            title = mark.title if hasattr(mark, "title") else mark.get_title()
            found.setdefault(" ".join(str(title).split()), int(mark.level) + 1)
    except (pdfium.PdfiumError, ValueError, AttributeError, UnicodeError):
        return {}
    return {title: level for title, level in found.items() if title}


def _with_headings(text: str, headings: dict[str, int]) -> str:
    """A page with the lines that are headings marked as such, each a paragraph of its own."""
    if not headings:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    marked = [
        f"\n{'#' * min(6, headings[plain])} {plain}\n" if (plain := " ".join(line.split())) in headings else line
        for line in lines
    ]
    return "\n".join(marked)


def _page(document: object, number: int) -> tuple[str, bool]:
    """The text that is seen on a page, and whether there is some that is not."""
    import pypdfium2 as pdfium

    from averment.corpus.readers.pdf_hidden import hidden_characters

    assert isinstance(document, pdfium.PdfDocument)
    try:
        page = document[number]
        layer = page.get_textpage()
        try:
            unseen = hidden_characters(page, layer)
            return (seen_text(layer, unseen), True) if unseen else (layer.get_text_bounded(), False)
        finally:
            layer.close()
            page.close()
    except pdfium.PdfiumError as error:
        raise Unreadable("SOURCE_UNREADABLE", f"page {number + 1} is broken") from error


def seen_text(layer: Any, unseen: frozenset[int]) -> str:
    """The characters of a page's text layer without those."""
    from pypdfium2 import raw

    count = layer.count_chars()
    return "".join(chr(raw.FPDFText_GetUnicode(layer, place)) for place in range(count) if place not in unseen)
