"""A document as HTML: as one self-contained file with style, pictures and its own check inside, or as an article.

The article is what a page of ours puts into its own frame; the file is the same article with the same design tokens.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources

from averment.reports.document import Block, Cited, Document, Grid, Notes
from averment.reports.gate import HINT, check_article
from averment.reports.markdown import plain
from averment.reports.verifier import in_report, policy, verifier_page

NUMBER = ' class="number"'
CiteLink = Callable[[str], str]
"""From a note's anchor to the attributes of the link that leads to it."""


TABLE_NAME = 'aria-label="Table"'
"""How a table is named before its article says which one it is; in a text the quotes would be escaped."""


@dataclass(frozen=True)
class Article:
    """How an article is set into its surroundings: how deep its title is, its pictures' addresses, its links."""

    name: str = "report"
    level: int = 1
    pictures: Mapping[str, str] = field(default_factory=dict[str, str])
    cite: CiteLink = field(default=lambda anchor: f'href="#cite-{_text(anchor)}"')


def to_html(document: Document, *, pictures: Mapping[str, bytes], proof: Document | None = None) -> str:
    """The document as one HTML file; ``proof`` is set below it, apart."""
    inside = {name: f"data:image/png;base64,{base64.b64encode(data).decode()}" for name, data in pictures.items()}
    body = to_article(document, Article(pictures=inside))
    if proof is not None:
        body += to_article(proof, Article(name="proof", level=2))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">\n'
        f"<title>{_text(document.title)}</title>\n<style>\n{tokens_css()}{_style()}</style>\n</head>\n<body>\n"
        f"<main>\n{body}{in_report() if proof is not None else ''}</main>\n</body>\n</html>\n"
    )


def to_article(document: Document, article: Article) -> str:
    """The document as an ``article`` element; every text in it is escaped.

    Raises:
        UntrueClaim: it would show something else than the document says.
    """
    numbers = {item.anchor: n for b in document.blocks if b.kind == "notes" for n, item in enumerate(b.items, start=1)}
    title = f"<h{article.level}>{_text(document.title)}</h{article.level}>"
    parts = "\n".join(_block(block, article, numbers) for block in document.blocks)
    html = _numbered(f'<article class="{article.name}">\n{title}\n{parts}\n</article>\n', article.name)
    check_article(html, document, drawn=article.pictures)
    return html


def _numbered(html: str, name: str) -> str:
    """Every table named by its place, so that whoever hears the page can tell one from another."""
    before, *tables = html.split(TABLE_NAME)
    word = "Proof table" if name == "proof" else "Table"
    return before + "".join(f'aria-label="{word} {place}"{rest}' for place, rest in enumerate(tables, start=1))


def tokens_css() -> str:
    """The design tokens: every colour and size of the pages and of this file."""
    return resources.files("averment.reports").joinpath("tokens.css").read_text(encoding="utf-8")


def verifier_html() -> str:
    """The page that checks exported reports, as one file."""
    return verifier_page(tokens_css(), _style())


def _style() -> str:
    return resources.files("averment.reports").joinpath("report.css").read_text(encoding="utf-8")


def _block(block: Block, article: Article, numbers: Mapping[str, int]) -> str:
    match block.kind:
        case "heading":
            level = max(2, article.level + 1)
            return f"<h{level}>{_text(block.text)}</h{level}>"
        case "paragraph":
            return f'<p class="answer">{_text(block.text)}</p>' if block.strong else f"<p>{_text(block.text)}</p>"
        case "bullets":
            return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in block.items) + "</ul>"
        case "grid":
            return _grid(block)
        case "picture":
            address = article.pictures.get(block.name)
            if address is None:
                return f"<p>{_text(block.alt)}</p>"
            return f'<figure><img src="{escape(address, quote=True)}" alt="{_text(block.alt)}"></figure>'
        case "code":
            return f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'
        case "cited":
            return _cited(block, article, numbers)
        case "notes":
            return _notes(block)


def _cited(block: Cited, article: Article, numbers: Mapping[str, int]) -> str:
    """Sentences with a link to each of their notes."""
    said = [f"<em>{_text(block.lead)}</em>"] if block.lead else []
    for one in block.sentences:
        links = "".join(
            f'<a class="cite" {article.cite(cite)} title="{HINT}">[{numbers.get(cite, "?")}]</a>' for cite in one.cites
        )
        said.append(f"{_text(one.text)} ({_text(one.mark)} {links})" if one.mark else f"{_text(one.text)}{links}")
    return f"<p>{' '.join(said)}</p>"


def _notes(notes: Notes) -> str:
    """The notes with their anchors; only a web address becomes a link out."""
    items: list[str] = []
    for item in notes.items:
        link = ""
        if item.url.startswith(("http://", "https://")):
            link = f' <a href="{_text(item.url)}" rel="noreferrer nofollow">{_text(item.url)}</a>'
        items.append(f'<li id="cite-{_text(item.anchor)}">{_text(item.text)}{link}</li>')
    return f"<ol>{''.join(items)}</ol>"


def _grid(grid: Grid) -> str:
    def cell(text: str, right: bool, tag: str) -> str:
        # A heading without words is none.
        name = tag if text else "td"
        scope = ' scope="col"' if name == "th" else ""
        return f"<{name}{scope}{NUMBER if right else ''}>{_text(text)}</{name}>"

    def row(cells: tuple[str, ...], tag: str) -> str:
        return (
            "<tr>" + "".join(cell(text, right, tag) for text, right in zip(cells, grid.numeric, strict=True)) + "</tr>"
        )

    caption = f"<caption>{_text(grid.caption)}</caption>" if grid.caption else ""
    body = "\n".join(row(cells, "td") for cells in grid.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" {TABLE_NAME}><table>{caption}'
        f"<thead>{row(grid.header, 'th')}</thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _text(text: str) -> str:
    return escape(plain(text), quote=True)
