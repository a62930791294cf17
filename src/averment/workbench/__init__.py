"""The workbench: the one facade behind the command line, HTTP, the page and Python code.

from averment import Workbench

with Workbench(home=".averment") as wb:
    run = wb.analyze("total amount by region in 2024", sources=["sales.csv"])
    print(run.answer, wb.verify(run.id).ok)
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from averment import plugins
from averment.errors import InvalidRequest, SourceChanged
from averment.records.analysis import AnalysisRequest
from averment.records.base import new_id
from averment.spine.events import Listener
from averment.spine.outcome import Run
from averment.spine.restore import catalog_of, request_of
from averment.workbench.asking import ALL_DELIVERABLES, Asking, listening

if TYPE_CHECKING:
    from averment.ledger.export import Export, Profile
    from averment.ledger.verify import LedgerReport
    from averment.spine.verdict import Verification

__all__ = ["ALL_DELIVERABLES", "ExportFormat", "Workbench"]

ExportFormat = str


class Workbench(Asking):
    """One home with its runs: ask, look, verify, replay, export."""

    def verify_ledger(self, path: str | Path, *, key: str | None = None) -> LedgerReport:
        """Check a ledger file by itself; ``key`` is the public key one trusts."""
        from averment.ledger.verify import verify_file

        return verify_file(Path(path), key=key)

    def export_ledger(self, path: str | Path, *, profile: Profile = "000", writer: str | None = None) -> Export:
        """Write this home's ledger, or another ``writer``'s as it was gathered, as a file that its verifier accepts.

        Raises:
            InvalidRequest: nothing is gathered of such a writer.
        """
        from averment.ledger.export import export_ledger
        from averment.ledger.gathered import write_gathered

        gathering = self._services.gathering if writer is not None else None
        if writer is None or (gathering is not None and writer == gathering.writer):
            return export_ledger(self.settings.ledger_path, path, profile=profile)
        pinned = None if gathering is None else gathering.store.key(writer)
        if gathering is None or pinned is None:
            raise InvalidRequest(
                f"No ledger has been collected from a writer {writer!a}.", hint="See `averment ledger writers`."
            )
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / self.settings.ledger_path.name
            write_gathered(copy, gathering.store.lines(writer), gathering.store.notes(writer), pinned=pinned)
            return export_ledger(copy, path, profile=profile)

    def inclusion_proof(self, sequence_number: int) -> dict[str, Any]:
        """The proof that a ledger entry is under the newest checkpoint, for someone who has only that entry."""
        return self._services.ledger.inclusion_proof(sequence_number).as_dict()

    def public_key(self) -> str:
        """The key that signs this home's checkpoints, in the form that ``verify --key`` takes."""
        return self._services.ledger.key.text

    def replay(self, run_id: str, *, on_event: Listener | None = None) -> tuple[Run, tuple[str, ...]]:
        """Run the recorded plan again as a new run, without any model; returns it and what differs from the first.

        Raises:
            SourceChanged: a source is no longer what the first run saw.
        """
        row = self._services.runs.get(run_id)
        first, asked = self.show(row.run_id), request_of(row)
        if not isinstance(asked, AnalysisRequest):
            raise InvalidRequest("Only an analysis can be replayed.", hint="Check the run with `verify`.")
        request = asked.model_copy(update={"request_id": new_id()})
        options = row.request.get("read")
        catalog = self._open(request.data_sources, options)
        if [s.content_sha256 for s in catalog.sources] != [s.content_sha256 for s in catalog_of(row).sources]:
            raise SourceChanged("A source changed since the run, so its plan cannot be replayed on the same data.")
        again_id = self._runner.keep("analysis", request, catalog, read=options, replay_of=row.run_id)
        self._runner.start(again_id, *listening(on_event))
        again = self.wait(again_id)
        return again, first.differences(again)

    def export(self, run_id: str, to: ExportFormat = "html", path: str | Path | None = None) -> Path:
        """Write a run's report as one file with its proof, and return where it is.

        Raises:
            InvalidRequest: it cannot be written as that.
        """
        from averment.reports.export import MEDIA_TYPES, exported, write_export

        if to not in ("html", "md") and to not in plugins.names("exports", MEDIA_TYPES):
            raise InvalidRequest(f"A report cannot be exported as {to}.", hint="Choose html or md.")
        run = self.show(run_id)
        target = Path(path) if path is not None else Path(f"averment-{run.id[:8]}.{to}")
        content = exported(run.proof(), self.document(run.id), to=to)
        return write_export(self.enclose(run, content) if to == "html" else content, target)

    def enclose(self, run: Run, html: bytes) -> bytes:
        """A run's report as HTML with what it takes to check the file by itself."""
        from averment.reports.verifier import shown_texts
        from averment.spine.capsule import enclose

        return enclose(self._services, self.row(run.id), run.proof(), html, texts=shown_texts(html))

    def verify_report(
        self, path: str | Path, *, sources: Sequence[str | Path] = (), keys: Sequence[str] = ()
    ) -> Verification:
        """Check an exported HTML report by itself and its sources; this home is not asked.

        Raises:
            VerificationFailed: the file carries nothing to check it by.
        """
        from averment.workbench.mailed import verify_report

        return verify_report(path, sources=sources, keys=keys, settings=self.settings)
