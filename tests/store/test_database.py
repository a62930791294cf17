from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from averment.errors import DiskFull, HomeNotWritable, InvalidSettings, StoreUnavailable
from averment.settings import Settings
from averment.store import migrations
from averment.store.db.database import Database, create_schema, is_empty
from averment.store.db.engine import DatabaseLink
from averment.store.runs.run_store import RunRow, RunStore
from averment.store.schema.main_tables import METADATA, RECIPE_METADATA, SCHEMA_VERSION, VERSION_TABLE
from averment.store.search.vectors import VectorIndex

OPEN_ON_COMMAND = """
import sys
from averment.settings import Settings
from averment.store.db.database import Database
from averment.store.db.engine import DatabaseLink
settings = Settings.model_validate_json(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
database = Database.open(settings)
print(database.version(), "alembic" in sys.modules, flush=True)
database.close()
"""


def opener(settings: Settings) -> subprocess.Popen[str]:
    """A process that has imported everything and opens the database when it is told to."""
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN_ON_COMMAND, settings.model_dump_json()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.stderr and process.stderr.read()
    return process


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest, home: Settings) -> Settings:
    """Settings whose database is empty, not even migrated, once for each kind."""
    if request.param == "sqlite":
        return home
    return home.model_copy(update={"database_url": request.getfixturevalue("new_postgres")()})


def test_an_empty_database_is_brought_to_the_newest_schema(database: Database) -> None:
    assert database.version() == SCHEMA_VERSION
    with database.read() as connection:
        tables = set(inspect(connection).get_table_names())
    assert {"runs", "run_records", "run_events", "vector_namespaces", VERSION_TABLE} <= tables


def test_migrating_again_changes_nothing_and_keeps_what_is_there(settings: Settings) -> None:
    first = Database.open(settings)
    RunStore(first).create(RunRow(run_id="a" * 8, kind="chat", status="submitted", intent="hello", request={}))
    first.migrate()
    first.close()
    second = Database.open(settings)
    second.migrate()
    assert RunStore(second).get("a" * 8).intent == "hello"
    second.close()


def test_processes_that_start_together_migrate_once(settings: Settings) -> None:
    processes = [opener(settings) for _ in range(3)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    results = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], results
    assert all(out.startswith(SCHEMA_VERSION) for out, _ in results)
    database = Database.open(settings)
    with database.read() as connection:
        assert connection.execute(text(f"SELECT count(*) FROM {VERSION_TABLE}")).scalar() == 1
    database.close()


def test_opening_an_up_to_date_database_does_not_import_alembic(settings: Settings) -> None:
    Database.open(settings).close()
    out, _ = opener(settings).communicate("go\n", timeout=60)
    assert out.split() == [SCHEMA_VERSION, "False"]


def test_the_migrations_build_the_tables_the_stores_speak_of(database: Database) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    # On Postgres the vectors are built when they are first used; they have a test of their own.
    ours = {table for table in METADATA.tables if database.dialect == "sqlite" or table != "vectors"}
    with database.read() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": VERSION_TABLE,
                "include_name": lambda name, kind, _: kind != "table" or name in ours,
                "include_object": lambda thing, name, kind, *_: kind != "table" or name in ours,
            },
        )
        assert compare_metadata(context, METADATA) == []


def test_a_new_database_is_to_the_letter_what_the_migrations_build(tmp_path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    def everything(link: DatabaseLink) -> tuple[list[tuple[str, ...]], dict[str, list[tuple[object, ...]]]]:
        with link.read() as connection:
            made = connection.execute(text("SELECT type, name, tbl_name, sql FROM sqlite_master")).all()
            names = [row.name for row in made if row.type == "table"]
            rows = {name: [tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))] for name in names}
        letters = sorted(tuple("".join(str(cell).replace('"', "").split()) for cell in row) for row in made)
        return letters, rows

    migrated, created = (
        DatabaseLink.to_sqlite(tmp_path / "migrated.db"),
        DatabaseLink.to_sqlite(tmp_path / "created.db"),
    )
    with migrated.write() as connection:
        config = Config()
        config.set_main_option("script_location", migrations.__path__[0])
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    with created.write() as connection:
        assert is_empty(connection)
        create_schema(connection)
        assert not is_empty(connection)
    assert everything(created) == everything(migrated)
    migrated.close()
    created.close()


