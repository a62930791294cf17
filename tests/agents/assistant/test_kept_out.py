"""Our own sentences that the classifier has not seen are understood as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.agents.assistant.understand import understand
from averment.language.embeddings import Embedder

SENTENCES = Path(__file__).parents[3] / "scripts" / "intents"
INTENTS = ("analyze", "complete", "drill", "research", "undo", "update")


def kept_out(intent: str) -> list[str]:
    lines = filter(None, map(str.strip, (SENTENCES / f"{intent}.txt").read_text().splitlines()))
    return [line for number, line in enumerate(lines) if number % 2 == 1]


@pytest.mark.parametrize("intent", INTENTS)
def test_of_what_was_kept_out_at_least_92_in_100_are_understood(vectors: Embedder, intent: str) -> None:
    heard = [understand(line, vectors).intent for line in kept_out(intent)]
    assert len(heard) >= 30
    assert heard.count(intent) / len(heard) >= 0.92


def test_no_sentence_for_training_is_one_that_is_kept_out() -> None:
    apart = {line.casefold() for intent in INTENTS for line in kept_out(intent)}
    trained = [line for path in (SENTENCES / "training").glob("*.txt") for line in path.read_text().splitlines()]
    assert len(trained) > 300
    assert not apart & {line.strip().casefold() for line in trained}
