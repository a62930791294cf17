"""The odds that a reading is right: one logistic curve over a few facts about it and its rivals.

The weights are fitted by ``scripts/fit_odds.py`` and kept in ``odds.json``; nothing here is set by hand.
"""

from __future__ import annotations

import json
import math
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Features:
    """Facts about a reading and its rivals."""

    margin: float
    left: float
    weakest: float
    fit: float
    near: float
    agreeing: float
    joins: float
    empty: float
    conditions: float
    generic: float
    tables: float
    lists: float
    ranks: float
    words: float

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What the facts are called, in the order of the weights."""
        return tuple(each.name for each in fields(cls))


@cache
def _weights() -> dict[str, float]:
    text = resources.files("averment.reading").joinpath("odds.json").read_text(encoding="utf-8")
    return json.loads(text)["weights"]


def odds_of(features: Features) -> float:
    """The probability that a reading with these facts is right."""
    weights = _weights()
    total = weights["bias"] + sum(
        weights[name] * float(value) for name, value in zip(Features.names(), astuple(features), strict=True)
    )
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
