"""Connections: one engine to one SQLite file or one Postgres database, with read and write transactions.

A write transaction takes SQLite's write lock when it begins, not at its first change: two writers then wait for each
other instead of failing half-way. On Postgres the statements themselves lock the rows they change.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sqlalchemy import Connection, Engine, QueuePool, TableClause, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, OperationalError

from averment.errors import InvalidSettings
from averment.store.db.database_errors import translated
from averment.store.db.queries import Queries

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

Dialect = Literal["sqlite", "postgresql"]
Insert: TypeAlias = "Callable[[TableClause], sqlite.Insert] | Callable[[TableClause], postgresql.Insert]"

BUSY_TIMEOUT_SECONDS = 30
CONNECT_TIMEOUT_SECONDS = 10
RETURN_SECONDS = 30.0
"""For so long a Postgres that was reached before is waited for."""
RETRY_SECONDS = 0.25
_AWAY = frozenset({None, "57P01", "57P02", "57P03"})
"""No answer, being shut down, crashed, not yet ready."""
_POSTGRES_SCHEMES = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
_WRITES = "averment_writes"


class DatabaseLink(Queries):
    """One engine with its dialect and a name for messages; hands out transactions."""

    def __init__(self, engine: Engine, dialect: Dialect, place: str) -> None:
        self.engine = engine
        self.dialect: Dialect = dialect
        self.place = place
        self._reached = False

    @classmethod
    def to_sqlite(cls, path: Path) -> DatabaseLink:
        """A link to a SQLite file, whose folder must be there already."""
        engine = create_engine(
            "sqlite://",
            # A path in a URL would be cut at '?' or '#'; a creator takes any path.
            creator=lambda: _connect_sqlite(path),
            poolclass=QueuePool,
        )

        @event.listens_for(engine, "begin")
        def _begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction]  # called by the event
            immediate = connection.get_execution_options().get(_WRITES, False)
            connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

        return cls(engine, "sqlite", str(path))

    @classmethod
    def to_postgres(cls, url: str) -> DatabaseLink:
        """A link to a Postgres database by its URL.

        Raises:
            InvalidSettings: the URL is not a Postgres URL.
        """
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError) as error:
            raise InvalidSettings("The setting database_url is not a database URL.") from error
        if parsed.drivername not in _POSTGRES_SCHEMES:
            raise InvalidSettings(
                f"The setting database_url names {parsed.drivername}; state can only be stored in SQLite or Postgres.",
                hint="Give a postgresql://… URL, or leave it empty for SQLite in the home.",
            )
        arguments: dict[str, Any] = {}
        if "connect_timeout" not in parsed.query:
            arguments["connect_timeout"] = CONNECT_TIMEOUT_SECONDS
        engine = create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            connect_args=arguments,
            pool_pre_ping=True,
            pool_recycle=1800,
            pool_size=10,
            max_overflow=20,
        )
        return cls(engine, "postgresql", parsed.set(query={}).render_as_string(hide_password=True))

    @property
    def insert(self) -> Insert:
        """The INSERT of this dialect, which can settle conflicts; the other dialect is not even imported."""
        if self.dialect == "sqlite":
            from sqlalchemy.dialects.sqlite import insert

            return insert
        from sqlalchemy.dialects.postgresql import insert as postgres_insert

        return postgres_insert

    @contextmanager
    def read(self) -> Generator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with translated(self.place), self._connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Generator[Connection]:
        """A transaction whose changes are all kept, or none of them when the block raises."""
        with translated(self.place), self._connect() as plain:
            connection = plain.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    def _connect(self) -> Connection:
        """A connection; a server that was there before is waited for, since it may just be starting again."""
        until = time.monotonic() + (RETURN_SECONDS if self._reached and self.dialect == "postgresql" else 0)
        while True:
            try:
                connection = self.engine.connect()
            except OperationalError as error:
                # Pre-pinging threw away what was broken; without a state the server itself could not be reached.
                state = getattr(error.orig, "sqlstate", None)
                if time.monotonic() >= until or state not in _AWAY:
                    raise
                time.sleep(RETRY_SECONDS)
            else:
                self._reached = True
                return connection

    def use_write_ahead_log(self) -> None:
        """Switch a SQLite file to its write-ahead log, for good."""
        with translated(self.place), self.engine.connect() as connection:
            # Straight to the driver: the journal mode cannot change inside the transaction SQLAlchemy would begin.
            driver = connection.connection.driver_connection
            assert isinstance(driver, sqlite3.Connection)
            driver.execute("PRAGMA journal_mode = WAL")

    def lock(self, connection: Connection, name: str) -> None:
        """Hold a named lock until the transaction ends; SQLite's write transactions exclude each other anyway."""
        if self.dialect == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def _connect_sqlite(path: Path) -> sqlite3.Connection:
    # isolation_level None leaves BEGIN to us: the driver's own would let DDL commit by itself.
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection
