"""``python.run``: code in a jail, over tables of earlier tasks."""

from __future__ import annotations

from pydantic import Field

from averment.errors import InvalidArguments
from averment.tools.jailed import RESULT_NAME, run_jailed
from averment.tools.result_store import StoredTable
from averment.tools.tool import Args, Output, ToolContext, tool


class PythonRunArgs(Args):
    """The code, and the tables it may read as ``/in/TASK.arrow``."""

    code: str = Field(
        min_length=1, max_length=100_000, description="Python; reads /in/TASK.arrow, writes /out/result.arrow."
    )
    inputs: list[str] = Field(default_factory=list, max_length=20, description="Tasks whose tables the code reads.")
    timeout: int = Field(default=30, ge=1, le=180, description="Seconds before the code is ended.")


class PythonRunOutput(Output):
    """What the code printed, the table it left, and the jail that held it."""

    jail: str
    stdout: str
    stderr: str
    files: list[str]
    notes: list[str]
    table: StoredTable | None


def run_python(args: PythonRunArgs, context: ToolContext) -> PythonRunOutput:
    """Run the code in the strongest jail; keep ``/out/result.arrow`` when the code wrote it."""
    for task in args.inputs:
        if "/" in task or task.startswith("."):
            raise InvalidArguments(f"{task!r} is not the name of a task.")
    inputs = {f"{task}.arrow": context.result_store.bytes_of(task) for task in args.inputs}
    outcome = run_jailed(args.code, inputs, context, timeout=args.timeout)
    table = outcome.table()
    return PythonRunOutput(
        jail=outcome.result.jail,
        stdout=outcome.result.stdout,
        stderr=outcome.result.stderr,
        files=sorted(name for name in outcome.files if name != RESULT_NAME),
        notes=list(outcome.result.notes),
        table=None if table is None else context.keep(table),
    )


PYTHON_RUN = tool(
    "python.run",
    run_python,
    "Run Python in a jail without network or host files, over tables of earlier tasks.",
    cost_seconds=3.0,
)
