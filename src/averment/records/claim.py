"""A claim: a sentence as data, with its relation, its subjects, its values and the evidence of each.

A claim says nothing that is not in it: its text is what the relation renders, and every number, name and date in it is
one of its values. ``averment.claims`` makes claims and holds them against the evidence.
"""

from __future__ import annotations

from pydantic import Field

from averment.records.base import Record
from averment.records.run import Evidence, Slot

CLAIMS_VERSION = "averment.claims/1"

Scalar = str | int | float | bool | None
Pair = tuple[str, Scalar]
"""A heading and what stands under it."""


class ClaimValue(Record):
    """One value that a claim tells: what part it plays, how it is written, and where it was read."""

    role: str = Field(description="The part it plays: key, value, count, from, to, share, p …")
    subject: int | None = Field(default=None, description="Which subject it belongs to.")
    heading: str = Field(default="", description="The heading it stands under.")
    kind: str = Field(description="What kind of value it is, which decides how it is written.")
    text: str
    evidence: Evidence


class Claim(Record):
    """A sentence as data.

    ``subjects`` are whole row keys, or segments: all headings that make a row what it is, with their values.
    ``figure`` says what was measured and ``scope`` under which conditions, both in words of the plan.
    """

    version: str = CLAIMS_VERSION
    claim_id: str = Field(min_length=1)
    relation: str = Field(min_length=1)
    figure: str = ""
    scope: str = ""
    subjects: tuple[tuple[Pair, ...], ...] = ()
    values: tuple[ClaimValue, ...] = ()
    words: dict[str, str] = Field(default_factory=dict, description="What else the relation needs to be said.")
    method: str = Field(default="", description="How the values were computed, for the report.")
    template: str = ""
    text: str = ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence of each value, in the order of the values."""
        return tuple(value.evidence for value in self.values)

    @property
    def slots(self) -> dict[str, Slot]:
        """The values that the template names, as its slots."""
        return {
            f"v{place}": Slot(evidence=value.evidence, text=value.text, unit=value.kind)
            for place, value in enumerate(self.values)
            if f"{{v{place}}}" in self.template
        }
