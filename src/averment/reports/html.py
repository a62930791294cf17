"""A document as one self-contained HTML file: style and pictures inside, no script, nothing fetched."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape
from importlib import resources

from averment.reports.document import Block, Document, Grid
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
    parts = "\n".join(_block(block, pictures) for block in document.blocks)
    return f'<article class="{name}">\n<{level}>{_text(document.title)}</{level}>\n{parts}\n</article>\n'


def _block(block: Block, pictures: Mapping[str, bytes]) -> str:
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
