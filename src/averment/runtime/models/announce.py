"""The first use of a model that nobody named in the settings is said aloud, once in a home."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from averment.llm import choose

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

MARK = "model_announced"
"""The file in the home that says it was told."""


def announce(work: RunContext) -> None:
    """Tell that a model is asked because its key or address was found in the environment, the first time it is."""
    settings = work.services.settings
    path = settings.home / MARK
    if settings.model_provider != "auto" or settings.model_tape is not None or path.exists():
        return
    choice = choose(settings)
    if choice is None:
        return
    work.events.tell(
        "model_announced",
        provider=choice.provider,
        model=choice.model,
        address=choice.address,
        privacy=settings.model_privacy,
    )
    work.journal.decide(
        MARK, decision="announced", rule="MODEL-FOUND", reason="a key or an address was found in the environment"
    )
    with contextlib.suppress(OSError):  # A home that may only be read is told again.
        path.touch()
