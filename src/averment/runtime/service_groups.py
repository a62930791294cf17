"""The groups of what runs share: the store, the ledgers, the tools and the texts of one home.

Each part is opened when it is first needed, once, in whichever thread that is, and all are closed together.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from averment.errors import QueryTimeout, StorageError
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

Part = TypeVar("Part")


class LazyParts:
    """Holds what ``once`` opened; after ``close``, what is needed is opened again."""

    _LASTING: ClassVar[frozenset[str]] = frozenset()
    """The parts that hold nothing open, and stay."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._opened: dict[str, Any] = {}

    def _first(self, name: str, make: Callable[[], Part]) -> Part:
        with self._lock:
            if name not in self._opened:
                self._opened[name] = make()
            return self._opened[name]

    def close(self) -> None:
        """Close what was opened, in that order."""
        with self._lock:
            for name in [name for name in self._opened if name not in self._LASTING]:
                part = self._opened.pop(name)
                if hasattr(part, "close"):
                    part.close()


Holder = TypeVar("Holder", bound=LazyParts)


def once(make: Callable[[Holder], Part]) -> Callable[[Holder], Part]:
    """The part that a method makes, made at its first use and kept until the holder is closed."""
    name = make.__name__

    @wraps(make)
    def part(holder: Holder) -> Part:
        return holder._first(name, lambda: make(holder))  # pyright: ignore[reportPrivateUsage]

    return part


class ToolSlots:
    """The slots of one process; a tool without a number has as many as it likes."""

    def __init__(self, limits: Mapping[str, int]) -> None:
        self._free = {name: threading.BoundedSemaphore(number) for name, number in limits.items()}

    @contextmanager
    def taken(self, tool_name: str, seconds: float) -> Generator[None]:
        """Hold a slot of a tool, waiting for it at most so many seconds.

        Raises:
            QueryTimeout: none came free.
        """
        slot = self._free.get(tool_name)
        if slot is None:
            yield
            return
        if not slot.acquire(timeout=seconds):
            raise QueryTimeout(
                f"No call of {tool_name} could start within {seconds:.0f} seconds: all its slots are busy."
            )
        try:
            yield
        finally:
            slot.release()


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


class LedgerServices(LazyParts):
    """The permanent record of one home, opened when first needed."""

    def __init__(self, settings: Settings, store: StoreServices) -> None:
        super().__init__()
        self._settings = settings
        self._store = store

    @property
    @once
    def own(self) -> Ledger:
        """The ledger that this home writes."""
        from averment.ledger.pins import Pins
        from averment.ledger.writer import Ledger

        settings = self._settings
        path = settings.ledger_path
        is_new = not path.exists()
        own = Ledger.open(path, keys_dir=settings.keys, origin=settings.ledger_name)
        try:
            Pins(settings.pins).put(path, own.key, anew=is_new)
        except BaseException:
            own.close()
            raise
        return own

    @property
    def view(self) -> LedgerView:
        """The ledger of this home for reading: it needs no key, and makes nothing."""
        from averment.ledger.view import LedgerView

        with self._lock:
            return self.own if "own" in self._opened else LedgerView(self._settings.ledger_path.absolute())

    @property
    @once
    def replication(self) -> LedgerReplication | None:
        """The ledger's way to the other hosts of a shared database; None where the database is the home's own."""
        if not self._settings.database_url:
            return None
        from averment.ledger.identity import writer_of
        from averment.runtime.replication import LedgerReplication
        from averment.store.replication.ledger_copies import LedgerStore

        writer = writer_of(self._settings.ledger_path, self._settings.ledger_writer)
        return LedgerReplication(self.own, LedgerStore(self._store.database), self._store.runs, writer)


class ToolServices(LazyParts):
    """What the calls of runs share."""

    _LASTING = frozenset({"registry"})

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.slots = ToolSlots(settings.tool_concurrency)
        """How many calls may run side by side."""

    @property
    @once
    def registry(self) -> Registry:
        """The tools every agent may use."""
        from averment.tools.registry import standard_registry

        return standard_registry()

    @once
    def jail(self) -> Jail:
        """The strongest jail there is, kept warm between calls.

        Raises:
            SandboxUnavailable: there is none.
        """
        from averment.sandbox.choose import strongest

        return strongest(self._settings)


class TextServices(LazyParts):
    """What is searched by words and by meaning."""

    _LASTING = frozenset({"embedder"})

    def __init__(self, store: StoreServices) -> None:
        super().__init__()
        self._store = store

    @property
    @once
    def corpus(self) -> Corpus:
        """The archived sources of this home."""
        from averment.corpus.corpus import Corpus

        return Corpus(self._store.database, self.embedder())

    @once
    def embedder(self) -> Embedder:
        """What turns texts into vectors, built once and kept in the cache; where there is no room, the small one."""
        from averment.language.embeddings import HashedTfidfEmbedder, default_embedder

        embedder = default_embedder(self._store.cache_dir / "models")
        try:
            embedder.embed(["ready"])  # The model is built at its first text.
        except StorageError:
            return HashedTfidfEmbedder()
        return embedder
