"""One way leads from a question over tables to a plan: a reader proposes, a judge decides, ways carry out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import averment
from averment.agents.analyst.skills import standard_skills

ROOT = Path(averment.__file__).parent
DECIDES = "agents/analyst/meaning.py"
"""The one module outside the reading that asks reader and judge."""


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    """Every module that is imported when the code runs, and not for its types alone."""
    typed = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in typed and node.module:
            yield node.module


def users(*names: str) -> set[str]:
    """The modules outside the reading that import one of these modules of it."""
    wanted = {f"averment.reading.{name}" for name in names}
    found = {
        name
        for name, tree in modules("agents", "workbench", "faces", "factory", "runtime")
        if wanted & set(imports(tree))
    }
    return {name for name in found if not name.startswith("reading/")}


def test_only_one_module_asks_the_reader_and_the_judge() -> None:
    assert users("reader", "judge.judging", "followup", "operations.operation", "slots.slot_filling") == {DECIDES}


def test_metric_words_and_taught_words_are_read_by_the_same_reader() -> None:
    readers = {name for name, tree in modules("reading") if "averment.reading.reader" in set(imports(tree))}
    assert "reading/understand.py" in readers
    assert users("understand") == {"agents/analyst/glossary.py", "agents/driller/metric_reading.py"}


def test_no_threshold_of_a_reader_of_its_own_is_left() -> None:
    for name, tree in modules("reading", "plans", "agents/analyst"):
        named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not named & {"SURE", "OWNERS", "ORDER_OF_SKILLS"}, name


def test_ways_to_carry_out_a_plan_read_nothing_and_have_no_order() -> None:
    ways = standard_skills()
    assert len({way.name for way in ways}) == len(ways)
    for way in ways:
        assert {name for name in vars(type(way)) if not name.startswith("_")} == {"name", "tasks", "conclude"}, way.name


def test_the_assistant_reads_no_tables_itself() -> None:
    for name, tree in modules("agents/assistant", "faces"):
        assert not [each for each in imports(tree) if each.startswith("averment.reading")], name
