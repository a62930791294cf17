"""A spare of the process pool as the watcher of a job sees it: the process is the job, and its ending has a meaning."""

from __future__ import annotations

import signal

from averment.process_pool.spares import Spare
from averment.sandbox.guest.cell import MEMORY_SIGNAL
from averment.sandbox.protocol import Job
from averment.sandbox.watch import Verdict


def signal_name(number: int) -> str:
    """The name of a signal, or its number if it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class JailedChild:
    """A child that was handed a job."""

    def __init__(self, spare: Spare) -> None:
        self._spare = spare
        self.stdout = spare.stdout
        self.stderr = spare.stderr
        self.handle = spare.handle

    @property
    def is_the_job(self) -> bool:
        """The child runs the job's code itself."""
        return True

    def kill(self) -> None:
        """End the child now."""
        self._spare.kill()

    def verdict(self, job: Job) -> Verdict:
        """How the child ended, as the kernel told the zygote."""
        code = self._spare.exit_code()
        if code is None:
            return "killed", None, "the jail ended while the code ran"
        if code >= 0:
            return ("ok" if code == 0 else "error"), code, None
        if -code == MEMORY_SIGNAL:
            return "memory", None, f"ended after asking for more than {job.memory_mb} MB"
        if -code == signal.SIGXCPU:
            return "timeout", None, "ended after using up its processor time"
        return "killed", None, f"ended by {signal_name(-code)}"
