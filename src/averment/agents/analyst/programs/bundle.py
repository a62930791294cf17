"""The jail has no Averment inside: the program that computes a statistic travels there as text."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from averment.errors.extras import require


@lru_cache(maxsize=1)
def _source() -> str:
    return resources.files(__package__ or "").joinpath("program.py").read_text(encoding="utf-8")


def code_for(spec: dict[str, Any]) -> str:
    """The code that answers a specification: fixed text, with the specification as one JSON string behind it.

    Raises:
        MissingExtra: the mathematics it needs is not installed.
    """
    require("statistics", "scipy", "sklearn")
    return f"{_source()}\n\nmain({json.dumps(spec, ensure_ascii=True, sort_keys=True)!r})\n"
