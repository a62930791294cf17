"""``averment remind``: ring what is due, once or for as long as it runs."""

from __future__ import annotations

import time

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import echo, emit_json


@click.command()
@click.option("--watch", "watching", is_flag=True, help="Keep running until interrupted, as `averment serve` does.")
@json_option
@click.pass_context
def remind(context: click.Context, watching: bool, as_json: bool) -> int:
    """Print reminders for due tasks, and send them to the configured webhook.

    Each reminder is sent once, even if this command and several servers run at the same time.
    """
    from averment.workbench.reminding import LOOK_SECONDS

    reminders = open_workbench(context).home.reminders
    while True:
        rung = reminders.ring()
        if as_json and (rung or not watching):
            emit_json({"reminders": [one.model_dump(mode="json") for one in rung]})
        elif not as_json:
            for one in rung:
                echo(one.as_line())
        if not watching:
            return 0
        time.sleep(LOOK_SECONDS)
