"""Rules of the house that reviewers would otherwise repeat."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "averment").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BANNED = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
LIGHT = [
    "averment",
    "averment.errors",
    "averment.records",
    "averment.settings",
    "averment.tools",
    "averment.tables",
    "averment.store",
    "averment.ledger",
    "averment.sandbox",
    "averment.language",
    "averment.llm",
    "averment.charts",
    "averment.runtime",
    "averment.reports",
    "averment.agents",
    "averment.faces",
    "averment.evidence",
]
HEAVY = {
    "duckdb",
    "pandas",
    "polars",
    "pyarrow",
    "altair",
    "fastapi",
    "sqlalchemy",
    "dbos",
    "pydantic_ai",
    "onnxruntime",
}


def module_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_a_file_is_a_story_that_one_can_read_in_one_go() -> None:
    assert not [module_name(path) for path in SOURCES if len(path.read_text(encoding="utf-8").splitlines()) > 800]


def test_no_module_is_a_drawer() -> None:
    assert not [path for path in SOURCES if path.stem in BANNED]


def test_every_module_says_what_lives_in_it() -> None:
    trees = {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert not [name for name, tree in trees.items() if not ast.get_docstring(tree)]


def calls_of(name: str) -> set[str]:
    found: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                found.add(module_name(path))
    return found


def test_only_bind_makes_a_finding() -> None:
    makers = {path for path in calls_of("Finding") if "drilldown" not in path}
    assert makers == {"src/averment/evidence/bind.py"}


def test_every_setting_error_event_tool_and_command_is_on_its_page() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "make_reference.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", LIGHT)
def test_importing_a_package_loads_nothing_heavy(package: str) -> None:
    code = f"import sys, {package}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


def test_public_names_are_what_the_package_says() -> None:
    import averment

    offered = {"AvermentError", "Run", "Settings", "Workbench", "__version__"}
    asking = {"ask", "ask_async", "choose", "verify", "load_ipython_extension"}
    assert set(averment.__all__) == offered | asking
    assert all(getattr(averment, name) for name in averment.__all__)


def test_error_codes_are_unique() -> None:
    from averment import errors

    named = [getattr(errors, name) for name in errors.__all__ if isinstance(getattr(errors, name), type)]
    kinds = {kind for kind in named if issubclass(kind, errors.AvermentError)}
    codes = [kind.code for kind in kinds if kind.__name__ != "PlanError"]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[A-Z_]+", code) for code in codes)


def test_no_test_passes_by_nature() -> None:
    texts = {module_name(path): path.read_text(encoding="utf-8") for path in TESTS if path != Path(__file__)}
    assert not [name for name, text in texts.items() if "assert True" in text or "xfail" in text]


def test_lock_files_name_no_host() -> None:
    for path in ROOT.glob("requirements*.lock"):
        assert "://" not in path.read_text(encoding="utf-8")
