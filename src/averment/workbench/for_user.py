"""A home as one of its users sees it: their own tasks, conversations and runs, and nothing of anyone else's.

What is not offered here is the owner's alone: an attribute that is not listed is refused, so that a new part of the
workbench is closed to users until somebody opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from averment.errors import PolicyError, RunNotFound
from averment.records.base import new_id
from averment.runtime.outcome import Run
from averment.store.chat.users import UserStore
from averment.workbench.reminding import Reminders
from averment.workbench.runs import Runs
from averment.workbench.waiting import waited

if TYPE_CHECKING:
    from pathlib import Path

    from averment.agents.assistant.agent import Assistant
    from averment.records.chat import AgentResponse, Task, TaskStatus
    from averment.settings import Settings
    from averment.store.chat.tasks import ActResult, KeptTask, TaskStore
    from averment.tools.mcp_server import Server
    from averment.workbench import Workbench
    from averment.workbench.datasets import Datasets


RUN = "run"
P = ParamSpec("P")
T = TypeVar("T")


def refuse(name: str) -> Any:
    """What a user hears of something that is the owner's.

    Raises:
        PolicyError: always.
    """
    raise PolicyError(f"Only the owner of this home can use {name}.", hint="Use the server's own token.")


def check_documents(usual: str, asked: dict[str, Any]) -> None:
    """Nothing, if a research looks into documents of the user's own alone: the archive is quoted to nobody else.

    Raises:
        PolicyError: it would look into the owner's.
    """
    local = "corpus" in (asked.get("providers") or (usual,))
    if asked.get("corpora") or (local and not asked.get("corpus")):
        raise PolicyError(
            "The archived documents belong to the owner of this home.",
            hint="Send documents of your own with the question.",
        )


class OwnStarter:
    """Begins runs as one user's; what is not listed here is the owner's."""

    def __init__(self, runs: OwnRuns, workbench: Workbench, datasets: Callable[[], Datasets]) -> None:
        self._runs = runs
        self._start = workbench.runs.start
        self._datasets = datasets
        self._usual = workbench.settings.search_provider

    def __getattr__(self, name: str) -> Any:
        return refuse(name)

    def analysis(self, *asked: Any, run_id: str | None = None, after: Run | str | None = None, **more: Any) -> str:
        """Begin an analysis as this user's; it follows a run of this user's alone."""
        more["after"], more["datasets"] = self._runs.own(after), self._datasets()
        return self._runs.begun(run_id, lambda own: self._start.analysis(*asked, run_id=own, **more))

    def plan(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin to carry out a plan over tables, as this user's run."""
        more["datasets"] = self._datasets()
        return self._runs.begun(run_id, lambda own: self._start.plan(*asked, run_id=own, **more))

    def choice(self, run: Run | str, number: int, *, run_id: str | None = None, **more: Any) -> str:
        """Begin a reading that a run of this user's offered, as their run."""
        offering = self._runs.get(run if isinstance(run, str) else run.id).id
        return self._runs.begun(run_id, lambda own: self._start.choice(offering, number, run_id=own, **more))

    def research(self, *asked: Any, run_id: str | None = None, **more: Any) -> str:
        """Begin a research as this user's, over documents of their own."""
        check_documents(self._usual, more)
        more["user_id"] = self._runs.user_id
        return self._runs.begun(run_id, lambda own: self._start.research(*asked, run_id=own, **more))


def _of_own(verb: Callable[Concatenate[Runs, P], T]) -> Callable[Concatenate[OwnRuns, P], T]:
    """What the owner can ask of any run, whose id comes first, opened to the user whose run it is."""
    asked: Callable[..., T] = verb

    @wraps(verb)
    def ask(runs: OwnRuns, *given: P.args, **how: P.kwargs) -> T:
        run_id, *more = given or (how.pop("run_id"),)
        everyones = runs._workbench.runs  # pyright: ignore[reportPrivateUsage]
        return asked(everyones, runs.get(str(run_id)).id, *more, **how)

    return ask


