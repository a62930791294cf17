"""Tools that are offered to people's programs and to the assistant, over MCP and nothing else.

A run's own tools (``averment.tools.tool``) compute inside a run. These act on the home: tasks, runs, reports. Each call
has a caller with a key that names the act, so that the same call twice acts once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

from averment.tools.stop import Stop
from averment.tools.tool import Annotations, Args, Output

A = TypeVar("A", bound=Args)
R = TypeVar("R", bound=Output)

KEY_META = "averment/key"
USER_META = "averment/user"
QUESTION_META = "averment/question"
"""Where a call's metadata carry the key of its act, the user, and the question whose answer allows it."""

Progress = Callable[[float, float | None, str], None]
"""Tells how far a call is: done, of how much, and in words."""


def _silent(done: float, total: float | None, words: str) -> None:
    _ = (done, total, words)


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who calls, under which key, where progress is told, and what says that the caller has given up."""

    key: str
    user_id: str
    progress: Progress = field(default=_silent)
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

    def call(self, arguments: dict[str, Any], caller: Caller) -> R:
        """Run it on raw arguments."""
        return self.run(self.args.model_validate(arguments), caller)


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


class Library(Protocol):
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
