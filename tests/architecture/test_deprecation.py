"""The deprecation policy, as far as code can hold to it."""

import importlib
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import averment
from averment.deprecation import Deprecated, deprecated, is_overdue, registered
from averment.version import VERSION

ROOT = Path(__file__).parents[2]


def test_a_deprecated_function_works_and_warns_its_caller() -> None:
    @deprecated("Use tally.", since="0.2.0", gone_in="0.3.0")
    def total(values: list[int]) -> int:
        """The sum."""
        return sum(values)

    with pytest.warns(DeprecationWarning, match=r"total is deprecated since .*0\.2\.0 .*0\.3\.0.* Use tally\.") as told:
        assert total([1, 2]) == 3
    assert told[0].filename == __file__
    assert total.__doc__ == "The sum."


@pytest.mark.parametrize("gone_in", ["0.2.0", "0.2.9", "0.1.0"])
def test_what_is_deprecated_stays_for_a_minor_version(gone_in: str) -> None:
    with pytest.raises(ValueError, match="next minor version"):
        deprecated("Use another.", since="0.2.0", gone_in=gone_in)


@pytest.mark.parametrize(("version", "overdue"), [("0.2.5", False), ("0.3.0", True), ("0.10.0", True), ("1.0.0", True)])
def test_a_name_is_overdue_from_the_version_that_was_to_remove_it(version: str, overdue: bool) -> None:
    one = Deprecated(name="old", instead="Use new.", since="0.2.0", gone_in="0.3.0")
    assert is_overdue(one, version) is overdue


def test_no_deprecated_name_outlives_its_version() -> None:
    marked = [
        module.name
        for module in pkgutil.walk_packages(averment.__path__, "averment.")
        if "@deprecated(" in _text(module.name) or "import moved\n" in _text(module.name)
    ]
    for name in marked:
        importlib.import_module(name)
    assert "averment.Workbench.submit" in {one.name for one in registered()}
    assert not [one.name for one in registered() if one.name.startswith("averment.") and is_overdue(one, VERSION)]


def _text(module: str) -> str:
    place = ROOT / "src" / Path(*module.split("."))
    return next((p.read_text() for p in (place.with_suffix(".py"), place / "__init__.py") if p.exists()), "")


def test_one_version_is_told_everywhere_and_has_its_changes() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert declared == VERSION
    assert headings[:2] == ["Unreleased", VERSION]
