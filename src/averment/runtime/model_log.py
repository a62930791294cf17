"""What a run writes down of its model: calls with what left the machine, and when the rules stood in for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.runtime.events import EventStream
from averment.runtime.model_disclosure import keep_sent

if TYPE_CHECKING:
    from averment.llm import FallbackNote, ModelCall
    from averment.runtime.journal import Journal
    from averment.runtime.services import Services


class ModelLog:
    """The model calls of one run, in its ledger entries, its records and its events."""

    def __init__(self, services: Services, run_id: str, journal: Callable[[], Journal], events: EventStream) -> None:
        self._services = services
        self._run_id = run_id
        self._journal = journal
        self._events = events

    def keep_call(self, call: ModelCall) -> None:
        """Write down that a model was asked, and keep what left the machine, to be shown to whoever asks for it."""
        self._journal().keep_call(call)
        keep_sent(self._services, self._run_id, call)

    def tell_fallback(self, note: FallbackNote) -> None:
        """Write down that the rules answered in a model's place, and why."""
        self._journal().decide(
            f"fallback/{note.purpose}", decision="fallback", rule=note.code, reason=note.reason, purpose=note.purpose
        )
        self._events.tell("model_fell_back", note.purpose, code=note.code, reason=note.reason)
