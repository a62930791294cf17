"""The promises are asked of public faces alone, so that everything behind them can be built anew.

What a file here may import of the program: its public modules, and what starts a face. The few helpers of other folders
are held to the same, but for those that only make tests quick or start a server of somebody else.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from averment.public_modules import FOR_PROGRAMS

HERE = Path(__file__).parent
TESTS = HERE.parent
STARTS_A_FACE = {
    *("averment.faces.cli", "averment.faces.cli:main"),
    *("averment.faces.http.app", "averment.faces.http.app:create_app"),
}
"""The entry point of the command line, and the application that ``averment serve`` serves."""
LIST_OF_PUBLIC_MODULES = "averment.public_modules:FOR_PROGRAMS"
HELPERS = {"golden", "chromium", "cluster", "lazily", "perfect_questions", "played_model"}
"""Modules of ``tests`` that promises use; they are held to the same rule."""
MACHINERY = {"warm"}
"""It starts the processes that are to be killed: quicker, and otherwise as Python would."""
FILES = sorted([*HERE.rglob("*.py"), *(TESTS / f"{name}.py" for name in HELPERS)])


def imported(source: str) -> set[str]:
    """Everything that is imported: ``module`` where it is imported whole, ``module:name`` where a name of it is."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{'.' * node.level}{node.module or ''}:{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in {
            "import_module",
            "importorskip",
            "lazily",
            "__import__",
        }:
            found |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
    return found


def behind_the_faces(source: str) -> set[str]:
    """What a source imports of the program that is not public."""
    ours = {name for name in imported(source) if name.startswith((".", "averment.", "averment:")) or name == "averment"}
    public = {name for name in ours if name.partition(":")[0] in FOR_PROGRAMS}
    return ours - public - STARTS_A_FACE - {LIST_OF_PUBLIC_MODULES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_promise_imports_nothing_from_behind_the_faces(path: Path) -> None:
    assert behind_the_faces(path.read_text(encoding="utf-8")) == set()


def test_a_promise_uses_no_helper_of_another_folder() -> None:
    beside = {path.stem for path in HERE.rglob("*.py")}
    helpers = {path.stem for path in TESTS.rglob("*.py")} - beside - HELPERS - MACHINERY
    for path in FILES:
        used = {re.split(r"[.:]", name)[0] for name in imported(path.read_text(encoding="utf-8"))}
        assert used & helpers == set(), path.name


@pytest.mark.parametrize(
    "source",
    [
        "from averment.ledger.tree import root_of",
        "import averment.store.db.database",
        "def test():\n    from averment.faces.cli.app import app",
        "runs = lazily('averment.workbench.runs')",
        "from .. import golden",
        "from averment.faces.http import app",
    ],
)
def test_what_lies_behind_the_faces_is_noticed(source: str) -> None:
    assert behind_the_faces(source)


def test_what_is_public_is_let_through() -> None:
    assert not behind_the_faces(
        "from averment import Workbench\nfrom averment.settings import Settings\nimport averment"
    )
