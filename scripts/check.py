"""The quick check before a commit: lint, floors, types and tests of what changed; `make test` checks everything.

python scripts/check.py [BASE]      what differs from BASE (default: HEAD and what is not committed)

Types are checked in the changed modules and in those that import them. Tests are chosen by the import graph: first
those that import a changed module, then those that reach it through one other module, and so on; what does not fit
into the time is named, and is for `make test`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grimp import ImportGraph

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
BIN = Path(sys.executable).parent
MOST_FILES = 12
"""Test files that are run at most."""
FARTHEST = 3
"""How many imports a test may be away from what changed."""
MOST_TYPED = 60
"""Modules whose types are checked at most; a change that more of them import is for `make lint`."""
SECONDS = 42.0
"""After so many seconds no further test begins."""
_IMPORTED = re.compile(r"^\s*(?:from (averment[\w.]*) import (\([^)]*\)|[^\n]*)|import (averment[\w.]*))", re.MULTILINE)
_LAZILY = re.compile(r'lazily\("(averment[\w.]*)"\)')


def changed(base: str) -> list[Path]:
    """The Python files that differ from a commit, with those that git does not know yet."""
    differ = ("git", "diff", "--name-only", "--diff-filter=d", base)
    fresh = ("git", "ls-files", "--others", "--exclude-standard")
    names = [
        name
        for command in (differ, fresh)
        for name in subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    ]
    return sorted({ROOT / name for name in names if name.endswith(".py")})


def modules_of(files: Iterable[Path]) -> set[str]:
    """The modules of the package that these files are."""
    found = (".".join(file.relative_to(SRC).with_suffix("").parts) for file in files if file.is_relative_to(SRC))
    return {name.removesuffix(".__init__") for name in found}


def imports_of(test: Path, known: Iterable[str]) -> set[str]:
    """The modules of the package that a test imports, by its text."""
    text = test.read_text(encoding="utf-8")
    found = set(_LAZILY.findall(text))
    for package, names, module in _IMPORTED.findall(text):
        found |= {module} if module else {package, *(f"{package}.{name}" for name in re.findall(r"\w+", names))}
    return found & set(known)


def distances(graph: ImportGraph, modules: set[str]) -> dict[str, int]:
    """How many imports each module is away from a changed one, as far as tests are looked for."""
    found = {module: 0 for module in modules if module in graph.modules}
    edge = set(found)
    for far in range(1, FARTHEST):
        edge = {each for module in edge for each in graph.find_modules_that_directly_import(module)} - found.keys()
        found |= dict.fromkeys(edge, far)
    return found


def tests_of(files: list[Path], graph: ImportGraph) -> list[Path]:
    """The tests of what changed, the nearest first: changed tests, then those that import what changed."""
    modules = modules_of(files)
    away = distances(graph, modules)
    rooms = {part for module in modules for part in module.split(".")[1:]}
    ranked: list[tuple[int, int, int, Path]] = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        if "slow" in test.parts:
            continue
        far = -1 if test in files else min((away[name] for name in imports_of(test, away)), default=FARTHEST)
        if far < FARTHEST:
            named = set(test.relative_to(ROOT / "tests").with_suffix("").parts) | set(test.stem.split("_"))
            ranked.append((far, -len(named & rooms), test.stat().st_size, test))
    return [test for *_, test in sorted(ranked)]


def typed(files: list[Path], graph: ImportGraph) -> list[Path]:
    """The changed modules and those that import them, whose types may be wrong now."""
    modules = modules_of(files)
    around = {each for module in modules & graph.modules for each in graph.find_modules_that_directly_import(module)}
    paths = [SRC.joinpath(*name.split(".")) for name in sorted(around - modules)]
    places = [path / "__init__.py" if path.is_dir() else path.with_suffix(".py") for path in paths]
    return [*(file for file in files if file.is_relative_to(SRC)), *places][:MOST_TYPED]


def main() -> int:
    """Run each check in turn; the first that fails ends it."""
    import grimp

    began = time.monotonic()
    files = changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    graph = grimp.build_graph("averment", cache_dir=str(ROOT / ".import_linter_cache"))
    tests = tests_of(files, graph)
    modules = [str(file) for file in typed(files, graph)]
    places = ("src", "tests", "bench", "examples", "scripts")
    steps: list[list[str]] = [
        [str(BIN / "ruff"), "format", "--check", "--quiet", *places],
        [str(BIN / "ruff"), "check", "--quiet", *places],
        [str(BIN / "lint-imports")],
    ]
    if modules:
        steps.append([str(BIN / "basedpyright"), "--level", "error", *modules])
    if tests:
        run = [str(test) for test in tests[:MOST_FILES]]
        kept = ("-m", "not slow and not thorough and not browser and not cluster", "-p", "within_time")
        steps.append([sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *kept, *run])
    until = {"AVERMENT_CHECK_UNTIL": str(time.time() + SECONDS), "PYTHONPATH": str(ROOT / "scripts")}
    for step in steps:
        start = time.monotonic()
        done = subprocess.run(step, cwd=ROOT, check=False, env={**os.environ, **until})
        print(f"{Path(step[0]).name}: {time.monotonic() - start:.1f} s", file=sys.stderr)
        if done.returncode not in (0, 5):  # 5: every test of these files is for `make test`.
            return done.returncode
    if len(tests) > MOST_FILES:
        print(f"{len(tests) - MOST_FILES} more test files reach what changed: run make test", file=sys.stderr)
    print(f"all of it: {time.monotonic() - began:.1f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
