"""Sessions: open one, give it files, start its investigation, read its report, ask about it, until its time is over.

How a run is begun, asked and stopped is handed in, so that this module knows nothing of the workbench above it. What
the run leaves is mirrored into the session's tree as it goes on; the tree can always be written again from the run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from averment.agents.driller.session_check import require_tree
from averment.agents.driller.session_export import (
    Investigation,
    read_breakdown,
    read_explanations,
    read_hypotheses,
    read_investigation,
    read_iterations,
)
from averment.agents.driller.session_past import folder_of, past_of, present_of
from averment.agents.driller.session_service import SessionService
from averment.errors import InvestigationNotComplete
from averment.errors.extras import require
from averment.records.base import utc_now
from averment.records.drilldown.investigation import InvestigationContext
from averment.records.drilldown.loop import Hypothesis, IterationLog
from averment.records.drilldown.past import Comparison, PastInvestigation
from averment.records.drilldown.request import DrillRequest
from averment.records.drilldown.results import ChatMessage, Explanation, Mover, Report
from averment.records.drilldown.session import Session
from averment.store.runs.session_tree import REPORT

if TYPE_CHECKING:
    from averment.agents.driller.chat import Ask
    from averment.runtime.events import Event, Listener
    from averment.runtime.services import Services

Begin = Callable[[DrillRequest, "Listener"], str]
"""Opens the sources of a request, begins its run with a listener, and gives the run's id."""

MIRRORED = frozenset({"plan_made", "round_taken", "run_finished"})
"""After these events of a run its session's tree is written again."""


