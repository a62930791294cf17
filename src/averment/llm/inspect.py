"""Which model is set, where it is, whether it answers in a form, and what it costs: for whoever sets one up."""

from __future__ import annotations

import time
from typing import Any

from pydantic import BaseModel, Field

from averment.errors import ModelError
from averment.llm.client import ModelClient
from averment.llm.embedded import missing
from averment.llm.provider import choose, price_of
from averment.settings import Settings

MILLION = 1_000_000
SYSTEM = "You check that a connection works. Answer in the required form."
PROMPT = 'Give the word "ready" in the field word.'


class _PromptWord(BaseModel):
    """The smallest answer there is."""

    word: str = Field(max_length=100)


def inspect_models(settings: Settings, *, ask: bool = True) -> dict[str, Any]:
    """What is set, as JSON values; with ``ask`` the model is asked one small question that holds no data."""
    said: dict[str, Any] = {
        "use": settings.model_use,
        "privacy": settings.model_privacy,
        "privacy_of": dict(settings.model_privacy_of),
        "tape": None if settings.model_tape is None else str(settings.model_tape),
        "embedded": settings.embedded_model,
        "embedded_lacks": missing(),
    }
    choice = choose(settings)
    if choice is None:
        return said | {"model": None}
    said |= {
        "provider": choice.provider,
        "model": choice.model,
        "small_model": settings.model_small,
        "address": choice.address,
        "key": choice.has_key,
        "found_by": "the environment" if settings.model_provider == "auto" else "the settings",
        "price_in": price_of(choice, MILLION, 0),
        "price_out": price_of(choice, 0, MILLION),
    }
    return said | (_asked(ModelClient(choice, settings)) if ask else {})


def _asked(client: ModelClient) -> dict[str, Any]:
    began = time.monotonic()
    try:
        client.propose(_PromptWord, purpose="check", system=SYSTEM, prompt=PROMPT)
    except ModelError as error:
        return {"answers": False, "code": error.code, "message": error.message, "hint": error.hint}
    return {"answers": True, "keeps_to_a_form": True, "seconds": round(time.monotonic() - began, 2)}
