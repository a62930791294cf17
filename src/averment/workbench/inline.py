"""Asking from a notebook or a script: one call, one home, kept open.

    import averment as av

    run = av.ask(df, "average tip by day")
    run.df, run.chart, run.sql
    av.ask(run, "only for dinner")

``%load_ext averment`` adds the cell magic ``%%averment df``.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from pathlib import Path
from typing import Any

from averment.errors import UsageError
from averment.runtime.outcome import Run
from averment.runtime.verification.verdict import Verification
from averment.settings import load
from averment.workbench import Workbench

_OPEN: dict[Path, Workbench] = {}
_LOCK = threading.Lock()


def ask(data: Any, question: str, *, home: str | Path | None = None, **more: Any) -> Run:
    """Answer a question about ``data``, with proof, and wait for it.

    ``data`` is a path or URL, a pandas or Polars frame, an Arrow table, a DuckDB relation, a list or a dict by name of
    these, or an earlier run: then the question changes what that run asked. The home is ``.averment`` in the folder of
    work unless one is named; ``more`` are the keywords of ``Workbench.analyze``.

    Raises:
        UsageError, SourceError: the question or a source cannot be used.
        AvermentError: the run itself failed; it is kept, with its error.
    """
    workbench = workbench_of(home)
    if isinstance(data, Run):
        return workbench.analyze(question, workbench.runs.start.sources_of(data.id), after=data, **more)
    return workbench.analyze(question, data, **more)


async def ask_async(data: Any, question: str, *, home: str | Path | None = None, **more: Any) -> Run:
    """The same as ``ask``, for code that must not wait: the work is done in a thread of its own."""
    return await asyncio.to_thread(ask, data, question, home=home, **more)


def choose(run: Run, number: int, *, home: str | Path | None = None) -> Run:
    """Carry out one of the readings a run offered, counted from one.

    Raises:
        InvalidRequest: the run offers no such reading.
    """
    return workbench_of(home).choose(run, number)


def verify(run: Run, *, home: str | Path | None = None) -> Verification:
    """Compute everything a run says again from its sources, and compare."""
    return workbench_of(home).verify(run.id)


def workbench_of(home: str | Path | None = None) -> Workbench:
    """The workbench of a home, opened at the first call and closed when Python ends."""
    from averment.workbench import Workbench

    settings = load(flags={"home": None if home is None else Path(home)})
    place = settings.home.expanduser().absolute()
    with _LOCK:
        if place not in _OPEN:
            if not _OPEN:
                atexit.register(close_all)
            _OPEN[place] = Workbench(settings=settings)
        return _OPEN[place]


def close_all() -> None:
    """Close every workbench that was opened here."""
    with _LOCK:
        while _OPEN:
            _OPEN.popitem()[1].close()


def load_ipython_extension(ipython: Any) -> None:
    """Add ``%%averment NAME …``: the cell's text is asked of the named variables or paths; the answer is the output."""

    def averment(line: str, cell: str) -> Run:
        names = line.split()
        if not names or not cell.strip():
            raise UsageError(
                "The cell needs a source and a question.", hint="Write %%averment df, and the question below it."
            )
        found = {name: ipython.user_ns.get(name, name) for name in names}
        single = next(iter(found.values()))
        if len(found) == 1 and isinstance(single, Run):
            return ask(single, cell.strip())
        return ask(found, cell.strip())

    ipython.register_magic_function(averment, magic_kind="cell", magic_name="averment")
