"""What is public is written down, is all that strangers are shown, and shows nothing private."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "api.md"
ROWS = [line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `averment")]
PUBLIC = tuple(sorted({name for row in ROWS for name in re.findall(r"`(averment[\w.]*)`", row)}))
IMPORTED = re.compile(r"^\s*(?:from|import) (averment(?:\.\w+)*)", re.MULTILINE)
PART = "Measures a part: "


def place_of(module: str) -> Path:
    place = ROOT / "src" / Path(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def shown_to_strangers() -> list[Path]:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    return sorted([*pages, *(ROOT / "examples").rglob("*.py"), *(ROOT / "examples").rglob("*.ipynb")])


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_module_is_there_and_says_what_it_is_for(module: str) -> None:
    assert importlib.import_module(module).__doc__


@pytest.mark.parametrize("path", shown_to_strangers(), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_strangers_are_shown_imports_public_modules_alone(path: Path) -> None:
    assert not set(IMPORTED.findall(path.read_text(encoding="utf-8"))) - set(PUBLIC)


@pytest.mark.parametrize("path", sorted((ROOT / "bench").glob("*.py")), ids=lambda path: path.stem)
def test_a_benchmark_asks_through_public_modules_or_names_the_part_it_measures(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    private = set(IMPORTED.findall(text)) - set(PUBLIC)
    told = next((line for line in (ast.get_docstring(ast.parse(text)) or "").splitlines() if line.startswith(PART)), "")
    assert {module for module in private if ".".join(module.split(".")[:2]) not in told} == set()
    assert bool(told) == bool(private)


@pytest.mark.parametrize("module", PUBLIC)
def test_no_signature_of_a_public_module_names_something_private(module: str) -> None:
    tree = ast.parse(place_of(module).read_text(encoding="utf-8"))
    assert {name for function in _public_functions(tree) for name in _private_in(function)} == set()


def _public_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else [node]
        for each in inside:
            if isinstance(each, ast.FunctionDef) and (not each.name.startswith("_") or each.name == "__init__"):
                yield each


def _private_in(function: ast.FunctionDef) -> Iterator[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    stated = [one.annotation for one in every if one is not None] + [function.returns]
    for annotation in (one for one in stated if one is not None):
        for node in ast.walk(annotation):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name.startswith("_"):
                yield f"{function.name}: {name}"
