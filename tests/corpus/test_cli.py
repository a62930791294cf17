from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from averment.faces.cli.app import app


@pytest.fixture
def averment(tmp_path: Path) -> Any:
    """Runs a command in a home of its own; gives the exit code and the JSON document."""

    def run(*arguments: str) -> tuple[int, Any]:
        done = CliRunner().invoke(
            app, ["--home", str(tmp_path / "home"), "corpus", *arguments, "--json"], standalone_mode=False
        )
        if done.exception is not None:
            raise done.exception
        return done.return_value, json.loads(done.stdout)

    return run


def test_documents_are_added_listed_searched_shown_and_removed(averment: Any, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Harbour\n\nThe harbour was deepened in 1999.\n")
    (tmp_path / "docs" / "b.txt").write_text("Bread is baked from flour.\n")
    code, added = averment("add", str(tmp_path / "docs"), "--no-vectors")
    assert (code, added["counts"]["added"]) == (0, 2)
    assert [one["title"] for one in averment("list")[1]["documents"]] == ["Harbour", "Bread is baked from flour."]
    hit = averment("search", "when was the harbour deepened", "-k", "1")[1]["hits"][0]
    assert hit["title"] == "Harbour"
    shown = averment("show", hit["document_id"], "--text")[1]
    assert shown["text"][hit["start"] : hit["end"]] == hit["text"]
    assert averment("remove", hit["url"])[0] == 0
    assert [one["title"] for one in averment("list")[1]["documents"]] == ["Bread is baked from flour."]


def test_nothing_found_and_nothing_readable_have_their_exit_codes(averment: Any, tmp_path: Path) -> None:
    assert averment("search", "anything")[0] == 3
    code, added = averment("add", str(tmp_path / "nowhere"), "--no-vectors")
    assert code == 2
    assert added["sources"][0]["error"]["code"] == "SOURCE_NOT_FOUND"
    code, added = averment("add", "http://169.254.169.254/latest/meta-data/", "--no-vectors")
    assert code == 4
    assert added["sources"][0]["error"]["code"] == "ADDRESS_REFUSED"
