"""One run's report with its proof as the bytes of one file, in every format that there is."""

from __future__ import annotations

from averment.errors import InvalidRequest
from averment.records.export_formats import MEDIA_TYPES
from averment.reports.export import export_formats, exported
from averment.runtime.execution.restore import calls_of, catalog_of, told_work
from averment.runtime.outcome import Run
from averment.runtime.plugins_used import write_exporter
from averment.runtime.services import Services
from averment.workbench.runs import Runs


def export_bytes(services: Services, runs: Runs, run: Run, to: str) -> bytes:
    """The file's bytes; a notebook computes the run again, everything else is its report.

    What a plugin writes is named in the ledger before it is handed out.

    Raises:
        InvalidRequest: there is no such format.
        NotEnoughEvidence: the run has no report.
        MissingExtra: the library for that format is not installed.
        LedgerError: a plugin writes the format, and the ledger cannot be written.
    """
    if to not in export_formats():
        raise InvalidRequest(
            f"A report cannot be exported as {to}.", hint=f"Choose among: {', '.join(export_formats())}."
        )
    if to == "ipynb":
        return _notebook(services, runs, run)
    content = exported(run.proof(), runs.document(run.id), to=to)
    if to not in MEDIA_TYPES:
        write_exporter(services, run.id, to, content)
    return runs.enclose(run, content) if to == "html" else content


def _notebook(services: Services, runs: Runs, run: Run) -> bytes:
    from averment.corpus.corpus import Corpus
    from averment.reports.notebook import to_notebook
    from averment.reports.recording import CitedTexts, Recording, Source

    row, archived = runs.row(run.id), Corpus(services.store.database)
    catalog = catalog_of(row) if row.request.get("catalog") else None
    told_work(services, row)[0].close()  # Refuses a run that has nothing to tell.
    recording = Recording(
        title=run.intent,
        answer=run.answer or "",
        kind=row.kind,
        seal=run.proof(),
        sources=tuple(
            Source(one.location if one.content_sha256 is None else one.label, one.content_sha256)
            for one in (catalog.sources if catalog is not None else ())
        ),
        read=row.request.get("read"),
        calls=tuple(calls_of(services, run.id)),
        findings=run.findings,
        texts={digest: archived.snapshot(digest) for digest in CitedTexts.digests(run.findings)},
    )
    return to_notebook(recording)
