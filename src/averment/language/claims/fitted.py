"""The fitted weights, read once from the file that ``scripts/fit_claims.py`` writes; never edited by hand."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def weights(name: str) -> dict[str, float]:
    """A table of weights by feature: ``reader``, ``stated``, ``right`` or ``misled``."""
    text = files("averment.language.claims").joinpath("fitted.json").read_text("utf-8")
    return {feature: float(weight) for feature, weight in json.loads(text)[name].items()}
