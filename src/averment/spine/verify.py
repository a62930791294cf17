"""Verifying a run: the ledger, what was kept, and everything recomputed from the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.records.base import derived_id
from averment.spine.verdict import Check, Verification
from averment.spine.verify_records import check_artifacts, check_ledger, check_seal
from averment.spine.verify_values import rederive

if TYPE_CHECKING:
    from averment.spine.agent import Agent
    from averment.spine.services import Services
    from averment.store.runs import RunRow


def verify_run(services: Services, agent: Agent, run_id: str) -> Verification:
    """Every check of one run; what does not hold is named.

    Raises:
        RunNotFound: there is no such run.
    """
    row = services.runs.get(run_id)
    checks: list[Check] = [check_ledger(services, row)]
    if checks[0].ok:
        checks += check_seal(services, row)
    checks += check_artifacts(services, row)
    made_by = _made_by(services, row) if checks[0].ok else None  # A broken ledger names nothing that counts.
    values, numbers = rederive(services, agent, row)
    return Verification(run_id=row.run_id, checks=(*checks, *values), numbers_rederived=numbers, made_by=made_by)


def _made_by(services: Services, row: RunRow) -> str | None:
    """The version that the run's first ledger entry names."""
    first = derived_id(row.run_id, "ledger", "request")
    since = int(row.request["since_sequence"])
    for entry in services.ledger.entries(request_id=row.run_id, from_sequence=since):
        if entry.entry_id == first:
            version = entry.event_data.get("version")
            return None if version is None else str(version)
    return None
