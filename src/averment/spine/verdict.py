"""What a verification says: one line a thing checked, and whether all of them hold."""

from __future__ import annotations

from averment.records.base import Record


class Check(Record):
    """One thing that was checked: what, whether it holds, and what was seen."""

    subject: str
    ok: bool
    detail: str


class Verification(Record):
    """All checks of one run."""

    run_id: str
    checks: tuple[Check, ...]
    numbers_rederived: int = 0

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return all(check.ok for check in self.checks)

    @property
    def faults(self) -> tuple[Check, ...]:
        """What does not hold."""
        return tuple(check for check in self.checks if not check.ok)
