"""What several commands share: the --json flag, and opening the workbench they were asked to use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from averment.settings import Settings
    from averment.workbench import Workbench

F = TypeVar("F", bound=Callable[..., Any])


def json_option(function: F) -> F:
    """``--json``: one document on stdout and no progress."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def tape_option(function: F) -> F:
    """``--tape``: a file that stands in for the model, or that its exchanges are written to."""
    return click.option(
        "--tape",
        type=click.Path(dir_okay=False),
        help="Answer from this file of recorded model exchanges; if it does not exist, record one.",
    )(function)


def source_option(function: F) -> F:
    """``--source``: what a question is asked of."""
    said = "A file, a folder of Parquet files, or a database URL; repeatable."
    return click.option("--source", "sources", multiple=True, help=said)(function)


def chart_option(function: F) -> F:
    """``--chart``: the kind of chart to draw."""
    said = "bar, line, area, pie, scatter, histogram, heatmap or box."
    return click.option("--chart", metavar="KIND", help=said)(function)


def policy_options(function: F) -> F:
    """``--allow-column`` and ``--block-pattern``, which ``policy_of`` makes a policy of."""
    said = "Refuse values that match: email, ssn, … or a regular expression."
    blocking = click.option("--block-pattern", "blocked", multiple=True, help=said)(function)
    said = "Only these columns may be read; repeatable."
    return click.option("--allow-column", "allowed", multiple=True, help=said)(blocking)


def policy_of(allowed: tuple[str, ...], blocked: tuple[str, ...]) -> dict[str, object]:
    """The policy that the options name; without a column every column may be read."""
    named: dict[str, object] = {"blocked_patterns": blocked}
    return {**named, "allowed_columns": allowed} if allowed else named


class _OneOf(click.Choice[str]):
    """One of the names that Averment has itself, or one that a plugin adds."""

    def __init__(self, point: str, own: tuple[str, ...]) -> None:
        super().__init__(own)
        self._point, self._own = point, own

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself; plugins are looked for only where it is none of our own."""
        from averment import plugins

        if value not in self._own and value in plugins.names(self._point, self._own):
            return str(value)
        return super().convert(value, param, ctx)


def one_of(point: str, own: tuple[str, ...]) -> click.Choice[str]:
    """The choice of a name at an extension point; help lists those that are always there."""
    return _OneOf(point, own)


def load_settings(context: click.Context, **flags: Any) -> Settings:
    """The settings of the home that was named."""
    from averment.settings import load

    home = context.obj["home"]
    return load(flags={"home": None if home is None else Path(home), **flags})


def open_workbench(context: click.Context, *, tape: str | None = None) -> Workbench:
    """The workbench of the home that was named, closed when the command ends."""
    from averment.workbench import Workbench

    if tape is None:
        workbench = Workbench(home=context.obj["home"])
    else:
        workbench = Workbench(settings=load_settings(context, model_tape=Path(tape)))
    context.call_on_close(workbench.close)
    return workbench
