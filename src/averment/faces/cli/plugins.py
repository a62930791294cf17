"""``averment plugins``: what installed packages add, and what of it cannot be used."""

from __future__ import annotations

from dataclasses import asdict

import click

from averment.faces.cli.options import json_option
from averment.faces.cli.output import echo, emit_json, say_table


@click.command()
@json_option
def plugins(as_json: bool) -> int:
    """List what plugins add; exit 1 when something cannot be used. See docs/guides/plugins.md."""
    from averment.workbench.extensions import extensions

    found = extensions()
    broken = [each for each in found if each.problem is not None]
    if as_json:
        emit_json([asdict(each) for each in found])
    elif not found:
        echo("No plugin is installed.")
    else:
        rows = [(e.point, e.name, f"{e.plugin} {e.version}", "" if e.problem is None else "not used") for e in found]
        say_table(("point", "name", "plugin", ""), rows)
        for each in broken:
            echo(f"{each.point} {each.name}: {each.problem}")
    return 1 if broken else 0
