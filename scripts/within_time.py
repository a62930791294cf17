"""A plugin for pytest: after a moment that the environment names, no further test begins; each says so when skipped."""

from __future__ import annotations

import os
import time

import pytest

UNTIL = float(os.environ.get("AVERMENT_CHECK_UNTIL", "inf"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what would begin too late."""
    if time.time() > UNTIL:
        pytest.skip("out of time in the quick check: make test runs it")
