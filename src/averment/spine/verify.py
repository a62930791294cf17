"""Verifying a run: the ledger, what was kept, and everything recomputed from the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.spine.verdict import Check, Verification
from averment.spine.verify_records import check_artifacts, check_ledger, check_seal
from averment.spine.verify_values import rederive

if TYPE_CHECKING:
    from averment.spine.agent import Agent
    from averment.spine.services import Services


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
    values, numbers = rederive(services, agent, row)
    return Verification(run_id=row.run_id, checks=(*checks, *values), numbers_rederived=numbers)
