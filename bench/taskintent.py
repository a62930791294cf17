"""The assistant's understanding on the intent set: what is wanted, and which item of a list is meant.

The classifier was fitted on this set's public part (see ``scripts/fit_intents.py``, which prints cross-validated
figures); what is printed here for the public part is therefore what it has seen. A change that the assistant would only
make after a yes is given with the confidence it has, so that the scorer's threshold can be set to the policy's.

Measures a part: averment.agents and averment.language.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from averment.agents.assistant.understand import understand
from averment.language.embeddings import default_embedder
from averment.language.references.resolve import ListedItem, resolve

_NAMES = {"undo": "cancel", "greeting": "other", "thanks": "other", "bye": "other"}
"""What the set calls our intents; it has none for what asks for nothing."""


def predict(data: Path) -> Iterator[dict[str, Any]]:
    """One prediction a case."""
    with tempfile.TemporaryDirectory() as folder:
        vectors = default_embedder(Path(folder))
        vectors.embed(["ready"])
        for line in (data / "cases.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            started = time.perf_counter()
            if case["kind"] == "reference":
                items = [ListedItem(position, "") for position in range(1, int(case["n_listed"]) + 1)]
                found = resolve(case["text"], items)
                positions = list(found.positions) if found.outcome == "resolved" else None
                yield {"id": case["id"], "positions": positions, "seconds": time.perf_counter() - started}
                continue
            heard = understand(case["text"], vectors)
            intent = _NAMES.get(heard.intent, heard.intent)
            yield {
                "id": case["id"],
                "intent": intent,
                "confidence": heard.confidence,
                "seconds": time.perf_counter() - started,
            }
