"""What left the machine: the words that a run's model was told and what it answered, kept in the home.

The ledger holds their hashes alone, so they can be deleted without breaking it, and whoever looks at them here can hold
them against the ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.llm import ModelCall
    from averment.runtime.services import Services

SENT = "sent"
"""Under this kind a run keeps what its model was told and answered."""


def keep_sent(services: Services, run_id: str, call: ModelCall) -> None:
    """Keep one call with its words; nothing for a call whose words are not known."""
    if call.prompt is None:
        return
    key = f"{len(services.store.runs.records(run_id, SENT)):03d}"
    services.store.runs.put(run_id, SENT, key, call.model_dump(mode="json"))


def sent_of(services: Services, run_id: str) -> list[dict[str, Any]]:
    """What a run's model was told and answered, call by call, in the order they were made."""
    return services.store.runs.records(run_id, SENT)
