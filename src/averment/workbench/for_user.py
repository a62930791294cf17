"""A home as one of its users sees it: their own tasks, conversations and runs, and nothing of anyone else's.

What is not offered here is the owner's alone: an attribute that is not listed is refused, so that a new part of the
workbench is closed to users until somebody opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.runtime.outcome import Run
from averment.store.chat.users import UserStore
from averment.workbench.own_runs import OwnRuns, OwnStarter, refuse
from averment.workbench.own_tasks import OwnTasks
from averment.workbench.reminding import Reminders
from averment.workbench.waiting import waited

if TYPE_CHECKING:
    from pathlib import Path

    from averment.agents.assistant.agent import Assistant
    from averment.records.chat import AgentResponse
    from averment.settings import Settings
    from averment.tools.mcp_server import Server
    from averment.workbench import Workbench
    from averment.workbench.datasets import Datasets

UPLOAD = "upload"
PAGE_USER = "averment.page_user"
"""Under which name a request that a page's session opened says whose session it is; no client can set it."""


class OwnHome:
    """What else of a home is one user's: their tasks, reminders, uploads and tools."""

    def __init__(self, bench: UserBench, workbench: Workbench, users: UserStore, user_id: str) -> None:
        self._bench = bench
        self._services = workbench.home.services
        self._users = users
        self._user_id = user_id

    def __getattr__(self, name: str) -> Any:
        return refuse(name)

    @property
    def glossary(self) -> Any:
        """What words mean is the owner's to look at and to forget."""
        return refuse("the glossary")

    @property
    def tasks(self) -> OwnTasks:
        """This user's tasks."""
        return OwnTasks(self._services.store.tasks, self._user_id)

    @property
    def reminders(self) -> Reminders:
        """This user's reminders."""
        return Reminders(self._services, user_id=self._user_id)

    def owns_upload(self, upload_id: str) -> bool:
        """Whether an upload is this user's."""
        return self._users.owner(UPLOAD, upload_id) == self._user_id

    def claim_upload(self, upload_id: str) -> None:
        """Note that an upload is this user's."""
        self._users.claim(UPLOAD, upload_id, self._user_id)

    def mcp_server(self, *, remote: bool = True) -> Server:
        """The tools over what is this user's; files only by upload."""
        from averment.agents.assistant.assembly import open_server

        _ = remote
        return open_server(self._services, self._bench, user_id=self._user_id, remote=True)


class UserBench:
    """The part of a workbench that is one user's."""

    def __init__(self, workbench: Workbench, users: UserStore, user_id: str) -> None:
        self._workbench = workbench
        self._user_id = user_id
        self.runs = OwnRuns(workbench, users, user_id, lambda: self.datasets)
        """This user's runs."""
        self.home = OwnHome(self, workbench, users, user_id)
        """This user's tasks, reminders, uploads and tools."""

    def __getattr__(self, name: str) -> Any:
        return refuse(name)

    @property
    def settings(self) -> Settings:
        """The home's settings."""
        return self._workbench.settings

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant, over this user's tasks and conversations."""
        from averment.agents.assistant.assembly import open_assistant

        return open_assistant(self._workbench.home.services, self, user_id=self._user_id)

    @property
    def sessions(self) -> Any:
        """The driller's sessions, which are the owner's alone."""
        return refuse("sessions")

    @cached_property
    def datasets(self) -> Datasets:
        """This user's datasets."""
        from averment.workbench.datasets import Datasets

        return Datasets(self._workbench.home.services, self._workbench.home.published, user_id=self._user_id)

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
            begun = conversation_id or (None if message_id is None else self.assistant.conversation_id_for(message_id))
            with self._workbench.home.published(files) as attached:
                conversation_id = self.assistant.attach(attached, conversation_id=begun)
        return self.assistant.turn(message, conversation_id=conversation_id, message_id=message_id)

    def show(self, run_id: str) -> Run:
        """A run of this user's.

        Raises:
            RunNotFound: there is none, or it is somebody else's: the answer is the same.
        """
        return self.runs.get(run_id)

    def verify(self, run_id: str) -> Any:
        """Check a run of this user's."""
        return self._workbench.verify(self.show(run_id).id)

    def add_sources(self, *sources: str) -> int:
        """The corpus is the owner's to fill."""
        _ = sources
        return int(refuse("add_sources"))

    analyze = waited(OwnStarter.analysis, "Answer a question about tables, as this user's run")
    run_plan = waited(OwnStarter.plan, "Carry out a plan over tables, as this user's run")
    choose = waited(OwnStarter.choice, "Carry out a reading that a run of this user's offered, as their run")
    research = waited(OwnStarter.research, "Find out what the sources say, as this user's run, over their documents")

    def drill(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """Find out why a metric moved, as this user's run."""
        more["datasets"] = self.datasets
        return self.runs.begun(run_id, lambda own: self._workbench.drill(*asked, run_id=own, **more))
