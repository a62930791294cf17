"""The mutable state of one home: its database and the stores over it, its files, and its cache."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from averment.runtime.once import LazyParts, once
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


class StoreServices(LazyParts):
    """The stores of one home, each opened when first needed."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    @property
    def cache_dir(self) -> Path:
        """Where snapshots and built models are kept; losing it loses nothing. A home that may only be read has none."""
        home = self._settings.home
        if os.access(home, os.F_OK) and not os.access(home, os.W_OK):
            return Path(tempfile.gettempdir()) / f"averment-cache-{os.getuid()}"
        return home / "cache"

    @property
    @once
    def database(self) -> Database:
        """The migrated database of this home."""
        from averment.store.db.database import Database

        database = Database.open(self._settings)
        database.migrate()
        return database

    @property
    @once
    def runs(self) -> RunStore:
        """The runs of this home."""
        from averment.store.runs.run_store import RunStore

        return RunStore(self.database)

    @property
    @once
    def files(self) -> Files:
        """The files of this home, which may be shared with other hosts."""
        from averment.store.storage.configured import open_files

        return open_files(self._settings)

    @property
    @once
    def artifacts(self) -> ArtifactStore:
        """The artifacts of this home."""
        from averment.store.storage.artifacts import ArtifactStore

        return ArtifactStore(self.files, self.runs)

    @property
    @once
    def recipes(self) -> RecipeStore:
        """The recipes of this home."""
        from averment.store.knowledge.recipes import RecipeStore

        return RecipeStore(self.database)

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
