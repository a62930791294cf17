"""Whether a session's tree still says what its run sealed: what it must hold is made again from the run's records.

The tree is for people and programs to read, so it can be written to; the run's records are held by the ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.session_export import write_investigation
from averment.agents.driller.session_past import folder_of, past_of
from averment.agents.driller.session_records import investigation_of
from averment.errors import VerificationFailed
from averment.records.drilldown.request import DrillRequest
from averment.store.runs.session_tree import ROOT, SessionTree

if TYPE_CHECKING:
    from averment.runtime.services import Services
    from averment.store.runs.run_rows import RunRow


class _RecordingTree(SessionTree):
    """A tree that is not written anywhere: what would be written is noted."""

    def __init__(self) -> None:  # pyright: ignore[reportMissingSuperCall]  # it has no files
        self.recorded: dict[str, bytes] = {}

    def write(self, session_id: str, name: str, content: bytes) -> bool:
        """Note a file of the session."""
        self.recorded[f"{ROOT}/{session_id}/{name}"] = content
        return True


def session_files(services: Services, run: RunRow) -> dict[str, bytes]:
    """The files that the run's session must hold, by their place among the files of the home; none without a session.

    Of a session that is over nothing is left, and nothing is asked for.
    """
    request = DrillRequest.model_validate(run.request["request"])
    if services.store.files.names(f"{ROOT}/{request.session_id}") == []:
        return {}
    tree = _RecordingTree()
    past = past_of(SessionTree(services.store.files), request.session_id)
    number = next((one.number for one in past if one.run_id == run.run_id), None)
    place = request.session_id if number is None else f"{request.session_id}/{folder_of(number)}"
    write_investigation(tree, place, investigation_of(services, run, request))
    return tree.recorded


def require_tree(services: Services, run: RunRow) -> None:
    """Nothing, when a session's tree holds what its run sealed.

    Raises:
        VerificationFailed: a file of it does not.
    """
    for relative, content in session_files(services, run).items():
        if not services.store.files.holds(relative, content):
            raise VerificationFailed(
                f"The session's file {relative.split('/', 2)[2]} differs from the sealed version.",
                hint=f"`averment verify {run.run_id}` lists every change.",
                details={"run_id": run.run_id, "changed": relative},
            )
