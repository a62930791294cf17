"""A document as a PDF, set by Typst from a template of ours: no browser, no system library, nothing fetched.

The template gets the document as data and never as markup, so that no text of a table or a source can become code.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import orjson

from averment.errors import MissingExtra
from averment.reports.document import Block, Document
from averment.reports.gate import check_set
from averment.reports.html import tokens_css
from averment.reports.markdown import plain

_TOKEN = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}),")


def to_pdf(document: Document, *, pictures: Mapping[str, bytes], proof: Document) -> bytes:
    """The document as a tagged PDF with its proof on the end; the same document gives the same bytes.

    Raises:
        MissingExtra: Typst is not installed.
    """
    try:
        import typst
    except ImportError as error:
        raise MissingExtra(
            "PDF export needs Typst, which is not installed.", hint="Install it with `pip install averment[pdf]`."
        ) from error

    try:
        return _set(typst, document, pictures, proof)
    except typst.TypstError:
        # A picture that is damaged cannot be drawn; the report is told without any, each by its words.
        return _set(typst, document, {}, proof)


def _set(typst: Any, document: Document, pictures: Mapping[str, bytes], proof: Document) -> bytes:
    """The document as Typst sets it in a folder of its own."""
    template = resources.files("averment.reports").joinpath("report.typ").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="averment-pdf-") as folder:
        place = Path(folder)
        names: dict[str, str] = {}
        for number, (name, content) in enumerate(sorted(pictures.items())):
            names[name] = f"{number}.png"
            (place / names[name]).write_bytes(content)
        (place / "report.typ").write_text(template, encoding="utf-8")
        body = {
            "title": plain(document.title),
            "blocks": _blocks(document, names),
            "proof": _blocks(proof, {}),
            "colors": light_colors(),
        }
        (place / "report.json").write_bytes(orjson.dumps(body))
        # No place but this folder can be read by the template, and no package is ever looked for.
        return bytes(typst.compile(str(place / "report.typ"), root=folder, format="pdf"))


def light_colors() -> dict[str, str]:
    """The light colours of the design tokens, by name: paper is light."""
    return dict(_TOKEN.findall(tokens_css()))


def _blocks(document: Document, names: Mapping[str, str]) -> list[dict[str, Any]]:
    numbers = {item.anchor: n for b in document.blocks if b.kind == "notes" for n, item in enumerate(b.items, start=1)}
    blocks = [_block(block, names, numbers) for block in document.blocks]
    check_set(blocks, document)
    return blocks


def _block(block: Block, names: Mapping[str, str], numbers: Mapping[str, int]) -> dict[str, Any]:
    match block.kind:
        case "heading" | "paragraph":
            return {**block.model_dump(), "text": plain(block.text)}
        case "bullets":
            return {"kind": block.kind, "items": [plain(item) for item in block.items]}
        case "grid":
            return {
                "kind": block.kind,
                "header": [plain(name) for name in block.header],
                "rows": [[plain(cell) for cell in row] for row in block.rows],
                "numeric": list(block.numeric),
                "caption": plain(block.caption),
            }
        case "picture":
            return {"kind": block.kind, "file": names.get(block.name), "alt": plain(block.alt)}
        case "code":
            # The lines of a code stay lines; what else would be taken for a control is shown.
            lines = "\n".join(plain(line) for line in block.text.split("\n"))
            return {"kind": block.kind, "text": lines}
        case "cited":
            said = [
                {
                    "text": plain(one.text),
                    "mark": plain(one.mark),
                    "cites": [numbers.get(cite, 0) for cite in one.cites],
                }
                for one in block.sentences
            ]
            return {"kind": block.kind, "lead": plain(block.lead), "sentences": said}
        case "notes":
            return {
                "kind": block.kind,
                "items": [{"text": plain(item.text), "url": _web(item.url)} for item in block.items],
            }


def _web(url: str) -> str:
    """The address if it leads into the web; no other becomes a link."""
    return url if url.startswith(("http://", "https://")) else ""
