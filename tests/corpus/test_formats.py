"""Slides, sheets, books, notebooks and LaTeX: their headings, lists and tables come through."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator

import pytest

from averment.corpus.readers.reader import DocumentReader
from averment.corpus.structure.read import read_structure
from averment.errors import AvermentError

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    opened = DocumentReader()
    yield opened
    opened.close()


def packed(**parts: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("--", "."), content)
    return sink.getvalue()


def shape(text: str, kind: str = "") -> str:
    mark = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else ""
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("/"))
    return f"<p:sp>{mark}<p:txBody>{lines}</p:txBody></p:sp>"


def slide(title: str, body: str) -> str:
    return f'<p:sld xmlns:p="{P}" xmlns:a="{A}">{shape(title, "title")}{shape(body)}</p:sld>'


def test_slides_stand_under_their_titles_in_order(reader: DocumentReader) -> None:
    slides = {
        f"ppt__slides__slide{n}--xml": slide(title, body)
        for n, title, body in ((10, "Costs", "The crane costs 90 EUR."), (2, "Ropes", "Check them/Replace them"))
    }
    kind, found = reader.read(packed(**slides), "talk.pptx")
    assert (kind, found.title) == ("pptx", "Ropes")
    body = read_structure(found.text, kind, "file:///talk.pptx")
    assert [(block.path, block.text) for block in body.blocks] == [
        (("Ropes",), "Check them"),
        (("Ropes",), "Replace them"),
        (("Costs",), "The crane costs 90 EUR."),
    ]


def test_a_sheet_is_a_table_under_its_first_row(reader: DocumentReader) -> None:
    rows = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
        '<row><c r="A2"><v>8</v></c><c r="B2"><v>120</v></c></row>'
    )
    content = packed(
        **{
            "xl__workbook--xml": f'<workbook xmlns="{S}"><sheets><sheet name="Fees"/></sheets></workbook>',
            "xl__sharedStrings--xml": f'<sst xmlns="{S}"><si><t>length</t></si><si><t>fee</t></si></sst>',
            "xl__worksheets__sheet1--xml": f'<worksheet xmlns="{S}"><sheetData>{rows}</sheetData></worksheet>',
        }
    )
    kind, found = reader.read(content, "fees.xlsx")
    row = read_structure(found.text, kind, "file:///fees.xlsx").blocks[0]
    assert (row.path, row.cells) == (("Fees",), (("length", "8"), ("fee", "120")))


def test_a_book_is_read_chapter_by_chapter_with_its_author(reader: DocumentReader) -> None:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<metadata><dc:title>Tides</dc:title><dc:creator>Ada Holm</dc:creator></metadata><manifest>"
        '<item id="b" href="two.xhtml"/><item id="a" href="one.xhtml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )
    page = "<html><body><h1>{}</h1><p>{}</p></body></html>"
    content = packed(
        **{
            "OPS__book--opf": opf,
            "OPS__one--xhtml": page.format("Moon", "The moon pulls."),
            "OPS__two--xhtml": page.format("Sun", "The sun helps."),
        }
    )
    kind, found = reader.read(content, "tides.epub")
    body = read_structure(found.text, kind, "file:///tides.epub")
    assert [(block.path, block.text) for block in body.blocks] == [
        (("Moon",), "The moon pulls."),
        (("Sun",), "The sun helps."),
    ]
    assert [field.value for field in body.fields if field.key == "author"] == ["Ada Holm"]


def test_a_notebook_tells_its_prose_and_not_its_code(reader: DocumentReader) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Depths\n", "\n", "The basin is 9 m deep."]},
        {"cell_type": "code", "source": "depth = 9"},
    ]
    kind, found = reader.read(json.dumps({"cells": cells}).encode(), "depths.ipynb")
    body = read_structure(found.text, kind, "file:///depths.ipynb")
    assert [block.text for block in body.blocks] == ["The basin is 9 m deep."]
    assert found.title == "Depths"


def test_latex_gives_sections_items_and_its_author(reader: DocumentReader) -> None:
    text = (
        r"\title{On Tides}\author{Ada Holm}\begin{document}\section{Causes}The \emph{moon} pulls. % no"
        "\n\n"
        r"\begin{equation}F=ma\end{equation}\begin{itemize}\item moon\item sun\end{itemize}\end{document}"
    )
    kind, found = reader.read(text.encode(), "tides.tex")
    body = read_structure(found.text, kind, "file:///tides.tex")
    assert [(block.path, block.text) for block in body.blocks] == [
        (("Causes",), "The moon pulls."),
        (("Causes",), "moon"),
        (("Causes",), "sun"),
    ]
    assert [field.value for field in body.fields if field.key == "author"] == ["Ada Holm"]


def test_a_page_and_a_word_document_keep_headings_lists_and_tables(reader: DocumentReader) -> None:
    page = (
        "<h1>Fees</h1><p>They are due:</p><ul><li>in May</li><li>in June</li></ul>"
        "<table><tr><th>berth</th><th>fee</th></tr><tr><td>north</td><td>120</td></tr></table>"
    )
    kind, found = reader.read(page.encode(), "fees.html")
    body = read_structure(found.text, kind, "file:///fees.html")
    assert [(block.kind, block.path) for block in body.blocks] == [
        (kind, ("Fees",)) for kind in ("para", "item", "item", "row")
    ]
    assert body.blocks[-1].cells == (("berth", "north"), ("fee", "120"))
    word = (
        f'<w:document xmlns:w="{W}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
        "<w:r><w:t>Fees</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>They are due in May.</w:t></w:r></w:p></w:body></w:document>"
    )
    kind, found = reader.read(packed(**{"word__document--xml": word}), "fees.docx")
    assert [block.path for block in read_structure(found.text, kind, "file:///f.docx").blocks] == [("Fees",)]


@pytest.mark.parametrize("name", ["a.pptx", "a.xlsx", "a.epub", "a.docx"])
def test_an_archive_without_what_its_name_says_is_refused(reader: DocumentReader, name: str) -> None:
    for content in (packed(**{"other--txt": "x"}), b"PK\x03\x04 broken"):
        with pytest.raises(AvermentError) as caught:
            reader.read(content, name)
        assert caught.value.code in {"INVALID_FILE_TYPE", "SOURCE_UNREADABLE"}
