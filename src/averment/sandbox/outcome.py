"""From what was seen of a job to the result that is told."""

from __future__ import annotations

from averment.sandbox.collect import Collection
from averment.sandbox.protocol import JailName, JailResult
from averment.sandbox.watch import Ending

MAX_ERROR_CHARACTERS = 2_000


_CONTROLS = {code: "\ufffd" for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(code) not in "\t\n\r"}


def _readable(output: bytes) -> str:
    # Terminal sequences could redraw what a person reads elsewhere on the screen.
    return output.decode("utf-8", "replace").translate(_CONTROLS)


def told(name: JailName, ending: Ending, collection: Collection) -> JailResult:
    """The result of a job, with the last line of its own complaint as the error."""
    stderr = _readable(ending.stderr)
    error = ending.reason
    if error is None and ending.status == "error":
        lines = stderr.strip().splitlines()
        error = lines[-1][:MAX_ERROR_CHARACTERS] if lines else f"exit code {ending.exit_code}"
    return JailResult(
        status=ending.status,
        exit_code=ending.exit_code,
        stdout=_readable(ending.stdout),
        stderr=stderr,
        error=error,
        files=collection.files,
        notes=collection.notes,
        seconds=ending.seconds,
        jail=name,
        peak_memory_mb=ending.peak_memory_mb,
        peak_tasks=ending.peak_tasks,
    )
