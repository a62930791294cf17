"""A research run begun in a thread of its own, so that its page can be shown while it works."""

from __future__ import annotations

import queue
import threading

from averment.errors import AvermentError, ModelTimeout
from averment.spine.events import Event
from averment.workbench import Workbench

PATIENCE_SECONDS = 60.0


def begin_research(workbench: Workbench, query: str) -> str:
    """Begin a research run over this home's documents, and return its id once it is kept.

    Raises:
        UsageError: the question cannot be used; nothing was kept.
    """
    first: queue.SimpleQueue[str | AvermentError] = queue.SimpleQueue()

    def told(event: Event) -> None:
        if event.seq == 1:
            first.put(event.run_id)

    def work() -> None:
        try:
            workbench.research(query, on_event=told)
        except AvermentError as error:
            first.put(error)  # After the first event it is kept with the run, and nobody takes it from here.

    threading.Thread(target=work, name="research", daemon=True).start()
    try:
        begun = first.get(timeout=PATIENCE_SECONDS)
    except queue.Empty:
        raise ModelTimeout("The research did not begin in time.") from None
    if isinstance(begun, AvermentError):
        raise begun
    return begun
