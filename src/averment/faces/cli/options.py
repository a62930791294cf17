"""What several commands share: the --json flag, and opening the workbench they were asked to use."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from averment.charts.kinds import said_kinds
from averment.faces.cli.output import CommandOutput

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from averment.records.analysis import PolicyFields
    from averment.settings import Settings
    from averment.workbench import Workbench

F = TypeVar("F", bound=Callable[..., Any])


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
"""One document on stdout and no progress."""
limit_option = click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="How many.")
run_argument = click.argument("run_id", metavar="RUN")
"""The id of a run, or its beginning."""
quiet_option = click.option("--quiet", is_flag=True, help="Do not print progress to stderr.")
tape_option = click.option(
    "--tape",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Answer from this file of recorded model exchanges; if it does not exist, record one.",
)
source_option = click.option(
    "--source", "sources", multiple=True, help="A file, a folder of files, or a database URL; repeatable."
)


def answers(function: Callable[..., CommandOutput]) -> Callable[..., int]:
    """Makes a command's function of one that finds an answer: with ``--json``, and given the context first."""

    @json_option
    @click.pass_context
    @wraps(function)
    def command(context: click.Context, as_json: bool, **given: Any) -> int:
        return function(context, **given).say(as_json=as_json)

    return command


def forgets(thing: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Makes a command's function of one that deletes the thing of an id, or all of them, and says how many."""

    def of(function: Callable[..., int]) -> Callable[..., int]:
        @click.argument(f"{thing}_id", metavar=f"[{thing.upper()}]", required=False)
        @click.option("--all", "everything", is_flag=True, help=f"Delete all {thing}s.")
        @answers
        @wraps(function)
        def command(context: click.Context, everything: bool, **named: str | None) -> CommandOutput:
            if everything == (named[f"{thing}_id"] is not None):
                raise click.UsageError(f"Name a {thing.upper()}, or give --all.")
            count = function(context, **named)
            return CommandOutput({"forgotten": count}, f"{count} deleted.")

        return command

    return of


def chart_option(function: F) -> F:
    """``--chart``: the kind of chart to draw."""
    said = f"{said_kinds()}."
    return click.option("--chart", cls=_Extensible, point="charts", metavar="KIND", help=said)(function)


def policy_options(function: F) -> F:
    """``--allow-column`` and ``--block-pattern``, which ``policy_of`` makes a policy of."""
    said = "Refuse values that match: email, ssn, … or a regular expression."
    blocking = click.option("--block-pattern", "blocked", multiple=True, help=said)(function)
    said = "Only these columns may be read; repeatable."
    return click.option("--allow-column", "allowed", multiple=True, help=said)(blocking)


def policy_of(allowed: tuple[str, ...], blocked: tuple[str, ...]) -> PolicyFields:
    """The policy that the options name; without a column every column may be read."""
    return {"blocked_patterns": blocked, "allowed_columns": allowed or None}


class _Extensible(click.Option):
    """An option whose help names what plugins add to its choices; they are looked for when help is asked for."""

    def __init__(self, *given: Any, point: str, **more: Any) -> None:
        super().__init__(*given, **more)
        self._point = point

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The help, with the names of what is installed beside Averment."""
        from averment import plugins
        from averment.runtime.built_in import built_in

        record = super().get_help_record(ctx)
        added = plugins.names(self._point, built_in(self._point)) if plugins.any_installed() else ()
        if record is None or not added:
            return record
        return record[0], f"{record[1]} From plugins: {', '.join(added)}."


class _OneOf(click.Choice[str]):
    """One of the names that Averment has itself, or one that a plugin adds."""

    def __init__(self, point: str, own: tuple[str, ...]) -> None:
        super().__init__(own)
        self._point, self._own = point, own

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself; plugins are looked for only where it is none of our own."""
        return str(value) if value in self._own else self._all.convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        """Every name, for the help."""
        return self._all.get_metavar(param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Every name that begins so."""
        return self._all.shell_complete(ctx, param, incomplete)

    @property
    def _all(self) -> click.Choice[str]:
        from averment import plugins

        return click.Choice((*self._own, *plugins.names(self._point, self._own)))


def one_of(point: str, own: tuple[str, ...]) -> click.Choice[str]:
    """The choice of a name at an extension point; help lists what plugins add as well."""
    return _OneOf(point, own)


def load_settings(context: click.Context, **flags: Any) -> Settings:
    """The settings of the home that was named."""
    from averment.settings import load

    home = context.obj["home"]
    return load(flags={"home": Path(home) if home else None, **flags})


def open_workbench(context: click.Context, **flags: Any) -> Workbench:
    """The workbench of the home that was named, with these settings, closed when the command ends."""
    from averment.workbench import Workbench

    workbench = Workbench(settings=load_settings(context, **flags))
    context.call_on_close(workbench.close)
    return workbench
