"""What a verification says: one line a thing checked, and whether all of them hold."""

from __future__ import annotations

from pydantic import Field

from averment.records.base import Record
from averment.version import VERSION


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
    made_by: str | None = Field(default=None, description="The version of Averment that made the run.")

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return all(check.ok for check in self.checks)

    @property
    def note(self) -> str | None:
        """What to know before reading the faults: another version may spell a query or a sentence differently."""
        if self.made_by in {None, VERSION}:
            return None
        return f"The run was made by Averment {self.made_by}; this is {VERSION}, which may word things differently."

    @property
    def faults(self) -> tuple[Check, ...]:
        """What does not hold."""
        return tuple(check for check in self.checks if not check.ok)
