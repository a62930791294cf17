"""The ledger of a home: its entries, its proofs, its export, and the checks of ledgers and exported reports."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from averment.errors import InvalidRequest
from averment.workbench.open_home import OpenHome

if TYPE_CHECKING:
    from averment.ledger.entry import LedgerEntry
    from averment.ledger.export import Export, Profile
    from averment.ledger.verify import LedgerReport
    from averment.runtime.verification.ledger_checks import WriterReport
    from averment.runtime.verification.verdict import Verification
    from averment.store.replication.ledger_copies import WriterRow

Entries: TypeAlias = "list[LedgerEntry]"


class HomeLedger:
    """The permanent record of one home, and those that a shared database gathers."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home

    def entries(
        self, *, before: int | None = None, count: int = 50, run_id: str | None = None, writer: str | None = None
    ) -> tuple[Entries, int]:
        """Some ledger entries, the newest first, and how many there are in all.

        They are of this home's ledger, or of the ledger of another ``writer`` as it was gathered in the database.
        """
        replication = self._home.services.ledgers.replication if writer is not None else None
        if replication is not None and writer is not None and writer != replication.writer:
            from averment.ledger.lines import parse_line

            lines = replication.store.page(writer, before=before, count=count, request_id=run_id or None)
            return [parse_line(line).entry() for line in lines], replication.store.size(writer)
        ledger = self._home.services.ledgers.own
        size = ledger.tail()[0]
        if run_id:
            found = [entry for entry in ledger.entries(run_id) if before is None or entry.sequence_number < before]
            return found[-count:][::-1], size
        end = size if before is None else min(size, before - 1)
        found: Entries = []
        for entry in ledger.entries(from_sequence=max(1, end - count + 1)):
            if entry.sequence_number > end:
                break
            found.append(entry)
        return found[::-1], size

    def inclusion_proof(self, sequence_number: int) -> dict[str, Any]:
        """The proof that a ledger entry is under the newest checkpoint, for someone who has only that entry."""
        return self._home.services.ledgers.own.inclusion_proof(sequence_number).as_dict()

    def public_key(self) -> str:
        """The key that signs this home's checkpoints, in the form that ``verify --key`` takes."""
        return self._home.services.ledgers.own.key.text

    def export(self, path: str | Path, *, profile: Profile = "000", writer: str | None = None) -> Export:
        """Write this home's ledger, or another ``writer``'s as it was gathered, as a file that its verifier accepts.

        Raises:
            InvalidRequest: nothing is gathered of such a writer.
        """
        from averment.ledger.export import export_ledger
        from averment.ledger.replicated import write_replicated

        replication = self._home.services.ledgers.replication if writer is not None else None
        if writer is None or (replication is not None and writer == replication.writer):
            return export_ledger(self._home.settings.ledger_path, path, profile=profile)
        pinned = None if replication is None else replication.store.key(writer)
        if replication is None or pinned is None:
            raise InvalidRequest(
                f"No ledger has been collected from a writer {writer!a}.", hint="See `averment ledger writers`."
            )
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / self._home.settings.ledger_path.name
            write_replicated(copy, replication.store.lines(writer), replication.store.notes(writer), pinned=pinned)
            return export_ledger(copy, path, profile=profile)

    def verify(self, *, keys: Sequence[str] = ()) -> list[WriterReport]:
        """Check this home's ledger, and every other one that is gathered in its database, from the first line."""
        from averment.runtime.verification.ledger_checks import verify_writers

        return verify_writers(self._home.services, keys)

    def verify_file(self, path: str | Path, *, key: str | None = None) -> LedgerReport:
        """Check a ledger file by itself; ``key`` is the public key one trusts."""
        from averment.ledger.verify import verify_file

        return verify_file(Path(path), key=key)

    def verify_report(
        self, path: str | Path, *, sources: Sequence[str | Path] = (), keys: Sequence[str] = ()
    ) -> Verification:
        """Check an exported HTML report by itself and its sources; this home is not asked.

        Raises:
            VerificationFailed: the file carries nothing to check it by.
        """
        from averment.workbench.mailed import verify_report

        return verify_report(path, sources=sources, keys=keys, settings=self._home.settings)

    @property
    def writer(self) -> str | None:
        """What this home's ledger is called in a shared database; None where the database is the home's own."""
        replication = self._home.services.ledgers.replication
        return None if replication is None else replication.writer

    def writers(self) -> list[WriterRow]:
        """Whose ledgers are gathered in a shared database, the first to join first."""
        replication = self._home.services.ledgers.replication
        return [] if replication is None else replication.store.writers()

    def writers_of(self, run_id: str) -> tuple[str, ...]:
        """Whose gathered ledgers hold entries of a run."""
        replication = self._home.services.ledgers.replication
        return () if replication is None else tuple(replication.store.of_request(run_id))
