"""By which public face a test sees the product, read from its source and from all that it uses.

What a test uses are the functions, classes and values it names in its own file, the fixtures it asks for by their
names, and what it imports from other files of the tests, each with all that they use in turn. A client of HTTP among
them is ``http``, a process of ``python -m averment`` is ``cli``, and so on. A file is seen only where the test itself
or a function of its own file opens one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import PurePosixPath

FACES = ("cli", "http", "mcp", "python", "page", "files", "module", "record")
"""The faces a row may name: six that a person has, the product's own module, and the record's class alone."""

NAMES = {
    "http": {"httpx2.Client", "TestClient"},
    "mcp": {"call_tool", "list_tools"},
    "python": {"Workbench()"},
    "page": {"goto"},
    "cli": {"CliRunner"},
}
"""Names in the source of a test by which it is known to go through a face."""
OPENED = {"read_text", "read_bytes", "inspect"}
ID = re.compile(r"[A-D]-\d{3}")


class Sources:
    """The files of the tests by their paths, their tests with the requirements they are marked by, and their faces."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._trees = {path: ast.parse(source) for path, source in files.items()}
        self._known = {path: dict(_definitions(tree)) for path, tree in self._trees.items()}

    @cached_property
    def tests(self) -> dict[str, list[str]]:
        """Each test with the ids its markers name."""
        return {
            test: ids
            for path, tree in self._trees.items()
            if PurePosixPath(path).name.startswith("test_")
            for test, ids in self._marks_in(tree.body, path, path, [])
        }

    def faces_of(self, test: str) -> set[str]:
        """The faces a test goes through; ``record`` or ``module`` where it goes through none that a person has."""
        path, _, name = test.partition("::")
        found: set[str] = set()
        for place, node in self._used(path, name.split("::")[0]):
            used = set(_names(node))
            found |= {face for face, names in NAMES.items() if names & used}
            if "subprocess" in used and {"'-m'", "'averment'"} <= used:
                found.add("cli")
            if "sqlite3" in used or (place == path and OPENED & used):
                found.add("files")
        return found or {"record" if path.startswith("tests/records/") else "module"}

    def _marks_in(
        self, body: list[ast.stmt], path: str, prefix: str, inherited: list[str]
    ) -> Iterator[tuple[str, list[str]]]:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                ids = [*inherited, *self._ids(path, node.decorator_list)]
                yield from self._marks_in(node.body, path, f"{prefix}::{node.name}", ids)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield f"{prefix}::{node.name}", [*inherited, *self._ids(path, node.decorator_list)]

    def _ids(self, path: str, decorators: list[ast.expr]) -> list[str]:
        found: list[str] = []
        for decorator in decorators:
            if not isinstance(decorator, ast.Call):
                continue
            name = ast.unparse(decorator.func)
            if name == "pytest.mark.seed":
                found += [str(ast.literal_eval(argument)) for argument in decorator.args]
            elif name == "rows":
                found += self._ids_of_rows(self._known[path][ast.unparse(decorator.args[0])])
        return found

    def _ids_of_rows(self, table: ast.AST) -> list[str]:
        """The ids of a table of records: what each of its rows begins with."""
        listed = next(node for node in ast.walk(table) if isinstance(node, ast.List))
        first = [row.args[0] for row in listed.elts if isinstance(row, ast.Call)]
        return [one for text in first for one in ID.findall(str(ast.literal_eval(text)))]

    def _used(self, path: str, name: str) -> Iterator[tuple[str, ast.AST]]:
        seen: set[tuple[str, str]] = set()
        waiting = [(path, name)]
        while waiting:
            place = waiting.pop()
            if place in seen or place[1] not in self._known[place[0]]:
                continue
            seen.add(place)
            node = self._known[place[0]][place[1]]
            if isinstance(node, ast.ImportFrom | ast.Import):
                waiting += self._imported(place[0], node, place[1])
                continue
            yield place[0], node
            for used in set(_names(node)):
                waiting.append((place[0], used))
            for asked in _asked(node):
                waiting += [(conftest, asked) for conftest in self._conftests(place[0])]

    def _imported(self, path: str, node: ast.ImportFrom | ast.Import, name: str) -> list[tuple[str, str]]:
        module = node.module if isinstance(node, ast.ImportFrom) else None
        places = [f"{folder}/{module}.py" for folder in (*_folders(path), "tests")]
        return [(place, name) for place in places if place in self._known][:1]

    def _conftests(self, path: str) -> Iterator[str]:
        for folder in _folders(path):
            if (conftest := f"{folder}/conftest.py") in self._known:
                yield conftest


def _folders(path: str) -> list[str]:
    return [folder.as_posix() for folder in PurePosixPath(path).parents if folder.as_posix() != "."]


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield ast.unparse(target), node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, node


def _names(node: ast.AST) -> Iterator[str]:
    """The names a piece of source uses: plain ones, attributes, what is called, and its texts in quotes."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
            yield ast.unparse(part)
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            yield f"{part.func.id}()"
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield repr(part.value)


def _asked(node: ast.AST) -> list[str]:
    """The fixtures a function asks for."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    return [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]
