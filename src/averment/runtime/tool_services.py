"""The tools of one home: their registry, how many run at once, and the jail that code runs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.runtime.execution.slots import ToolSlots
from averment.runtime.once import LazyParts, once
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.sandbox.protocol import Jail
    from averment.tools.registry import Registry


class ToolServices(LazyParts):
    """What the calls of runs share."""

    _LASTING = frozenset({"registry"})

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.slots = ToolSlots(settings.tool_concurrency)
        """How many calls may run side by side."""

    @property
    @once
    def registry(self) -> Registry:
        """The tools every agent may use."""
        from averment.tools.registry import standard_registry

        return standard_registry()

    @once
    def jail(self) -> Jail:
        """The strongest jail there is, kept warm between calls.

        Raises:
            SandboxUnavailable: there is none.
        """
        from averment.sandbox.choose import strongest

        return strongest(self._settings)
