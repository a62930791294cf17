"""What a verification says: one line a thing checked, and whether all of them hold."""

from __future__ import annotations

from pydantic import Field

from averment.records.base import Record
from averment.records.marks import Marks
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
    told_by: int | None = Field(
        default=None, description="The teller that worded the run, where it is not this version's; 0 had no number."
    )

    marks: Marks | None = Field(
        default=None, description="How the question was interpreted, which no check covers; and what this check found."
    )

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return all(check.ok for check in self.checks)

    @property
    def note(self) -> str | None:
        """What to know beside the checks: another teller's words are held by the seal, its numbers by evidence."""
        if self.told_by is not None:
            teller = f"version {self.told_by}" if self.told_by else "a version without a number"
            numbers = "its numbers were computed again, " if self.numbers_rederived else ""
            return f"Worded by {teller} of its agent: {numbers}its words are as sealed."
        if self.made_by in {None, VERSION}:
            return None
        return f"The run was made by Averment {self.made_by}; this is {VERSION}, which may word things differently."

    @property
    def faults(self) -> tuple[Check, ...]:
        """What does not hold."""
        return tuple(check for check in self.checks if not check.ok)

    @property
    def summary(self) -> tuple[str, ...]:
        """Both marks, then how much was checked; the interpretation is told as what no check covers."""
        first, *others = self.marks.lines if self.marks is not None else ("",)
        lines = [f"{first} – not part of this check" if others else first, *others]
        failed = f"{len(self.faults)} of {len(self.checks)} checks failed" if self.faults else "no check failed"
        last = f"{self.numbers_rederived} values recomputed; {failed}."
        if self.ok and self.marks is not None and self.marks.figures.state == "missing":
            last = "Nothing could be recomputed: give the missing source and verify again."
        return (*filter(None, lines), last)

    def __str__(self) -> str:
        faults = [f"  {check.subject}: {check.detail}" for check in self.faults]
        return "\n".join([*(["This does not hold:", *faults] if faults else []), *self.summary])

    __repr__ = __str__
