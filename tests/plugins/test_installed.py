"""The example plugins, installed from their own wheel, in real runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.plugins.conftest import Installed

pytestmark = [pytest.mark.timeout(600)]

PLAN = "from access statistic concentration of bytes between host"
HOSTS = {"a.example": 900, "b.example": 40, "c.example": 30, "d.example": 20, "e.example": 10}


def gini(values: list[int]) -> float:
    """By the definition: the mean difference of all pairs over twice the mean."""
    apart = sum(abs(one - other) for one in values for other in values)
    return apart / (2 * len(values) * sum(values))


@pytest.fixture(scope="module")
def run(installed: Installed) -> dict[str, object]:
    """One run with a source kind, a tool, a plan operation and a claim relation of the plugin."""
    lines = [f"time:2024-01-0{day}\thost:{host}\tbytes:{size // 2}" for host, size in HOSTS.items() for day in (1, 2)]
    (installed.folder / "access.ltsv").write_text("\n".join(lines) + "\n")
    (installed.folder / "plan.txt").write_text(PLAN)
    return installed.json("plan", "plan.txt", "--source", "access.ltsv")


def test_every_addition_of_the_wheel_is_listed_and_usable(installed: Installed) -> None:
    added = installed.json("plugins")
    assert {each["point"] for each in added} >= {"sources", "tools", "operations", "claims"}
    assert {each["plugin"] for each in added} == {"averment-example"}
    assert not [each for each in added if each["problem"]]


def test_source_tool_operation_and_claim_answer_one_question(run: dict[str, object]) -> None:
    assert run["status"] == "completed"
    expected = f"{gini(list(HOSTS.values())):.3f}".rstrip("0")
    said = f"bytes is highly concentrated over 5 values of host: the Gini coefficient is {expected}."
    assert run["answer"] == said


def test_the_run_verifies_and_names_the_plugin(installed: Installed, run: dict[str, object]) -> None:
    checks = {check["subject"]: check for check in installed.json("verify", run["id"])["checks"]}
    assert checks["call query"]["detail"] == "example.gini run again, same result"
    named = checks["plugin averment-example"]
    assert named["ok"]
    for added in ("sources ltsv", "tools example.gini", "operations concentration", "claims concentrated"):
        assert added in named["detail"]


def test_the_ledger_names_package_version_and_hash(installed: Installed, run: dict[str, object]) -> None:
    done = installed.averment("ledger", "export", "--out", "out.jsonl")
    assert done.returncode == 0, done.stderr
    entries = [json.loads(line) for line in (installed.folder / "out.jsonl").read_text().splitlines()]
    of_run = [entry["event_data"] for entry in entries if entry.get("request_id") == run["id"]]
    (named,) = [body for body in of_run if body.get("rule") == "PLUGIN"]
    assert (named["plugin"], named["version"]) == ("averment-example", "1.0.0")
    assert len(named["sha256"]) == 64


def test_without_the_plugin_verifying_says_what_is_missing(installed: Installed, run: dict[str, object]) -> None:
    command = [sys.executable, "-m", "averment", "verify", str(run["id"]), "--json"]
    done = subprocess.run(command, cwd=installed.folder, capture_output=True, text=True)
    assert done.returncode == 5
    failed = [check for check in json.loads(done.stdout)["checks"] if not check["ok"]]
    assert [check["subject"] for check in failed] == ["plugin averment-example"]
    assert "is not installed" in failed[0]["detail"]


def test_without_the_plugin_the_run_is_still_shown(installed: Installed, run: dict[str, object]) -> None:
    command = [sys.executable, "-m", "averment", "show", str(run["id"]), "--json"]
    done = subprocess.run(command, cwd=installed.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answer"] == run["answer"]


@pytest.fixture(scope="module")
def mailed(installed: Installed, run: dict[str, object]) -> Path:
    """The run's report as it would be mailed, in a folder of its own with the source."""
    folder = installed.folder / "mailed"
    folder.mkdir()
    (folder / "access.ltsv").write_bytes((installed.folder / "access.ltsv").read_bytes())
    installed.json("export", run["id"], "--to", "html", "--out", folder / "r.html")
    return folder / "r.html"


