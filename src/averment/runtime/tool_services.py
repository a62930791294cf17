"""The tools of one home: their registry, how many run at once, and the jail that code runs in."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from averment.runtime.execution.slots import ToolSlots
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.sandbox.protocol import Jail
    from averment.tools.registry import Registry


class ToolServices:
    """What the calls of runs share."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.slots = ToolSlots(settings.tool_concurrency)
        """How many calls may run side by side."""
        self._lock = threading.RLock()
        self._registry: Registry | None = None
        self._jail: Jail | None = None

    @property
    def registry(self) -> Registry:
        """The tools every agent may use."""
        from averment.tools.registry import standard_registry

        with self._lock:
            if self._registry is None:
                self._registry = standard_registry()
            return self._registry

    def jail(self) -> Jail:
        """The strongest jail there is, kept warm between calls.

        Raises:
            SandboxUnavailable: there is none.
        """
        from averment.sandbox.choose import strongest

        with self._lock:
            if self._jail is None:
                self._jail = strongest(self._settings)
            return self._jail

    def close(self) -> None:
        """End the jail."""
        with self._lock:
            if self._jail is not None:
                self._jail.close()
            self._jail = None
