"""Collecting the tests imports no heavy package: whoever runs one test waits for what that test uses alone."""

from __future__ import annotations

import pytest

from lazily import COLLECTED


def test_no_heavy_package_is_imported_while_tests_are_collected(request: pytest.FixtureRequest) -> None:
    assert request.config.stash[COLLECTED] == ()
