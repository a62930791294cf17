"""The verifier as a third party runs it: a file, its neighbours, and nothing else of Averment."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from averment.ledger.checkpoint import split_notes


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "averment.ledger.verify", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def test_a_sound_file_is_verified_from_the_command_line(sealed, tmp_path):
    ended = run(str(sealed.log), cwd=tmp_path)
    assert ended.returncode == 0
    assert "20 verified, 20 signed, 0 not signed yet" in ended.stdout
    assert sealed.public.read_text().split("+")[1] in ended.stdout
    assert ended.stderr == ""


def test_a_tampered_file_ends_with_code_5_and_names_the_line(sealed):
    sealed.write_lines(sealed.lines()[:-1])
    ended = run(str(sealed.log), "--json")
    assert ended.returncode == 5
    found = json.loads(ended.stdout)
    assert found["ok"] is False
    assert (found["first_fault"]["line"], found["first_fault"]["reason"]) == (20, "truncated")


def test_a_given_key_and_a_checkpoint_kept_elsewhere_are_used(sealed, tmp_path):
    witnessed = tmp_path / "checkpoint.txt"
    witnessed.write_text(split_notes(sealed.checkpoints.read_text())[0][-1])
    key = sealed.public.read_text().strip()
    ended = run(str(sealed.log), "--key", key, "--witnessed", str(witnessed), "--expect-entries", "20", "--json")
    found = json.loads(ended.stdout)
    assert ended.returncode == 0, found
    assert (found["key_source"], found["checkpoints"]) == ("given", 5)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_file_that_is_not_there_ends_with_code_1(tmp_path, form):
    ended = run(str(tmp_path / "nothing.jsonl"), *form)
    assert ended.returncode == 1
    if form:
        assert json.loads(ended.stdout)["error"]["code"] == "LEDGER_UNAVAILABLE"
    else:
        assert ended.stdout == ""


def test_a_witnessed_checkpoint_that_is_not_there_ends_with_code_2(sealed, tmp_path):
    assert run(str(sealed.log), "--witnessed", str(tmp_path / "nothing")).returncode == 2


def test_a_key_that_is_none_ends_with_code_2(sealed):
    assert run(str(sealed.log), "--key", "nonsense").returncode == 2


def test_the_verifier_loads_nothing_of_averment_but_the_ledger_and_the_errors():
    script = (
        "import sys, averment.ledger.verify\n"
        "print(sorted({'.'.join(name.split('.')[:2]) for name in sys.modules if name.startswith('averment')}))\n"
        "print([name for name in ('duckdb', 'pydantic', 'sqlalchemy', 'numpy', 'pandas') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    loaded, heavy = ended.stdout.splitlines()
    assert loaded == "['averment', 'averment.errors', 'averment.ledger', 'averment.version']"
    assert heavy == "[]"


def test_the_verifier_does_not_need_the_writing_side():
    script = (
        "import sys, averment.ledger.verify\n"
        "names = ('writer', 'commit', 'logfile')\n"
        "print([name for name in names if f'averment.ledger.{name}' in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.strip() == "[]"
