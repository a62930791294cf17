"""The earlier investigations of a session: kept beside the present one under ``investigations/``, and compared.

A session has one investigation at a time, whose files lie where the contract draws them. When another one is started,
they move to a folder of their own, the same files under the same names, so that every run can be held against them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.session_export import read_investigation, write_investigation
from averment.agents.driller.session_records import investigation_of
from averment.errors import RunNotFound
from averment.records.drilldown.past import PastInvestigation
from averment.records.drilldown.request import DrillRequest
from averment.store.runs import session_tree as tree_of

if TYPE_CHECKING:
    from averment.runtime.services import Services
    from averment.store.runs.session_tree import SessionTree
    from averment.store.runs.sessions import SessionRow

FOLDER, KEPT = "investigations", "investigation.json"
_PRESENT = ("analysis", "results", "chat", tree_of.REPORT, tree_of.CONTEXT)


def folder_of(number: int) -> str:
    """The folder of an earlier investigation, inside its session's."""
    return f"{FOLDER}/{number:03d}"


def past_of(tree: SessionTree, session_id: str) -> tuple[PastInvestigation, ...]:
    """The earlier investigations of a session, in their order."""
    found: list[PastInvestigation] = []
    for name in tree.names(session_id, FOLDER):
        body = tree.read_json(session_id, f"{FOLDER}/{name}/{KEPT}")
        if body is not None:
            found.append(PastInvestigation.model_validate(body))
    return tuple(sorted(found, key=lambda one: one.number))


def present_of(row: SessionRow, tree: SessionTree, number: int) -> PastInvestigation | None:
    """The session's present investigation as a line of their list; None before it is started."""
    found = read_investigation(tree, row.id)
    if row.run_id is None or found is None:
        return None
    status = row.session.status
    return PastInvestigation(
        number=number,
        run_id=row.run_id,
        # A session that went back to its files did so because the investigation failed.
        status=status if status == "running" or status == "completed" else "failed",
        message=row.message or "",
        context=found.context,
        explanations=len(found.explanations or ()),
    )


def put_aside(services: Services, tree: SessionTree, row: SessionRow) -> None:
    """Move the present investigation among the earlier ones; again, nothing changes."""
    earlier = past_of(tree, row.id)
    if row.run_id is None or any(one.run_id == row.run_id for one in earlier):
        return
    number = len(earlier) + 1
    line = present_of(row, tree, number)
    place = f"{row.id}/{folder_of(number)}"
    try:
        run = services.store.runs.get(row.run_id)
    except RunNotFound:
        run = None
    if line is not None and run is not None:
        request = DrillRequest.model_validate(run.request["request"])
        write_investigation(tree, place, investigation_of(services, run, request))
        history = tree.read(row.id, tree_of.HISTORY)
        if history is not None:
            tree.write(place, tree_of.HISTORY, history)
        # Written last: a folder without it is written again.
        tree.write_json(place, KEPT, line)
    tree.clear(row.id, _PRESENT)