def test_the_newest_migration_is_the_one_the_code_expects() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    import averment.store

    config = Config()
    config.set_main_option("script_location", str(Path(averment.store.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_heads() == [SCHEMA_VERSION]


def test_every_migration_can_be_taken_back_and_made_again(database: Database) -> None:
    from alembic import command
    from alembic.config import Config

    VectorIndex(database).upsert("n", "k", [1.0, 2.0], {})  # On Postgres this builds tables that no migration made.
    config = Config()
    config.set_main_option("script_location", migrations.__path__[0])
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    assert database.version() is None
    database.migrate()
    assert database.version() == SCHEMA_VERSION
    assert VectorIndex(database).search("n", [1.0, 2.0], 1) == []


def test_a_database_of_a_newer_version_is_left_alone(settings: Settings) -> None:
    database = Database.open(settings)
    with database.write() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    database.close()
    with pytest.raises(StoreUnavailable):
        Database.open(settings)


def test_a_failed_write_leaves_nothing_behind(database: Database) -> None:
    def fail_half_way() -> None:
        with database.write() as connection:
            connection.execute(
                text("INSERT INTO vector_namespaces (namespace, dimension, stamp) VALUES ('half', 3, 'x')")
            )
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM vector_namespaces")).scalar() == 0


def test_the_sqlite_file_is_in_the_home_and_safe_against_power_loss(home: Settings) -> None:
    database = Database.open(home)
    with database.read() as connection:
        modes = [
            connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    database.close()
    assert modes == ["wal", 2, 1, 30_000]
    assert (home.home / "db" / "averment.db").is_file()


def test_a_home_with_awkward_characters_in_its_name_works(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "100% of it? #1 'ü'")
    Database.open(settings).close()
    assert (settings.home / "db" / "averment.db").is_file()


def test_a_home_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    with pytest.raises(HomeNotWritable):
        Database.open(Settings(home=tmp_path / "home"))


def test_a_home_without_permission_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(mode=0o500)
    # Root may write everywhere, so it stops being root for a moment.
    before = os.geteuid()
    if before == 0:
        os.seteuid(65_534)
    try:
        with pytest.raises(HomeNotWritable):
            Database.open(Settings(home=tmp_path / "home"))
    finally:
        os.seteuid(before)


def test_a_file_that_is_no_database_is_named_as_such(home: Settings) -> None:
    (home.home / "db").mkdir(parents=True)
    (home.home / "db" / "averment.db").write_bytes(b"this is not a database" * 100)
    with pytest.raises(StoreUnavailable):
        Database.open(home)


def test_a_full_disk_is_reported_and_the_database_stays_whole(small_disk: Path) -> None:
    database = Database.open(Settings(home=small_disk / "home"))
    runs = RunStore(database)
    runs.create(RunRow(run_id="kept0000", kind="chat", status="submitted", intent="small", request={}))

    def fill() -> None:
        for number in range(1000):
            runs.put("kept0000", "call", str(number), {"text": "x" * 20_000})

    with pytest.raises(DiskFull):
        fill()
    database.close()
    with sqlite3.connect(small_disk / "home" / "db" / "averment.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT intent FROM runs").fetchall() == [("small",)]
    connection.close()


@pytest.mark.parametrize("url", ["mysql://host/db", "sqlite:///x.db", "not a url", "postgresql+psycopg2://host/db"])
def test_a_url_of_another_database_is_refused(home: Settings, url: str) -> None:
    with pytest.raises(InvalidSettings):
        Database.open(home.model_copy(update={"database_url": url}))


def test_a_server_that_is_not_there_is_unavailable_and_the_password_is_not_told(home: Settings, tmp_path: Path) -> None:
    url = f"postgresql://me:hunter2@/db?host={tmp_path}&password=hunter3"
    with pytest.raises(StoreUnavailable) as caught:
        Database.open(home.model_copy(update={"database_url": url}))
    assert "hunter" not in str(caught.value.as_dict())


@pytest.mark.postgres
def test_a_database_that_is_not_there_is_unavailable(home: Settings, postgres_url: str) -> None:
    url = postgres_url.replace("/postgres?", "/no_such_database?")
    with pytest.raises(StoreUnavailable):
        Database.open(home.model_copy(update={"database_url": url}))


@pytest.mark.postgres
def test_postgres_is_reached_again_after_its_connections_were_cut(
    home: Settings, new_postgres: Callable[[], str]
) -> None:
    settings = home.model_copy(update={"database_url": new_postgres()})
    database = Database.open(settings)
    with database.read() as connection:
        backend = connection.execute(text("SELECT pg_backend_pid()")).scalar()
    other = Database.open(settings)
    with other.write() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": backend})
    other.close()
    assert database.version() == SCHEMA_VERSION
    database.close()


@pytest.mark.postgres
def test_postgres_needs_no_home(tmp_path: Path, new_postgres: Callable[[], str]) -> None:
    settings = Settings(home=tmp_path / "home", database_url=new_postgres())
    Database.open(settings).close()
    assert not settings.home.exists()


def test_the_recipe_file_holds_the_table_of_the_seed_and_nothing_else(home: Settings) -> None:
    database = Database.open(home)
    with database.recipe_link.read() as connection:
        tables = inspect(connection).get_table_names()
    database.close()
    assert tables == list(RECIPE_METADATA.tables)
    assert (home.home / "db" / "recipe_memory.db").is_file()
