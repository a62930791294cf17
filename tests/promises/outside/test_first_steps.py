"""From a checkout to a proven answer: a fresh home, no key, no network, two commands; and the wheel does the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
AVERMENT = Path(sys.executable).with_name("averment")
SALES = ROOT / "examples" / "sales.csv"
HARBOUR = ROOT / "examples" / "harbour"


def apart() -> list[str]:
    """The words that put a command where no network is, not even loopback; none where this machine has none."""
    words = ["unshare", "--user", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        return []
    return words


def bare(home: Path, **more: str) -> dict[str, str]:
    """An environment without a key, whose proxies answer nobody."""
    nowhere = "http://127.0.0.1:9"
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), nowhere)
    return {**kept, **proxies, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), **more}


def run(home: Path, *words: object, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    command = [*apart(), *map(str, words)]
    return subprocess.run(command, cwd=cwd, env=bare(home, **more), capture_output=True, text=True, check=False)


def test_the_demo_answers_and_proves_on_a_fresh_home_without_key_and_network(tmp_path: Path) -> None:
    """``make demo`` runs this script once the packages are installed."""
    done = run(tmp_path, "sh", "scripts/demo.sh", AVERMENT, AVERMENT_HOME=str(tmp_path / "home"))
    assert done.returncode == 0, done.stderr
    assert "West" in done.stdout
    assert "no check failed" in done.stdout
    report = (tmp_path / "home" / "report.html").read_text(encoding="utf-8")
    assert report.startswith("<!doctype html>")
    assert 'src="http' not in report and 'href="http' not in report


def test_documents_are_asked_and_proven_without_key_and_network(tmp_path: Path) -> None:
    home = ("--home", tmp_path / "home")
    question = "What did the dredging of the Port of Aldermouth cost?"
    done = run(tmp_path, AVERMENT, *home, "research", question, "--corpus", HARBOUR, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["status"] == "completed"
    assert run(tmp_path, AVERMENT, *home, "verify", found["id"]).returncode == 0


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_the_wheel_is_built_from_the_checkout_and_answers_outside_it(tmp_path: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not in this environment, so no wheel can be built")
    outside = {**os.environ, "PYTHONPATH": ""}

    def must(*words: object) -> None:
        done = subprocess.run(
            [*map(str, words)], cwd=tmp_path, env=outside, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    must(uv, "build", "--wheel", "--quiet", "--out-dir", tmp_path / "dist", ROOT)
    must(sys.executable, "-m", "venv", tmp_path / "venv")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    python = tmp_path / "venv" / "bin" / "python"
    must(uv, "pip", "install", "--quiet", "--python", python, "--constraint", ROOT / "requirements-test.lock", wheel)
    shutil.copy(SALES, tmp_path / "sales.csv")
    averment = tmp_path / "venv" / "bin" / "averment"
    asked = run(
        tmp_path, averment, "analyze", "total amount by region", "--source", "sales.csv", "--json", cwd=tmp_path
    )
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["status"] == "completed"
    assert run(tmp_path, averment, "verify", json.loads(asked.stdout)["id"], cwd=tmp_path).returncode == 0
