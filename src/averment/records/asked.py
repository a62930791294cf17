"""What every run is asked with, whichever agent answers it: an id, words, limits, deliverables and a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from averment.records.analysis.request import Constraints, Policy
    from averment.records.run import Deliverable


class RunRequest(Protocol):
    """The part of a request that the spine needs; each kind of run has its own record that holds more."""

    @property
    def request_id(self) -> str:
        """The run's id."""
        ...

    @property
    def intent(self) -> str:
        """What is asked, in words."""
        ...

    @property
    def constraints(self) -> Constraints:
        """The limits of rows and seconds."""
        ...

    @property
    def deliverables(self) -> tuple[Deliverable, ...]:
        """What the run is to leave behind."""
        ...

    @property
    def policy(self) -> Policy:
        """What may not happen."""
        ...

    def model_dump(self, *, mode: str = "python") -> dict[str, Any]:
        """The whole record as plain values."""
        ...
