"""Tools that are offered to people's programs over MCP, and that the assistant calls in this process.

A run's own tools (``averment.tools.tool``) compute inside a run. These act on the home: tasks, runs, reports. Each call
has a caller with a key that names the act, so that the same call twice acts once. Whoever calls, ``PublicTool.call`` is
the one way in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

from averment.errors import AvermentError, ConfirmationRequired, InvalidArguments
from averment.tools.stop import Stop
from averment.tools.tool import Annotations, Args, Output, validated

A = TypeVar("A", bound=Args)
R = TypeVar("R", bound=Output)

OnProgress = Callable[[float, float | None, str], None]
"""Told how far a call is: done, of how much, and in words."""


def silent(done: float, total: float | None, words: str) -> None:
    """Nobody is told how far a call is."""
    _ = (done, total, words)


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who calls, under which key, where progress is told, and what says that the caller has given up."""

    key: str
    user_id: str
    progress: OnProgress = field(default=silent)
    stop: Stop = field(default_factory=Stop)


@dataclass(frozen=True, kw_only=True)
class PublicTool(Generic[A, R]):
    """One act with its arguments, its structured result and its annotations.

    ``confirm`` says what would be lost, naming it, or None when nothing would: such a call waits for a yes.
    """

    name: str
    title: str
    description: str
    args: type[A]
    output: type[R]
    run: Callable[[A, Caller], R]
    annotations: Annotations = field(default_factory=Annotations)
    confirm: Callable[[A, Caller], str | None] | None = None

    def checked(self, arguments: dict[str, Any]) -> A:
        """The arguments as the tool's own record.

        Raises:
            InvalidArguments: it does not take them.
        """
        refuse_unknown(self.name, arguments, self.args.model_fields)
        return validated(self.name, self.args, arguments)

    def call(self, arguments: dict[str, Any], caller: Caller, *, agreed: Callable[[A], bool]) -> R:
        """Check the arguments and run it; what may destroy something runs only when ``agreed`` says so.

        Raises:
            InvalidArguments: it does not take the arguments.
            ConfirmationRequired: nobody agreed.
        """
        args = self.checked(arguments)
        if self.confirm is not None and not agreed(args):
            raise ConfirmationRequired("Nothing was changed: it was not confirmed.", hint="Confirm it to go ahead.")
        return self.run(args, caller)


def refuse_unknown(name: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse arguments that the tool of that name does not have: none is dropped in silence.

    Raises:
        InvalidArguments: there are such.
    """
    known = list(known)
    unknown = sorted(set(given) - set(known))
    if unknown:
        takes = f"It takes: {', '.join(known) or 'nothing'}."
        raise InvalidArguments(f"{name} does not take {', '.join(unknown)}.", hint=takes)


def error_text(error: AvermentError) -> str:
    """A failure as whoever called the tool reads it: code, sentence and hint."""
    return f"{error.code}: {error.message} {error.hint}".strip()


class ToolGroup:
    """Tools that are declared where their functions are written, in that order.

    A function of arguments and a caller is a tool: it is called as the function is, described by its docstring, and
    takes and gives the types of its signature.
    """

    def __init__(self) -> None:
        self._tools: list[PublicTool[Any, Any]] = []

    @property
    def tools(self) -> tuple[PublicTool[Any, Any], ...]:
        """The tools so far."""
        return tuple(self._tools)

    def offer(
        self,
        title: str,
        annotations: Annotations | None = None,
        *,
        description: str | None = None,
        confirm: Callable[[A, Caller], str | None] | None = None,
    ) -> Callable[[Callable[[A, Caller], R]], Callable[[A, Caller], R]]:
        """Declare the function below as a tool; without annotations it only looks."""

        def declare(run: Callable[[A, Caller], R]) -> Callable[[A, Caller], R]:
            types = get_type_hints(run)
            self._tools.append(
                PublicTool(
                    name=run.__name__,
                    title=title,
                    description=description or " ".join((run.__doc__ or "").split()),
                    args=types["args"],
                    output=types["return"],
                    run=run,
                    annotations=annotations or Annotations(),
                    confirm=confirm,
                )
            )
            return run

        return declare


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run whose report is offered."""

    run_id: str
    question: str


class ReportLibrary(Protocol):
    """Where the reports and files of runs are read."""

    def newest(self) -> Sequence[ListedRun]:
        """The newest runs that have a report."""
        ...

    def report(self, run_id: str) -> str:
        """A run's report as Markdown."""
        ...

    def artifact(self, run_id: str, name: str) -> bytes:
        """A file of a run."""
        ...
