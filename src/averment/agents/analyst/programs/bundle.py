"""The jail has no Averment inside: the program and the mathematics it needs travel there as text."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from averment.errors.extras import require

MODULES = (
    "averment.stats.summary",
    "averment.stats.tails",
    "averment.stats.correlation",
    "averment.stats.normality",
    "averment.stats.regression",
    "averment.agents.analyst.programs.program",
)
"""In the order in which they may be loaded."""

_LOADER = """
import sys, types

def _load(sources):
    for name, text in sources:
        parts = name.split(".")
        for depth in range(1, len(parts)):
            parent = ".".join(parts[:depth])
            if parent not in sys.modules:
                sys.modules[parent] = types.ModuleType(parent)
                sys.modules[parent].__path__ = []
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(compile(text, name, "exec"), module.__dict__)
        setattr(sys.modules[".".join(parts[:-1])], parts[-1], module)

_load(SOURCES)
program = sys.modules[SOURCES[-1][0]]
program.IN, program.OUT = IN, OUT
program.main(SPECIFICATION)
"""


@lru_cache(maxsize=1)
def _sources() -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for name in MODULES:
        package, _, module = name.rpartition(".")
        found.append((name, resources.files(package).joinpath(f"{module}.py").read_text(encoding="utf-8")))
    return tuple(found)


def code_for(spec: dict[str, Any]) -> str:
    """The code that answers a specification: fixed text, with the specification as one JSON string in it.

    Raises:
        MissingExtra: the mathematics it needs is not installed.
    """
    require("statistics", "scipy", "sklearn")
    text = json.dumps(spec, ensure_ascii=True, sort_keys=True)
    return f"SOURCES = {list(_sources())!r}\nSPECIFICATION = {text!r}\n{_LOADER}"
