from __future__ import annotations

import io
import json
import resource
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reader import DocumentReader
from averment.corpus.snapshot import normalise
from averment.errors import AvermentError, FileTooLarge, SourceUnreadable

HOSTILE = Path(__file__).parents[1] / "hostile" / "data"
CASES = [json.loads(line) for line in (HOSTILE / "nasty_files" / "cases.jsonl").read_text("utf-8").splitlines()]
PAYLOADS = [
    row
    for row in map(json.loads, (HOSTILE / "injection_payloads" / "cases.jsonl").read_text("utf-8").splitlines())
    if row["channel"] in ("doc_hidden", "doc_visible", "page_title", "pdf_text", "search_snippet", "file_name")
]
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    opened = DocumentReader()
    yield opened
    opened.close()


def docx(body: str, *, core: str | None = None, extra: dict[str, bytes] | None = None) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        if core is not None:
            archive.writestr("docProps/core.xml", core)
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return sink.getvalue()


def pdf(*lines: str) -> bytes:
    """A small valid PDF with a page for each line."""
    pages = "".join(f"{4 + 2 * n} 0 R " for n in range(len(lines)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{pages}]/Count {len(lines)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, line in enumerate(lines):
        stream = "BT /F1 12 Tf 20 100 Td (" + line.replace("\\", "").replace("(", "\\(").replace(")", "\\)") + ") Tj ET"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 900 200]/Contents {5 + 2 * number} 0 R"
            "/Resources<</Font<</F1 3 0 R>>>>>>"
        )
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj{one}endobj\n".encode("latin-1", "replace")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return out + f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode()


def test_markdown_keeps_its_marks_and_gives_its_front_matter(reader: DocumentReader) -> None:
    kind, found = reader.read(b"---\ntitle: 'On Costs'\ndate: 2023-04-05\n---\n# H\n\n*Costs* fell.", "a.md")
    assert (kind, found.title, found.published_at) == ("markdown", "On Costs", "2023-04-05")
    assert "*Costs* fell." in found.text


def test_a_page_gives_its_main_part_its_title_and_its_date(reader: DocumentReader) -> None:
    story = "".join(
        f"<p>The committee met for the {n}th time and spoke at length about the budget.</p>" for n in range(40)
    )
    menu = "<nav><ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a></li>" for n in range(30)) + "</ul></nav>"
    page = (
        "<html><head><title>The Daily</title><meta property='og:title' content='Budget talks'>"
        "<meta property='article:published_time' content='2022-11-05T08:00:00Z'></head>"
        f"<body>{menu}<article><h1>Budget talks</h1>{story}</article><footer>All rights</footer></body></html>"
    )
    _, found = reader.read(page.encode(), "https://example.org/x", media_type="text/html")
    assert (found.title, found.published_at) == ("Budget talks", "2022-11-05")
    assert "39th time" in found.text
    assert "Menu 7" not in found.text


def test_what_a_page_hides_is_not_read(reader: DocumentReader) -> None:
    page = (
        "<p>Seen one.</p><!-- c --><div style='display: none'>hidden a</div><p hidden>hidden b</p>tail"
        "<script>x='hidden c'</script><noscript>hidden d</noscript><template>hidden e</template>"
        "<span style='visibility:hidden'>hidden f</span><span style='font-size:0'>hidden g</span><p>Seen two."
    )
    _, found = reader.read(page.encode(), "p.html")
    assert "hidden" not in found.text
    assert all(seen in found.text for seen in ("Seen one.", "tail", "Seen two."))


def test_a_page_in_a_declared_encoding_is_read_in_it(reader: DocumentReader) -> None:
    page = "<meta charset=iso-8859-2><p>Łódź leży w środku</p>".encode("iso-8859-2")
    assert "Łódź" in reader.read(page, "p.html")[1].text
    assert "+ADw-script" in reader.read(b"<meta charset=utf-7>\xff+ADw-script+AD4-", "p.html")[1].text


def test_a_word_document_gives_paragraphs_tables_and_dates_but_no_hidden_run(reader: DocumentReader) -> None:
    body = (
        "<w:p><w:r><w:t>First paragraph</w:t></w:r></w:p>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
        "<w:r><w:t>Second </w:t><w:tab/><w:t>one</w:t></w:r></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    core = (
        '<c xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="http://purl.org/dc/terms/">'
        "<dc:title>Memo</dc:title><t:created>2020-06-07T00:00:00Z</t:created></c>"
    )
    kind, found = reader.read(docx(body, core=core), "memo.docx")
    assert (kind, found.title, found.published_at) == ("docx", "Memo", "2020-06-07")
    assert [line.split() for line in found.text.split("\n\n")] == [["First", "paragraph"], ["Second", "one"], ["cell"]]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (docx("x", extra={"bomb.bin": b"\0" * 30_000_000}), "FILE_TOO_LARGE"),
        (docx("x", extra={f"m{n}": b"" for n in range(2_100)}), "FILE_TOO_LARGE"),
        (docx("<w:p>"), "SOURCE_UNREADABLE"),
        (docx("x")[:-30], "SOURCE_UNREADABLE"),
        (docx("x").replace(b"word/", b"ward/"), "INVALID_FILE_TYPE"),
    ],
    ids=["bomb", "members", "xml", "cut", "no document"],
)
def test_a_broken_or_bloated_word_document_is_refused(reader: DocumentReader, content: bytes, code: str) -> None:
    with pytest.raises(AvermentError) as caught:
        reader.read(content, "x.docx")
    assert caught.value.code == code


