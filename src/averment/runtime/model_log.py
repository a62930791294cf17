"""What a run writes down of its model: calls with what left the machine, and when the rules stood in for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from averment.llm import tell_calls
from averment.runtime.events import EventStream
from averment.runtime.model_disclosure import keep_sent

if TYPE_CHECKING:
    from averment.llm import FallbackNote, ModelCall, Proposer
    from averment.runtime.journal import Journal
    from averment.runtime.run_json import KeptReading, ModelUse
    from averment.runtime.services import Services

PHRASE = "phrase"
"""Under this kind and key a run keeps which findings its summary is made of, and what asking a model for them took."""


def used(calls: Sequence[ModelCall]) -> ModelUse:
    """What calls took: which model, how often it was asked, tokens, and what that cost if known."""
    if not calls:
        return {}
    costs = [call.cost for call in calls if call.cost is not None]
    return {
        "provider": calls[-1].provider,
        "model": calls[-1].model,
        "calls": len(calls),
        "tokens_in": sum(call.tokens_in for call in calls),
        "tokens_out": sum(call.tokens_out for call in calls),
        "cost": round(sum(costs), 6) if costs else None,
    }


def spent(services: Services, run_id: str, reading: KeptReading) -> ModelUse:
    """What a run spent on its models in all: for its plan and for its summary."""
    phrased = services.store.runs.record(run_id, PHRASE, PHRASE) or {}
    parts = [part for part in (reading.get("model"), cast("ModelUse | None", phrased.get("model"))) if part]
    if len(parts) < 2:
        return parts[0] if parts else {}
    costs = [cost for part in parts if (cost := part.get("cost")) is not None]
    return {
        **parts[0],
        "calls": sum(part.get("calls", 0) for part in parts),
        "tokens_in": sum(part.get("tokens_in", 0) for part in parts),
        "tokens_out": sum(part.get("tokens_out", 0) for part in parts),
        "cost": round(sum(costs), 6) if costs else None,
    }


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

    def counting(self, proposer: Proposer, calls: list[ModelCall]) -> Proposer:
        """The model, whose every call is written down and counted."""

        def heard(call: ModelCall) -> None:
            calls.append(call)
            self.keep_call(call)

        return tell_calls(proposer, heard)

    def tell_fallback(self, note: FallbackNote) -> None:
        """Write down that the rules answered in a model's place, and why."""
        self._journal().decide(
            f"fallback/{note.purpose}", decision="fallback", rule=note.code, reason=note.reason, purpose=note.purpose
        )
        self._events.tell("model_fell_back", note.purpose, code=note.code, reason=note.reason)
