"""``ask_run``: a question about a finished run, answered in its own sentences with where they stand, or not at all.

An investigation of a session is asked through the session, whose memory and history it has; every other run is asked
by its report. A question that an analysis' report does not answer and that is one for its tables is the analyst's to
read, as a change of the run's plan. Who answers is handed in, so that nothing here knows another agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from pydantic import Field

from averment.agents.assistant.leaning import leans_on, names_column
from averment.agents.assistant.run_answers import answering
from averment.agents.assistant.run_memory import passages_of
from averment.errors import InvalidRequest, InvestigationNotComplete, SessionExpired, SessionNotFound
from averment.language.intents.classify import SentenceVectors
from averment.runtime.outcome import Run
from averment.tools.public import Caller, PublicTool
from averment.tools.tool import Annotations, Args, Output

FINISHED = frozenset({"completed", "partial_success"})
ASKED_BACK = frozenset({"abstained", "clarification_needed"})


class KeptRun(Protocol):
    """A run's own row, as far as it is read."""

    @property
    def kind(self) -> str:
        """analysis, drilldown or research."""
        ...

    @property
    def request(self) -> Any:
        """What was asked for."""
        ...


class RunArchive(Protocol):
    """What is needed of the workbench: its runs, and the sessions that some of them belong to."""

    @property
    def sessions(self) -> Any:
        """The driller's sessions, of which ``chat`` is asked."""
        ...

    def show(self, run_id: str) -> Run:
        """A run as it stands."""
        ...

    @property
    def runs(self) -> Any:
        """The runs, of which ``row`` gives a ``KeptRun``."""
        ...


class AskRun(Args):
    """A question about something that has been found out."""

    question: str = Field(min_length=1, max_length=2_000, description="The question, in plain words.")
    run_id: str | None = Field(default=None, min_length=4, description="The run's id, or its beginning.")
    session_id: str | None = Field(default=None, description="A drill-down session, in place of a run.")


class RunAnswer(Output):
    """The run's own sentences, and where each stands; ``answered`` is false where it has none.

    ``for_tables`` says that the question is then one for the tables of the run, which the analyst can be asked.
    """

    run_id: str | None
    kind: str
    answered: bool
    answer: str
    references: list[str]
    for_tables: bool = False


def ask_tool(archive: RunArchive, vectors: Callable[[], SentenceVectors]) -> PublicTool[Any, Any]:
    """The tool over one workbench."""

    def ask(args: AskRun, caller: Caller) -> RunAnswer:
        if (args.run_id is None) == (args.session_id is None):
            raise InvalidRequest("Name exactly one run or one session.")
        if args.session_id is not None:
            return _of_session(archive, args.session_id, args.question, None)
        run = archive.show(str(args.run_id))
        row = archive.runs.row(run.id)
        for_tables = row.kind == "analysis" and _is_for_tables(archive, run, args.question)
        if run.status in ASKED_BACK and for_tables:
            return RunAnswer(run_id=run.id, kind=row.kind, answered=False, answer="", references=[], for_tables=True)
        if run.status not in FINISHED:
            raise InvestigationNotComplete(
                f"The run {run.id[:8]} is {run.status}, so it has no report to ask about.",
                hint="Ask when it is completed.",
            )
        session_id = dict(row.request).get("session_id")
        if session_id:
            try:
                return _of_session(archive, str(session_id), args.question, run.id)
            except (SessionExpired, SessionNotFound):
                pass  # The session's time is over; the run and its report stay.
        chosen = answering(args.question, passages_of(run.report or "", row.kind, _place(run)), vectors())
        words = "\n".join(passage.text for passage in chosen) or f"The report of run {run.id[:8]} does not say that."
        places = list(dict.fromkeys(passage.reference for passage in chosen))
        return RunAnswer(
            run_id=run.id,
            kind=row.kind,
            answered=bool(chosen),
            answer=words,
            references=places,
            for_tables=for_tables and not chosen,
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


def _is_for_tables(archive: RunArchive, run: Run, question: str) -> bool:
    """Whether a question about an analysis is one for its tables: it leans on the one before, or names a column."""
    catalog = json.loads(str(dict(archive.runs.row(run.id).request).get("catalog") or "{}"))
    columns = [
        str(column["name"])
        for source in catalog.get("sources", ())
        for table in source["tables"]
        for column in table["columns"]
    ]
    return leans_on(question) or names_column(question, columns)


def _place(run: Run) -> str:
    """The file a run's report lies in."""
    refs = (artifact.content_ref for artifact in run.artifacts)
    return next((ref for ref in refs if ref.endswith("report.md")), f"run {run.id}")


def _of_session(archive: RunArchive, session_id: str, question: str, run_id: str | None) -> RunAnswer:
    """What the session answers; it raises where its investigation is not complete."""
    told = archive.sessions.chat(session_id, question)
    references = [f"session {session_id[:8]}: {name}" for name in told.artifacts_referenced]
    return RunAnswer(
        run_id=run_id, kind="drilldown", answered=bool(references), answer=told.content, references=references
    )
