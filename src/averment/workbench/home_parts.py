"""What else a home holds: users, tasks, reminders, recipes and taught words; workers, uploads and the MCP server."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from averment.runtime.services import Services
from averment.workbench.given import Sources
from averment.workbench.open_home import OpenHome

if TYPE_CHECKING:
    from averment.agents.assistant.assembly import Home
    from averment.store.chat.tasks import TaskStore
    from averment.store.chat.users import UserStore
    from averment.store.knowledge.corrections import Correction
    from averment.store.knowledge.recipes import RecipeStore
    from averment.store.runs.workers import WorkerRow
    from averment.tools.mcp_server import Server
    from averment.workbench.reminding import Reminders

Meanings: TypeAlias = "list[Correction]"


class HomeGlossary:
    """What words were taught to mean; ``runs.teach`` teaches one."""

    def __init__(self, home: OpenHome) -> None:
        self._home = home

    def list(self, *, limit: int = 50, offset: int = 0) -> Meanings:
        """What words were taught to mean, the latest taught first."""
        return self._home.services.store.recipes.corrections.list(limit=limit, offset=offset)

    def forget(self, meaning_id: str) -> bool:
        """Forget what one word was taught to mean; whether there was one of that id."""
        return self._home.services.store.recipes.corrections.forget(meaning_id)


class HomeParts:
    """What a home holds beside its runs, documents and ledger."""

    def __init__(self, home: OpenHome, bench: Home) -> None:
        self._home = home
        self._bench = bench

    @property
    def services(self) -> Services:
        """What the parts of this home share; for those who put the home together anew, as a user sees it."""
        return self._home.services

    @cached_property
    def glossary(self) -> HomeGlossary:
        """What words were taught to mean: ``list``, ``forget``."""
        return HomeGlossary(self._home)

    @property
    def recipes(self) -> RecipeStore:
        """What was learned from earlier runs: ``list``, ``get``, ``forget``, ``forget_all``."""
        return self._home.services.store.recipes

    @property
    def users(self) -> UserStore:
        """The users of this home: ``add``, ``list``, ``revoke``."""
        from averment.store.chat.users import UserStore

        return UserStore(self._home.services.store.database)

    @property
    def tasks(self) -> TaskStore:
        """The tasks of this home, for looking; the assistant changes them through its tools."""
        return self._home.services.store.tasks

    @property
    def reminders(self) -> Reminders:
        """The reminders of this home: ``ring``, ``waiting``, ``seen``."""
        from averment.workbench.reminding import Reminders

        return Reminders(self._home.services)

    def owns_upload(self, upload_id: str) -> bool:
        """Whether an upload is the caller's: the owner's are all."""
        _ = upload_id
        return True

    def claim_upload(self, upload_id: str) -> None:
        """Note whose an upload is; what nobody claims is the owner's."""
        _ = upload_id

    def published(self, sources: Sources) -> AbstractContextManager[list[str]]:
        """The sources as any host can open them, published for the block where they are uploads of this home."""
        return self._home.published(sources)

    def mcp_server(self, *, remote: bool = False) -> Server:
        """The MCP server of this home, for a transport to run; a ``remote`` one reads uploaded files alone."""
        from averment.agents.assistant.assembly import open_server

        return open_server(self._home.services, self._bench, remote=remote)

    def counts(self) -> dict[tuple[str, str], int]:
        """How many runs there are of each kind and status."""
        return self._home.services.store.runs.counts()

    def workers(self) -> list[WorkerRow]:
        """Who carries out the runs of this database, where it is shared."""
        return self._home.services.store.workers.list()

    def recover(self) -> int:
        """Take over the runs of processes that died; returns how many."""
        return self._home.runner.recover()

    def work(self, stop: threading.Event, *, drain_seconds: int = 60) -> None:
        """As a worker: carry out runs of the queue until told to stop, then end those under way, if there is time."""
        self._home.runner.open()
        stop.wait()
        self._home.runner.close(drain_seconds=drain_seconds)
