"""``ask_run``: a question about a finished run, answered in its own sentences with where they stand, or not at all.

An investigation of a session is asked through the session, whose memory and history it has; every other run is asked
by its report, an analysis by the rows of its result first. A question to an analysis that leans on what was asked
before, and that the run does not hold, comes back made whole. Who answers is handed in, so that nothing here knows
another agent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import Field

from averment.agents.assistant.asked_anew import Known, asked_anew, names_column, settled
from averment.agents.assistant.run_answers import answering
from averment.agents.assistant.run_memory import passages_of
from averment.agents.assistant.run_tables import ResultTable, told_by
from averment.errors import InvalidRequest, InvestigationNotComplete, SessionExpired, SessionNotFound
from averment.language.intents.classify import SentenceVectors
from averment.spine.outcome import MAIN_TASK, Run
from averment.tools.public import Caller, PublicTool
from averment.tools.tool import Annotations, Args, Output

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.records.run import Observation, ToolCall

FINISHED = frozenset({"completed", "partial_success"})
ASKED_BACK = frozenset({"abstained", "clarification_needed"})
_LITERAL = re.compile(r"'((?:[^']|'')+)'")
_NUMERIC = re.compile(r"INT|DECIMAL|DOUBLE|FLOAT|NUMERIC|REAL", re.IGNORECASE)


class Kept(Protocol):
    """A run's own row, as far as it is read."""

    @property
    def kind(self) -> str:
        """analysis, drilldown or research."""
        ...

    @property
    def request(self) -> Any:
        """What was asked for."""
        ...


class Archive(Protocol):
    """What is needed of the workbench: its runs, and the sessions that some of them belong to."""

    @property
    def sessions(self) -> Any:
        """The driller's sessions, of which ``chat`` is asked."""
        ...

    def show(self, run_id: str) -> Run:
        """A run as it stands."""
        ...

    def row(self, run_id: str) -> Kept:
        """A run's own row."""
        ...

    def calls(self, run_id: str) -> Sequence[tuple[ToolCall, Observation]]:
        """Every call of a run with what it came back with."""
        ...

    def table(self, run_id: str, call_id: str) -> pa.Table | None:
        """The table that a call gave, if there is one."""
        ...


class AskRun(Args):
    """A question about something that has been found out."""

    question: str = Field(min_length=1, max_length=2_000, description="The question, in plain words.")
    run_id: str | None = Field(default=None, min_length=4, description="The run's id, or its beginning.")
    session_id: str | None = Field(default=None, description="A drill-down session, in place of a run.")
    within: Literal["report", "result"] = Field(
        default="report", description="The whole report may answer, or only the rows of an analysis' result."
    )


class RunAnswer(Output):
    """The run's own sentences, and where each stands; ``answered`` is false where it has none.

    ``again`` is then the question as one that its sources can be asked anew, where it leans on what the run was asked.
    """

    run_id: str | None
    kind: str
    answered: bool
    answer: str
    references: list[str]
    again: str | None = None


def ask_tool(archive: Archive, vectors: Callable[[], SentenceVectors]) -> PublicTool[Any, Any]:
    """The tool over one workbench."""

    def ask(args: AskRun, caller: Caller) -> RunAnswer:
        if (args.run_id is None) == (args.session_id is None):
            raise InvalidRequest("Name one run, or one session.")
        if args.session_id is not None:
            return _of_session(archive, args.session_id, args.question, None)
        run = archive.show(str(args.run_id))
        row = archive.row(run.id)
        if row.kind == "analysis":
            told = _of_result(archive, run, args.question)
            if told is not None:
                return told
        if run.status not in FINISHED:
            raise InvestigationNotComplete(
                f"The run {run.id[:8]} is {run.status}, so there is no report to ask.", hint="Ask when it is completed."
            )
        session_id = dict(row.request).get("session_id")
        if session_id:
            try:
                return _of_session(archive, str(session_id), args.question, run.id)
            except (SessionExpired, SessionNotFound):
                pass  # The session's time is over; the run and its report stay.
        if args.within == "report":
            chosen = answering(args.question, passages_of(run.report or "", row.kind, _place(run)), vectors())
        else:
            chosen = ()
        words = "\n".join(passage.text for passage in chosen) or f"The report of run {run.id[:8]} does not say that."
        places = list(dict.fromkeys(passage.reference for passage in chosen))
        again = _again(archive, run, args.question) if row.kind == "analysis" and not chosen else None
        return RunAnswer(
            run_id=run.id, kind=row.kind, answered=bool(chosen), answer=words, references=places, again=again
        )

    return PublicTool(
        name="ask_run",
        title="Ask about a run",
        description=(
            "Answer a question about a finished analysis, investigation or research in the words of its report, with "
            "references. A question to a session is kept in the session's history."
        ),
        args=AskRun,
        output=RunAnswer,
        run=ask,
        annotations=Annotations(read_only=False, destructive=False, idempotent=False, cost_seconds=5.0),
    )


def _of_result(archive: Archive, run: Run, question: str) -> RunAnswer | None:
    """What the rows of an analysis' result say; or, where it only asked back, its question made whole by the answer."""
    if run.status in ASKED_BACK:
        again = settled(question, _known(archive, run, ())) if run.offers else None
        return RunAnswer(run_id=run.id, kind="analysis", answered=False, answer="", references=[], again=again)
    if run.status not in FINISHED:
        return None
    for call, observation in archive.calls(run.id):
        if call.task_id != MAIN_TASK or observation.status != "success":
            continue
        table = archive.table(run.id, call.call_id)
        told = None if table is None else told_by(question, ResultTable.of(table, call.task_id, observation))
        if told is not None:
            # What the rows are of is said with them: a filter of the question stands in no cell.
            places = [f"'{run.intent}'", *told.references]
            return RunAnswer(run_id=run.id, kind="analysis", answered=True, answer=told.words, references=places)
    return None


def _again(archive: Archive, run: Run, question: str) -> str | None:
    """A question that the run does not answer, as its sources can be asked it; None where it is not about them."""
    noted = [observation.data for call, observation in archive.calls(run.id) if call.task_id == MAIN_TASK]
    sql = " ".join(str(data.get("sql") or "") for data in noted if isinstance(data, dict))
    known = _known(archive, run, tuple(name.replace("''", "'") for name in _LITERAL.findall(sql)))
    return asked_anew(question, known) or (question if names_column(question, known) else None)


def _known(archive: Archive, run: Run, names: tuple[str, ...]) -> Known:
    catalog = json.loads(str(dict(archive.row(run.id).request).get("catalog") or "{}"))
    columns = [
        (str(column["name"]), bool(_NUMERIC.match(str(column["type"]))))
        for source in catalog.get("sources", ())
        for table in source["tables"]
        for column in table["columns"]
    ]
    return Known(run.intent, tuple(dict.fromkeys(columns)), names)


def _place(run: Run) -> str:
    """The file a run's report lies in."""
    refs = (artifact.content_ref for artifact in run.artifacts)
    return next((ref for ref in refs if ref.endswith("report.md")), f"run {run.id}")


def _of_session(archive: Archive, session_id: str, question: str, run_id: str | None) -> RunAnswer:
    """What the session answers; it raises where its investigation is not complete."""
    told = archive.sessions.chat(session_id, question)
    references = [f"session {session_id[:8]}: {name}" for name in told.artifacts_referenced]
    return RunAnswer(
        run_id=run_id, kind="drilldown", answered=bool(references), answer=told.content, references=references
    )
