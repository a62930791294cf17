"""The report on paper: all of its words, the same bytes each time, and nothing of the data taken for code."""

import struct
import zlib
from importlib.util import find_spec

import pytest

from averment.reports.document import (
    Bullets,
    Cited,
    CitedSentence,
    Code,
    Document,
    Grid,
    Heading,
    Note,
    Notes,
    Paragraph,
    Picture,
)
from averment.reports.pdf import light_colors, to_pdf
from lazily import lazily

if find_spec("typst") is None or find_spec("pypdfium2") is None:
    pytest.skip("typst or pypdfium2 is not installed", allow_module_level=True)
pdfium = lazily("pypdfium2")

HOSTILE = (
    '#panic("x")',
    "$x^2$ *bold* _it_ `raw`",
    '#read("/etc/passwd")',
    "= not a heading",
    "<label> @ref \\ #",
    "a" * 300,
)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


PIXEL = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\x00\x10\x20\x30"))
    + chunk(b"IEND", b"")
)
PROOF = Document(title="Proof", blocks=(Code(text="averment verify 1234"),))


def words_of(pdf: bytes) -> str:
    document = pdfium.PdfDocument(pdf)
    pages = (document[number].get_textpage().get_text_range() for number in range(len(document)))
    return " ".join(" ".join(pages).replace("\u0002", "").split())


def document(*texts: str) -> Document:
    blocks = [
        block
        for text in texts
        for block in (
            Heading(text=text),
            Paragraph(text=text, strong=True),
            Paragraph(text=text),
            Bullets(items=(text,)),
            Grid(header=(text, "n"), rows=((text, "1"),), numeric=(False, True), caption=text),
            Code(text=text),
            Cited(
                lead=text,
                sentences=(CitedSentence(text=text, cites=("a",)), CitedSentence(text=text, cites=("a",), mark=text)),
            ),
        )
    ]
    notes = Notes(items=(Note(anchor="a", text=texts[0], url="https://example.test/a"),))
    return Document(title=texts[0], blocks=(*blocks, Picture(name="chart.png", alt=texts[0]), notes))


def test_a_pdf_has_every_word_and_is_the_same_each_time() -> None:
    one = document("The total is 1,234.50 in the West", "Zürich, Łódź and Αθήνα")
    first = to_pdf(one, pictures={"chart.png": PIXEL}, proof=PROOF)
    assert first.startswith(b"%PDF-")
    assert first == to_pdf(one, pictures={"chart.png": PIXEL}, proof=PROOF)
    words = words_of(first)
    for text in ("The total is 1,234.50 in the West", "Zürich, Łódź and Αθήνα", "averment verify 1234", "[1]"):
        assert text in words


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_came_from_data_is_set_letter_by_letter(text: str) -> None:
    words = words_of(to_pdf(document(text), pictures={}, proof=PROOF)).replace(" ", "")
    wanted = text.replace(" ", "")
    assert wanted[:60] in words
    assert "root:" not in words


def test_a_report_of_many_rows_goes_over_many_pages_with_its_header_on_each() -> None:
    rows = tuple((f"name {n}", str(n)) for n in range(300))
    grid = Grid(header=("the name", "the count"), rows=rows, numeric=(False, True))
    pdf = pdfium.PdfDocument(to_pdf(Document(title="Many", blocks=(grid,)), pictures={}, proof=PROOF))
    assert len(pdf) > 5
    heads = [pdf[number].get_textpage().get_text_range().count("the count") for number in range(len(pdf) - 1)]
    assert heads == [1] * (len(pdf) - 1)


def test_paper_has_the_light_colours_of_the_tokens() -> None:
    colors = light_colors()
    assert {"ink", "soft", "line", "wash", "mark"} <= set(colors)
    assert all(value.startswith("#") for value in colors.values())


def test_a_damaged_picture_is_told_in_words() -> None:
    words = words_of(to_pdf(document("A bar chart of sales"), pictures={"chart.png": PIXEL[:-30]}, proof=PROOF))
    assert words.count("A bar chart of sales") > words_of(
        to_pdf(document("A bar chart of sales"), pictures={"chart.png": PIXEL}, proof=PROOF)
    ).count("A bar chart of sales")
