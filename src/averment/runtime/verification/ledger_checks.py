"""Checking the ledgers that hold a run, or all of a database: this home's from its file, the others' as gathered."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from averment.errors import AvermentError
from averment.ledger.lines import parse_line
from averment.ledger.replicated import verify_lines
from averment.ledger.report import LedgerFault, LedgerReport
from averment.ledger.verify import verify_file
from averment.runtime.verification.merged_entries import RULE, count_listed, same_step, steps
from averment.runtime.verification.signature_checks import notes_beside, pin_key, pinned_key
from averment.runtime.verification.verdict import Check

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.runtime.replication import LedgerReplication
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow

HERE = ""
"""The name of a home's ledger where there is no other."""


@dataclass(frozen=True, slots=True)
class WriterReport:
    """What the check of one writer's ledger found; ``here`` is that of this home."""

    writer: str
    here: bool
    report: LedgerReport


@dataclass(frozen=True, slots=True)
class RunEntries:
    """What the ledgers say of a run: each writer's entries, and the sealing entry of the one that sealed it.

    ``reports`` and ``notes`` are what the check of each ledger found, and the checkpoints that lie with it.
    """

    entries: dict[str, list[LedgerEntry]]
    sealed_by: str
    reports: dict[str, LedgerReport]
    notes: dict[str, frozenset[str]]

    @property
    def sealed(self) -> LedgerEntry | None:
        """The sealing entry, if the ledger of the writer that the run names has one."""
        return next(
            (e for e in reversed(self.entries.get(self.sealed_by, [])) if e.event_data.get("rule") == RULE), None
        )

    @property
    def counted(self) -> list[LedgerEntry]:
        """The entries under the seal in its order, without the sealing one."""
        listed = [(part, to) for part, _, to in self.listed() if part != self.sealed_by]
        # Of the sealing writer every entry counts: behind its seal nothing may be added.
        parts = count_listed([*listed, (self.sealed_by, sys.maxsize)], self.entries)
        return [entry for part in parts for entry in part.entries]

    def listed(self) -> list[tuple[str, int, int]]:
        """The writers that the seal names, how many entries it counts of each, and how far it read them."""
        parts: Sequence[dict[str, Any]] = self.sealed.event_data.get("writers", ()) if self.sealed is not None else ()
        return [(str(part["writer"]), int(part["entries"]), int(part["to"])) for part in parts]


def check_ledgers(services: Services, row: RunRow, keys: Sequence[str] = ()) -> tuple[list[Check], RunEntries]:
    """Every ledger that holds entries of the run, from its first line, and what they say of it."""
    replication = services.ledgers.replication
    remembered = tuple(text for text in ((row.sealed or {}).get("checkpoint"),) if text)
    if replication is None:
        report = _verify_own(services, keys, remembered)
        told = RunEntries({HERE: []}, HERE, {HERE: report}, {HERE: notes_beside(services.settings.ledger_path)})
        if report.ok:
            told.entries[HERE] = list(
                services.ledgers.view.entries(request_id=row.run_id, from_sequence=int(row.request["since_sequence"]))
            )
        return [_as_check("ledger", report)], told
    with suppress(AvermentError):  # What is in the way of gathering is found by the checks.
        replication.flush()
    return _check_shared(services, replication, row, keys, remembered)


def verify_writers(services: Services, keys: Sequence[str] = ()) -> list[WriterReport]:
    """Every ledger of the database, whole: this home's file first, then each gathered one, this home's copy too."""
    replication = services.ledgers.replication
    name = HERE if replication is None else replication.writer
    if replication is None:
        _ = services.ledgers.own  # The first look at a new home makes the ledger.
        return [WriterReport(name, True, _verify_own(services, keys, ()))]
    with suppress(AvermentError):
        replication.flush()
    found = [WriterReport(name, True, _verify_own(services, keys, replication.store.notes(name)))]
    for row in replication.store.writers():
        report = _verify_replicated(replication, row.writer_id, keys, (), replication.store.lines(row.writer_id))
        if row.writer_id != name:
            found.append(WriterReport(row.writer_id, False, report))
        elif not report.ok:
            found.append(WriterReport(f"{name} as gathered", False, report))
    return found


