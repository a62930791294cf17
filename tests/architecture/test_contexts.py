"""What runs share and what one run holds stay small: groups with few members each, not one bag."""

import inspect
from pathlib import Path

import pytest

from averment.runtime.run_context import RunContext
from averment.runtime.services import Services
from averment.settings import Settings

GROUPS = {"store": 12, "ledgers": 4, "tools": 4, "texts": 3}


def _members(thing: object) -> set[str]:
    return {name for name in (*dir(type(thing)), *vars(thing)) if not name.startswith("_")}


def test_services_are_groups(tmp_path: Path) -> None:
    assert _members(Services(Settings(home=tmp_path))) == {"settings", "close", *GROUPS}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_services_is_small(group: str, tmp_path: Path) -> None:
    found = _members(getattr(Services(Settings(home=tmp_path)), group))
    assert len(found) <= GROUPS[group], sorted(found)


def test_what_one_run_holds_is_small() -> None:
    made = {name.partition(".")[2].partition(" ")[0].partition(":")[0] for name in _assigned()}
    found = {name for name in (*dir(RunContext), *made) if name and not name.startswith("_")}
    assert len(found) <= 28, sorted(found)


def _assigned() -> list[str]:
    lines = (line.strip() for line in inspect.getsource(RunContext.__init__).splitlines())
    return [line for line in lines if line.startswith("self.")]
