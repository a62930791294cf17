"""What the promises share: the hands of a forger over a copy of the golden home."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from forger import Forger

    from golden import GoldenHome

sys.path.insert(0, str(Path(__file__).parent))  # For ``forger`` and others that lie beside the tests.


@pytest.fixture(scope="module")
def forged_in_module(golden_home_of_module: GoldenHome) -> Forger:
    from forger import Forger

    return Forger(golden_home_of_module)


@pytest.fixture
def forger(forged_in_module: Forger) -> Iterator[Forger]:
    """A home to be forged; what a test does to it is put back after the test."""
    yield forged_in_module
    forged_in_module.put_back()
