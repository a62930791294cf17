"""PDF: the text layer of each page by pdfium; scripts, forms and attachments are never run or opened."""

from __future__ import annotations

from averment.corpus.dates import read_date
from averment.corpus.readers.limits import Limits
from averment.corpus.readers.reading import Reading, Unreadable


def read_pdf(content: bytes, limits: Limits) -> Reading:
    """The text of all pages in order, an empty line between pages.

    Raises:
        Unreadable: the file is broken or locked, or has too many pages or too much text.
    """
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
            raise Unreadable("SOURCE_UNREADABLE", "it has no page")
        texts: list[str] = []
        total = 0
        for number in range(pages):
            text = _page(document, number)
            total += len(text)
            if total > limits.text_characters:
                raise Unreadable("FILE_TOO_LARGE", f"the text has more than {limits.text_characters:,} characters")
            texts.append(text)
        facts = document.get_metadata_dict(skip_empty=True)
    title = facts.get("Title", "")
    published = read_date(facts.get("CreationDate")) or read_date(facts.get("ModDate"))
    return Reading(text="\n\n".join(texts), title=title, published_at=published)


def _page(document: object, number: int) -> str:
    import pypdfium2 as pdfium

    assert isinstance(document, pdfium.PdfDocument)
    try:
        page = document[number]
        layer = page.get_textpage()
        try:
            return layer.get_text_bounded()
        finally:
            layer.close()
            page.close()
    except pdfium.PdfiumError as error:
        raise Unreadable("SOURCE_UNREADABLE", f"page {number + 1} is broken") from error
