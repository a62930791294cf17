"""``averment remind``: ring what is due, once or for as long as it runs."""

from __future__ import annotations

import time

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import emit_json, say


@click.command()
@click.option("--watch", "watching", is_flag=True, help="Go on until interrupted, as `averment serve` does by itself.")
@json_option
@click.pass_context
def remind(context: click.Context, watching: bool, as_json: bool) -> int:
    """Ring the tasks that are due, print them, and send them where reminders go.

    Each time of a task rings once, whoever looks: this command, a server, or several of them.
    """
    from averment.workbench.reminding import LOOK_SECONDS

    reminders = open_workbench(context).reminders
    while True:
        rung = reminders.ring()
        if as_json and (rung or not watching):
            emit_json({"reminders": [one.model_dump(mode="json") for one in rung]})
        elif not as_json:
            for one in rung:
                say(one.as_line())
        if not watching:
            return 0
        time.sleep(LOOK_SECONDS)
