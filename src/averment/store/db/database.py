"""The database: SQLite in the home by default, Postgres when a URL is set, always at the newest schema.

Opening is cheap: one look at the version table. Alembic is imported only when there is something to migrate; a new
database on SQLite is made without it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from averment.errors import StoreUnavailable
from averment.settings import Settings
from averment.store.db.engine import DatabaseLink, Dialect, Insert
from averment.store.db.queries import Queries
from averment.store.schema.main_tables import METADATA, RECIPES, SCHEMA_VERSION, SQLITE_RECIPES, VERSION_TABLE
from averment.store.storage.disk_errors import writing

_PARTS = ("chat", "knowledge", "ledgers", "research", "sessions", "workers")
"""The modules that declare tables beside ``schema`` itself, each named ``…_tables``."""


def is_empty(connection: Connection) -> bool:
    """Whether the database has no table at all."""
    return not inspect(connection).get_table_names()


def create_schema(connection: Connection) -> None:
    """Make every table and index of the newest schema in an empty database, and note its version."""
    for part in _PARTS:
        import_module(f"averment.store.schema.{part}_tables")
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(
        text(
            f"CREATE TABLE {VERSION_TABLE} (\n\tversion_num VARCHAR(32) NOT NULL, \n\t"
            f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)\n)"
        )
    )
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES (:version)"), {"version": SCHEMA_VERSION})


MAIN_FILE = "averment.db"
RECIPE_FILE = "recipe_memory.db"
_MIGRATION_LOCK = "averment.migrate"


class Database(Queries):
    """One open database; safe to share between threads, never across a fork."""

    def __init__(self, link: DatabaseLink, folder: Path | None) -> None:
        self.link = link
        """The link to the main database, for the stores."""
        self.dialect: Dialect = link.dialect
        """Which kind of database this is."""
        self.insert: Insert = link.insert
        """The INSERT of its dialect, which can settle conflicts."""
        self._folder = folder
        self._room: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def open(cls, settings: Settings) -> Database:
        """The database of these settings, migrated to the newest schema.

        Raises:
            HomeNotWritable: the home's database folder cannot be made or written.
            DiskFull: there is no space for it.
            StoreUnavailable: the server cannot be reached, or the database is newer than this program.
            InvalidSettings: ``database_url`` is not a Postgres URL.
        """
        if settings.database_url:
            database = cls(DatabaseLink.to_postgres(settings.database_url), None)
        else:
            folder = settings.home / "db"
            if os.access(folder / MAIN_FILE, os.R_OK) and not os.access(folder, os.W_OK):
                return cls._of_copy(folder)
            _make_folder(folder)
            database = cls(DatabaseLink.to_sqlite(folder / MAIN_FILE), folder)
        try:
            database.migrate()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def _of_copy(cls, folder: Path) -> Database:
        """The database of a home that may only be read: what is asked of it is asked of a copy that goes at the end."""
        room = tempfile.TemporaryDirectory(prefix="averment-look-")
        try:
            with writing(f"a copy of {folder}"):
                for name in (MAIN_FILE, RECIPE_FILE):
                    for part in (folder / name, folder / f"{name}-wal"):
                        if part.is_file():
                            shutil.copyfile(part, Path(room.name) / part.name)
            database = cls(DatabaseLink.to_sqlite(Path(room.name) / MAIN_FILE), Path(room.name))
            database.migrate()
        except BaseException:
            room.cleanup()
            raise
        database._room = room
        return database

    @cached_property
    def recipe_link(self) -> DatabaseLink:
        """The link to the database of the recipes: a file of its own on SQLite, the same database on Postgres."""
        if self._folder is None:
            return self.link
        link = DatabaseLink.to_sqlite(self._folder / RECIPE_FILE)
        with link.read() as connection:
            ready = inspect(connection).has_table(RECIPES.name)
        if not ready:
            with self._alone(link), link.write() as connection:
                for statement in SQLITE_RECIPES:
                    connection.execute(text(statement))
        return link

    def read(self) -> AbstractContextManager[Connection]:
        """A transaction that only reads."""
        return self.link.read()

    def write(self) -> AbstractContextManager[Connection]:
        """A transaction that is kept whole or not at all."""
        return self.link.write()

    def version(self) -> str | None:
        """The schema version the database is at; None when it is empty."""
        with self.read() as connection:
            return _version(connection)

    def migrate(self) -> None:
        """Bring the schema to the newest version; processes that start together wait for the first of them."""
        if self.version() == SCHEMA_VERSION:
            return
        with self._alone(self.link), self.link.write() as connection:
            self.link.lock(connection, _MIGRATION_LOCK)
            if _version(connection) == SCHEMA_VERSION:
                return
            if self.dialect == "sqlite" and is_empty(connection):
                create_schema(connection)
            else:
                _upgrade(connection, self.link.place)

    def close(self) -> None:
        """Close every connection; the object is of no use afterwards."""
        self.link.close()
        if "recipe_link" in self.__dict__ and self.recipe_link is not self.link:
            self.recipe_link.close()
        if self._room is not None:
            self._room.cleanup()

    @contextmanager
    def _alone(self, link: DatabaseLink) -> Generator[None]:
        """Hold the folder's lock file on SQLite, where switching to the write-ahead log does not wait by itself."""
        if self._folder is None:
            yield
            return
        with writing(f"the folder {self._folder}"):
            descriptor = os.open(self._folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            # The kernel lets go of the lock when the process dies.
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            link.use_write_ahead_log()
            yield
        finally:
            os.close(descriptor)


def _make_folder(folder: Path) -> None:
    with writing(f"the folder {folder}"):
        folder.mkdir(parents=True, exist_ok=True)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    row = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).first()
    return None if row is None else str(row[0])


def _upgrade(connection: Connection, place: str) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StoreUnavailable(
            f"The database {place} has a schema that this version of Averment does not know.",
            hint="Use the version of Averment that created it, or a newer one.",
        ) from error
