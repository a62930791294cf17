"""A document as one self-contained HTML file: style and pictures inside, no script, nothing fetched."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from importlib import resources

from averment.reports.document import Block, Cited, Document, Grid, Notes
from averment.reports.markdown import plain


def to_html(document: Document, *, pictures: Mapping[str, bytes], proof: Document | None = None) -> str:
    """The document as one HTML file; ``proof`` is set below it, apart."""
    style = resources.files("averment.reports").joinpath("report.css").read_text(encoding="utf-8")
    body = _article(document, pictures, "report")
    if proof is not None:
        body += _article(proof, {}, "proof")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{_text(document.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n"
        "</body>\n</html>\n"
    )


def _article(document: Document, pictures: Mapping[str, bytes], name: str) -> str:
    level = "h1" if name == "report" else "h2"
    numbers = {item.anchor: n for b in document.blocks if b.kind == "notes" for n, item in enumerate(b.items, start=1)}
    parts = "\n".join(_block(block, pictures, numbers) for block in document.blocks)
    return f'<article class="{name}">\n<{level}>{_text(document.title)}</{level}>\n{parts}\n</article>\n'


def _block(block: Block, pictures: Mapping[str, bytes], numbers: Mapping[str, int]) -> str:
    match block.kind:
        case "heading":
            return f"<h2>{_text(block.text)}</h2>"
        case "paragraph":
            return f'<p class="answer">{_text(block.text)}</p>' if block.strong else f"<p>{_text(block.text)}</p>"
        case "bullets":
            return "<ul>" + "".join(f"<li>{_text(item)}</li>" for item in block.items) + "</ul>"
        case "grid":
            return _grid(block)
        case "picture":
            content = pictures.get(block.name)
            if content is None:
                return f"<p>{_text(block.alt)}</p>"
            data = base64.b64encode(content).decode("ascii")
            return f'<figure><img src="data:image/png;base64,{data}" alt="{_text(block.alt)}"></figure>'
        case "code":
            return f"<pre><code>{escape(block.text)}</code></pre>"
        case "cited":
            return _cited(block, numbers)
        case "notes":
            return _notes(block)


def _cited(block: Cited, numbers: Mapping[str, int]) -> str:
    """Sentences with a link to each of their notes."""
    said = [f"<em>{_text(block.lead)}</em>"] if block.lead else []
    for one in block.sentences:
        links = "".join(
            f'<sup><a href="#cite-{_text(cite)}" title="{_text(cite)}">[{numbers.get(cite, "?")}]</a></sup>'
            for cite in one.cites
        )
        said.append(f"{_text(one.text)}{links}")
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
    def row(cells: tuple[str, ...], tag: str) -> str:
        marked = (
            f'<{tag} class="number">{_text(cell)}</{tag}>' if right else f"<{tag}>{_text(cell)}</{tag}>"
            for cell, right in zip(cells, grid.numeric, strict=True)
        )
        return "<tr>" + "".join(marked) + "</tr>"

    caption = f"<caption>{_text(grid.caption)}</caption>" if grid.caption else ""
    body = "\n".join(row(cells, "td") for cells in grid.rows)
    return (
        f'<div class="scroll"><table>{caption}<thead>{row(grid.header, "th")}</thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _text(text: str) -> str:
    return escape(plain(text), quote=True)
