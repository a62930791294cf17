"""The one protocol of all jails: a job goes in, a result comes out, and nothing else crosses.

Records only. The jails are in ``bubblewrap``, ``landlock`` and ``container``; ``choose`` picks one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal, Protocol, get_args

from pydantic import Field, field_validator

from averment.plugins import OneOf
from averment.records.base import Record
from averment.sandbox.names import is_plain_name
from averment.settings import BuiltInJail

JailName = Annotated[str, OneOf("jails", get_args(BuiltInJail))]
JailStatus = Literal["ok", "error", "timeout", "memory", "output", "killed"]

MAX_SECONDS = 180
MAX_INPUTS = 64


def _never() -> bool:
    return False


class Job(Record):
    """One piece of code with its inputs and its limits.

    The code runs as ``__main__`` with two names set: ``IN``, the folder of its inputs, and ``OUT``, the folder for its
    results. They are ``/in`` and ``/out`` wherever the jail has a root of its own.
    """

    code: str = Field(max_length=1_000_000)
    inputs: Mapping[str, Path] = Field(
        default_factory=dict[str, Path],
        max_length=MAX_INPUTS,
        description="File name to host file; a copy appears read-only under that name in /in.",
    )
    timeout_seconds: float = Field(default=30.0, gt=0, le=MAX_SECONDS)
    memory_mb: int = Field(
        default=512, ge=64, le=65_536, description="Memory the job may take on top of the warm interpreter."
    )
    output_bytes: int = Field(default=1_048_576, ge=1_000, le=100_000_000, description="stdout and stderr together.")
    file_bytes: int = Field(
        default=64 * 1_048_576,
        ge=1_024,
        le=1 << 30,
        description="One file; all files together may have four times that.",
    )

    halted: Callable[[], bool] = Field(
        default=_never, exclude=True, repr=False, description="Asked all the while; true ends the job at once."
    )

    @field_validator("inputs")
    @classmethod
    def _names_are_plain(cls, inputs: Mapping[str, Path]) -> Mapping[str, Path]:
        for name in inputs:
            if not is_plain_name(name):
                raise ValueError(f"{name!a} is not a plain file name")
        return inputs


class JailResult(Record):
    """How a job ended and what it left.

    ``status``, ``exit_code``, ``seconds`` and the peaks are what the jail saw from outside. ``stdout``, ``stderr`` and
    ``error`` are the code's own words and prove nothing. A job that a limit ended leaves no files.
    """

    status: JailStatus
    exit_code: int | None = Field(description="None when a signal or a limit ended the code.")
    stdout: str
    stderr: str
    error: str | None = Field(description="The last line of the traceback, or which limit or signal ended the code.")
    files: Mapping[str, Path] = Field(description="Results by their path below /out, copied into the caller's folder.")
    notes: tuple[str, ...] = Field(description="What the collector refused or changed, and why.")
    seconds: float = Field(ge=0)
    jail: JailName
    peak_memory_mb: float = Field(default=0.0, ge=0, description="Largest growth seen, by samples.")
    peak_tasks: int = Field(default=0, ge=0, description="Most threads and processes seen, by samples.")


class Jail(Protocol):
    """A place where code cannot harm. Usable from several threads at once."""

    @property
    def name(self) -> JailName:
        """Which kind of jail this is, for the record."""
        ...

    def run(self, job: Job, collect_to: Path) -> JailResult:
        """Run one job and copy its results into the folder, which is made if need be.

        Raises:
            SandboxUnavailable: the jail does not start; nothing was run.
            InvalidArguments: an input cannot be read, or the inputs are too big.
        """
        ...

    def close(self) -> None:
        """End every process of the jail and leave no file behind. A closed jail starts again when it is used."""
        ...
