"""A run as its asker sees it: status, answer, table, reading, plan, findings, artifacts, report, proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from averment import errors
from averment.deprecation import deprecated
from averment.errors import AvermentError
from averment.errors.extras import needs, require
from averment.records.base import Record, iso_z, picked
from averment.records.marks import Marks, marks_of
from averment.records.run import Artifact, Finding
from averment.runtime.execution.restore import calls_of, conclusion_of
from averment.runtime.kept_checks import last_check
from averment.runtime.model_log import sent_of, spent
from averment.runtime.verification.signature_checks import key_beside

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from averment.records.claim import Claim
    from averment.runtime.run_json import KeptReading
    from averment.runtime.services import Services
    from averment.store.runs.run_store import RunRow

MAIN_TASK = "query"
_BY_CODE: dict[str, type[AvermentError]] = {
    kind.code: kind
    for kind in (getattr(errors, name) for name in errors.__all__)
    if isinstance(kind, type) and issubclass(kind, AvermentError)
}


class Proof(Record):
    """What a third party needs to check a run: its root, and the signed checkpoint that covers it."""

    run_id: str
    status: str
    finished_at: str | None
    run_root: str | None
    ledger_size: int | None
    checkpoint: str | None
    key: str | None = None
    marks: Marks | None = None
    pictures: dict[str, bytes] = Field(default_factory=dict)


class Offer(Record):
    """One reading to choose: what it would mean, and what it gives."""

    read_back: str
    plan: dict[str, Any]
    odds: float
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    row_count: int = 0
    left: tuple[str, ...] = ()
    """The words of the question that this reading does without."""

    @property
    def table(self) -> pa.Table | None:
        """What the reading gives, as far as it was looked at; None where it gives nothing."""
        import pyarrow as pa

        if not self.rows:
            return None
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        return pa.table({name: pa.array(values) for name, values in zip(self.columns, columns, strict=True)})


class Run:
    """One run at the moment it was looked at."""

    def __init__(self, services: Services, row: RunRow) -> None:
        self._services = services
        self._row = row

    @property
    def id(self) -> str:
        """The run's id."""
        return self._row.run_id

    @property
    def status(self) -> str:
        """completed, partial_success, failed, abstained, clarification_needed, cancelled, or where it stands now."""
        return self._row.status

    @property
    def kind(self) -> str:
        """analysis, drilldown or research."""
        return self._row.kind

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the files or databases it was asked of; none where the run is not what was sealed."""
        given = (self._row.request.get("request") or self._row.request).get("data_sources", ())
        return tuple(Path(each["file_path"]).name if each.get("file_path") else "a database" for each in given)

    @property
    def intent(self) -> str:
        """The question as it was asked."""
        return self._row.intent

    @property
    def created_at(self) -> str:
        """When it was asked, in UTC."""
        return iso_z(self._row.created_at)

    @property
    def answer(self) -> str | None:
        """The answer, or the question back."""
        return self._row.answer

    @property
    def error(self) -> dict[str, Any] | None:
        """Why it failed, or None."""
        return self._row.error

    @property
    def reading(self) -> dict[str, Any] | None:
        """How the question was read."""
        return self._row.reading

    @property
    def tasks(self) -> dict[str, Any] | None:
        """What was planned to be done: the tasks, their order and their cost."""
        return self._row.plan

    @property
    def plan(self) -> dict[str, Any] | None:
        """The plan the question was read as, as JSON; the planned tasks where it was read another way."""
        meant = (self.reading or {}).get("reading")
        if isinstance(meant, dict) and isinstance(meant.get("plan"), dict):
            return meant["plan"]
        return self._row.plan

    @property
    def read_back(self) -> str | None:
        """How the question was read, in one sentence; None where it was not."""
        reading = self.reading or {}
        said = reading.get("read_as")
        return "; ".join([said, *map(str, reading.get("told", ()))]) if said else said

    @property
    def marks(self) -> Marks:
        """How the question was interpreted and how certain that is; and whether the figures were recomputed."""
        return marks_of(self.reading, self.findings, self.sources, last_check(self._services.store.runs, self.id))

    @property
    @deprecated("Use Run.marks.interpretation.", since="0.4.0", gone_in="0.5.0")
    def grade(self) -> str | None:
        """How certain the interpretation is, in words; None where the question was not answered."""
        return self.marks.interpretation.certainty if (self.reading or {}).get("grade") else None

    @property
    def odds(self) -> float | None:
        """The calibrated probability that the reading is right; None where nobody had to guess."""
        return (self.reading or {}).get("odds")

    @property
    def model(self) -> dict[str, Any] | None:
        """What was spent on a model: which, how many calls and tokens, what it cost; None where none was asked."""
        return dict(spent(self._services, self.id, cast("KeptReading", self.reading or {}))) or None

    @property
    def sent(self) -> list[dict[str, Any]]:
        """Exactly what left this machine for a model and what came back, call by call."""
        return sent_of(self._services, self.id)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The readings to choose from where the question was asked back, the best first."""
        return tuple(Offer.model_validate(each) for each in (self.reading or {}).get("offers", ()))

    @property
    def rivals(self) -> tuple[Offer, ...]:
        """What an answered question could mean as well, the likeliest first; ``choose`` takes one."""
        return tuple(Offer.model_validate(each) for each in (self.reading or {}).get("rivals", ()))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The sentences, each bound to its evidence."""
        conclusion = conclusion_of(self._services, self.id)
        return conclusion.findings if conclusion else ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The findings as data: relation, subjects, values and evidence; none where an agent tells without claims."""
        conclusion = conclusion_of(self._services, self.id)
        return conclusion.claims if conclusion else ()

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """The files it left."""
        return tuple(self._services.store.artifacts.list(self.id))

    @property
    def report(self) -> str | None:
        """The report as Markdown, or None when there is none."""
        found = self._first_file("report", ".md")
        return None if found is None else found.decode()

    @property
    def citations(self) -> list[dict[str, Any]]:
        """The places a research's answer rests on, each with its document's name; none for another run."""
        return list(self._research().get("cited", ()))

    @property
    def absent(self) -> dict[str, Any] | None:
        """What a research searched without an answer, or without one to a part; None where all is answered."""
        return self._research().get("absent")

    @property
    def discrepancies(self) -> list[dict[str, Any]]:
        """Where the sources of a research disagree, each with its sides; none for another run."""
        return list(self._research().get("discrepancies", ()))

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The questions of a research as a tree, each with what became of it; none for another run."""
        return list(self._research().get("questions", ()))

    @property
    def facts(self) -> list[dict[str, Any]]:
        """The sentences that a research tells, each with its span; none for another run."""
        return list(self._research().get("facts", ()))

    def _first_file(self, kind: str, ending: str) -> bytes | None:
        """What the first artifact of that kind and ending holds, or None when there is none."""
        for artifact in self.artifacts:
            if artifact.artifact_type == kind and artifact.content_ref.endswith(ending):
                return self._services.store.artifacts.read(artifact)
        return None

    def _research(self) -> dict[str, Any]:
        found = self._first_file("report", "/report.json")
        return {} if found is None else dict(json.loads(found))

    @property
    def table(self) -> pa.Table | None:
        """The main result, or None when there is none."""
        from averment.tools.result_store import ResultStore

        result_store = ResultStore(self._services.store.files, f"work/{self.id}")
        for call, observation in calls_of(self._services, self.id):
            if call.task_id == MAIN_TASK and observation.status == "success":
                result_store.expect(observation.data)
                return result_store.by_call(call.call_id)
        return None

    @property
    def df(self) -> pd.DataFrame | None:
        """The main result as a pandas frame, or None when there is none.

        Raises:
            MissingExtra: pandas is not installed.
        """
        require("notebook", "pandas")
        table = self.table
        return None if table is None else table.to_pandas()

    @property
    def sql(self) -> str | None:
        """The query behind the main result, or None when there is none."""
        for call, observation in calls_of(self._services, self.id):
            if call.task_id == MAIN_TASK and observation.status == "success":
                return call.arguments.get("query")
        return None

    @property
    def chart_spec(self) -> dict[str, Any] | None:
        """The first chart in Vega-Lite, or None when there is none."""
        found = self._first_file("chart", ".vl.json")
        return None if found is None else dict(json.loads(found))

    @property
    def chart_png(self) -> bytes | None:
        """The first chart as a picture, or None when there is none."""
        return self._first_file("chart", ".png")

    @property
    def chart(self) -> Any:
        """The first chart as Altair has it, to be changed and shown, or None when there is none.

        Raises:
            MissingExtra: Altair is not installed.
        """
        with needs("notebook"):
            import altair

        spec = self.chart_spec
        return None if spec is None else altair.Chart.from_dict(spec)

    def __repr__(self) -> str:
        from averment.runtime.card import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        """The run as a notebook shows it: answer, chart, table, how it was read, proof, or readings to choose."""
        from averment.runtime.card import as_html

        return as_html(self)

    def path_of(self, artifact: Artifact) -> Path:
        """Where an artifact's file is on this machine; where the files are shared, a copy of what was sealed.

        Raises:
            SourceNotFound, SourceChanged: the shared store has no such file, or it is not what was sealed.
            VerificationFailed: the file in the home is not what was sealed.
        """
        self._services.store.artifacts.read(artifact)
        return self._services.store.files.path(artifact.content_ref, artifact.content_hash)

    def place_of(self, artifact: Artifact) -> str:
        """Where an artifact's file is, for a person to read."""
        return self._services.store.files.shown(artifact.content_ref)

    def proof(self) -> Proof:
        """What a third party needs to check it."""
        sealed = self._row.sealed or {}
        finished = self._row.finished_at
        pictures = {
            Path(artifact.content_ref).name: self._services.store.artifacts.read(artifact)
            for artifact in self.artifacts
            if artifact.content_ref.endswith(".png")
        }
        return Proof(
            run_id=self.id,
            status=self.status,
            finished_at=None if finished is None else iso_z(finished),
            run_root=sealed.get("run_root"),
            ledger_size=sealed.get("ledger_size"),
            checkpoint=sealed.get("checkpoint"),
            key=key_beside(self._services.settings) if sealed.get("checkpoint") else None,
            marks=self.marks,
            pictures=pictures,
        )

    def differences(self, other: Run) -> tuple[str, ...]:
        """Names of artifacts, or ``answer``, that are not byte for byte the same in the other run."""
        mine = {Path(a.content_ref).name: a.content_hash for a in self.artifacts}
        theirs = {Path(a.content_ref).name: a.content_hash for a in other.artifacts}
        names = sorted(name for name in set(mine) | set(theirs) if mine.get(name) != theirs.get(name))
        return tuple(names if self.answer == other.answer else ["answer", *names])

    def raise_for_error(self) -> None:
        """Raise the run's own error, if it has one.

        Raises:
            AvermentError: the one that ended the run.
        """
        if self.error is None or self.status not in {"failed", "cancelled"}:
            return
        kind = _BY_CODE.get(str(self.error["code"]), AvermentError)
        details: dict[str, object] = {**self.error.get("details", {}), "run_id": self.id}
        raise kind(str(self.error["message"]), hint=str(self.error["hint"]), details=details)

    def as_dict(self) -> dict[str, Any]:
        """The run as the one JSON document that every face prints."""
        return {
            **picked(self, "id", "status", "intent", "created_at", "answer", "error", "reading"),
            "plan": self.tasks,
            "meaning": self.plan if self.plan is not self.tasks else None,
            **picked(self, "read_back", "odds", "model"),
            "grade": self.marks.interpretation.certainty,
            "marks": self.marks.model_dump(mode="json"),
            "offers": [offer.model_dump(mode="json") for offer in self.offers],
            "rivals": [rival.model_dump(mode="json") for rival in self.rivals],
            "findings": [finding.model_dump(mode="json") for finding in self.findings],
            "artifacts": [artifact.model_dump(mode="json") for artifact in self.artifacts],
            "report": self.report,
            "proof": self.proof().model_dump(mode="json", exclude={"pictures", "marks"}),
        }
