"""The addresses of a run's parts."""

from __future__ import annotations

PARTS = ("events", "report", "cancel", "resume", "verify")


def run_links(run_id: str) -> dict[str, str]:
    """Where a run and its parts are."""
    place = f"/v1/runs/{run_id}"
    return {"self": place, **{part: f"{place}/{part}" for part in PARTS}}


def receipt(run_id: str, status: str) -> dict[str, object]:
    """What a client gets when a run was begun, resumed or asked to stop."""
    return {"id": run_id, "status": status, "links": run_links(run_id)}
