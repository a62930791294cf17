"""The mutable state of one home: its database and the stores over it, its files, and its cache."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from averment.settings import Settings

if TYPE_CHECKING:
    from averment.store.chat.conversations import ConversationStore
    from averment.store.chat.questions import QuestionStore
    from averment.store.chat.reminders import ReminderStore
    from averment.store.chat.tasks import TaskStore
    from averment.store.db.database import Database
    from averment.store.knowledge.recipes import RecipeStore
    from averment.store.runs.run_store import RunStore
    from averment.store.runs.workers import WorkerStore
    from averment.store.storage.artifacts import ArtifactStore
    from averment.store.storage.base import Files


class StoreServices:
    """The stores of one home, each opened when first needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.RLock()
        self._database: Database | None = None
        self._runs: RunStore | None = None
        self._files: Files | None = None
        self._artifacts: ArtifactStore | None = None
        self._recipes: RecipeStore | None = None

    @property
    def cache_dir(self) -> Path:
        """Where snapshots and built models are kept; losing it loses nothing. A home that may only be read has none."""
        home = self._settings.home
        if os.access(home, os.F_OK) and not os.access(home, os.W_OK):
            return Path(tempfile.gettempdir()) / f"averment-cache-{os.getuid()}"
        return home / "cache"

    @property
    def database(self) -> Database:
        """The migrated database of this home."""
        from averment.store.db.database import Database

        with self._lock:
            if self._database is None:
                database = Database.open(self._settings)
                database.migrate()
                self._database = database
            return self._database

    @property
    def runs(self) -> RunStore:
        """The runs of this home."""
        from averment.store.runs.run_store import RunStore

        with self._lock:
            if self._runs is None:
                self._runs = RunStore(self.database)
            return self._runs

    @property
    def files(self) -> Files:
        """The files of this home, which may be shared with other hosts."""
        from averment.store.storage.configured import open_files

        with self._lock:
            if self._files is None:
                self._files = open_files(self._settings)
            return self._files

    @property
    def artifacts(self) -> ArtifactStore:
        """The artifacts of this home."""
        from averment.store.storage.artifacts import ArtifactStore

        with self._lock:
            if self._artifacts is None:
                self._artifacts = ArtifactStore(self.files, self.runs)
            return self._artifacts

    @property
    def recipes(self) -> RecipeStore:
        """The recipes of this home."""
        from averment.store.knowledge.recipes import RecipeStore

        with self._lock:
            if self._recipes is None:
                self._recipes = RecipeStore(self.database)
            return self._recipes

    @property
    def tasks(self) -> TaskStore:
        """The tasks of this home."""
        from averment.store.chat.tasks import TaskStore

        return TaskStore(self.database)

    @property
    def reminders(self) -> ReminderStore:
        """The reminders of this home."""
        from averment.store.chat.reminders import ReminderStore

        return ReminderStore(self.database, day_begins=self._settings.reminder_time)

    @property
    def workers(self) -> WorkerStore:
        """The processes that carry out the runs of this database."""
        from averment.store.runs.workers import WorkerStore

        return WorkerStore(self.database)

    @property
    def conversations(self) -> ConversationStore:
        """The conversations of this home."""
        from averment.store.chat.conversations import ConversationStore

        return ConversationStore(self.database, kept_days=self._settings.conversation_ttl_days)

    @property
    def questions(self) -> QuestionStore:
        """The assistant's questions of this home."""
        from averment.store.chat.questions import QuestionStore

        return QuestionStore(self.database)

    def close(self) -> None:
        """Close the database; what is needed afterwards is opened again."""
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None
            self._runs = self._files = self._artifacts = self._recipes = None