class Sessions(SessionService):
    """The driller's sessions of one home: files, investigation, report and questions.

    ``check`` raises where a request cannot be followed over its files, ``begin`` starts a run, ``ask`` answers a
    question about sources, ``cancel`` asks a run to stop, and ``forget`` deletes what the runtime remembers of a run's
    steps, or says that it is too early.
    """

    def __init__(
        self,
        services: Services,
        *,
        begin: Begin,
        check: Callable[[DrillRequest], None] | None = None,
        ask: Ask | None = None,
        cancel: Callable[[str], None] | None = None,
        forget: Callable[[str], bool] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(services, cancel=cancel, forget=forget, clock=clock)
        self._begin = begin
        self._check = check
        self._ask = ask
        self._starting: dict[str, threading.Lock] = {}

    # --- investigation --------------------------------------------------------------------------------------------

    def start(
        self,
        session_id: str,
        context: Mapping[str, Any],
        *,
        column_roles: Mapping[str, Any] | None = None,
        relations: Sequence[str] = (),
        on_event: Listener | None = None,
    ) -> str:
        """Start an investigation of the session and give the run's id; a session has one at a time.

        Of a session that is completed or failed it is a further one; the earlier stays under its number. Whether the
        metric, its joins and both sides hold over the files is found out first.

        ``column_roles`` says what columns are that were read otherwise, by ``column`` or ``table.column``;
        ``relations`` how tables belong together, as ``orders.customer=customers.id``.

        Raises:
            MetricSqlRequired, InvalidDateRange, InvalidRequest: the context cannot be used.
            MissingExtra: what an investigation computes and draws with is not installed.
            NoFilesUploaded: there is no file to investigate.
            IllegalTransition: an investigation is running.
            MetricUnclear, MetricUnreadable, JoinFansOut, NoDateColumn, PeriodWithoutData, GroupNotFound: the metric
                cannot be followed over the files.
            AvermentError: the run cannot be begun; in every case the session stays as it was.
        """
        require("drill", "pandas", "vl_convert")
        session_id = self._open(session_id).id
        with self._starting.setdefault(session_id, threading.Lock()):
            row = self._open(session_id)
            given = checked_context(row.id, context, self.clock())
            row.session.started()
            uploads = self._life.files(row.id)
            request = DrillRequest.checked(
                data_sources=self._life.sources(row),
                files=[
                    {"name": upload.original_name, "description": upload.description, "file_id": upload.file_id}
                    for upload in uploads
                ],
                session_id=row.id,
                column_roles=column_roles,
                relations=relations,
                **given.model_dump(exclude={"session_id"}),
            )
            if self._check is not None:
                self._check(request)
            run_id = self._begin(request, self._listener(on_event))
            self._life.mark_running(row.id, run_id, given)
        return run_id

    def status(self, session_id: str) -> tuple[Session, str]:
        """The session and, in a sentence, where its investigation stands.

        Raises:
            SessionNotFound, SessionExpired: there is no such session.
        """
        row = self._open(session_id)
        return row.session, self._life.sentence(row)

    def report(self, session_id: str) -> Report:
        """The report of a completed investigation.

        Raises:
            InvestigationNotComplete: there is none yet.
        """
        row = self._completed(session_id)
        content = self._tree.read(row.id, REPORT)
        if content is None or row.finished_at is None:
            raise InvestigationNotComplete("The session has no report.")
        found = read_explanations(self._tree, row.id)
        return Report(
            session_id=row.id,
            content=content.decode(),
            generated_at=row.finished_at,
            status="completed" if found else "no_findings",
        )

    def explanations(self, session_id: str) -> tuple[Explanation, ...]:
        """The ranked explanations of a completed investigation; none when that is the truth.

        Raises:
            InvestigationNotComplete: it is not completed.
        """
        return read_explanations(self._tree, self._completed(session_id).id)

    def breakdown(self, session_id: str) -> tuple[Mover, ...]:
        """The breakdown of a completed investigation: every value of every dimension, whether or not a cause is found.

        Raises:
            InvestigationNotComplete: it is not completed.
        """
        return read_breakdown(self._tree, self._completed(session_id).id)

    def investigations(self, session_id: str) -> tuple[PastInvestigation, ...]:
        """Every investigation of the session in its order, the present one last."""
        row = self._open(session_id)
        earlier = past_of(self._tree, row.id)
        present = present_of(row, self._tree, len(earlier) + 1)
        return earlier if present is None else (*earlier, present)

    def compare(self, session_id: str, first: int, second: int) -> Comparison:
        """Two completed investigations of the session held beside each other.

        Raises:
            InvestigationNotComplete: there is no such investigation, or it is not completed.
        """
        from averment.agents.driller.session_compare import compare

        listed = {one.number: one for one in self.investigations(session_id)}
        return compare(
            self._investigation(session_id, listed, first),
            self._investigation(session_id, listed, second),
            (first, second),
        )

    def _investigation(self, session_id: str, listed: Mapping[int, PastInvestigation], number: int) -> Investigation:
        line = listed.get(number)
        if line is None or line.status != "completed":
            there = ", ".join(str(one.number) for one in listed.values() if one.status == "completed") or "none"
            raise InvestigationNotComplete(
                f"The session has no completed investigation {number}.", hint=f"Completed: {there}."
            )
        row = self._open(session_id)
        require_tree(self._services, self._services.store.runs.get(line.run_id))
        place = row.id if line.run_id == row.run_id else f"{row.id}/{folder_of(number)}"
        found = read_investigation(self._tree, place)
        if found is None:
            raise InvestigationNotComplete(f"No data remains for the investigation {number}.")
        return found

    def iterations(self, session_id: str) -> tuple[IterationLog, ...]:
        """The iterations so far, in full."""
        row = self._open(session_id)
        self._require_sealed(row)
        return read_iterations(self._tree, row.id)

    def hypotheses(self, session_id: str) -> tuple[Hypothesis, ...]:
        """The hypotheses so far, each with its present status."""
        row = self._open(session_id)
        self._require_sealed(row)
        return read_hypotheses(self._tree, row.id)

    def mirror(self, run_id: str) -> bool:
        """Write what a run has kept into its session's tree, and move the session when the run is over.

        It may be called at any time, any number of times; whether anything was written. A session that is over is
        left alone.
        """
        return self._life.mirror(run_id)

    # --- questions ------------------------------------------------------------------------------------------------

    def chat(self, session_id: str, message: str) -> ChatMessage:
        """Answer a question about a completed investigation.

        Raises:
            InvestigationNotComplete: the investigation is not completed.
            InvalidRequest: the message is empty or over 5,000 characters.
        """
        from averment.agents.driller.chat import Chat

        row = self._completed(session_id)
        chat = Chat(self._services, self._tree, self._memory, self._ask)
        asked, answer, runs = chat.answer(row.id, message, self._life.sources(row), self.clock)
        with self._store.changing(row.id) as change:
            self._alive(change)
            chat.keep(row.id, asked, answer)
            change.keep(asked=(*change.row.asked, *runs))
        return answer

    def history(self, session_id: str) -> tuple[ChatMessage, ...]:
        """The questions and answers so far."""
        from averment.agents.driller.chat import read_history

        return read_history(self._tree, self._open(session_id).id)

    def _listener(self, on_event: Listener | None) -> Listener:
        def hear(event: Event) -> None:
            if event.type in MIRRORED:
                self._life.mirror_quietly(event.run_id)
            if on_event is not None:
                on_event(event)

        return hear


def checked_context(session_id: str, context: Mapping[str, Any], at: datetime) -> InvestigationContext:
    """The context of a session's investigation from raw values.

    Raises:
        MetricSqlRequired, InvalidDateRange, InvalidRequest: a rule is broken.
    """
    return InvestigationContext.checked({**context, "session_id": session_id, "submitted_at": at})
