"""Exporting: a report and its proof as one file that can be sent to someone who has neither the home nor Averment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from averment import plugins
from averment.errors import StorageError
from averment.plugins import OneOf, Plugin
from averment.records.export_formats import MEDIA_TYPES
from averment.reports.document import Block, Code, Document, Paragraph
from averment.reports.gate import check_proof
from averment.reports.html import to_html
from averment.reports.markdown import to_markdown
from averment.reports.seal import Seal

ExportName = Annotated[str, OneOf("exports", tuple(MEDIA_TYPES))]
"""The name of a format, which is also how the file's name ends."""


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """A format that a plugin adds: its name, how it is served, and what writes it.

    ``write`` gets the report, its proof, and the run's pictures by name. The proof names the plugin that writes it.
    """

    name: str
    media_type: str
    write: Callable[[Document, Document, Mapping[str, bytes]], bytes]


def export_formats() -> tuple[str, ...]:
    """Every format that a report can be exported to: our own, then those that plugins add."""
    return (*MEDIA_TYPES, *plugins.names("exports", MEDIA_TYPES))


def media_type(form: str) -> str:
    """How a file of that format is served."""
    return MEDIA_TYPES.get(form) or plugins.load("exports", form, ExportFormat, MEDIA_TYPES).media_type


def proof_document(seal: Seal, *, written_by: Plugin | None = None) -> Document:
    """How to check the report, with the run's root and the signed checkpoint, and the plugin that writes it, if any."""
    blocks: list[Block] = [
        Paragraph(text=f"Run {seal.run_id}. Re-check every number on the machine that holds it:"),
        Code(text=f"averment verify {seal.run_id}", language="sh"),
    ]
    blocks = [*(Paragraph(text=f"{line}.") for line in (seal.marks.lines if seal.marks else ())), *blocks]
    if seal.run_root is not None:
        blocks.append(Paragraph(text=f"Root over the run's ledger entries: {seal.run_root}."))
    if seal.checkpoint is not None:
        blocks += [Paragraph(text="Signed checkpoint of the ledger:"), Code(text=seal.checkpoint.strip())]
    if seal.key is not None:
        blocks += [Paragraph(text="Public key of that ledger, for --key:"), Code(text=seal.key)]
    document = Document(title="Proof", blocks=tuple(blocks))
    check_proof(document, seal)
    if written_by is not None:
        said = (
            f"Written by the plugin {written_by.name} {written_by.version}, SHA-256 of its files {written_by.sha256}."
        )
        document = Document(title=document.title, blocks=(*document.blocks, Paragraph(text=said)))
    return document


def exported(seal: Seal, document: Document, *, to: str) -> bytes:
    """The report with its proof as the bytes of one file.

    Raises:
        MissingExtra: a PDF is asked for and its typesetter is not installed.
        PluginFailed: no plugin adds that format, or it cannot be loaded.
    """
    proof = proof_document(seal)
    match to:
        case "html":
            return to_html(document, pictures=seal.pictures, proof=proof).encode()
        case "md":
            below = to_markdown(proof).replace("# Proof", "## Proof", 1)
            return f"{to_markdown(document)}\n---\n\n{below}".encode()
        case "pdf":
            from averment.reports.pdf import to_pdf

            return to_pdf(document, pictures=seal.pictures, proof=proof)
        case _:
            added = plugins.load("exports", to, ExportFormat, MEDIA_TYPES)
            proof = proof_document(seal, written_by=plugins.owner("exports", to))
            return added.write(document, proof, seal.pictures)


def write_export(content: bytes, target: Path) -> Path:
    """Write an exported report to the target and return it.

    Raises:
        StorageError: the file cannot be written.
    """
    try:
        target.write_bytes(content)
    except OSError as error:
        raise StorageError(f"The export cannot be written to {target}: {error.strerror}.") from error
    return target
