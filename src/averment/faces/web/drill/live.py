"""The memory loop as its events tell it: each round with its decision, code, output and finding, and the board.

Read off the events alone, so that every window that has had the same events shows the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from averment.runtime.events import Event

Lane = Literal["pending", "investigating", "confirmed", "ruled_out"]
LANES: tuple[Lane, ...] = ("pending", "investigating", "confirmed", "ruled_out")
_NAME = re.compile(r"\bhyp_0*([0-9]+)\b")
STATUS_LANES: dict[str, Lane] = {lane: lane for lane in LANES}
PREPARATIONS = {
    "cube": "Both periods by every combination of values",
    "daily": "The days around them",
    "attribution": "The search through every segment",
}


@dataclass(frozen=True)
class HypothesisCard:
    """One hypothesis on the board."""

    hypothesis_id: str
    title: str
    story: str
    expected: str
    lane: Lane
    rounds: tuple[int, ...] = ()


@dataclass(frozen=True)
class LoopRound:
    """One round; until it is taken it is under way."""

    number: int
    decision: str
    reason: str
    about: str
    task: str
    summary: str = ""
    code: str = ""
    output: str = ""
    taken: bool = False


@dataclass(frozen=True)
class Preparation:
    """A query before the first round."""

    words: str
    state: Literal["waiting", "running", "done", "failed"]


@dataclass(frozen=True)
class LoopView:
    """The whole loop as far as it has gone."""

    cards: tuple[HypothesisCard, ...]
    rounds: tuple[LoopRound, ...]
    preparations: tuple[Preparation, ...]
    planned: bool
    concluding: bool
    last: int

    def lane(self, name: Lane) -> tuple[HypothesisCard, ...]:
        """The cards that stand in one lane."""
        return tuple(card for card in self.cards if card.lane == name)

    @property
    def resolved(self) -> int:
        """How many hypotheses have their outcome."""
        return sum(card.lane in {"confirmed", "ruled_out"} for card in self.cards)


def follow_loop(events: Iterable[Event]) -> LoopView:
    """The loop after these events."""
    cards: dict[str, HypothesisCard] = {}
    rounds: dict[int, LoopRound] = {}
    states: dict[str, Literal["waiting", "running", "done", "failed"]] = dict.fromkeys(PREPARATIONS, "waiting")
    planned = concluding = False
    last = 0
    for event in events:
        last, data = event.seq, event.data
        if event.type == "plan_made":
            planned = True
            _take_cards(cards, (data.get("reading") or {}).get("hypotheses"))
        elif event.type == "call_started" and data["task_id"] in states:
            states[data["task_id"]] = "running"
        elif event.type == "call_observed" and data["task_id"] in states:
            states[data["task_id"]] = "done" if data.get("status") == "success" else "failed"
        elif event.type == "round_begun":
            _begin(cards, rounds, data)
        elif event.type == "round_taken" and int(data["number"]) in rounds:
            number = int(data["number"])
            rounds[number] = _taken(rounds[number], data.get("iteration") or {})
            _take_cards(cards, data.get("hypotheses"))
        concluding = concluding or event.type == "finding_bound"
    prepared = tuple(Preparation(words, states[task]) for task, words in PREPARATIONS.items())
    return LoopView(tuple(cards.values()), tuple(rounds.values()), prepared, planned, concluding, last)


def _begin(cards: dict[str, HypothesisCard], rounds: dict[int, LoopRound], data: Mapping[str, Any]) -> None:
    state: Mapping[str, Any] = data.get("state") or {}
    number, tested = int(data["number"]), str(state.get("hypothesis") or "")
    about = tested or str(state.get("about") or "")
    if about in cards:
        card = cards[about]
        # What is tested now is being investigated; a closer look at what is settled leaves it where it stands.
        lane: Lane = "investigating" if tested and card.lane == "pending" else card.lane
        cards[about] = replace(card, lane=lane, rounds=(*card.rounds, number))
    decision, reason = str(data["decision"]), _NAME.sub(r"Hypothesis \1", str(data["reason"]))
    rounds[number] = LoopRound(number, decision, reason, about, str(state.get("task") or ""))


def _taken(begun: LoopRound, iteration: Mapping[str, Any]) -> LoopRound:
    return replace(
        begun,
        taken=True,
        summary=str(iteration.get("compressed_summary") or ""),
        code=str(iteration.get("code_executed") or ""),
        output=str(iteration.get("raw_output") or ""),
    )


def _take_cards(cards: dict[str, HypothesisCard], hypotheses: Any) -> None:
    lines: list[Mapping[str, Any]] = hypotheses if isinstance(hypotheses, list) else []
    for line in lines:
        name = str(line.get("hypothesis_id", ""))
        status = str(line.get("status", "")).lower()
        known = cards.get(name)
        cards[name] = HypothesisCard(
            name,
            str(line.get("title", "")),
            str(line.get("causal_story", "")),
            str(line.get("expected_pattern", "")),
            STATUS_LANES.get(status, "pending"),
            () if known is None else known.rounds,
        )
