"""Calibration: the signs of a reading become the probability that it is right.

The weights are data, fitted over judged questions by ``scripts/fit_query_certainty.py``; nothing here is set by hand.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files

from averment.records.base import Record

WEIGHTS = "certainty.json"


class Weights(Record):
    """What each sign adds to the log odds of being right, and from which probability on a reading is acted on."""

    base: float
    weights: dict[str, float]
    threshold: float


@cache
def fitted(*, chart: bool = False) -> Weights:
    """The weights in use: readings that a chart is drawn of are judged by weights of their own."""
    text = files("averment.agents.analyst.query").joinpath(WEIGHTS).read_text(encoding="utf8")
    return Weights.model_validate(json.loads(text)["chart" if chart else "query"])


def probability(signs: dict[str, float], weights: Weights | None = None) -> float:
    """How probable it is that a reading with these signs is right; signs nobody weighed count nothing."""
    known = weights or fitted(chart=bool(signs.get("chart")))
    odds = known.base + sum(known.weights.get(name, 0.0) * value for name, value in signs.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
