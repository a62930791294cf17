"""Exporting: a report and its proof as one file that can be sent to someone who has neither the home nor Averment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol

from averment.errors import StorageError
from averment.reports.document import Block, Code, Document, Paragraph
from averment.reports.gate import check_proof
from averment.reports.html import to_html
from averment.reports.markdown import to_markdown

ExportForm = Literal["html", "md", "pdf"]


class Seal(Protocol):
    """What an export says of the run it comes from."""

    @property
    def run_id(self) -> str:
        """The run's id."""
        ...

    @property
    def run_root(self) -> str | None:
        """The Merkle root over the run's ledger entries."""
        ...

    @property
    def checkpoint(self) -> str | None:
        """The signed checkpoint that covers them."""
        ...

    @property
    def key(self) -> str | None:
        """The public key of the ledger that signed it."""
        ...

    @property
    def pictures(self) -> Mapping[str, bytes]:
        """The run's images by name."""
        ...


def proof_document(seal: Seal) -> Document:
    """How to check the report, with the run's root and the signed checkpoint."""
    blocks: list[Block] = [
        Paragraph(text=f"Run {seal.run_id}. Re-check every number on the machine that holds it:"),
        Code(text=f"averment verify {seal.run_id}", language="sh"),
    ]
    if seal.run_root is not None:
        blocks.append(Paragraph(text=f"Root over the run's ledger entries: {seal.run_root}."))
    if seal.checkpoint is not None:
        blocks += [Paragraph(text="Signed checkpoint of the ledger:"), Code(text=seal.checkpoint.strip())]
    if seal.key is not None:
        blocks += [Paragraph(text="Public key of that ledger, for --key:"), Code(text=seal.key)]
    document = Document(title="Proof", blocks=tuple(blocks))
    check_proof(document, seal)
    return document


def exported(seal: Seal, document: Document, *, to: ExportForm) -> bytes:
    """The report with its proof as the bytes of one file.

    Raises:
        MissingExtra: a PDF is asked for and its typesetter is not installed.
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