class OwnRuns:
    """The runs of one user; what is not listed here is the owner's."""

    def __init__(self, workbench: Workbench, users: UserStore, user_id: str, datasets: Callable[[], Datasets]) -> None:
        self._workbench = workbench
        self._users = users
        self.user_id = user_id
        self.start = OwnStarter(self, workbench, datasets)
        """Begins runs as this user's."""

    def __getattr__(self, name: str) -> Any:
        return refuse(name)

    def get(self, run_id: str) -> Run:
        """A run of this user's.

        Raises:
            RunNotFound: there is none, or it is somebody else's: the answer is the same.
        """
        run = self._workbench.show(run_id)
        if self._users.owner(RUN, run.id) != self.user_id:
            raise RunNotFound(f"There is no run {run_id}.")
        return run

    def list(self, *, limit: int = 50, status: str | None = None, offset: int = 0) -> Sequence[Run]:
        """This user's runs, the newest first."""
        found: list[Run] = []
        for run_id in self._users.things(RUN, self.user_id, limit=10_000):
            try:
                run = self._workbench.show(run_id)
            except RunNotFound:
                continue  # Claimed, and never begun.
            if status is None or run.status == status:
                found.append(run)
            if len(found) >= offset + limit:
                break
        return found[offset : offset + limit]

    look_up = _of_own(Runs.look_up)
    document = _of_own(Runs.document)
    row = _of_own(Runs.row)
    calls = _of_own(Runs.calls)
    table = _of_own(Runs.table)
    rows_behind = _of_own(Runs.rows_behind)
    events = _of_own(Runs.events)
    cancel = _of_own(Runs.cancel)
    resume = _of_own(Runs.resume)
    wait = _of_own(Runs.wait)

    def teach(self, *asked: Any, run_id: str | None = None, **more: Any) -> Run:
        """What words mean is the owner's to teach."""
        _ = asked, run_id, more
        return refuse("teach")

    def own(self, run: Run | str | None) -> str | None:
        """The id of a run of this user's, of none for none.

        Raises:
            RunNotFound: it is somebody else's.
        """
        return None if run is None else self.get(run if isinstance(run, str) else run.id).id

    def begun(self, run_id: str | None, begin: Callable[[str], T]) -> T:
        """What beginning a run gives, once its id is this user's.

        Raises:
            RunNotFound: the id is somebody else's.
        """
        own = run_id or new_id()
        if not self._users.claim(RUN, own, self.user_id):
            raise RunNotFound(f"There is no run {own}.")
        return begin(own)


class OwnTasks:
    """What a user's page does with tasks; none of anyone else's is reached through it."""

    def __init__(self, tasks: TaskStore, user_id: str) -> None:
        self._tasks = tasks
        self._user_id = user_id

    def list(self, status: TaskStatus | None = None) -> list[KeptTask]:
        """The user's tasks in the order they were made."""
        return self._tasks.list(status, user_id=self._user_id)

    def add(self, tasks: Sequence[Task], *, key: str) -> ActResult:
        """Keep new tasks."""
        return self._tasks.add(tasks, key=self._key(key), user_id=self._user_id)

    def complete(self, task_ids: Sequence[int], *, key: str) -> ActResult:
        """Mark tasks as done."""
        return self._tasks.complete(task_ids, key=self._key(key), user_id=self._user_id)

    def delete(self, task_ids: Sequence[int], *, key: str) -> ActResult:
        """Forget tasks."""
        return self._tasks.delete(task_ids, key=self._key(key), user_id=self._user_id)

    def undo(self, undone_key: str, *, key: str) -> ActResult:
        """Take an act back."""
        return self._tasks.undo(undone_key, key=self._key(key), user_id=self._user_id)

    def last_act(self, *, prefix: str) -> str | None:
        """The key of the newest act that can be taken back, among those whose key begins so."""
        return self._tasks.last_act(prefix=self._key(prefix), user_id=self._user_id)

    def _key(self, key: str) -> str:
        # Two users may send the same key; each acts under their own.
        return f"{self._user_id}/{key}"


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