def _check_shared(
    services: Services, replication: LedgerReplication, row: RunRow, keys: Sequence[str], remembered: tuple[str, ...]
) -> tuple[list[Check], RunEntries]:
    own = replication.writer
    holding: set[str] = set(replication.store.of_request(row.run_id))
    mine = list(_own_entries(services, row.run_id))
    sealed_by = str((row.sealed or {}).get("writer") or (own if mine or not holding else min(holding)))
    told = RunEntries({}, sealed_by, {}, {})
    reports = told.reports

    def look(writer: str) -> None:
        witnessed = remembered if writer == sealed_by else ()
        if writer == own:
            reports[writer] = _verify_own(services, keys, (*witnessed, *replication.store.notes(own)))
            told.notes[writer] = notes_beside(services.settings.ledger_path)
            told.entries[writer] = mine
            return
        kept: list[bytes] = []
        lines = _noting(replication.store.lines(writer), row.run_id, kept)
        reports[writer] = _verify_replicated(replication, writer, keys, witnessed, lines)
        told.notes[writer] = frozenset(replication.store.notes(writer))
        if reports[writer].ok:
            entries = [parse_line(raw).entry() for raw in kept]
            told.entries[writer] = [entry for entry in entries if entry.request_id == row.run_id]

    if mine:
        holding.add(own)
    for writer in sorted(holding | {sealed_by}):
        look(writer)
    # What the seal names must be there, even where nothing of it is left.
    for writer, _, _ in told.listed():
        if writer not in reports:
            look(writer)
    alone = set(reports) == {own}
    checks = [_as_check("ledger" if alone else f"ledger of {writer}", report) for writer, report in reports.items()]
    return checks, told


def check_parts(told: RunEntries) -> list[Check]:
    """Each writer's part of a run against the list in its seal, and what writers recorded outside it."""
    checks: list[Check] = []
    listed = told.listed()
    counted: dict[str, LedgerEntry] = {entry.entry_id: entry for entry in told.counted}
    inside = {entry.hash for entry in counted.values()}
    for writer, count, _ in listed:
        present = sum(entry.hash in inside for entry in told.entries.get(writer, []))
        if present != count:
            detail = f"the seal counts {count} entries of it, {present} are there"
            checks.append(Check(subject=f"writer {writer}", ok=False, detail=detail))
    for writer, entries in told.entries.items():
        if writer == told.sealed_by:
            continue
        outside = [entry for entry in steps(entries) if entry.hash not in inside]
        twins = [(entry, counted[entry.entry_id]) for entry in outside if entry.entry_id in counted]
        if differing := [entry for entry, twin in twins if not same_step(entry, twin)]:
            numbers = ", ".join(str(entry.sequence_number) for entry in differing)
            detail = f"entry {numbers} records a step differently from the entry under the seal"
            checks.append(Check(subject=f"writer {writer}", ok=False, detail=detail))
        elif outside:
            late = len(outside) - len(twins)
            detail = f"recorded again by a takeover, and counted once: {len(twins)}"
            detail += f"; written by a process that was given up, and outside the seal: {late}" if late else ""
            checks.append(Check(subject=f"writer {writer}", ok=True, detail=detail))
    return checks


def _own_entries(services: Services, run_id: str) -> Iterator[LedgerEntry]:
    try:
        yield from services.ledgers.view.entries(request_id=run_id)
    except AvermentError:  # A broken log is named by its own check.
        return


def _verify_own(services: Services, keys: Sequence[str], witnessed: Iterable[str]) -> LedgerReport:
    """This home's file; one of the given keys must fit, if any are given, else the one it was first seen with."""
    path = services.settings.ledger_path
    pinned = pinned_key(services.settings)
    present = notes_beside(path)
    elsewhere = [note for note in witnessed if note not in present]
    found = verify_file(path, key=keys[0] if keys else None, pinned=pinned, witnessed=elsewhere)
    for key in keys[1:]:
        if found.ok:
            break
        found = verify_file(path, key=key, witnessed=elsewhere)
    if found.ok and pinned is None:
        pin_key(services.settings)
    return found


def _verify_replicated(
    replication: LedgerReplication, writer: str, keys: Sequence[str], witnessed: Sequence[str], lines: Iterator[bytes]
) -> LedgerReport:
    notes, pinned = replication.store.notes(writer), replication.store.key(writer)
    report = verify_lines(lines, notes, pinned=pinned or "", keys=keys, witnessed=witnessed)
    if pinned is None:
        fault = LedgerFault(0, "key_missing", "The database holds nothing of this writer.")
        return replace(report, first_fault=fault)
    return report


def _noting(lines: Iterator[bytes], run_id: str, kept: list[bytes]) -> Iterator[bytes]:
    """The lines, and on their way those of one run noted: what is checked is what is read."""
    mark = f'"request_id": "{run_id}"'.encode()
    for raw in lines:
        if mark in raw:
            kept.append(raw)
        yield raw


def _as_check(subject: str, report: LedgerReport) -> Check:
    fault = report.first_fault
    if fault is not None:
        return Check(subject=subject, ok=False, detail=f"line {fault.line}: {fault.detail}")
    detail = f"{report.verified_to} entries in one chain, {report.sealed_to} under a signed checkpoint"
    return Check(subject=subject, ok=True, detail=detail)
