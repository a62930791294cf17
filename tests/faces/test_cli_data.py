"""``averment data``, ``rows`` and ``verifier`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from golden import command

SALES = Path(__file__).parents[2] / "examples" / "sales.csv"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "home"


def averment(home: Path, *arguments: str) -> tuple[int, Any]:
    done = command("--home", home, *arguments, "--json")
    return done.code, json.loads(done.out or done.err)


def test_a_dataset_is_added_described_asked_followed_to_its_rows_and_removed(home: Path) -> None:
    code, kept = averment(home, "data", "add", str(SALES))
    assert (code, kept["name"]) == (0, "sales")
    assert averment(home, "data", "describe", "sales", "amount", "--label", "turnover", "--unit", "EUR")[0] == 0
    assert averment(home, "data", "teach", "sales", "big ones", "amount over 100")[0] == 0
    code, shown = averment(home, "data", "show", "sales", "--suggest")
    notes = {one["name"]: one["note"] for one in shown["tables"][0]["columns"]}
    assert (notes["amount"]["label"], len(shown["suggestions"])) == ("turnover", 6)
    code, run = averment(home, "analyze", "total turnover by region", "--source", "dataset:sales")
    assert (code, run["read_back"]) == (0, "total amount, by region, in sales")
    code, rows = averment(home, "rows", run["id"], "1", "--size", "2")
    assert (code, rows["recomputed"]["same"], len(rows["rows"])) == (0, True, 2)
    assert averment(home, "data", "remove", "sales")[0] == 0
    assert averment(home, "data", "list")[1] == {"datasets": []}
    assert averment(home, "data", "show", "sales")[1]["error"]["code"] == "SOURCE_NOT_FOUND"


def test_the_verifier_page_is_written_as_one_file(home: Path, tmp_path: Path) -> None:
    code, written = averment(home, "verifier", str(tmp_path / "check.html"))
    assert code == 0
    page = Path(written["path"]).read_text()
    assert "src=" not in page and "<link" not in page and "script-src 'sha256-" in page
