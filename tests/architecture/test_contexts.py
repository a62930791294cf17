"""What runs share and what one run holds stay small and typed: groups with few members each, not one bag."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.runtime import run_context, run_json, run_state
from averment.runtime.run_context import RunContext
from averment.runtime.run_state import RunState
from averment.runtime.services import Services
from averment.settings import Settings

GROUPS = {"store": 12, "ledgers": 4, "tools": 4, "texts": 3}
LOOSE = {"Any", "object", "JsonObject"}
BARE = {"dict", "list", "tuple", "set", "Mapping", "Sequence"}


def _members(thing: object) -> set[str]:
    return {name for name in (*dir(type(thing)), *vars(thing)) if not name.startswith("_")}


def test_services_are_groups(tmp_path: Path) -> None:
    assert _members(Services(Settings(home=tmp_path))) == {"settings", "close", *GROUPS}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_of_services_is_small(group: str, tmp_path: Path) -> None:
    found = _members(getattr(Services(Settings(home=tmp_path)), group))
    assert len(found) <= GROUPS[group], sorted(found)


def test_what_one_run_holds_is_small() -> None:
    found = {name for name in (*dir(RunContext), *_assigned()) if not name.startswith("_")}
    assert len(found) <= 20, sorted(found)
    assert len(_members(RunState())) <= 9, sorted(_members(RunState()))


def _assigned() -> set[str]:
    made = ast.walk(_class(run_context, RunContext))
    return {node.attr for node in made if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}


@pytest.mark.parametrize(("module", "kind"), [(run_context, RunContext), (run_state, RunState)])
def test_what_one_run_holds_is_typed(module: object, kind: type) -> None:
    stated = dict(_stated(_class(module, kind)))
    assert stated
    assert {name for name, annotation in stated.items() if _is_loose(annotation)} == set()


@pytest.mark.parametrize("annotation", ["Any", "dict", "dict[str, Any]", "list[dict]", "JsonObject | None", "list"])
def test_a_member_that_may_be_anything_is_found(annotation: str) -> None:
    assert _is_loose(ast.parse(annotation, mode="eval").body)


@pytest.mark.parametrize("module", [run_json, run_state])
def test_every_field_of_what_a_run_holds_says_what_it_is(module: object) -> None:
    classes = [node for node in _tree(module).body if isinstance(node, ast.ClassDef)]
    fields = [(node.name, *pair) for node in classes for pair in zip(node.body, [*node.body[1:], None], strict=True)]
    bare = [(name, ast.unparse(one)) for name, one, after in fields if _is_field(one) and not _is_text(after)]
    assert fields and not bare


def _tree(module: object) -> ast.Module:
    return ast.parse(inspect.getsource(module))  # pyright: ignore[reportArgumentType]


def _class(module: object, kind: type) -> ast.ClassDef:
    return next(node for node in _tree(module).body if isinstance(node, ast.ClassDef) and node.name == kind.__name__)


def _stated(kind: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Every public member of a class with its annotation; of a method that is what it returns."""
    for node in ast.walk(kind):
        if isinstance(node, ast.AnnAssign):
            name = node.target.attr if isinstance(node.target, ast.Attribute) else ast.unparse(node.target)
            yield name, node.annotation
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.returns is not None:
            yield node.name, node.returns


def _is_loose(annotation: ast.expr) -> bool:
    given = {id(node.value) for node in ast.walk(annotation) if isinstance(node, ast.Subscript)}
    names = [node for node in ast.walk(annotation) if isinstance(node, ast.Name)]
    return any(node.id in LOOSE or (node.id in BARE and id(node) not in given) for node in names)


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign)


def _is_text(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
