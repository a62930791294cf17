"""The container jails: what the engine is told, and a real run where an engine answers."""

# ruff: noqa: E501 - a snippet is one line

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from averment.sandbox import container, runtime
from averment.sandbox.protocol import Job
from averment.settings import Settings


@pytest.fixture
def told(tmp_path: Path) -> list[str]:
    return container.arguments(Job(code="pass"), tmp_path, name="n", image="python:3.11-slim", gvisor=False)


def pairs(told: list[str]) -> set[tuple[str, str]]:
    return set(itertools.pairwise(told))


@pytest.mark.seed("A-097")
@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--network", "none"),
        ("--memory", "512m"),
        ("--memory-swap", "512m"),
        ("--cpus", "1"),
        ("--pids-limit", "64"),
        ("--cap-drop", "ALL"),
        ("--security-opt", "no-new-privileges"),
        ("--user", "65534:65534"),
        ("--workdir", "/tmp"),
        ("--pull", "never"),
        ("--ulimit", "core=0:0"),
    ],
)
def test_the_engine_is_told_every_limit(told: list[str], flag: str, value: str) -> None:
    assert (flag, value) in pairs(told)


def test_the_root_is_read_only_and_inputs_too(told: list[str]) -> None:
    assert "--read-only" in told
    mounts = [value for flag, value in pairs(told) if flag == "--mount"]
    assert sorted(mount.endswith(",readonly") for mount in mounts) == [False, True, True]
    assert "--privileged" not in told and not any("docker.sock" in word for word in told)


@pytest.mark.seed("A-101")
def test_only_gvisor_asks_for_its_runtime(told: list[str], tmp_path: Path) -> None:
    gvisor = container.arguments(Job(code="pass"), tmp_path, name="n", image="i", gvisor=True)
    assert ("--runtime", "runsc") in pairs(gvisor)
    assert "--runtime" not in told


def test_nothing_of_the_callers_environment_is_passed_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_SECRET", "CANARY")
    told = container.arguments(Job(code="CANARY"), tmp_path, name="n", image="i", gvisor=False)
    assert not any("CANARY" in word for word in told)


def test_the_code_in_a_container_is_filtered_too() -> None:
    code = b"import socket, os\ntry: socket.socket()\nexcept PermissionError: print('no socket')\nprint(IN, OUT)\nraise SystemExit(3)"
    command = runtime.command(Path(sys.executable), str(runtime.GUEST.parent), "boxed", "")
    done = subprocess.run(command, input=code, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (3, b"no socket\n/in /out\n"), done.stderr


@pytest.mark.parametrize("gvisor", [False, True])
def test_a_container_runs_a_job(tmp_path: Path, gvisor: bool) -> None:
    image = os.environ.get("AVERMENT_SANDBOX_IMAGE", Settings().sandbox_image)
    if missing := container.lacks(image, gvisor=gvisor):
        pytest.skip(missing)
    jail = container.ContainerJail(image=image, gvisor=gvisor)
    data = tmp_path / "d.csv"
    data.write_text("1\n")
    job = Job(code="print(open('/in/d.csv').read()); open('/out/r.csv', 'w').write('a')", inputs={"d.csv": data})
    result = jail.run(job, tmp_path / "out")
    assert (result.status, result.stdout, set(result.files)) == ("ok", "1\n\n", {"r.csv"})
    assert jail.run(Job(code="while True: pass", timeout_seconds=2), tmp_path / "out2").status == "timeout"
