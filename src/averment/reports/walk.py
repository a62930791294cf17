"""Walking a document: every stretch of words it holds, each with its place, so that a checker can miss none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from averment.reports.document import Bullets, Cited, Code, Document, Grid, Heading, Notes, Paragraph, Picture


def words_of(document: Document) -> Iterator[tuple[str, str]]:
    """Title, headings, paragraphs, bullets, captions, descriptions of pictures and cited sentences.

    Cells of a grid and code are no words of the document's own: they are what was recorded, shown letter by letter.
    """
    yield "title", document.title
    section = "beginning"
    for block in document.blocks:
        match block:
            case Heading():
                section = block.text
                yield "heading", block.text
            case Paragraph():
                yield f"section {section}", block.text
            case Bullets():
                yield from ((f"section {section}", item) for item in block.items)
            case Grid():
                if block.caption:
                    yield f"caption in section {section}", block.caption
            case Picture():
                yield f"picture in section {section}", block.alt
            case Cited():
                yield f"section {section}", block.lead
                said = [text for sentence in block.sentences for text in (sentence.text, sentence.mark) if text]
                yield from ((f"section {section}", text) for text in said)
            case Notes():
                yield from ((f"notes in section {section}", note.text) for note in block.items)
            case Code():
                continue
            case _:
                assert_never(block)
