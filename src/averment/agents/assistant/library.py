"""The reports and files of a home's runs, as MCP clients read them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from averment.errors import NotEnoughEvidence, SourceNotFound
from averment.tools.public import ListedRun

if TYPE_CHECKING:
    from averment.agents.assistant.run_service import RunService

SHOWN = 50


class RunLibrary:
    """Reads from the runs of one workbench."""

    def __init__(self, service: RunService) -> None:
        self._service = service

    def newest(self) -> Sequence[ListedRun]:
        """The newest runs that have a report."""
        runs = self._service.runs.list(limit=SHOWN, status="completed")
        return [
            ListedRun(run.id, run.intent)
            for run in runs
            if any(artifact.artifact_type == "report" for artifact in run.artifacts)
        ]

    def report(self, run_id: str) -> str:
        """A run's report as Markdown.

        Raises:
            RunNotFound, NotEnoughEvidence: there is no such run, or it has no report.
        """
        run = self._service.show(run_id)
        if run.report is None:
            raise NotEnoughEvidence(f"The run {run.id} is {run.status} and has no report.")
        return run.report

    def artifact(self, run_id: str, name: str) -> bytes:
        """A file of a run, by its name alone.

        Raises:
            RunNotFound, SourceNotFound: there is no such run, or it has no such file.
        """
        run = self._service.show(run_id)
        for artifact in run.artifacts:
            if PurePosixPath(artifact.content_ref).name == name and (path := run.path_of(artifact)).is_file():
                return path.read_bytes()
        raise SourceNotFound(f"The run {run.id} has no file with that name.", hint="See the run's list of artifacts.")
