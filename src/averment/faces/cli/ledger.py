"""``averment ledger export|prove|key``."""

from __future__ import annotations

from pathlib import Path

import click

from averment.faces.cli.options import json_option
from averment.faces.cli.output import emit_json, say


@click.group()
def ledger() -> None:
    """Export the ledger, prove an entry, show the public key."""


@ledger.command()
@click.option("--profile", type=click.Choice(["000", "004"]), default="000", show_default=True, help="Which chain.")
@click.option("--out", type=click.Path(dir_okay=False), required=True, help="Where to write it.")
@json_option
@click.pass_context
def export(context: click.Context, profile: str, out: str, as_json: bool) -> int:
    """Write the ledger as a file that the profile's verifier accepts."""
    from averment.ledger.export import export_ledger

    count = export_ledger(_path(context), Path(out), profile="004" if profile == "004" else "000").entries
    if as_json:
        emit_json({"path": out, "profile": profile, "entries": count})
    else:
        say(f"{count} entries written to {out}.")
    return 0


@ledger.command()
@click.argument("sequence", type=click.IntRange(1))
@json_option
@click.pass_context
def prove(context: click.Context, sequence: int, as_json: bool) -> int:
    """Print the proof that entry SEQUENCE is under the newest checkpoint."""
    from averment.faces.cli.options import open_workbench

    proof = open_workbench(context).inclusion_proof(sequence)
    if as_json:
        emit_json(proof)
    else:
        for name, value in proof.items():
            say(f"{name}: {value}")
    return 0


@ledger.command()
@json_option
@click.pass_context
def key(context: click.Context, as_json: bool) -> int:
    """Print the public key that signs this home's checkpoints."""
    from averment.faces.cli.options import open_workbench

    text = open_workbench(context).public_key()
    if as_json:
        emit_json({"key": text})
    else:
        say(text)
    return 0


def _path(context: click.Context) -> Path:
    from averment.faces.cli.options import open_workbench

    return open_workbench(context).settings.ledger_path
