"""``averment ledger export|prove|key|writers|verify``."""

from __future__ import annotations

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import answer, echo, emit_json, say_table


@click.group()
def ledger() -> None:
    """Export, prove and verify the ledger; show its key, and the writers of a shared database."""


@ledger.command()
@click.option(
    "--profile", type=click.Choice(["000", "004"]), default="000", show_default=True, help="Which chain to export."
)
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="Where to write it.")
@click.option("--writer", help="Export the ledger of another writer of the shared database.")
@json_option
@click.pass_context
def export(context: click.Context, profile: str, out: str, writer: str | None, as_json: bool) -> int:
    """Write the ledger as a file that the profile's verifier accepts."""
    done = open_workbench(context).ledger.export(out, profile="004" if profile == "004" else "000", writer=writer)
    return answer(
        {"path": out, "profile": profile, "entries": done.entries},
        f"{done.entries} entries written to {out}.",
        as_json=as_json,
    )


@ledger.command()
@click.argument("sequence", type=click.IntRange(1))
@json_option
@click.pass_context
def prove(context: click.Context, sequence: int, as_json: bool) -> int:
    """Print the proof that the newest checkpoint covers entry SEQUENCE."""
    proof = open_workbench(context).ledger.inclusion_proof(sequence)
    if as_json:
        emit_json(proof)
    else:
        for name, value in proof.items():
            echo(f"{name}: {value}")
    return 0


@ledger.command()
@json_option
@click.pass_context
def key(context: click.Context, as_json: bool) -> int:
    """Print the public key that signs this home's checkpoints."""
    text = open_workbench(context).ledger.public_key()
    return answer({"key": text}, text, as_json=as_json)


@ledger.command()
@json_option
@click.pass_context
def writers(context: click.Context, as_json: bool) -> int:
    """List the writers of a shared database: each host that executes runs has one ledger and one key."""
    workbench = open_workbench(context)
    found, own = workbench.ledger.writers(), workbench.ledger.writer
    if as_json:
        fields = ("writer_id", "host", "key", "joined_at", "entries", "checkpoints")
        rows = [{**{name: getattr(row, name) for name in fields}, "here": row.writer_id == own} for row in found]
        emit_json({"writers": rows})
    elif not found:
        echo("No other ledger is in the database; this home has the only one.")
    else:
        say_table(
            ("WRITER", "HOST", "ENTRIES", "CHECKPOINTS", "SINCE", "KEY"),
            (
                (
                    row.writer_id + (" (here)" if row.writer_id == own else ""),
                    row.host,
                    f"{row.entries:,}",
                    f"{row.checkpoints:,}",
                    row.joined_at[:19],
                    "+".join(row.key.split("+")[:2]),
                )
                for row in found
            ),
            numeric=(False, False, True, True),
        )
    return 0


@ledger.command()
@click.option("--key", "keys", multiple=True, help="A public key you trust, instead of the pinned ones; repeatable.")
@json_option
@click.pass_context
def verify(context: click.Context, keys: tuple[str, ...], as_json: bool) -> int:
    """Verify the ledgers of this home and of all writers of its database. Exit code 5 if one is broken."""
    found = open_workbench(context).ledger.verify(keys=keys)
    sound = all(one.report.ok for one in found)
    if as_json:
        emit_json({"ok": sound, "ledgers": [{"writer": o.writer, "here": o.here, **o.report.as_dict()} for o in found]})
        return 0 if sound else 5
    for one in found:
        name, report = one.writer or "this home", one.report
        counts = f"{report.verified_to:,} entries, {report.sealed_to:,} signed, key {report.key or 'none'}"
        fault = report.first_fault
        told = counts if fault is None else f"line {fault.line}: {fault.reason}: {fault.detail}"
        echo(f"{'ok  ' if report.ok else 'FAIL'}  {name}: {told}")
    return 0 if sound else 5
