"""What is public is written down, is all that strangers are shown, and shows nothing private."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeGuard

import pytest

from averment.public_modules import PUBLIC, TYPES

ROOT = Path(__file__).parents[2]
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
    assert sorted({one for one in named_by(module) if not is_public(*one)}) == []


def test_every_type_that_is_listed_is_named_by_a_public_module() -> None:
    named = {one for module in PUBLIC for one in named_by(module)}
    assert {(module, name) for module, names in TYPES.items() for name in names} - named == set()
    assert not TYPES.keys() & set(PUBLIC)


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("averment.runtime.services", "Services", True),
        ("averment.runtime.outcome", "Run", True),  # It is exported by averment.
        ("averment.records.analysis.plan", "Subtask", True),  # It is exported by averment.records.analysis.
        ("averment.runtime.journal", "Journal", True),
        ("averment.runtime.journal", "digest", False),
        ("averment.runtime.loop", "run_loop", False),
        ("averment.runtime.services", "_private", False),
        ("pyarrow", "Table", True),
    ],
)
def test_what_is_public_is_told_by_where_it_is_made(module: str, name: str, public: bool) -> None:
    assert is_public(module, name) is public


def is_public(module: str, name: str) -> bool:
    """Whether a name may be shown to strangers that this module makes."""
    if name.startswith("_"):
        return False
    if not module.startswith("averment") or module in PUBLIC or name in TYPES.get(module, ()):
        return True
    return (module, name) in exported()


@cache
def exported() -> frozenset[tuple[str, str]]:
    """What public modules export of other modules, by where it is made."""
    return frozenset(made_in(module, name) for module in PUBLIC for name in _names(module).exported)


def named_by(module: str) -> Iterator[tuple[str, str]]:
    """Every name in a public signature or field of a module, by where it is made."""
    for annotation in _annotations(_names(module).tree):
        for node in ast.walk(annotation):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                yield made_in(module, node.value)
            elif isinstance(node, ast.Name):
                yield made_in(module, node.id)


def made_in(module: str, name: str) -> tuple[str, str]:
    """The module that makes a name which this module has, and its name there; ``builtins`` where nobody does."""
    names = _names(module)
    if name in names.made:
        return module, name
    source, there = names.imported.get(name, ("builtins", name))
    if source.startswith("averment") and _is_from(source, there):
        return made_in(source, there)
    return source, there


class Names(NamedTuple):
    """What a module makes, imports and exports."""

    tree: ast.Module
    made: set[str]
    imported: dict[str, tuple[str, str]]
    exported: tuple[str, ...]


@cache
def _names(module: str) -> Names:
    tree = ast.parse(place_of(module).read_text(encoding="utf-8"))
    made: set[str] = set()
    imported: dict[str, tuple[str, str]] = {}
    exports: tuple[str, ...] = ()
    for node in _top(tree.body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            made.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            made |= {target.id for target in targets if isinstance(target, ast.Name)}
            if "__all__" in {ast.unparse(target) for target in targets} and node.value is not None:
                exports = tuple(ast.literal_eval(node.value))
        elif isinstance(node, ast.ImportFrom):
            imported |= {one.asname or one.name: (node.module or "", one.name) for one in node.names}
        elif isinstance(node, ast.Import):
            imported |= {(one.asname or one.name).partition(".")[0]: (one.name, "") for one in node.names}
    return Names(tree, made, imported, exports)


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, with those that only a type checker runs."""
    for node in body:
        yield from _top(node.body) if isinstance(node, ast.If) else (node,)


def _is_from(module: str, name: str) -> bool:
    """Whether a name is something in a module, and not a module of that package."""
    return bool(name) and not place_of(f"{module}.{name}").exists()


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from (one.annotation for one in node.body if _is_public_field(one))
        inside = node.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_") else [node]
        for each in inside:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and _is_shown(each.name):
                given = each.args
                every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
                stated = [one.annotation for one in every if one is not None] + [each.returns]
                yield from (one for one in stated if one is not None)


def _is_public_field(node: ast.stmt) -> TypeGuard[ast.AnnAssign]:
    return isinstance(node, ast.AnnAssign) and not ast.unparse(node.target).startswith("_")


def _is_shown(name: str) -> bool:
    return not name.startswith("_") or name == "__init__"
