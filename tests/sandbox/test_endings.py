"""How a job ended is told by the kernel, whatever the job says."""

from __future__ import annotations

from pathlib import Path

import pytest

from averment.errors import InvalidArguments
from averment.sandbox.protocol import Jail, Job

from .conftest import Run


def test_an_exception_is_told_with_the_codes_own_lines_only(run: Run) -> None:
    result = run("def f():\n    raise KeyError('amount')\nf()")
    assert (result.status, result.exit_code, result.error) == ("error", 1, "KeyError: 'amount'")
    assert 'File "<cell>", line 2, in f' in result.stderr
    assert "raise KeyError('amount')" in result.stderr
    assert "cell.py" not in result.stderr


def test_broken_syntax_is_told(run: Run) -> None:
    result = run("print(1\n")
    assert result.status == "error"
    assert result.error is not None and result.error.startswith("SyntaxError")


@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [
        ("import sys; sys.exit(3)", "error", 3),
        ("exit()", "ok", 0),
        ("raise SystemExit('no')", "error", 1),
        ("import os; os._exit(7)", "error", 7),
    ],
)
def test_an_exit_code_is_told(run: Run, code: str, status: str, exit_code: int) -> None:
    result = run(code)
    assert (result.status, result.exit_code) == (status, exit_code)


def test_output_and_complaints_are_kept_apart(run: Run) -> None:
    result = run("import sys; print('out'); print('err', file=sys.stderr)")
    assert (result.stdout, result.stderr) == ("out\n", "err\n")


def test_terminal_sequences_do_not_pass(run: Run) -> None:
    assert "\x1b" not in run("print('\\x1b[2J\\x07ok')").stdout


def test_input_is_empty(run: Run) -> None:
    assert run("import sys; print(repr(sys.stdin.read()))").stdout == "''\n"


def test_a_job_nobody_waits_for_any_more_is_ended(run: Run) -> None:
    result = run("import time; time.sleep(600)", timeout_seconds=60, halted=lambda: True)
    assert (result.status, result.exit_code, result.stdout) == ("killed", None, "")
    assert result.seconds < 60


def test_a_sleeper_is_ended_in_time(run: Run) -> None:
    result = run("print('before', flush=True)\nimport time; time.sleep(600)", timeout_seconds=0.5)
    assert (result.status, result.exit_code, result.stdout) == ("timeout", None, "before\n")


def test_a_loop_in_c_is_ended_in_time(run: Run) -> None:
    assert run("sum(range(10**13))", timeout_seconds=0.5).status == "timeout"


def test_a_thread_that_never_ends_is_ended_in_time(run: Run) -> None:
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()"
    assert run(code, timeout_seconds=0.5).status == "timeout"


@pytest.mark.parametrize(
    "code",
    [
        "x = bytearray(900 << 20)",
        "import numpy as np; x = np.ones(150_000_000)",
        "x = []\nwhile True: x.append('x' * 1_000_000)",
    ],
)
def test_too_much_memory_ends_the_job(run: Run, code: str) -> None:
    result = run(code)
    assert result.status == "memory", result
    assert result.exit_code is None
    assert result.peak_memory_mb < 600


def test_shared_memory_counts_too(run: Run) -> None:
    code = "import mmap\nm = mmap.mmap(-1, 800 << 20)\nfor i in range(0, 800 << 20, 4096): m[i] = 1"
    assert run(code).status == "memory"


def test_the_memory_of_a_smaller_job_is_smaller(run: Run) -> None:
    assert run("x = bytearray(200 << 20)", memory_mb=64).status == "memory"
    assert run("x = bytearray(200 << 20)", memory_mb=512).status == "ok"


def test_a_caught_memory_error_is_the_codes_own_affair(run: Run) -> None:
    assert run("try: x = bytearray(9 << 30)\nexcept MemoryError: print('caught')").stdout == "caught\n"


def test_too_much_output_ends_the_job_and_the_rest_is_cut(run: Run) -> None:
    result = run("import sys\nwhile True: sys.stdout.write('x' * 1000)", output_bytes=5_000)
    assert (result.status, len(result.stdout)) == ("output", 5_000)
    result = run("import sys; sys.stderr.write('y' * 5_001)", output_bytes=5_000)
    assert (result.status, len(result.stderr)) == ("output", 5_000)
    assert run("print('x' * 4_999)", output_bytes=5_000).status == "ok"


def test_a_crash_is_told_by_its_signal(run: Run) -> None:
    result = run("import ctypes; ctypes.string_at(0)")
    assert (result.status, result.exit_code, result.error) == ("killed", None, "ended by SIGSEGV")


@pytest.mark.parametrize("text", ["MemoryError", '{\\"status\\": \\"timeout\\"}', "ended by SIGSEGV"])
def test_printed_words_do_not_change_the_status(run: Run, text: str) -> None:
    result = run(f'import sys; print("{text}"); print("{text}", file=sys.stderr)')
    assert (result.status, result.exit_code, result.error, dict(result.files)) == ("ok", 0, None, {})
    assert run(f'import sys; print("{text}", file=sys.stderr); sys.exit(1)').status == "error"


def test_writing_into_every_descriptor_forges_nothing(run: Run) -> None:
    code = """
import os
for fd in range(3, 256):
    for data in (b'\\x00\\x00\\x00\\x00', b'ready', b'failed: forged'):
        try: os.write(fd, data); print('wrote', fd)
        except OSError: pass
os._exit(9)
"""
    result = run(code)
    assert (result.status, result.exit_code, result.stdout) == ("error", 9, "")


def test_a_job_ended_by_a_limit_leaves_no_files(run: Run) -> None:
    result = run("(OUT / 'half.csv').write_text('a,b')\nwhile True: pass", timeout_seconds=0.5)
    assert dict(result.files) == {}


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_an_input_that_is_no_file_is_refused(jail: Jail, tmp_path: Path, kind: str) -> None:
    path = tmp_path if kind == "folder" else tmp_path / "missing"
    with pytest.raises(InvalidArguments):
        jail.run(Job(code="pass", inputs={"x": path}), tmp_path / "out")


def test_a_pipe_as_input_is_refused_at_once(jail: Jail, tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidArguments):
        jail.run(Job(code="pass", inputs={"x": tmp_path / "pipe"}), tmp_path / "out")
