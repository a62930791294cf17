"""The command line: results on stdout, progress on stderr, one JSON document, the exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from golden import Ended, command

SALES = Path(__file__).parents[2] / "examples" / "sales.csv"
QUESTION = "total amount by region in 2024"
HEAVY = [
    "duckdb",
    "pandas",
    "polars",
    "pyarrow",
    "numpy",
    "altair",
    "fastapi",
    "sqlalchemy",
    "dbos",
    "pydantic_ai",
    "mcp",
    "rich",
    "onnxruntime",
    "sqlglot",
    "pydantic",
]


class Averment:
    """The command over one home, as it ends in this process (see ``golden.command``)."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str) -> Ended:
        return command("--home", self.home, *arguments)

    def json(self, *arguments: str) -> dict[str, Any]:
        done = self(*arguments, "--json")
        assert done.err == "", done.err
        return json.loads(done.out)


@pytest.fixture(scope="module")
def averment(tmp_path_factory: pytest.TempPathFactory) -> Averment:
    return Averment(tmp_path_factory.mktemp("cli") / "home")


@pytest.fixture(scope="module")
def run(averment: Averment) -> dict[str, Any]:
    return averment.json("analyze", QUESTION, "--source", str(SALES))


def test_an_answer_is_one_json_document(run: dict[str, Any]) -> None:
    assert run["status"] == "completed"
    assert {"artifact_type", "content_ref", "content_hash"} <= set(run["artifacts"][0])
    assert run["findings"]
    assert run["report"].startswith("# total amount")
    assert run["proof"]["checkpoint"].startswith("averment.local/ledger\n")


def test_a_person_sees_answer_table_files_and_proof(averment: Averment) -> None:
    done = averment("analyze", QUESTION, "--source", str(SALES))
    assert done.code == 0
    assert "West" in done.out
    assert "averment verify" in done.out
    assert "interpreted as:" in done.err
    assert "interpreted as:" not in done.out


def test_verify_re_derives_and_then_names_what_broke(averment: Averment, run: dict[str, Any]) -> None:
    good = averment("verify", run["id"])
    assert good.code == 0, good.out
    assert "no check failed" in good.out
    report = averment.home / next(a["content_ref"] for a in run["artifacts"] if a["content_ref"].endswith("report.md"))
    text = report.read_text()
    report.write_text(text.replace("West", "Vest", 1))
    bad = averment("verify", run["id"], "--json")
    report.write_text(text)
    assert bad.code == 5
    faults = [check for check in json.loads(bad.out)["checks"] if not check["ok"]]
    assert all("report.md" in fault["subject"] for fault in faults)


@pytest.mark.seed("A-087")
def test_a_ledger_is_verified_by_itself(averment: Averment, run: dict[str, Any], tmp_path: Path) -> None:
    ledger = averment.home / "logs" / "data_agent_runs.jsonl"
    assert averment("verify", "--ledger", str(ledger)).code == 0
    copy = tmp_path / "copy.jsonl"
    assert averment("ledger", "export", "--out", str(copy)).code == 0
    assert averment("verify", "--ledger", str(copy)).code == 0
    copy.write_text(copy.read_text().replace("planner", "manager", 1))
    assert averment("verify", "--ledger", str(copy)).code == 5


def test_replay_gives_the_same_bytes(averment: Averment, run: dict[str, Any]) -> None:
    body = averment.json("replay", run["id"])
    assert body["same"] is True


def test_show_list_and_export_tell_the_run(averment: Averment, run: dict[str, Any], tmp_path: Path) -> None:
    assert averment("show", run["id"], "--report").out.startswith("# total amount")
    assert run["id"] in {each["id"] for each in averment.json("list")["runs"]}
    assert averment.json("show", run["id"][:8])["id"] == run["id"]
    exported = averment.json("export", run["id"], "--to", "html", "--out", str(tmp_path / "r.html"))
    assert Path(exported["path"]).read_text().startswith("<!doctype html>")
    exported = averment.json("export", run["id"], "--to", "pdf", "--out", str(tmp_path / "r.pdf"))
    assert Path(exported["path"]).read_bytes().startswith(b"%PDF-")


def test_the_key_and_a_proof_can_be_had(averment: Averment, run: dict[str, Any]) -> None:
    assert averment.json("ledger", "key")["key"].startswith("averment.local/ledger+")
    proof = averment.json("ledger", "prove", "1")
    assert proof["sequence_number"] == 1
    assert proof["checkpoint"]


def test_a_home_of_its_own_has_one_ledger_and_no_writers(averment: Averment, run: dict[str, Any]) -> None:
    body = averment.json("ledger", "verify")
    assert (body["ok"], [(one["writer"], one["here"]) for one in body["ledgers"]]) == (True, [("", True)])
    assert averment("ledger", "verify").out.startswith("ok    this home: ")
    assert averment.json("ledger", "writers") == {"writers": []}
    assert averment("verify", run["id"], "--key", averment.json("ledger", "key")["key"]).code == 0


def test_terminal_escapes_in_data_are_shown_and_not_obeyed(averment: Averment, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("name,amount\n\x1b[31mred\x07,1\nplain,2\n")
    done = averment("analyze", "total amount by name", "--source", str(path))
    assert "\x1b[31m" not in done.out
    assert "\x07" not in done.out


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["analyze", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        f"import sys; sys.argv = ['averment', *{arguments!r}]\n"
        "from averment.faces.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.stderr.write(' '.join(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(done.stderr.split())
    assert loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize(
    ("status", "code"),
    [("completed", 0), ("partial_success", 0), ("failed", 1), ("cancelled", 1), ("abstained", 3), ("planning", 4)],
)
def test_how_a_run_ended_is_the_exit_code(status: str, code: int) -> None:
    from averment.faces.cli.output import exit_code_of

    assert exit_code_of(status) == code
