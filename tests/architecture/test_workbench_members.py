"""The workbench is small and stays so: few members, composed of small parts, with every old name still there."""

import warnings
from operator import attrgetter
from pathlib import Path

import pytest

from averment import Workbench
from averment.errors import PolicyError
from averment.workbench.for_user import UserBench
from averment.workbench.moved_names import MOVED

MOST = 20
PARTS = ("runs", "runs.start", "ledger", "models", "home", "home.glossary")
NEEDED = {"analyze", "show", "research", "chat", "add_sources", "drill", "verify"}
"""What programs outside use; these names stay."""


def _members(thing: object) -> set[str]:
    return {name for name in (*dir(type(thing)), *vars(thing)) if not name.startswith("_")}


@pytest.fixture
def workbench(tmp_path: Path) -> Workbench:
    return Workbench(home=tmp_path / "home")


def test_a_workbench_has_at_most_twenty_members(workbench: Workbench) -> None:
    found = _members(workbench)
    assert len(found) <= MOST, sorted(found)
    assert found >= NEEDED
    assert Workbench.__bases__ == (object,)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_workbench_has_at_most_twenty_members(workbench: Workbench, part: str) -> None:
    found = attrgetter(part)(workbench)
    assert len(_members(found)) <= MOST, sorted(_members(found))
    assert type(found).__bases__ == (object,)


def test_every_old_name_leads_to_its_new_place_and_warns(workbench: Workbench) -> None:
    with workbench:
        for old, new in MOVED.items():
            with pytest.warns(DeprecationWarning, match=rf"Workbench\.{old} is deprecated .* Use {new}\."):
                found = getattr(workbench, old)
            if callable(found):
                assert found == attrgetter(new)(workbench), old


def test_the_migration_notes_name_every_old_name() -> None:
    notes = (Path(__file__).parents[2] / "docs" / "reference" / "deprecation.md").read_text()
    missing = [
        old for old, new in MOVED.items() if f"`{old}`" not in notes and f"| `wb.{old}` | `wb.{new}` |" not in notes
    ]
    assert not missing


def test_an_old_name_warns_at_the_line_that_uses_it(workbench: Workbench) -> None:
    with workbench, pytest.warns(DeprecationWarning) as told:
        assert workbench.list() == []  # pyright: ignore[reportAttributeAccessIssue]
    assert told[0].filename == __file__


def test_what_was_never_a_member_is_none_now(workbench: Workbench) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(workbench, "nothing_of_the_kind")


def test_a_user_is_refused_every_part_that_nobody_opened(workbench: Workbench) -> None:
    with workbench:
        view = UserBench(workbench, workbench.home.users, "anna")
        for part in ("", "runs", "runs.start", "home"):
            owner = attrgetter(part)(workbench) if part else workbench
            own = attrgetter(part)(view) if part else view
            for name in _members(owner) - _members(own):
                with pytest.raises(PolicyError):
                    getattr(own, name)
        for old in MOVED:
            with pytest.raises(PolicyError):
                getattr(view, old)
