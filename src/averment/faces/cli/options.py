"""What several commands share: the --json flag, and opening the workbench they were asked to use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from averment.workbench import Workbench

F = TypeVar("F", bound=Callable[..., Any])


def json_option(function: F) -> F:
    """``--json``: one document on stdout and no progress."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(function)


def open_workbench(context: click.Context) -> Workbench:
    """The workbench of the home that was named, closed when the command ends."""
    from averment.workbench import Workbench

    workbench = Workbench(home=context.obj["home"])
    context.call_on_close(workbench.close)
    return workbench
