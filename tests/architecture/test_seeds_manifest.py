"""docs/seeds.md and the tests hold each other to account: every requirement has its test, every marked test its row.

A row also says where what it requires was seen, and its test must go that way (``seen_faces``).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # For ``seen_faces``.

from seen_faces import FACES, Sources

ROOT = Path(__file__).parents[2]
ROW = re.compile(
    r"\| ([A-D]-\d{3}) \| ([^|]+\.) \| (averment(?:\.\w+)*) \| ([a-z]+|–) \| (open: [a-z]+|tests/\S+\.py(?:::\w+)+) \|"
)


class Row(NamedTuple):
    """One requirement: its id, its sentence, the module it lives in, where it was seen, its test or what it waits
    for."""

    id: str
    sentence: str
    module: str
    seen: str
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


def find_faults(manifest: str, files: Mapping[str, str], modules: frozenset[str]) -> list[str]:
    """Everything in which the list, the tests and the modules do not agree."""
    rows, faults = read_rows(manifest)
    sources = Sources(files)
    marked: dict[str, set[str]] = {}
    for test, requirements in sources.tests.items():
        for requirement in requirements:
            marked.setdefault(requirement, set()).add(test)

    ids = [row.id for row in rows]
    faults += [f"{requirement}: listed twice" for requirement in sorted({one for one in ids if ids.count(one) > 1})]
    faults += [f"{requirement}: marked in tests, not listed" for requirement in sorted(marked.keys() - set(ids))]
    for row in rows:
        if row.is_open:
            # The table of a record may name what no run fills yet.
            proved = sorted(test for test in marked.get(row.id, set()) if not test.startswith("tests/records/"))
            faults += [f"{row.id}: open, but proved by {test}" for test in proved[:1]]
            faults += [f"{row.id}: open, but seen by {row.seen}"] if row.seen != "–" else []
            continue
        if row.module not in modules:
            faults.append(f"{row.id}: there is no module {row.module}")
        if row.proof not in sources.tests:
            faults.append(f"{row.id}: there is no test {row.proof}")
        elif row.proof not in marked.get(row.id, set()):
            faults.append(f"{row.id}: {row.proof} does not carry this id")
        elif row.seen not in (seen := sources.faces_of(row.proof)):
            faults.append(f"{row.id}: {row.proof} does not see it by {row.seen}, but by {', '.join(sorted(seen))}")
    return faults


def find_modules() -> frozenset[str]:
    source = ROOT / "src"
    paths = (path.relative_to(source).with_suffix("") for path in (source / "averment").rglob("*.py"))
    return frozenset(".".join(path.parts).removesuffix(".__init__") for path in paths)


def read_files() -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "tests").rglob("*.py"))
    }


def test_requirements_tests_and_modules_agree() -> None:
    manifest = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
    assert find_faults(manifest, read_files(), find_modules()) == []


def test_the_count_of_each_face_is_that_of_the_rows() -> None:
    manifest = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
    rows, _ = read_rows(manifest)
    told = dict(re.findall(r"^\| `?(\w+)`? \| [^|]+ \| (\d+) \|$", manifest, re.MULTILINE))
    seen = ["open" if row.is_open else row.seen for row in rows]
    assert told == {face: str(seen.count(face)) for face in (*FACES, "open")}


def test_every_family_counts_up_without_a_gap() -> None:
    rows, _ = read_rows((ROOT / "docs" / "seeds.md").read_text(encoding="utf-8"))
    for family in "ABCD":
        numbers = [int(row.id[2:]) for row in rows if row.id.startswith(family)]
        assert numbers
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_sentence_is_said_once() -> None:
    rows, _ = read_rows((ROOT / "docs" / "seeds.md").read_text(encoding="utf-8"))
    assert len({row.sentence for row in rows}) == len(rows)


GOOD_ROW = "| A-001 | It holds. | averment.errors | module | tests/test_a.py::test_it_holds |"
GOOD_TEST = '@pytest.mark.seed("A-001", "A-002")\ndef test_it_holds(): ...\ndef test_plain(): ...\n'
OPEN_ROW = "| A-002 | It will hold. | averment.ledger | – | open: ledger |"


@pytest.mark.parametrize(
    ("manifest", "source", "fault"),
    [
        (GOOD_ROW, GOOD_TEST.replace('"A-001", "A-002"', '"A-001"'), ""),
        (GOOD_ROW, GOOD_TEST, "A-002: marked in tests, not listed"),
        (f"{GOOD_ROW}\n{OPEN_ROW}", GOOD_TEST, "A-002: open, but proved"),
        (f"{GOOD_ROW}\n{OPEN_ROW.replace('–', 'cli')}", GOOD_TEST, "A-002: open, but seen"),
        (f"{GOOD_ROW}\n{GOOD_ROW}", GOOD_TEST, "A-001: listed twice"),
        (
            GOOD_ROW.replace("test_it_holds", "test_plain"),
            GOOD_TEST,
            "A-001: tests/test_a.py::test_plain does not carry",
        ),
        (GOOD_ROW.replace("test_it_holds", "test_gone"), GOOD_TEST, "A-001: there is no test"),
        (GOOD_ROW.replace("averment.errors", "averment.gone"), GOOD_TEST, "A-001: there is no module"),
        (GOOD_ROW.replace("module", "http"), GOOD_TEST, "A-001: tests/test_a.py::test_it_holds does not see it"),
        (GOOD_ROW.replace("module", "record"), GOOD_TEST, "A-001: tests/test_a.py::test_it_holds does not see it"),
        ("| A-001 | It holds. | averment.errors | cli | |", "", "not a row"),
        ("| A-001 | It holds. | averment.errors | open |", "", "not a row"),
        (
            GOOD_ROW,
            f"class TestAll:\n    {GOOD_TEST.splitlines()[0]}\n    def test_it_holds(self): ...\n",
            "A-001: there is",
        ),
    ],
)
def test_each_kind_of_disagreement_is_found(manifest: str, source: str, fault: str) -> None:
    faults = find_faults(manifest, {"tests/test_a.py": source}, frozenset({"averment.errors"}))
    if fault:
        assert any(found.startswith(fault) for found in faults)
    else:
        assert faults == []


ROWS = 'TABLE = [shape("A-001 A-002", One, {}), limit("A-003", One)]\n@rows(TABLE)\ndef test_a(row): row.check()\n'
SHARED = {
    "tests/conftest.py": "@pytest.fixture\ndef served():\n    return httpx2.Client()\n",
    "tests/faces/helper.py": "def ask(): return Workbench()\n",
}


@pytest.mark.parametrize(
    ("path", "source", "faces"),
    [
        ("tests/records/test_a.py", ROWS, {"record"}),
        ("tests/runtime/test_a.py", "def test_a(): pass", {"module"}),
        ("tests/faces/test_a.py", "def test_a(served): pass", {"http"}),
        ("tests/faces/test_a.py", "from helper import ask\ndef test_a(): ask()", {"python"}),
        ("tests/faces/test_a.py", "from helper import ask\ndef test_b(): ask()\ndef test_a(): pass", {"module"}),
        ("tests/faces/test_a.py", "def test_a(): Client().call_tool('x')", {"mcp"}),
        (
            "tests/faces/test_a.py",
            "def run(): subprocess.run([sys.executable, '-m', 'averment'])\ndef test_a(): run()",
            {"cli"},
        ),
        ("tests/faces/test_a.py", "def test_a(served): Path('x').read_text()", {"http", "files"}),
        ("tests/faces/test_a.py", "def test_a(page): page.goto('/')", {"page"}),
    ],
)
def test_a_face_is_named_only_where_the_test_goes_through_it(path: str, source: str, faces: set[str]) -> None:
    sources = Sources({**SHARED, path: source})
    assert sources.faces_of(f"{path}::test_a") == faces


def test_a_tables_rows_are_marks_of_the_test_that_goes_over_them() -> None:
    assert Sources({"tests/records/test_a.py": ROWS}).tests == {
        "tests/records/test_a.py::test_a": ["A-001", "A-002", "A-003"]
    }
