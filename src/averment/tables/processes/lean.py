"""Processes that stay small: pandas is out of sight where nothing but Arrow's curiosity would load it."""

from __future__ import annotations

import sys
from typing import Any


class _NoPandas:
    """A finder that says, before any other is asked, that there is no pandas."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not used in this process", name=name)


def hide_pandas() -> None:
    """From now on an import of pandas finds nothing; unless it is there already."""
    show_pandas()
    sys.meta_path.insert(0, _NoPandas())


def show_pandas() -> None:
    """Let pandas be imported again, for a library that works with it."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _NoPandas)]
