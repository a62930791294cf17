"""What a run writes down of its model: calls with what left the machine, and when the rules stood in for it.

The ledger holds the hashes of what a model was told and answered; the words are kept in the home beside it, so they can
be deleted without breaking it, and whoever looks at them can hold them against the ledger.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from averment.llm import choose, tell_calls
from averment.runtime.events import EventStream

if TYPE_CHECKING:
    from averment.llm import FallbackNote, ModelCall, Proposer
    from averment.runtime.journal import Journal
    from averment.runtime.run_json import KeptReading, ModelUse
    from averment.runtime.services import Services

PHRASE = "phrase"
"""Under this kind and key a run keeps which findings its summary is made of, and what asking a model for them took."""

SENT = "sent"
"""Under this kind a run keeps what its model was told and answered."""

ANNOUNCED = "model_announced"
"""The file in the home that says that the first use of a model which nobody named in the settings was told."""


def sent_of(services: Services, run_id: str) -> list[dict[str, Any]]:
    """What a run's model was told and answered, call by call, in the order they were made."""
    return services.store.runs.records(run_id, SENT)


def keep_sent(services: Services, run_id: str, call: ModelCall) -> None:
    """Keep one call with its words; nothing for a call whose words are not known."""
    if call.prompt is not None:
        key = f"{len(sent_of(services, run_id)):03d}"
        services.store.runs.put(run_id, SENT, key, call.model_dump(mode="json"))


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
    total: ModelUse = {**parts[0]} if parts else {}
    for part in parts[1:]:
        costs = [cost for cost in (total.get("cost"), part.get("cost")) if cost is not None]
        total["calls"] = total.get("calls", 0) + part.get("calls", 0)
        total["tokens_in"] = total.get("tokens_in", 0) + part.get("tokens_in", 0)
        total["tokens_out"] = total.get("tokens_out", 0) + part.get("tokens_out", 0)
        total["cost"] = round(sum(costs), 6) if costs else None
    return total


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

    def announce(self) -> None:
        """Tell that a model is asked because its key or address was found in the environment, once in a home."""
        settings = self._services.settings
        path = settings.home / ANNOUNCED
        if settings.model_provider != "auto" or settings.model_tape is not None or path.exists():
            return
        choice = choose(settings)
        if choice is None:
            return
        self._events.tell(
            "model_announced",
            provider=choice.provider,
            model=choice.model,
            address=choice.address,
            privacy=settings.model_privacy,
        )
        reason = "a key or an address was found in the environment"
        self._journal().decide(ANNOUNCED, decision="announced", rule="MODEL-FOUND", reason=reason)
        with contextlib.suppress(OSError):  # A home that may only be read is told again.
            path.touch()
