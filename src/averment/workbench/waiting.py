"""Verbs that begin a run and wait for it: each is one of those that only begin it, and has its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from averment.runtime.outcome import Run

P = ParamSpec("P")
S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class _Runs(Protocol[S_co]):
    """Runs that can be begun and waited for."""

    @property
    def start(self) -> S_co: ...

    def wait(self, run_id: str, /) -> Run: ...


class _Bench(Protocol[S_co]):
    """What has runs."""

    @property
    def runs(self) -> _Runs[S_co]: ...


def waited(begin: Callable[Concatenate[S, P], str], does: str) -> Callable[Concatenate[_Bench[S], P], Run]:
    """The verb that ``does`` what ``begin`` begins, and waits for it; its parameters are explained there.

    Raises:
        AvermentError: the run itself failed; it is kept, with its error.
    """

    @wraps(begin)
    def verb(bench: _Bench[S], *asked: P.args, **more: P.kwargs) -> Run:
        return bench.runs.wait(begin(bench.runs.start, *asked, **more))

    shape: Any = verb
    shape.__signature__ = inspect.signature(begin).replace(return_annotation="Run")
    shape.__annotations__ = {**begin.__annotations__, "return": "Run"}
    shape.__doc__ = f"{does}, and wait for it.\n\nAs ``runs.start.{begin.__name__}``: {begin.__doc__}"
    return verb
