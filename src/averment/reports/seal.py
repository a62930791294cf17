"""What an export says of the run it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from averment.records.marks import Marks


class Seal(Protocol):
    """What an export says of the run it comes from."""

    @property
    def run_id(self) -> str:
        """The run's id."""
        ...

    @property
    def run_root(self) -> str | None:
        """The Merkle root over the run's ledger entries."""
        ...

    @property
    def checkpoint(self) -> str | None:
        """The signed checkpoint that covers them."""
        ...

    @property
    def key(self) -> str | None:
        """The public key of the ledger that signed it."""
        ...

    @property
    def marks(self) -> Marks | None:
        """How the question was interpreted, and whether the figures were recomputed when this was exported."""
        ...

    @property
    def pictures(self) -> Mapping[str, bytes]:
        """The run's images by name."""
        ...
