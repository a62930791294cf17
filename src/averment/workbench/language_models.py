"""The language models of a home: which one is configured, what it was sent, and the sentence model's weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from averment.workbench.open_home import OpenHome


class LanguageModels:
    """The models that a home may ask."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home

    def inspect(self, *, ask: bool = True) -> dict[str, Any]:
        """Which model is set, where it is, what it may see and what it costs, as JSON values.

        With ``ask`` it is asked one small question that holds no data.
        """
        from averment.llm.inspect import inspect_models

        return inspect_models(self._home.settings, ask=ask)

    def sent(self, run_id: str) -> list[dict[str, Any]]:
        """What a run's model was told and answered, call by call: all of the run that left the machine.

        Raises:
            RunNotFound: there is no such run.
        """
        from averment.runtime.model_log import sent_of

        return sent_of(self._home.services, self._home.services.store.runs.get(run_id).run_id)

    def fetch_weights(self) -> Path:
        """Where the sentence model's weights are; they are downloaded and verified first where they are missing.

        Raises:
            StorageError: they cannot be fetched.
        """
        from averment.language.embeddings.weights import fetch_weights, weights_dir

        return weights_dir() or fetch_weights()
