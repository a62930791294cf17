"""``averment plugins``: what installed packages add, and what of it cannot be used."""

from __future__ import annotations

from dataclasses import asdict

import click

from averment.faces.cli.options import answers
from averment.faces.cli.output import CommandOutput, echo, say_table


@click.command()
@answers
def plugins(_: click.Context) -> CommandOutput:
    """List what plugins add; exit 1 when something cannot be used. See docs/guides/plugins.md."""
    from averment.workbench.extensions import extensions

    found = extensions()
    broken = [each for each in found if each.problem is not None]

    def tell() -> None:
        rows = [(e.point, e.name, f"{e.plugin} {e.version}", "" if e.problem is None else "not used") for e in found]
        say_table(("point", "name", "plugin", ""), rows)
        for each in broken:
            echo(f"{each.point} {each.name}: {each.problem}")

    return CommandOutput(
        [asdict(each) for each in found], tell if found else "No plugin is installed.", 1 if broken else 0
    )
