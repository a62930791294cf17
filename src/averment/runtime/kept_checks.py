"""The checks of a run, kept with it: they are its second mark, and are forgotten with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.records.base import new_id, utc_now
from averment.records.marks import FAULT_LENGTH, LastCheck

if TYPE_CHECKING:
    from averment.runtime.verification.verdict import Verification
    from averment.store.runs.run_store import RunStore

CHECKED = "checked"
"""The kind of a run's records under which its checks are kept."""


def check_of(verification: Verification, missing: tuple[str, ...] = ()) -> LastCheck:
    """What a verification found, in short; ``missing`` are sources that were not there."""
    faults = [f"{fault.subject}: {fault.detail}" for fault in verification.faults]
    return LastCheck(
        at=utc_now(),
        ok=verification.ok,
        numbers=verification.numbers_rederived,
        fault=faults[0][:FAULT_LENGTH] if faults else "",
        missing=missing,
    )


def keep_check(runs: RunStore, verification: Verification) -> LastCheck:
    """Keep with the run what a check of it found."""
    check = check_of(verification)
    runs.put(verification.run_id, CHECKED, new_id(), check.model_dump(mode="json"))
    return check


def last_check(runs: RunStore, run_id: str) -> LastCheck | None:
    """What the last check of a run found, or None when nobody has checked it."""
    kept = runs.records(run_id, CHECKED)
    if not kept:
        return None
    known = {name: kept[-1][name] for name in LastCheck.model_fields if name in kept[-1]}
    return LastCheck.model_validate({"fault": "a check failed", **known} if not kept[-1]["ok"] else known)
