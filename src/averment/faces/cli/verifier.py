"""``averment verifier``: the page that checks exported reports in any browser, as one file."""

from __future__ import annotations

from pathlib import Path

import click

from averment.faces.cli.options import json_option
from averment.faces.cli.output import echo, emit_json


@click.command()
@click.argument("path", type=click.Path(dir_okay=False), default="verifier.html")
@json_option
def verifier(path: str, as_json: bool) -> int:
    """Write the verifier page to PATH: whoever opens it can check reports without installing anything."""
    from averment.reports.export import write_export
    from averment.reports.html import verifier_html

    target = write_export(verifier_html().encode(), Path(path))
    if as_json:
        emit_json({"path": str(target)})
    else:
        echo(f"Written to {target}.")
    return 0
