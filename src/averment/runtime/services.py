"""What every run shares in one process: settings, stores, ledger, tools and the jail, each opened when first needed."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from averment.errors import StorageError
from averment.runtime.execution.slots import ToolSlots
from averment.settings import Settings

if TYPE_CHECKING:
    from averment.corpus.corpus import Corpus
    from averment.language.embeddings import Embedder
    from averment.ledger.view import LedgerView
    from averment.ledger.writer import Ledger
    from averment.runtime.replication import LedgerReplication
    from averment.sandbox.protocol import Jail
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
    from averment.tools.registry import Registry


class Services:
    """The open parts of one home; closing it closes all of them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.slots = ToolSlots(settings.tool_concurrency)
        self._lock = threading.RLock()
        self._database: Database | None = None
        self._runs: RunStore | None = None
        self._files: Files | None = None
        self._artifacts: ArtifactStore | None = None
        self._ledger: Ledger | None = None
        self._gathering: LedgerReplication | None = None
        self._jail: Jail | None = None
        self._registry: Registry | None = None
        self._recipes: RecipeStore | None = None
        self._embedder: Embedder | None = None
        self._corpus: Corpus | None = None

    @property
    def cache_dir(self) -> Path:
        """Where snapshots and built models are kept; losing it loses nothing. A home that may only be read has none."""
        home = self.settings.home
        if os.access(home, os.F_OK) and not os.access(home, os.W_OK):
            return Path(tempfile.gettempdir()) / f"averment-cache-{os.getuid()}"
        return home / "cache"

    @property
    def database(self) -> Database:
        """The migrated database of this home."""
        from averment.store.db.database import Database

        with self._lock:
            if self._database is None:
                database = Database.open(self.settings)
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
                self._files = open_files(self.settings)
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
    def ledger(self) -> Ledger:
        """The ledger of this home."""
        from averment.ledger.pins import Pins
        from averment.ledger.writer import Ledger

        with self._lock:
            if self._ledger is None:
                path = self.settings.ledger_path
                is_new = not path.exists()
                self._ledger = Ledger.open(path, keys_dir=self.settings.keys, origin=self.settings.ledger_name)
                Pins(self.settings.pins).put(path, self._ledger.key, anew=is_new)
            return self._ledger

    @property
    def ledger_view(self) -> LedgerView:
        """The ledger of this home for reading: it needs no key, and makes nothing."""
        from averment.ledger.view import LedgerView

        with self._lock:
            return self._ledger or LedgerView(self.settings.ledger_path.absolute())

    @property
    def gathering(self) -> LedgerReplication | None:
        """The ledger's way to the other hosts of a shared database; None where the database is the home's own."""
        if not self.settings.database_url:
            return None
        from averment.ledger.identity import writer_of
        from averment.runtime.replication import LedgerReplication
        from averment.store.replication.ledger_copies import LedgerStore

        with self._lock:
            if self._gathering is None:
                writer = writer_of(self.settings.ledger_path, self.settings.ledger_writer)
                self._gathering = LedgerReplication(self.ledger, LedgerStore(self.database), self.runs, writer)
            return self._gathering

    @property
    def registry(self) -> Registry:
        """The tools every agent may use."""
        from averment.tools.registry import standard_registry

        with self._lock:
            if self._registry is None:
                self._registry = standard_registry()
            return self._registry

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

        return ReminderStore(self.database, day_begins=self.settings.reminder_time)

    @property
    def workers(self) -> WorkerStore:
        """The processes that carry out the runs of this database."""
        from averment.store.runs.workers import WorkerStore

        return WorkerStore(self.database)

    @property
    def conversations(self) -> ConversationStore:
        """The conversations of this home."""
        from averment.store.chat.conversations import ConversationStore

        return ConversationStore(self.database, kept_days=self.settings.conversation_ttl_days)

    @property
    def questions(self) -> QuestionStore:
        """The assistant's questions of this home."""
        from averment.store.chat.questions import QuestionStore

        return QuestionStore(self.database)

    @property
    def corpus(self) -> Corpus:
        """The archived sources of this home."""
        from averment.corpus.corpus import Corpus

        with self._lock:
            if self._corpus is None:
                self._corpus = Corpus(self.database, self.embedder())
            return self._corpus

    def embedder(self) -> Embedder:
        """What turns texts into vectors, built once and kept in the cache; where there is no room, the small one."""
        from averment.language.embeddings import HashedTfidfEmbedder, default_embedder

        with self._lock:
            if self._embedder is None:
                embedder = default_embedder(self.cache_dir / "models")
                try:
                    embedder.embed(["ready"])  # The model is built at its first text.
                except StorageError:
                    embedder = HashedTfidfEmbedder()
                self._embedder = embedder
            return self._embedder

    def jail(self) -> Jail:
        """The strongest jail there is, kept warm between calls.

        Raises:
            SandboxUnavailable: there is none.
        """
        from averment.sandbox.choose import strongest

        with self._lock:
            if self._jail is None:
                self._jail = strongest(self.settings)
            return self._jail

    def close(self) -> None:
        """Close whatever was opened."""
        with self._lock:
            for part in (self._corpus, self._jail, self._ledger, self._gathering, self._database):
                if part is not None:
                    part.close()
            self._corpus = self._jail = self._ledger = self._gathering = self._database = None
            self._runs = self._files = self._artifacts = self._recipes = None
