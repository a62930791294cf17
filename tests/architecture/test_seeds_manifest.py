"""docs/seeds.md and the tests hold each other to account: every requirement has its test, every marked test its row."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"\| ([A-D]-\d{3}) \| ([^|]+\.) \| (averment(?:\.\w+)*) \| (open: [a-z]+|tests/\S+\.py(?:::\w+)+) \|")


class Row(NamedTuple):
    """One requirement: its id, its sentence, the module it lives in, and its test or what it waits for."""

    id: str
    sentence: str
    module: str
    proof: str

    @property
    def is_open(self) -> bool:
        return self.proof.startswith("open: ")


def read_rows(manifest: str) -> tuple[list[Row], list[str]]:
    """The rows of the list, and what is wrong with those lines of its tables that are none."""
    rows: list[Row] = []
    faults: list[str] = []
    for line in manifest.splitlines():
        if re.match(r"\|\s*\**[A-Z]-", line):
            match = ROW.fullmatch(line)
            if match:
                rows.append(Row(*match.groups()))
            else:
                faults.append(f"not a row: {line}")
    return rows, faults


def read_marks(path: str, source: str) -> Iterator[tuple[str, str]]:
    """Each test of a file with each id its markers name, as (test, id); an unmarked test gives an empty id."""
    yield from _marks_in(ast.parse(source).body, path, [])


def _marks_in(body: list[ast.stmt], prefix: str, inherited: list[str]) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _marks_in(node.body, f"{prefix}::{node.name}", [*inherited, *_ids(node.decorator_list)])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            for requirement in [*inherited, *_ids(node.decorator_list)] or [""]:
                yield f"{prefix}::{node.name}", requirement


def _ids(decorators: list[ast.expr]) -> list[str]:
    found: list[str] = []
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.seed":
            found += [str(ast.literal_eval(argument)) for argument in decorator.args]
    return found


def find_faults(manifest: str, sources: Mapping[str, str], modules: frozenset[str]) -> list[str]:
    """Everything in which the list, the tests and the modules do not agree."""
    rows, faults = read_rows(manifest)
    marks = [mark for path, source in sources.items() for mark in read_marks(path, source)]
    tests = {test for test, _ in marks}
    marked: dict[str, set[str]] = {}
    for test, requirement in marks:
        if requirement:
            marked.setdefault(requirement, set()).add(test)

    ids = [row.id for row in rows]
    faults += [f"{requirement}: listed twice" for requirement in sorted({one for one in ids if ids.count(one) > 1})]
    faults += [f"{requirement}: marked in tests, not listed" for requirement in sorted(marked.keys() - set(ids))]
    for row in rows:
        if row.is_open:
            if row.id in marked:
                faults.append(f"{row.id}: open, but proved by {sorted(marked[row.id])[0]}")
            continue
        if row.module not in modules:
            faults.append(f"{row.id}: there is no module {row.module}")
        if row.proof not in tests:
            faults.append(f"{row.id}: there is no test {row.proof}")
        elif row.proof not in marked.get(row.id, set()):
            faults.append(f"{row.id}: {row.proof} does not carry this id")
    return faults


def find_modules() -> frozenset[str]:
    source = ROOT / "src"
    paths = (path.relative_to(source).with_suffix("") for path in (source / "averment").rglob("*.py"))
    return frozenset(".".join(path.parts).removesuffix(".__init__") for path in paths)


def test_requirements_tests_and_modules_agree():
    sources = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
    }
    manifest = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
    assert find_faults(manifest, sources, find_modules()) == []


def test_every_family_counts_up_without_a_gap():
    rows, _ = read_rows((ROOT / "docs" / "seeds.md").read_text(encoding="utf-8"))
    for family in "ABCD":
        numbers = [int(row.id[2:]) for row in rows if row.id.startswith(family)]
        assert numbers
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_sentence_is_said_once():
    rows, _ = read_rows((ROOT / "docs" / "seeds.md").read_text(encoding="utf-8"))
    assert len({row.sentence for row in rows}) == len(rows)


GOOD_ROW = "| A-001 | It holds. | averment.errors | tests/test_a.py::test_it_holds |"
GOOD_TEST = '@pytest.mark.seed("A-001", "A-002")\ndef test_it_holds(): ...\ndef test_plain(): ...\n'
OPEN_ROW = "| A-002 | It will hold. | averment.ledger | open: ledger |"


@pytest.mark.parametrize(
    ("manifest", "source", "fault"),
    [
        (GOOD_ROW, GOOD_TEST.replace('"A-001", "A-002"', '"A-001"'), ""),
        (GOOD_ROW, GOOD_TEST, "A-002: marked in tests, not listed"),
        (f"{GOOD_ROW}\n{OPEN_ROW}", GOOD_TEST, "A-002: open, but proved"),
        (f"{GOOD_ROW}\n{GOOD_ROW}", GOOD_TEST, "A-001: listed twice"),
        (
            GOOD_ROW.replace("test_it_holds", "test_plain"),
            GOOD_TEST,
            "A-001: tests/test_a.py::test_plain does not carry",
        ),
        (GOOD_ROW.replace("test_it_holds", "test_gone"), GOOD_TEST, "A-001: there is no test"),
        (GOOD_ROW.replace("averment.errors", "averment.gone"), GOOD_TEST, "A-001: there is no module"),
        ("| A-001 | It holds. | averment.errors | |", "", "not a row"),
        ("| A-001 | It holds. | averment.errors | open |", "", "not a row"),
        (
            GOOD_ROW,
            f"class TestAll:\n    {GOOD_TEST.splitlines()[0]}\n    def test_it_holds(self): ...\n",
            "A-001: there is",
        ),
    ],
)
def test_each_kind_of_disagreement_is_found(manifest: str, source: str, fault: str):
    faults = find_faults(manifest, {"tests/test_a.py": source}, frozenset({"averment.errors"}))
    if fault:
        assert any(found.startswith(fault) for found in faults)
    else:
        assert faults == []
