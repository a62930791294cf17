"""A jail: the strongest one of this machine, with a quarter of the memory for each job.

A plugin that isolates code by other means implements ``Jail`` itself; what it lets through is its own responsibility.
"""

from __future__ import annotations

from pathlib import Path

from averment.sandbox.choose import AddedJail, available, strongest
from averment.sandbox.protocol import Jail, JailResult, Job
from averment.settings import Settings

LEAST_MB = 128


class Thrifty:
    """Another jail with less memory."""

    name = "thrifty"

    def __init__(self, settings: Settings) -> None:
        self._inner: Jail = strongest(settings.model_copy(update={"sandbox": "auto"}))

    def run(self, job: Job, collect_to: Path) -> JailResult:
        """Run the job with a quarter of the memory it may have."""
        small = job.changed(memory_mb=max(LEAST_MB, job.memory_mb // 4))
        return self._inner.run(small, collect_to).changed(jail=self.name)

    def close(self) -> None:
        """End the jail inside."""
        self._inner.close()


def lacks(settings: Settings) -> str | None:
    """Why it cannot be used here, or nothing."""
    return None if any(kind.usable for kind in available(settings)) else "no jail of this machine is usable"


THRIFTY = AddedJail(name="thrifty", lacks=lacks, make=Thrifty)
