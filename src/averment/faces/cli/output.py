"""What goes to the terminal: results to stdout, progress and errors to stderr, and nothing a cell says can steer it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import orjson

if TYPE_CHECKING:
    from averment.runtime.events import Event, Listener


def emit_json(document: object) -> None:
    """Print exactly one JSON document."""
    body = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS, default=str)
    sys.stdout.write(body.decode() + "\n")


def echo(text: str) -> None:
    """Print a line of the result, with control characters shown instead of obeyed."""
    click.echo(safe(text))


@dataclass(frozen=True)
class CommandOutput:
    """What a command found: one JSON document, the same in words, or how to make either; and the exit code."""

    document: object
    words: str | Callable[[], object]
    code: int = 0

    def say(self, *, as_json: bool) -> int:
        """Print it, and return the exit code."""
        if as_json:
            emit_json(self.document() if callable(self.document) else self.document)
        elif isinstance(self.words, str):
            echo(self.words)
        else:
            self.words()
        return self.code


def safe(text: str) -> str:
    """The text with control and direction characters made visible; line breaks stay."""
    from averment.reports.markdown import plain

    return "\n".join(plain(line) for line in text.split("\n"))


def fail(error: Exception, *, as_json: bool) -> int:
    """Tell an error and return its exit code."""
    from averment.errors import AvermentError

    if not isinstance(error, AvermentError):
        raise error
    if as_json:
        emit_json({"error": error.as_dict()})
    else:
        click.echo(f"{error.code}: {safe(error.message)}", err=True)
        click.echo(f"  {safe(error.hint)}", err=True)
    return error.exit_code


def say_table(header: Iterable[str], rows: Iterable[Iterable[str]], *, numeric: Iterable[bool] = ()) -> None:
    """Print rows under a header, numbers to the right."""
    from averment.faces.cli.grid import grid_lines

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    named = [[safe(name) for name in header], *([safe(cell) for cell in row] for row in rows)]
    first, *others = grid_lines(named, list(numeric), width)
    click.echo(click.style(first, bold=True))
    for line in others:
        click.echo(line)


def table_or(
    nothing: str, header: Iterable[str], rows: Sequence[Iterable[str]], *, numeric: Iterable[bool] = ()
) -> str | Callable[[], object]:
    """The words of an answer that lists something: a table, or where there is no row, that there is nothing."""
    return (lambda: say_table(header, rows, numeric=numeric)) if rows else nothing


DETAILS = frozenset({"artifact_written", "run_sealed", "call_started"})
"""Events that only those who want every step are told."""


def is_verbose() -> bool:
    """Whether every step and file is to be told."""
    context = click.get_current_context(silent=True)
    return bool(context and (context.find_root().obj or {}).get("verbose"))


def progress(*, quiet: bool) -> Listener | None:
    """A listener that tells a run on stderr as it happens: a bar on a terminal, a line an event elsewhere."""
    if quiet:
        return None
    loud = is_verbose()
    if sys.stderr.isatty():
        from averment.faces.cli.progress_bar import RunProgressBar

        bar = RunProgressBar(_line)
        click.get_current_context().call_on_close(bar.close)
        return bar

    def tell(event: Event) -> None:
        line = _line(event.type, event.data)
        if line and (loud or event.type not in DETAILS):
            click.echo(f"· {safe(line)}", err=True)

    return tell


def stop_progress(listener: Listener | None) -> None:
    """Take the bar away before the result is printed."""
    close = getattr(listener, "close", None)
    if close is not None:
        close()


def _line(kind: str, data: dict[str, Any]) -> str | None:
    match kind:
        case "plan_made":
            return f"interpreted as: {data['reading'].get('in_words', '')}"
        case "call_started":
            return f"{data['task_id']}: {data['tool_name']}" + (
                f", attempt {data['attempt']}" if data["attempt"] > 1 else ""
            )
        case "call_observed":
            rows = "" if data["row_count"] is None else f", {data['row_count']} rows"
            outcome = data["status"] if data["status"] == "success" else f"{data['status']}: {data['error']}"
            return f"{data['task_id']}: {outcome}{rows}, {data['seconds']} s"
        case "model_announced":
            return (
                f"a model is used from now on: {data['model']} at {data['address']}; it may see {data['privacy']} "
                "at most (AVERMENT_MODEL_PROVIDER=none switches it off)"
            )
        case "model_stepped":
            return f"model, step {data['step']}: {data['tool']}" + ("" if data["status"] == "success" else ", refused")
        case "model_fell_back":
            return f"what the model gave is not used: {data['reason']}"
        case "model_progressed":
            return f"model, step {data['step']}: {data['state']}, {data['characters']} characters, {data['seconds']} s"
        case "round_begun":
            return f"{data['number']}. {data['decision']}: {data['reason']}"
        case "round_taken":
            return (data.get("finding") or {}).get("summary")
        case "call_repaired" | "policy_decided":
            return f"{data['decision']}: {data.get('reason', '')}"
        case "artifact_written":
            return f"wrote {data['content_ref']}"
        case "run_sealed":
            return f"sealed under {data['run_root'][:16]}…"
        case _:
            return None


def exit_code_of(status: str) -> int:
    """What a command that began a run ends with, as the help of ``averment`` lists it."""
    if status in {"abstained", "clarification_needed"}:
        return 3
    return 1 if status in {"failed", "cancelled"} else 4 if status == "planning" else 0
