"""A research run begun in a thread of its own, so that its page can be shown while it works."""

from __future__ import annotations

import queue
import threading

from averment.errors import AvermentError
from averment.spine.events import Event
from averment.workbench import Workbench


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
        # Only what comes first is taken from the queue: a later error is kept with the run and told by its events.
        try:
            workbench.research(query, on_event=told)
        except AvermentError as error:
            first.put(error)
        finally:
            first.put(AvermentError("The research did not begin.", hint="The server's own output has the details."))

    threading.Thread(target=work, name="research", daemon=True).start()
    begun = first.get()
    if isinstance(begun, AvermentError):
        raise begun
    return begun
