"""Finding plugins: what is broken or takes a taken name is named, and hurts nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import plugins
from averment.errors import PluginFailed, UnknownTool
from averment.tools.registry import standard_registry
from averment.tools.tool import Tool
from averment.workbench.extensions import extensions

TOOL = """
from averment.tools.sql_run import SQL_RUN
import dataclasses
MINE = dataclasses.replace(SQL_RUN, name="{name}")
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Writes a package with entry points as an installer leaves it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(package: str, entries: dict[str, str], module: str) -> None:
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"[averment.{group}]\n{entry}\n" for group, entry in entries.items()]
        (info / "entry_points.txt").write_text("\n".join(lines))
        (tmp_path / f"{package}.py").write_text(module)
        plugins.look_again()

    plugins.look_again()
    yield write
    monkeypatch.undo()
    plugins.look_again()


def test_a_tool_is_found_by_its_name_and_can_be_called(install) -> None:
    install("plug_a", {"tools": "plug.sql = plug_a:MINE"}, TOOL.format(name="plug.sql"))
    registry = standard_registry()
    assert "plug.sql" in registry.names
    assert registry.get("plug.sql").name == "plug.sql"
    assert [tool.name for tool in registry].count("plug.sql") == 1


def test_a_broken_plugin_breaks_nothing_until_it_is_asked_for(install) -> None:
    install("plug_b", {"tools": "plug.broken = plug_b:MINE"}, "raise RuntimeError('no such library')")
    registry = standard_registry()
    assert registry.get("sql.run").name == "sql.run"
    assert "plug.broken" not in [tool.name for tool in registry]
    with pytest.raises(PluginFailed) as caught:
        registry.get("plug.broken")
    assert caught.value.details["reason"] == "not_loadable"
    assert [(each.plugin, each.version, each.reason) for each in extensions()] == [("plug_b", "1.0", "not_loadable")]


def test_a_plugin_cannot_replace_what_averment_has_itself(install) -> None:
    install("plug_c", {"tools": "sql.run = plug_c:MINE"}, TOOL.format(name="sql.run").replace("name=", "description="))
    own = standard_registry().get("sql.run")
    assert own.description != "sql.run"
    (told,) = extensions()
    assert (told.name, told.reason) == ("sql.run", "name_taken")


def test_a_name_that_two_plugins_want_is_nobodys(install) -> None:
    for package in ("plug_d", "plug_e"):
        install(package, {"tools": f"plug.twice = {package}:MINE"}, TOOL.format(name="plug.twice"))
    with pytest.raises(UnknownTool):
        standard_registry().get("plug.twice")
    assert [(each.plugin, each.reason) for each in extensions()] == [
        ("plug_d", "added_twice"),
        ("plug_e", "added_twice"),
    ]


def test_what_is_not_of_the_points_type_is_refused(install) -> None:
    install("plug_f", {"tools": "plug.text = plug_f:MINE"}, "MINE = 'a text'")
    with pytest.raises(PluginFailed) as caught:
        plugins.load("tools", "plug.text", Tool)
    assert caught.value.details["reason"] == "wrong_type"


def test_a_name_that_nobody_adds_is_refused(install) -> None:
    with pytest.raises(PluginFailed) as caught:
        plugins.load("tools", "plug.none", Tool)
    assert caught.value.details["reason"] == "not_installed"


def test_what_calls_itself_otherwise_than_it_is_declared_is_refused(install) -> None:
    install("plug_i", {"tools": "plug.one = plug_i:MINE"}, TOOL.format(name="plug.other"))
    (told,) = extensions()
    assert told.reason == "wrong_name"


def test_an_unknown_point_is_named(install) -> None:
    install("plug_g", {"wheels": "round = plug_g:MINE"}, "MINE = 1")
    (told,) = extensions()
    assert (told.point, told.reason) == ("wheels", "unknown_point")


def test_the_hash_is_of_the_files_and_not_of_the_place(install, tmp_path: Path) -> None:
    install("plug_h", {"tools": "plug.h = plug_h:MINE"}, "MINE = 1")
    first = plugins.owner("tools", "plug.h")
    plugins.look_again()
    assert plugins.owner("tools", "plug.h") == first
    (tmp_path / "plug_h.py").write_text("MINE = 2")
    plugins.look_again()
    second = plugins.owner("tools", "plug.h")
    assert first is not None and second is not None
    assert first.sha256 != second.sha256
