"""The quick check before a commit: lint, floors, types and tests of what changed; `make test` checks everything.

python scripts/check.py [BASE]      what differs from BASE (default: HEAD and what is not committed)
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
MOST_FILES = 12
"""Test files that are run at most; a wider change is for `make test`, and that is said."""


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


def tests_of(files: list[Path]) -> list[Path]:
    """Changed tests, and the tests that name a changed module."""
    found = {file for file in files if file.name.startswith("test_")}
    modules = {
        ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
        for file in files
        if file.is_relative_to(ROOT / "src")
    }
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        if "slow" not in test.parts and any(_names(test.read_text(encoding="utf-8"), module) for module in modules):
            found.add(test)
    return sorted(found)


def _names(text: str, module: str) -> bool:
    package, _, name = module.removesuffix(".__init__").rpartition(".")
    return f"from {module} import" in text or f"from {package} import {name}" in text or f"import {module}\n" in text


def main() -> int:
    """Run each check in turn; the first that fails ends it."""
    files = changed(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
    tests = tests_of(files)
    typed = [str(file) for file in files if file.is_relative_to(ROOT / "src")]
    steps: list[list[str]] = [
        [str(BIN / "ruff"), "format", "--check", "--quiet", "src", "tests", "bench", "examples", "scripts"],
        [str(BIN / "ruff"), "check", "--quiet", "src", "tests", "bench", "examples", "scripts"],
        [str(BIN / "lint-imports")],
    ]
    if typed:
        steps.append([str(BIN / "basedpyright"), "--level", "error", *typed])
    if tests:
        run = [str(test) for test in tests[:MOST_FILES]]
        steps.append([sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", *run])
    for step in steps:
        began = time.monotonic()
        done = subprocess.run(step, cwd=ROOT, check=False)
        print(f"{Path(step[0]).name}: {time.monotonic() - began:.1f} s", file=sys.stderr)
        if done.returncode:
            return done.returncode
    if len(tests) > MOST_FILES:
        print(f"{len(tests) - MOST_FILES} more test files name what changed: run make test", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
