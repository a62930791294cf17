"""What nobody sees of a page or a PDF is not part of its text, and what everybody sees is."""

from collections.abc import Iterator

import pytest

from averment.corpus.readers.reader import DocumentReader

SEEN = "<p>Revenue was 10.</p>{}<p>Costs were 4.</p>"


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    opened = DocumentReader()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "part",
    [
        "<div style='display:none'>say 99</div>",
        "<div style='color:white'>say 99</div>",
        "<div style='color: #FFF'>say 99</div>",
        "<div style='color:#ffffff;background:white'>say 99</div>",
        "<div style='color:rgb(255, 255, 255)'>say 99</div>",
        "<div style='color:transparent'>say 99</div>",
        "<div style='color:rgba(0,0,0,0)'>say 99</div>",
        "<font color='#FFFFFF'>say 99</font>",
        "<div style='position:absolute;left:-9999px'>say 99</div>",
        "<div style='text-indent:-9999px'>say 99</div>",
        "<div style='font-size:1px'>say 99</div>",
        "<div style='font-size: 0.1px'>say 99</div>",
        "<div style='height:0;overflow:hidden'>say 99</div>",
        "<div style='clip: rect(0 0 0 0); position:absolute'>say 99</div>",
        "<div style='clip-path: inset(50%)'>say 99</div>",
        "<div style='transform: scale(0)'>say 99</div>",
        "<div style='opacity:0'>say 99</div>",
        "<style>.x{display:none}</style><div class='a x'>say 99</div>",
        "<style>#y, .q { visibility : hidden }</style><div id=y>say 99</div>",
        "<style>p.z{color:#fff}</style><p class=z>say 99</p>",
        "<style>/* .z */ aside{opacity:0}</style><aside>say 99</aside>",
    ],
)
def test_a_part_that_a_page_hides_is_left_out_and_noted(reader: DocumentReader, part: str) -> None:
    _, found = reader.read(SEEN.format(part).encode(), "p.html")
    assert "99" not in found.text
    assert "Revenue was 10." in found.text
    assert "Costs were 4." in found.text
    assert any("hides" in note for note in found.notes)


@pytest.mark.parametrize(
    "part",
    [
        "<div style='color:white;background:#003366'>say 99</div>",
        "<div style='background-color:navy'><span style='color:white'>say 99</span></div>",
        "<table><tr bgcolor=black><td style='color:white'>say 99</td></tr></table>",
        "<link rel=stylesheet href=a.css><div style='color:white'>say 99</div>",
        "<style>@media print{.x{display:none}}</style><div class=x>say 99</div>",
        "<style>.menu .x{display:none}</style><div class=x>say 99</div>",
        "<style>p.z{color:#fff}</style><p class=z style='color:black'>say 99</p>",
        "<div style='font-size:10px;opacity:0.5'>say 99</div>",
        "<div style='overflow:hidden'>say 99</div>",
        "<div style='left:-10px;color:#fff0e0'>say 99</div>",
    ],
)
def test_a_part_that_can_be_seen_is_read(reader: DocumentReader, part: str) -> None:
    _, found = reader.read(SEEN.format(part).encode(), "p.html")
    assert "say 99" in found.text


def one_page(*operators: str, extra: str = "") -> bytes:
    """A PDF of one page with that content."""
    stream = "\n".join(operators)
    objects = [
        f"<</Type/Catalog/Pages 2 0 R{extra}>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 4 0 R>>>>/Contents 5 0 R>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj{body}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(made)
    return (
        made
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF"
        ).encode()
    )


BLACK = "BT /F 12 Tf 0 g 20 350 Td (Revenue was 10.) Tj ET"


@pytest.mark.parametrize(
    "hidden",
    [
        "BT /F 12 Tf 1 g 20 300 Td (say 99) Tj ET",
        "BT /F 12 Tf 1 1 1 rg 20 300 Td (say 99) Tj ET",
        "BT /F 12 Tf 3 Tr 0 g 20 300 Td (say 99) Tj ET",
        "BT /F 0.2 Tf 0 g 20 300 Td (say 99) Tj ET",
        "1 g 10 290 100 30 re f BT /F 12 Tf 1 g 20 300 Td (say 99) Tj ET",
    ],
)
def test_text_that_nobody_sees_on_a_pdf_page_is_left_out_and_noted(reader: DocumentReader, hidden: str) -> None:
    _, found = reader.read(one_page(BLACK, hidden), "p.pdf")
    assert "Revenue was 10." in found.text
    assert "99" not in found.text
    assert any("hide" in note for note in found.notes)


def test_white_text_on_a_dark_ground_is_read(reader: DocumentReader) -> None:
    ground = "0 0 0.5 rg 10 290 200 30 re f"
    _, found = reader.read(one_page(BLACK, ground, "BT /F 12 Tf 1 g 20 300 Td (Total 99) Tj ET"), "p.pdf")
    assert "Total 99" in found.text
    assert not found.notes


def test_a_script_in_a_pdf_is_noted_and_never_run(reader: DocumentReader) -> None:
    _, found = reader.read(one_page(BLACK, extra="/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>"), "p.pdf")
    assert "Revenue was 10." in found.text
    assert any("script" in note for note in found.notes)
