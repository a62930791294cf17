"""Mutation testing of one room: small defects are put into its code, and its own tests must fail for each.

python scripts/mutate.py ROOM [--most 60] [--seed 20] [--slow]

The tree is copied, and each mutant of a seeded sample is tried in the copy by a process that is forked with the
third-party packages already loaded. The tests that import the mutated module come first, and the first failure ends a
trial. A mutant that no test notices survives: it is either equivalent, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
HOUSE = "src/averment/"
LEFT_OUT = (".git", ".venv", "site", "dist", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis", "docs")
WARM = ("pytest", "hypothesis", "pydantic", "orjson", "numpy", "pyarrow", "duckdb", "sqlglot", "cryptography")
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip


class Room(NamedTuple):
    """The files that are mutated, the tests that must notice, and words in the names of tests that take too long."""

    code: str
    tests: str
    slow: str


ROOMS = {
    "ledger": Room(
        "ledger/chain.py ledger/checkpoint.py ledger/entry.py ledger/keychain.py ledger/proof.py "
        "ledger/tree.py ledger/verify.py",
        "tests/ledger/test_*.py",
        "every_single_byte random killed processes disk",
    ),
    "guard": Room(
        "tables/guard/statement.py tables/guard/tree_check.py tables/guard/lineage.py tables/guard/grammar.py",
        "tests/tables/test_guard*.py tests/tables/test_lineage.py",
        "answers_alike",
    ),
    "claims": Room(
        "claims/*.py",
        "tests/claims/test_[!d]*.py",
        "random chart",
    ),
    "judge": Room(
        "reading/judge/judging.py reading/judge/gates.py reading/judge/ensemble.py reading/account/*.py",
        "tests/reading/account/test_*.py tests/reading/test_account.py tests/reading/test_gates.py "
        "tests/reading/test_judge*.py tests/reading/learned/test_both*.py",
        "",
    ),
}


class Mutant(NamedTuple):
    """One defect: where it is, what it changes, and the whole text of the file with it."""

    file: Path
    line: int
    change: str
    text: str


def nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A tree's nodes without annotations, decorators, messages of errors and what only type checkers see."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list", "exc", "op", "ops"}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from nodes(child)


def worsen(node: ast.AST) -> tuple[str, ast.AST] | None:
    """The kind of defect that a node can have, and the node with it."""
    made: Any = copy.deepcopy(node)
    match made:
        case ast.Compare(ops=[op]) if type(op) in SWAPPED:
            made.ops = [SWAPPED[type(op)]()]
            return "comparison", made
        case ast.BoolOp() | ast.BinOp() if type(made.op) in SWAPPED:
            made.op = SWAPPED[type(made.op)]()
            return "operator", made
        case ast.UnaryOp(op=ast.Not()):
            return "not", made.operand
        case ast.If() | ast.While() | ast.IfExp():
            made.test = ast.UnaryOp(op=ast.Not(), operand=made.test)
            return "condition", made
        case ast.Constant(value=bool() | int() | float()):
            made.value = not made.value if isinstance(made.value, bool) else made.value + 1
            return "constant", made
        case ast.Return(value=ast.AST()) if ast.unparse(made.value) != "None":
            made.value = ast.Constant(value=None)
            return "return", made
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue() | ast.AugAssign():
            return "statement", ast.Pass()
        case ast.Call(keywords=[*_, _]):
            made.keywords = made.keywords[:-1]
            return "argument", made
        case ast.comprehension(ifs=[_, *_]):
            made.ifs = made.ifs[1:]
            return "filter", made
        case _:
            return None


def mutants(files: list[Path]) -> list[Mutant]:
    """Every mutant of some files."""
    found: list[Mutant] = []
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in list(nodes(tree)):
            if (worse := worsen(node)) is None:
                continue
            way, made = worse
            kind, was = node.__class__, node.__dict__
            line = getattr(node, "lineno", 0) or getattr(getattr(node, "iter", None), "lineno", 0)
            before = ast.unparse(node).splitlines()[0]
            ast.copy_location(made, node)
            # The node is changed in place, so that the module around it is written as it is.
            node.__class__, node.__dict__ = made.__class__, made.__dict__
            found.append(
                Mutant(file, line, f"{way}: {before} → {ast.unparse(node).splitlines()[0]}", ast.unparse(tree))
            )
            node.__class__, node.__dict__ = kind, was
    return found


def attempt(tests: list[str], slow: str, tree: Path, seconds: float) -> str:
    """What the tests say about the copied tree: passed, failed, or that they did not end in time."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        log = os.open(tree / "last.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1), os.dup2(log, 2)
        os.chdir(tree)
        sys.path.insert(0, str(tree / "src"))
        os.environ["PYTHONPATH"] = str(tree / "src")
        options = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        options += ["-m", "not slow and not thorough and not postgres and not browser"]
        options += ["-k", " and ".join(f"not {word}" for word in slow.split())] if slow else []
        os._exit(int(importlib.import_module("pytest").main([*options, *tests])))
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "passed" if os.waitstatus_to_exitcode(status) == 0 else "failed"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "late"


def survives(mutant: Mutant, tests: list[str], slow: str, tree: Path, limit: float) -> bool:
    """Whether no test notices; those that import the mutated module are tried first."""
    whole = mutant.file.read_text(encoding="utf-8")
    named = f"{mutant.file.parent.name}.{mutant.file.stem} import"
    first = sorted(tests, key=lambda test: (named not in (tree / test).read_text(encoding="utf-8"), test))
    try:
        mutant.file.write_text(mutant.text, encoding="utf-8")
        passed = attempt(first, slow, tree, limit) == "passed"
    finally:
        mutant.file.write_text(whole, encoding="utf-8")
    print("S" if passed else ".", f"{mutant.file.name}:{mutant.line} {mutant.change}", file=sys.stderr, flush=True)
    return passed


def main() -> int:
    """Try a sample of a room's mutants, and print the score and the survivors."""
    asked = argparse.ArgumentParser(description="Mutation testing of one room.")
    asked.add_argument("room", choices=sorted(ROOMS))
    asked.add_argument("--most", type=int, default=60, help="how many mutants are tried")
    asked.add_argument("--seed", type=int, default=20)
    asked.add_argument("--slow", action="store_true", help="try survivors once more, against the slow tests too")
    given = asked.parse_args()
    room = ROOMS[given.room]
    os.nice(15)
    for name in WARM:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="averment-mutants-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        files = sorted({file for each in room.code.split() for file in (tree / HOUSE).glob(each)})
        tests = sorted({str(test.relative_to(tree)) for each in room.tests.split() for test in tree.glob(each)})
        began = time.monotonic()
        if attempt(tests, room.slow, tree, 1800) != "passed":
            print((tree / "last.log").read_text(encoding="utf-8")[-3000:], "The tests fail as they are.", sep="\n")
            return 2
        limit = 3 * (time.monotonic() - began) + 30
        all_of_them = mutants(files)
        sample = random.Random(given.seed).sample(all_of_them, min(given.most, len(all_of_them)))
        left = [each for each in sample if survives(each, tests, room.slow, tree, limit)]
        if given.slow:
            left = [each for each in left if survives(each, tests, "", tree, 1800)]
        for each in sorted(left):
            print(f"  survived {each.file.relative_to(tree / HOUSE)}:{each.line} {each.change}")
        killed = len(sample) - len(left)
        print(f"{given.room}: {killed} of {len(sample)} killed; {len(all_of_them)} mutants, seed {given.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
