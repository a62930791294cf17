"""The jail without namespaces: the same warm children, fenced by Landlock and seccomp alone.

For machines where bubblewrap is missing or user namespaces are forbidden, as in most containers. The root is the
host's, but Landlock lets a child reach the interpreter, the packages and its own folder only, and the filter lets it
speak to nobody. ``/in``, ``/out`` and a ``/tmp`` of its own cannot exist there: literals are rewritten (see
``guest.alias``), and ``IN`` and ``OUT`` name the folders in every jail. Started by root, each child gets a user number
of its own.

What remains weaker than the default: names, sizes and times of host files can be asked for (their content cannot),
disk use is bounded by a watch instead of the kernel, and, for a plain user, so are tasks.
"""

from __future__ import annotations

import functools
from pathlib import Path

from averment.sandbox import orders, runtime
from averment.sandbox.guest.zygote import Orders, own_uid
from averment.sandbox.warm import WarmJail

_GUEST_PARENT = str(runtime.GUEST.parent)


def _orders(seen: runtime.Runtime, *, jobs: Path, control: int, caller: int) -> Orders:
    own_uids = orders.has_own_uids()
    return Orders(
        control=control,
        caller=caller,
        preload=runtime.PRELOAD,
        fence_files=True,
        own_uids=own_uids,
        keep_reading=own_uids and not seen.reachable_by_anyone(),
        readable=tuple(str(path) for path in seen.files),
        jobs=str(jobs),
    )


class LandlockJail(WarmJail):
    """The jail without namespaces; see the module."""

    def __init__(self, *, spares: int) -> None:
        self._seen = runtime.current()
        owner = own_uid if orders.has_own_uids() else None
        super().__init__(name="landlock", spares=spares, private=False, owner=owner)

    def launch(self, control: int, caller: int) -> tuple[list[str], dict[str, str]]:
        """The command and environment that start the zygote with those two descriptors."""
        told = _orders(self._seen, jobs=self.jobs, control=control, caller=caller)
        command = runtime.command(
            self._seen.start,
            _GUEST_PARENT,
            "zygote",
            orders.written(told),
            process_pool=str(runtime.PROCESS_POOL.parent),
        )
        return command, {**runtime.ENVIRONMENT, "MPLCONFIGDIR": f"{self.jobs}/matplotlib"}


@functools.lru_cache(maxsize=1)
def rehearse() -> orders.Rehearsal:
    """Whether the jail works here."""
    seen = runtime.current()
    with orders.probe_folder() as folder:
        told = _orders(seen, jobs=folder, control=-1, caller=-1)
        return orders.rehearse(
            runtime.command(seen.start, _GUEST_PARENT, "probe", orders.written(told)), runtime.ENVIRONMENT
        )
