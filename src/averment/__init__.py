"""Averment: answers offered together with their proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from averment.version import VERSION

if TYPE_CHECKING:
    from averment.errors import AvermentError
    from averment.runtime.outcome import Run
    from averment.settings import Settings
    from averment.workbench import Workbench
    from averment.workbench.inline import ask, ask_async, choose, load_ipython_extension, verify

__version__ = VERSION
__all__ = [
    "AvermentError",
    "Run",
    "Settings",
    "Workbench",
    "__version__",
    "ask",
    "ask_async",
    "choose",
    "load_ipython_extension",
    "verify",
]

_HOMES = {
    "AvermentError": "averment.errors",
    "Run": "averment.runtime.outcome",
    "Settings": "averment.settings",
    "Workbench": "averment.workbench",
    "ask": "averment.workbench.inline",
    "ask_async": "averment.workbench.inline",
    "choose": "averment.workbench.inline",
    "load_ipython_extension": "averment.workbench.inline",
    "verify": "averment.workbench.inline",
}


def __getattr__(name: str) -> Any:
    """The public names, loaded when first asked for, so that ``import averment`` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'averment' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
