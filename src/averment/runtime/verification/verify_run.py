"""Verifying a run: the ledger, what was kept, and everything recomputed from the sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from averment.records.base import derived_id
from averment.runtime.agent import Agent, teller_of
from averment.runtime.plugins_used import check_plugins, told_exports
from averment.runtime.verification.ledger_checks import RunEntries, check_ledgers
from averment.runtime.verification.recomputation import rederive
from averment.runtime.verification.record_checks import check_files, check_mirrored, check_seal
from averment.runtime.verification.signature_checks import check_witness
from averment.runtime.verification.verdict import Verification
from averment.version import UNNUMBERED

if TYPE_CHECKING:
    from averment.runtime.services import Services


def verify_run(
    services: Services,
    agent: Agent,
    run_id: str,
    *,
    keys: Sequence[str] = (),
    sources: Sequence[str | Path] = (),
) -> Verification:
    """Every check of one run; what does not hold is named. With ``keys`` only ledgers that one of them signed count.

    ``sources`` are files to read in place of those that are no longer where the run found them.

    Raises:
        RunNotFound: there is no such run.
        InvalidRequest: a given key is not a verifier key.
    """
    row = services.store.runs.get(run_id)
    checks, told = check_ledgers(services, row, keys)
    whole = all(check.ok for check in checks)
    checks += check_witness(services, keys)
    if whole:
        checks += check_seal(services, row, told)
    checks += check_files(services, row)
    checks += check_mirrored(services, agent, row)
    checks += (needed := check_plugins(services, row, told.counted) if whole else [])
    checks += told_exports(services, row) if whole else []
    made_by = _made_by(row.run_id, told) if whole else None  # A broken ledger names nothing that counts.
    here = teller_of(row)
    teller = _teller(told, here) if whole else here
    values, numbers = [], 0
    if all(check.ok for check in needed):  # What a missing plugin computed cannot be computed again.
        values, numbers = rederive(services, agent, row, retold=teller == here, elsewhere=sources)
    return Verification(
        run_id=row.run_id,
        checks=(*checks, *values),
        numbers_rederived=numbers,
        made_by=made_by,
        told_by=None if teller == here else teller,
    )


def _teller(told: RunEntries, here: int) -> int:
    """The number of the teller that the run's seal names; this version's where there is no seal to ask."""
    if told.sealed is None:
        return here
    versions = told.sealed.event_data.get("versions")
    return int(versions["teller"]) if isinstance(versions, dict) else UNNUMBERED


def _made_by(run_id: str, told: RunEntries) -> str | None:
    """The version that the run's first ledger entry names."""
    first = derived_id(run_id, "ledger", "request")
    for entry in told.counted:
        if entry.entry_id == first:
            version = entry.event_data.get("version")
            return None if version is None else str(version)
    return None
