"""``averment ledger export|prove|key|writers|verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from averment.faces.cli.options import answers, open_workbench
from averment.faces.cli.output import CommandOutput, table_or
from averment.records.base import picked

if TYPE_CHECKING:
    from averment.runtime.verification.ledger_checks import WriterReport


@click.group()
def ledger() -> None:
    """Export, prove and verify the ledger; show its key, and the writers of a shared database."""


@ledger.command()
@click.option(
    "--profile", type=click.Choice(["000", "004"]), default="000", show_default=True, help="Which chain to export."
)
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="Where to write it.")
@click.option("--writer", help="Export the ledger of another writer of the shared database.")
@answers
def export(context: click.Context, profile: str, out: str, writer: str | None) -> CommandOutput:
    """Write the ledger as a file that the profile's verifier accepts."""
    done = open_workbench(context).ledger.export(out, profile="004" if profile == "004" else "000", writer=writer)
    document = {"path": out, "profile": profile, "entries": done.entries}
    return CommandOutput(document, f"{done.entries} entries written to {out}.")


@ledger.command()
@click.argument("sequence", type=click.IntRange(1))
@answers
def prove(context: click.Context, sequence: int) -> CommandOutput:
    """Print the proof that the newest checkpoint covers entry SEQUENCE."""
    proof = open_workbench(context).ledger.inclusion_proof(sequence)
    return CommandOutput(proof, "\n".join(f"{name}: {value}" for name, value in proof.items()))


@ledger.command()
@answers
def key(context: click.Context) -> CommandOutput:
    """Print the public key that signs this home's checkpoints."""
    text = open_workbench(context).ledger.public_key()
    return CommandOutput({"key": text}, text)


@ledger.command()
@answers
def writers(context: click.Context) -> CommandOutput:
    """List the writers of a shared database: each host that executes runs has one ledger and one key."""
    workbench = open_workbench(context)
    found, own = workbench.ledger.writers(), workbench.ledger.writer
    fields = ("writer_id", "host", "key", "joined_at", "entries", "checkpoints")
    document = [{**picked(row, *fields), "here": row.writer_id == own} for row in found]
    rows = [
        (
            row.writer_id + (" (here)" if row.writer_id == own else ""),
            row.host,
            f"{row.entries:,}",
            f"{row.checkpoints:,}",
            row.joined_at[:19],
            "+".join(row.key.split("+")[:2]),
        )
        for row in found
    ]
    header = ("WRITER", "HOST", "ENTRIES", "CHECKPOINTS", "SINCE", "KEY")
    alone = "No other ledger is in the database; this home has the only one."
    return CommandOutput({"writers": document}, table_or(alone, header, rows, numeric=(False, False, True, True)))


@ledger.command()
@click.option("--key", "keys", multiple=True, help="A public key you trust, instead of the pinned ones; repeatable.")
@answers
def verify(context: click.Context, keys: tuple[str, ...]) -> CommandOutput:
    """Verify the ledgers of this home and of all writers of its database. Exit code 5 if one is broken."""
    found = open_workbench(context).ledger.verify(keys=keys)
    sound = all(one.report.ok for one in found)
    ledgers = [{"writer": one.writer, "here": one.here, **one.report.as_dict()} for one in found]
    return CommandOutput({"ok": sound, "ledgers": ledgers}, "\n".join(map(_line, found)), 0 if sound else 5)


def _line(one: WriterReport) -> str:
    report, fault = one.report, one.report.first_fault
    counts = f"{report.verified_to:,} entries, {report.sealed_to:,} signed, key {report.key or 'none'}"
    told = counts if fault is None else f"line {fault.line}: {fault.reason}: {fault.detail}"
    return f"{'ok  ' if report.ok else 'FAIL'}  {one.writer or 'this home'}: {told}"
