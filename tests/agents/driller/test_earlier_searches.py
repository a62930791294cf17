"""What an earlier version's search found is held by its sealed hash: this version may search otherwise."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

SEALED = Path(__file__).parents[2] / "promises" / "sealed" / "v0_3_0.tar.xz"
DRILL, SEARCH, ROWS = (
    "fe36bdab-fb98-437a-ade7-000445667f1d",
    "615b34f2-9060-5f09-8c9e-39107c754797",
    "766f983b-326f-5e4e-a2f4-9e439103c0ef",
)
"""The investigation of the sealed home, the call that searched it, and another call of it."""


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    with tarfile.open(SEALED) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.mark.parametrize("changed", [False, True])
def test_an_earlier_search_holds_as_long_as_its_table_is_what_was_sealed(opened: Path, changed: bool) -> None:
    kept = opened / "home" / "work" / DRILL
    if changed:
        (kept / f"{SEARCH}.arrow").write_bytes((kept / f"{ROWS}.arrow").read_bytes())
    with Workbench(settings=Settings(home=opened / "home", model_provider="none")) as workbench:
        verdict = workbench.verify(DRILL, sources=[opened / "orders.csv"])
    assert verdict.ok is not changed
    held = [check for check in verdict.checks if check.subject == "call attribution"]
    assert [check.ok for check in held] == [not changed]
