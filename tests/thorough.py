"""Further cases of a test that only ``make test-all`` tries, behind those that every ``make test`` does."""

from __future__ import annotations

from typing import Any

import pytest


def later(*cases: Any) -> list[Any]:
    """Cases that are thorough."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough) for case in cases]
