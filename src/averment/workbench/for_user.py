"""A home as one of its users sees it: their own tasks, conversations and runs, and nothing of anyone else's.

What is not offered here is the owner's alone: an attribute that is not listed is refused, so that a new part of the
workbench is closed to users until somebody opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.errors import PolicyError, RunNotFound
from averment.records.base import new_id
from averment.spine.outcome import Run
from averment.store.users import UserStore
from averment.workbench.own_tasks import OwnTasks
from averment.workbench.reminding import Reminders

if TYPE_CHECKING:
    from pathlib import Path

    from averment.agents.assistant.agent import Assistant
    from averment.records.chat import AgentResponse
    from averment.settings import Settings
    from averment.tools.mcp_server import Server
    from averment.workbench import Workbench
    from averment.workbench.datasets import Datasets

RUN = "run"
UPLOAD = "upload"
PAGE_USER = "averment.page_user"
"""Under which name a request that a page's session opened says whose session it is; no client can set it."""


class UserBench:
    """The part of a workbench that is one user's."""

    def __init__(self, workbench: Workbench, users: UserStore, user_id: str) -> None:
        self._workbench = workbench
        self._users = users
        self._user_id = user_id

    def __getattr__(self, name: str) -> Any:
        raise PolicyError(f"Only the owner of this home can use {name}.", hint="Use the server's own token.")

    @property
    def settings(self) -> Settings:
        """The home's settings."""
        return self._workbench.settings

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant, over this user's tasks and conversations."""
        from averment.agents.assistant.desk import open_assistant

        return open_assistant(self._workbench.services, self, user_id=self._user_id)

    @property
    def sessions(self) -> Any:
        """The driller's sessions, which are the owner's alone."""
        return self.__getattr__("sessions")

    @cached_property
    def datasets(self) -> Datasets:
        """This user's datasets."""
        from averment.workbench.datasets import Datasets

        return Datasets(self._workbench.services, self._workbench.published, user_id=self._user_id)

    @property
    def tasks(self) -> OwnTasks:
        """This user's tasks."""
        return OwnTasks(self._workbench.services.tasks, self._user_id)

    @property
    def reminders(self) -> Reminders:
        """This user's reminders."""
        return Reminders(self._workbench.services, user_id=self._user_id)

    def chat(
        self,
        message: str,
        *,
        conversation_id: str | None = None,
        message_id: str | None = None,
        files: Sequence[str | Path] = (),
    ) -> AgentResponse:
        """Say something to this user's assistant."""
        if files:
            begun = conversation_id or (None if message_id is None else self.assistant.begun_by(message_id))
            with self._workbench.published(files) as attached:
                conversation_id = self.assistant.attach(attached, conversation_id=begun)
        return self.assistant.turn(message, conversation_id=conversation_id, message_id=message_id)

    def owns_upload(self, upload_id: str) -> bool:
        """Whether an upload is this user's."""
        return self._users.owner(UPLOAD, upload_id) == self._user_id

    def claim_upload(self, upload_id: str) -> None:
        """Note that an upload is this user's."""
        self._users.claim(UPLOAD, upload_id, self._user_id)

    def look_up(self, run_id: str) -> Run:
        """A run of this user's as a list shows it."""
        return self._workbench.look_up(self.show(run_id).id)

    def document(self, run_id: str) -> Any:
        """The report of a run of this user's before it has a format."""
        return self._workbench.document(self.show(run_id).id)

    def submit_research(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin a research as this user's, over documents of their own."""
        self._check_documents(more)
        return self._begun(run_id, lambda own: self._workbench.submit_research(*asked, run_id=own, **more))

    def replay(self, run_id: str, **more: Any) -> Any:
        """A replay is a run of the owner's."""
        _ = (run_id, more)
        return self.__getattr__("replay")

    def add_sources(self, *sources: str) -> int:
        """The corpus is the owner's to fill."""
        _ = sources
        return int(self.__getattr__("add_sources"))

    def mcp_server(self, *, remote: bool = True) -> Server:
        """The tools over what is this user's; files only by upload."""
        from averment.agents.assistant.desk import open_server

        _ = remote
        return open_server(self._workbench.services, self, user_id=self._user_id, remote=True)

    def show(self, run_id: str) -> Run:
        """A run of this user's.

        Raises:
            RunNotFound: there is none, or it is somebody else's: the answer is the same.
        """
        run = self._workbench.show(run_id)
        if self._users.owner(RUN, run.id) != self._user_id:
            raise RunNotFound(f"There is no run {run_id}.")
        return run

    def list(self, *, limit: int = 50, status: str | None = None, offset: int = 0) -> Sequence[Run]:
        """This user's runs, the newest first."""
        found: list[Run] = []
        for run_id in self._users.things(RUN, self._user_id, limit=10_000):
            try:
                run = self._workbench.show(run_id)
            except RunNotFound:
                continue  # Claimed, and never begun.
            if status is None or run.status == status:
                found.append(run)
            if len(found) >= offset + limit:
                break
        return found[offset : offset + limit]

    def row(self, run_id: str) -> Any:
        """The row of a run of this user's."""
        return self._workbench.row(self.show(run_id).id)

    def calls(self, run_id: str) -> Any:
        """The calls of a run of this user's."""
        return self._workbench.calls(self.show(run_id).id)

    def table(self, run_id: str, call_id: str) -> Any:
        """A table of a run of this user's."""
        return self._workbench.table(self.show(run_id).id, call_id)

    def rows_behind(self, run_id: str, row: int = 1, column: str | None = None, **more: Any) -> Any:
        """The source rows behind a cell of a run of this user's."""
        return self._workbench.rows_behind(self.show(run_id).id, row, column, **more)

    def events(self, run_id: str, *, after: int = 0) -> Any:
        """What has happened in a run of this user's."""
        return self._workbench.events(self.show(run_id).id, after=after)

    def verify(self, run_id: str) -> Any:
        """Check a run of this user's."""
        return self._workbench.verify(self.show(run_id).id)

    def cancel(self, run_id: str) -> None:
        """Stop a run of this user's."""
        self._workbench.cancel(self.show(run_id).id)

    def resume(self, run_id: str, **more: Any) -> Run:
        """Go on with a run of this user's."""
        return self._workbench.resume(self.show(run_id).id, **more)

    def wait(self, run_id: str) -> Run:
        """A run of this user's, once it rests."""
        return self._workbench.wait(self.show(run_id).id)

    def submit(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin an analysis as this user's."""
        more["datasets"] = self.datasets
        return self._begun(run_id, lambda own: self._workbench.submit(*asked, run_id=own, **more))

    def meaning_of(self, *, after: Run | str | None = None, chart: str | None = None) -> dict[str, Any] | None:
        """What is known of a question before it is read; it follows a run of this user's alone."""
        return self._workbench.meaning_of(after=self._own(after), chart=chart)

    def analyze(self, *asked: Any, run_id: str | None = None, after: Run | str | None = None, **more: Any) -> Run:
        """Answer a question about tables, as this user's run; it follows a run of this user's alone."""
        more["after"], more["datasets"] = self._own(after), self.datasets
        return self._begun(run_id, lambda own: self._workbench.analyze(*asked, run_id=own, **more))

    def submit_plan(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin to carry out a plan over tables, as this user's run."""
        more["datasets"] = self.datasets
        return self._begun(run_id, lambda own: self._workbench.submit_plan(*asked, run_id=own, **more))

    def run_plan(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """Carry out a plan over tables, as this user's run."""
        more["datasets"] = self.datasets
        return self._begun(run_id, lambda own: self._workbench.run_plan(*asked, run_id=own, **more))

    def choose(self, run: Run | str, number: int, *, run_id: str | None = None, **more: Any) -> Run:
        """Carry out a reading that a run of this user's offered, as their run."""
        offering = self.show(run if isinstance(run, str) else run.id).id
        return self._begun(run_id, lambda own: self._workbench.choose(offering, number, run_id=own, **more))

    def submit_choice(self, run: Run | str, number: int, *, run_id: str | None = None, **more: Any) -> str:
        """Begin a reading that a run of this user's offered, as their run."""
        offering = self.show(run if isinstance(run, str) else run.id).id
        return self._begun(run_id, lambda own: self._workbench.submit_choice(offering, number, run_id=own, **more))

    def teach(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """What words mean is the owner's to teach."""
        _ = asked, run_id, more
        return self.__getattr__("teach")

    def meanings(self, *, limit: int = 50, offset: int = 0) -> Any:
        """What words mean is the owner's to look at."""
        _ = limit, offset
        return self.__getattr__("meanings")

    def forget_meaning(self, meaning_id: str) -> bool:
        """What words mean is the owner's to forget."""
        _ = meaning_id
        return bool(self.__getattr__("forget_meaning"))

    def drill(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """Find out why a metric moved, as this user's run."""
        more["datasets"] = self.datasets
        return self._begun(run_id, lambda own: self._workbench.drill(*asked, run_id=own, **more))

    def research(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """Find out what the sources say, as this user's run, over documents of their own."""
        self._check_documents(more)
        return self._begun(run_id, lambda own: self._workbench.research(*asked, run_id=own, **more))

    def _check_documents(self, asked: dict[str, Any]) -> None:
        """The archive is the owner's; what it holds is quoted to nobody else."""
        local = "corpus" in (asked.get("providers") or (self._workbench.settings.search_provider,))
        if asked.get("corpora") or (local and not asked.get("corpus")):
            raise PolicyError(
                "The archived documents belong to the owner of this home.",
                hint="Send documents of your own with the question.",
            )

    def _own(self, run: Run | str | None) -> str | None:
        return None if run is None else self.show(run if isinstance(run, str) else run.id).id

    def _begun(self, run_id: str | None, begin: Callable[[str], Any]) -> Any:
        own = run_id or new_id()
        if not self._users.claim(RUN, own, self._user_id):
            raise RunNotFound(f"There is no run {own}.")
        return begin(own)
