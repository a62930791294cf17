"""What every run is asked with, whichever agent answers it: an id, words, limits, deliverables and a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from averment.errors import PlanInvalid
from averment.records.run import DELIVERABLE_OF, Artifact, Deliverable

if TYPE_CHECKING:
    from averment.records.analysis.request import Constraints, Policy


class RunRequest(Protocol):
    """The part of a request that the runtime needs; each kind of run has its own record that holds more."""

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


def check_artifact(artifact: Artifact, request: RunRequest) -> Artifact:
    """The artifact, if it belongs to the request and is of a kind that was asked for.

    Raises:
        PlanInvalid: it is not.
    """
    if artifact.request_id != request.request_id:
        raise PlanInvalid(f"Artifact {artifact.artifact_id} belongs to another request.")
    if DELIVERABLE_OF[artifact.artifact_type] not in request.deliverables:
        raise PlanInvalid(
            f"An artifact of type {artifact.artifact_type} was made, but the request did not ask for one.",
            details={"artifact_type": artifact.artifact_type, "deliverables": list(request.deliverables)},
        )
    return artifact
