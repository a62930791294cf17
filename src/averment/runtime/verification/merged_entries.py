"""A run that several writers wrote about: which entry of which log counts, and in which order.

The sealing entry lists the writers, the sealing one last, and of each other writer how far it was read. Within a writer
the order is that of its log. Where two logs hold the same step, because a process died between recording it and saying
so, the later writer's entry counts. What a given-up process still wrote afterwards is outside the seal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry

RULE = "RUN-ROOT"
"""The rule of a sealing entry."""

_MAY_DIFFER = frozenset({"_seal", "seconds", "version"})
"""What two records of one step may differ in: who recorded it, when, and how long it took."""


@dataclass(frozen=True, slots=True)
class WriterEntries:
    """One writer's entries of a run that are under the seal, and the last number of its log that was looked at."""

    writer: str
    entries: tuple[LedgerEntry, ...]
    to: int

    def as_dict(self) -> dict[str, Any]:
        """The part as the sealing entry names it."""
        return {"writer": self.writer, "entries": len(self.entries), "to": self.to}


def count_parts(
    writer: str, own: Sequence[LedgerEntry], others: Mapping[str, Sequence[LedgerEntry]]
) -> list[WriterEntries]:
    """Which entries count if ``writer`` seals now: the others' in the order of their first entries, its own last."""
    order = sorted(
        (name for name, entries in others.items() if steps(entries)),
        key=lambda name: (steps(others[name])[0].timestamp, name),
    )
    listed = [(name, steps(others[name])[-1].sequence_number) for name in order]
    last = own[-1].sequence_number if own else 0
    return count_listed([*listed, (writer, last)], {**others, writer: own})


def count_listed(
    listed: Sequence[tuple[str, int]], entries: Mapping[str, Sequence[LedgerEntry]]
) -> list[WriterEntries]:
    """Which entries count by a list of writers and how far each was read, the first one first."""
    taken: set[str] = set()
    found: list[WriterEntries] = []
    for writer, to in reversed(listed):
        counted = tuple(
            entry
            for entry in steps(entries.get(writer, ()))
            if entry.sequence_number <= to and entry.entry_id not in taken
        )
        taken.update(entry.entry_id for entry in counted)
        found.append(WriterEntries(writer, counted, to))
    return found[::-1]


def steps(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """The entries of a run without those that seal it."""
    return [entry for entry in entries if entry.event_data.get("rule") != RULE]


def same_step(one: LedgerEntry, other: LedgerEntry) -> bool:
    """Whether two entries of one id record the same."""
    return (one.event_type, one.actor, _said(one)) == (other.event_type, other.actor, _said(other))


def _said(entry: LedgerEntry) -> dict[str, Any]:
    return {name: value for name, value in entry.event_data.items() if name not in _MAY_DIFFER}
