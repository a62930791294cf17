"""An export format: the report as plain text, for a mail or a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from averment.reports.document import Document
from averment.reports.export import ExportFormat


def _lines(document: Document) -> Iterator[str]:
    yield from (document.title, "=" * len(document.title), "")
    for block in document.blocks:
        match block.kind:
            case "heading":
                yield from (block.text, "-" * len(block.text))
            case "paragraph" | "code":
                yield block.text
            case "bullets":
                yield from (f"* {item}" for item in block.items)
            case "grid":
                yield from ("\t".join(row) for row in (block.header, *block.rows))
            case "picture":
                yield f"[{block.alt}]"
            case "cited":
                yield from (sentence.text for sentence in block.sentences)
            case _:
                continue
        yield ""


def write(report: Document, proof: Document, pictures: Mapping[str, bytes]) -> bytes:
    """The report, and below it the proof."""
    del pictures  # Text holds none.
    return "\n".join([*_lines(report), *_lines(proof)]).encode()


TEXT = ExportFormat(name="txt", media_type="text/plain; charset=utf-8", write=write)
