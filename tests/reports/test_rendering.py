"""What came from data can never become markup."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from averment.reports.document import Bullets, Code, Document, Grid, Heading, Paragraph, Picture
from averment.reports.html import to_html
from averment.reports.markdown import to_markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://example.test/x.png)",
    "a | b | c",
    "# not a heading",
    "line\nbreak\r\n## injected",
    "`code`",
    "**bold** _it_",
    "\x1b[31mred\x07",
    "\u202egnp.exe",
    "<img src=x onerror=alert(1)>",
    "```\nfence\n```",
    "- item",
]


def document(text: str) -> Document:
    return Document(
        title=text,
        blocks=(
            Heading(text=text),
            Paragraph(text=text),
            Paragraph(text=text, strong=True),
            Bullets(items=(text,)),
            Grid(header=(text, "n"), rows=((text, "1"),), numeric=(False, True), caption=text),
            Picture(name="chart.png", alt=text),
            Code(text=text, language="sql"),
        ),
    )


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [name for name, _ in attrs]


def tags_of(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    return tags


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_cell_stays_text_in_html(text: str) -> None:
    tags = tags_of(to_html(document(text), pictures={"chart.png": b"png"}))
    assert "script" not in tags.seen
    assert not any(name.startswith("on") for name in tags.attributes)
    assert tags.seen.count("h2") == 1
    assert tags.seen.count("img") == 1
    assert "a" not in tags.seen


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_cell_stays_text_in_markdown(text: str) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(to_markdown(document(text)))
    tags = tags_of(html)
    assert not {"script", "a", "em"} & set(tags.seen)
    assert tags.seen.count("h1") == 1
    assert tags.seen.count("h2") == 1
    assert tags.seen.count("img") == 1
    assert tags.seen.count("td") == 2


@given(st.text(min_size=1, max_size=60))
def test_any_text_keeps_the_shape_of_the_document(text: str) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(to_markdown(document(f"x{text}")))
    tags = tags_of(html)
    assert (tags.seen.count("h1"), tags.seen.count("h2"), tags.seen.count("td")) == (1, 1, 2)


def test_an_html_report_is_one_file_that_fetches_nothing() -> None:
    html = to_html(document("plain"), pictures={"chart.png": b"png"}, proof=document("proof"))
    assert "default-src 'none'" in html
    assert "http://" not in html
    assert "https://" not in html
    assert "data:image/png;base64," in html
