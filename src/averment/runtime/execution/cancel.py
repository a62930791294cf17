"""Stopping a run: one token that every step looks at, and that ends what is under way at once."""

from __future__ import annotations

from averment.errors import RunStopped
from averment.tools.stop import Stop


class CancelToken(Stop):
    """Set once, when a run is to stop."""

    def check(self) -> None:
        """Go on only if nobody asked to stop.

        Raises:
            RunStopped: somebody did.
        """
        if self.cancelled:
            raise RunStopped("The run was cancelled.")
