"""A stage for the loop, closed after each test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))

from scripted import Stage


@pytest.fixture
def stage(tmp_path: Path, home: Settings) -> Iterator[Stage]:
    """A stage whose state lies in the home."""
    made = Stage(tmp_path, home)
    yield made
    made.services.close()


@pytest.fixture
def stage_on_each(tmp_path: Path, settings: Settings) -> Iterator[Stage]:
    """A stage, once on each kind of database."""
    made = Stage(tmp_path, settings)
    yield made
    made.services.close()
