"""One job in a container: the container is the view and the limits, the filter comes on top, the code from stdin."""

from __future__ import annotations

import os
import sys

from . import cell, kernel, seccomp, view


def main(_: str) -> None:
    """Read the code, put up the filter, run, end."""
    code = sys.stdin.buffer.read().decode()
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.stdout.reconfigure(line_buffering=True)  # pyright: ignore[reportAttributeAccessIssue]  # typed as TextIO
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    seccomp.install(seccomp.build(os.getpid(), metadata_is_real=True))
    seen = view.FolderView(inputs="/in", results="/out", scratch="/tmp", private=False)
    os._exit(cell.run(code, seen))
