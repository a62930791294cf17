"""``averment verifier``: the page that checks exported reports in any browser, as one file."""

from __future__ import annotations

from pathlib import Path

import click

from averment.faces.cli.options import answers
from averment.faces.cli.output import CommandOutput


@click.command()
@click.argument("path", type=click.Path(dir_okay=False), default="verifier.html")
@answers
def verifier(_: click.Context, path: str) -> CommandOutput:
    """Write the verifier page to PATH: whoever opens it can check reports without installing anything."""
    from averment.reports.export import write_export
    from averment.reports.html import verifier_html

    target = write_export(verifier_html().encode(), Path(path))
    return CommandOutput({"path": str(target)}, f"Written to {target}.")