def test_an_entity_bomb_in_a_word_document_is_refused(reader: DocumentReader) -> None:
    sink = io.BytesIO()
    entities = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1 if n else str()};" * 10}">' for n in range(9)
    )
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("word/document.xml", f"{entities}]><d>&a8;</d>")
    with pytest.raises(SourceUnreadable):
        reader.read(sink.getvalue(), "bomb.docx")


def test_a_letter_gives_its_headers_and_its_readable_body(reader: DocumentReader) -> None:
    letter = EmailMessage()
    letter["Subject"], letter["From"], letter["To"] = "Offer für März", "ann@example.org", "bob@example.org"
    letter["Date"] = "Tue, 05 Mar 2024 10:00:00 +0000"
    letter.set_content("We offer 40 units at 3 euros.\n")
    letter.add_alternative("<p>HTML <b>body</b></p>", subtype="html")
    letter.add_attachment(b"\x00\x01", maintype="application", subtype="octet-stream", filename="x.bin")
    kind, found = reader.read(letter.as_bytes(), "offer.eml")
    assert (kind, found.title, found.published_at) == ("email", "Offer für März", "2024-03-05")
    assert "40 units" in found.text
    assert "ann@example.org" in found.text
    assert found.notes == ("attachment not read: x.bin",)


def test_pages_of_a_pdf_are_read_in_order(reader: DocumentReader) -> None:
    kind, found = reader.read(pdf("Revenue was 10.", "Costs were 4."), "r.pdf")
    assert kind == "pdf"
    assert normalise(found.text) == "Revenue was 10.\n\nCosts were 4."


def test_limits_on_pages_text_bytes_and_time_are_kept() -> None:
    small = DocumentReader(DocumentLimits(pages=1, text_characters=100, file_bytes=100_000))
    for content, name in ((pdf("a", "b"), "p.pdf"), (b"word " * 50, "t.txt"), (b"<p>" + b"x " * 200, "h.html")):
        with pytest.raises(FileTooLarge):
            small.read(content, name)
    with pytest.raises(FileTooLarge):
        small.read(b"x" * 100_001, "big.txt")
    small.close()
    hasty = DocumentReader(DocumentLimits(seconds=-29.999))
    with pytest.raises(SourceUnreadable):
        hasty.read(pdf("a"), "p.pdf")
    hasty.close()


def test_a_reader_that_dies_is_replaced(reader: DocumentReader) -> None:
    reader.read(pdf("a"), "p.pdf")
    reader.close()
    assert "Again" in reader.read(pdf("Again."), "p.pdf")[1].text


def test_a_page_with_a_huge_attribute_or_endless_nesting_does_not_end_the_run(reader: DocumentReader) -> None:
    for page in (b"<p title='" + b"x" * 3_000_000 + b"'>end", b"<div>" * 100_000 + b"deep", b"<" * 1_000_000):
        try:
            reader.read(page, "p.html")
        except AvermentError as error:
            assert error.code in ("SOURCE_UNREADABLE", "FILE_TOO_LARGE", "INVALID_FILE_TYPE")
    assert reader.read(b"<p>fine</p>", "p.html")[1].text == "fine"


EXACT = {
    "entities.html": "&" * 200_000,
    "script_text.html": "fact 4",
    "base_href.html": "y",
    "ok.pdf": "Revenue was 10.",
    "bom_utf16le.csv": "id,v\n1,é",
    "utf16be_nobom.csv": "id,v\n1,é",
    "cp1252_smart.csv": "id,t\n1,“q”",
    "zero_width.csv": "id,value\n1,2",
}
REFUSED = {
    "only_nul.csv": "SOURCE_EMPTY",
    "exe_named.csv": "INVALID_FILE_TYPE",
    "gz_named.csv": "INVALID_FILE_TYPE",
    "bomb_nested.zip": "INVALID_FILE_TYPE",
    "dup_members.zip": "INVALID_FILE_TYPE",
    "size_lie.zip": "INVALID_FILE_TYPE",
    "truncated.zip": "INVALID_FILE_TYPE",
    "truncated.pdf": "SOURCE_UNREADABLE",
    "not.pdf": "SOURCE_UNREADABLE",
}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_nasty_file_is_read_or_refused(reader: DocumentReader, case: dict[str, str]) -> None:
    content = (HOSTILE / "nasty_files" / case["file"]).read_bytes()
    most = max(600_000, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)  # Other tests have children too.
    try:
        text = normalise(reader.read(content, case["file"])[1].text)
    except AvermentError as error:
        assert error.code == REFUSED.get(case["id"], error.code)
        assert error.code in ("SOURCE_UNREADABLE", "FILE_TOO_LARGE", "INVALID_FILE_TYPE", "SOURCE_EMPTY")
        assert case["id"] not in EXACT
    else:
        assert case["id"] not in REFUSED
        assert EXACT.get(case["id"], text) == text
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= most


@pytest.mark.parametrize("row", PAYLOADS, ids=[row["id"] for row in PAYLOADS])
def test_an_instruction_in_a_document_is_text_or_nothing(reader: DocumentReader, row: dict[str, str]) -> None:
    payload = row["payload"]
    escaped = payload.replace("&", "&amp;").replace("<", "&lt;")
    hidden = reader.read(f"<p>fact</p><div style='display:none'>{escaped}</div>".encode(), "p.html")[1]
    assert normalise(hidden.text) == "fact"
    shown = reader.read(f"<title>{escaped}</title><p>fact</p><p>{escaped}</p>".encode(), "p.html")[1]
    words = normalise(payload).split()
    assert normalise(shown.text).split() == ["fact", *words]
    assert reader.read(f"fact\n\n{payload}".encode(), "n.txt")[1].text.startswith("fact")
