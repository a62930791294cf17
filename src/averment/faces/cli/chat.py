"""``averment chat``: the assistant in the terminal, with the same cards as everywhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import json_option, open_workbench
from averment.faces.cli.output import echo, emit_json, safe

if TYPE_CHECKING:
    from averment.records.chat import AgentResponse
    from averment.workbench import Workbench

ENDS = frozenset({"exit", "quit", ":q"})
EXIT_CODES = {"success": 0, "error": 1, "clarification_needed": 3, "confirmation_required": 3}


@click.command()
@click.argument("message", required=False)
@click.option("--conversation", "conversation_id", metavar="ID", help="Continue an earlier conversation.")
@click.option("--message-id", metavar="ID", help="Your own id for the message; sending it again has no further effect.")
@click.option("--file", "files", multiple=True, metavar="FILE", help="A table to ask about; repeatable.")
@json_option
@click.pass_context
def chat(
    context: click.Context,
    message: str | None,
    conversation_id: str | None,
    message_id: str | None,
    files: tuple[str, ...],
    as_json: bool,
) -> int:
    """Talk to the assistant; with a MESSAGE, send it and print the answer.

    Without one, start a conversation that lasts until `exit` or the end of input. The assistant asks before it deletes
    anything or changes several tasks.
    """
    workbench = open_workbench(context)
    if message is not None:
        reply = workbench.chat(message, conversation_id=conversation_id, message_id=message_id, files=files)
        return _print(workbench, reply, as_json=as_json, alone=True)
    if as_json:
        raise click.UsageError("--json needs a MESSAGE.")
    return _converse(workbench, conversation_id, files)


def _converse(workbench: Workbench, conversation_id: str | None, files: tuple[str, ...]) -> int:
    """Messages from stdin, one a line, until there are no more."""
    while True:
        line = _read()
        if line is None or line.strip().lower() in ENDS:
            return 0
        if not line.strip():
            continue
        reply = workbench.chat(line, conversation_id=conversation_id, files=files)
        conversation_id, files = reply.conversation_id, ()
        _print(workbench, reply, as_json=False, alone=False)


def _read() -> str | None:
    if sys.stdin.isatty():
        try:
            return click.prompt("you", prompt_suffix=" > ", default="", show_default=False)
        except click.exceptions.Abort:
            click.echo()
            return None
    return sys.stdin.readline() or None


def _print(workbench: Workbench, reply: AgentResponse, *, as_json: bool, alone: bool) -> int:
    card = _card(workbench, reply)
    if as_json:
        emit_json({**reply.model_dump(mode="json"), "question": card})
        return EXIT_CODES[reply.status]
    echo(reply.response)
    if card is not None:
        choices = "yes / no" if card["kind"] == "confirm" else f"1 to {len(card['options'])}, or no"
        click.echo(f"[{choices}]")
    if alone:
        click.echo(f"conversation {safe(reply.conversation_id)}", err=True)
    return EXIT_CODES[reply.status]


def _card(workbench: Workbench, reply: AgentResponse) -> dict[str, Any] | None:
    """The question that now waits, as its card."""
    from averment.agents.assistant.agui_events import question_card

    waiting = workbench.assistant.question(reply.conversation_id)
    return None if waiting is None else question_card(waiting)