def test_a_mailed_report_names_the_plugin_and_is_computed_again_with_it(installed: Installed, mailed: Path) -> None:
    verdict = installed.json("--home", "nobodys", "verify", mailed)
    checks = {check["subject"]: check for check in verdict["checks"]}
    detail = checks["plugin averment-example"]["detail"]
    assert detail.startswith("1.0.0, same files, SHA-256 ")
    for added in ("sources ltsv", "tools example.gini", "operations concentration", "claims concentrated"):
        assert added in detail
    assert verdict["numbers_rederived"] > 0


def test_without_the_plugin_a_mailed_report_names_what_is_missing_and_nothing_is_computed(mailed: Path) -> None:
    command = [sys.executable, "-m", "averment", "--home", "nobodys", "verify", str(mailed), "--json"]
    done = subprocess.run(command, cwd=mailed.parent, capture_output=True, text=True)
    assert done.returncode == 5
    verdict = json.loads(done.stdout)
    failed = [check for check in verdict["checks"] if not check["ok"]]
    assert [check["subject"] for check in failed] == ["plugin averment-example"]
    assert "averment-example 1.0.0" in failed[0]["detail"]
    assert "sources ltsv" in failed[0]["detail"]
    assert verdict["numbers_rederived"] == 0


def test_an_entry_of_a_plugin_that_another_run_has_is_refused_in_a_mailed_report(
    installed: Installed, mailed: Path
) -> None:
    from averment.ledger.keys import VerifierKey
    from averment.runtime.verification.capsule import disclose
    from averment.workbench.mailed import _check_plugins  # pyright: ignore[reportPrivateUsage]

    _, body, _, _ = disclose(mailed.read_bytes())
    key = VerifierKey.parse(body["key"])
    body["run"]["run_id"] = "00000000-0000-0000-0000-000000000000"
    (check,) = _check_plugins(body, key)
    assert (check.subject, check.ok) == ("plugin averment-example", False)
    assert "not one of the run's" in check.detail


def test_a_changed_file_of_the_plugin_is_found_at_verification(installed: Installed, run: dict[str, object]) -> None:
    module = installed.packages / "averment_example" / "tool_gini.py"
    before = module.read_text()
    try:
        module.write_text(before + "\n# changed\n")
        done = installed.averment("verify", run["id"], "--json")
    finally:
        module.write_text(before)
    failed = [check for check in json.loads(done.stdout)["checks"] if not check["ok"]]
    assert [check["subject"] for check in failed] == ["plugin averment-example"]
    assert "other files" in failed[0]["detail"]


def test_a_broken_file_is_refused_with_the_readers_own_reason(installed: Installed) -> None:
    (installed.folder / "broken.ltsv").write_text("host:a\tno label here\n")
    (installed.folder / "broken.txt").write_text("from broken show host")
    done = installed.averment("plan", "broken.txt", "--source", "broken.ltsv", "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "SOURCE_UNREADABLE"
    assert "line 1 has a field without a label" in error["message"]


def test_a_source_of_a_plugin_is_asked_in_words(installed: Installed, run: dict[str, object]) -> None:
    asked = installed.json("analyze", "total bytes by host", "--source", Path("access.ltsv"))
    assert asked["status"] == "completed"
    assert "a.example" in asked["answer"]


@pytest.mark.parametrize("question", ["concentration of bytes by host", "how concentrated is bytes across host"])
def test_an_operation_of_a_plugin_is_asked_in_words(
    installed: Installed, run: dict[str, object], question: str
) -> None:
    asked = installed.json("analyze", question, "--source", "access.ltsv")
    assert asked["answer"] == run["answer"]
    assert installed.averment("verify", asked["id"]).returncode == 0
