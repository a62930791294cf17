"""Running code in the jail for a tool: inputs go in as files, results come out checked, failures are tool errors."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import MemoryExceeded, OutputExceeded, QueryTimeout, SourceUnreadable, ToolError, TypeMismatch

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.sandbox.protocol import JailResult
    from averment.tools.tool import ToolContext

RESULT_NAME = "result.arrow"


@dataclass(frozen=True)
class JailedOutcome:
    """What came out of the jail: the run's own report and the bytes of its files."""

    result: JailResult
    files: dict[str, bytes]

    def table(self) -> pa.Table | None:
        """The table written to ``/out/result.arrow``, fully validated, or None when there is none.

        Raises:
            TypeMismatch: the file is not a valid Arrow table.
        """
        content = self.files.get(RESULT_NAME)
        return None if content is None else _read_untrusted(content)


def run_jailed(
    code: str, inputs: dict[str, bytes], context: ToolContext, *, timeout: float, raise_on_error: bool = True
) -> JailedOutcome:
    """Run code in the strongest jail there is.

    Raises:
        SandboxUnavailable: there is no jail, and code never runs without one.
        QueryTimeout, MemoryExceeded, OutputExceeded: a limit ended it.
        ToolError: the code itself failed (only with ``raise_on_error``).
    """
    from averment.sandbox.protocol import Job

    jail = context.jail()
    with tempfile.TemporaryDirectory(prefix="averment-job-") as folder:
        given, taken = Path(folder) / "in", Path(folder) / "out"
        given.mkdir()
        taken.mkdir()
        for name, content in inputs.items():
            (given / name).write_bytes(content)
        job = Job(
            code=code,
            inputs={name: given / name for name in inputs},
            timeout_seconds=max(0.1, min(timeout, context.seconds_left)),
            memory_mb=context.settings.sandbox_memory_mb,
            output_bytes=context.settings.sandbox_output_bytes,
            halted=context.halted,
        )
        result = jail.run(job, taken)
        _raise_for(result, raise_on_error=raise_on_error)
        return JailedOutcome(result=result, files={name: path.read_bytes() for name, path in result.files.items()})


def _raise_for(result: JailResult, *, raise_on_error: bool) -> None:
    where = f"in the {result.jail} jail"
    match result.status:
        case "ok":
            return
        case "timeout":
            raise QueryTimeout(f"The code was stopped {where} when its time ran out.")
        case "memory":
            raise MemoryExceeded(f"The code was stopped {where}: it used more memory than allowed.")
        case "output":
            raise OutputExceeded(f"The code was stopped {where}: it wrote more than allowed.")
        case "error" | "killed":
            if raise_on_error or result.status == "killed":
                raise ToolError(
                    f"The code failed {where}: {result.error or 'no message'}.",
                    suggestion="Read the last line of the traceback and correct the code.",
                    details={"stderr": result.stderr[-2_000:]},
                )


def _read_untrusted(content: bytes) -> pa.Table:
    """What a jail wrote is data of unknown origin: it is validated in full before anything reads it."""
    import pyarrow as pa

    try:
        with pa.ipc.open_file(pa.BufferReader(content)) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise TypeMismatch("The code wrote a result that is not a valid Arrow table.") from error
    if len(set(table.column_names)) != len(table.column_names):
        raise SourceUnreadable("The code wrote a result with two columns of the same name.")
    return table
