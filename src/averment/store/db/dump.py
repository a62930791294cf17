"""The database as one file: copied whole while others write, and brought back into an empty place.

SQLite copies itself; Postgres is asked through its own ``pg_dump`` and ``pg_restore``, which must be installed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import make_url, text

from averment.errors import StoreConflict, StoreUnavailable, VerificationFailed
from averment.store.db.engine import DatabaseLink
from averment.store.schema.workers_tables import WORKERS

_HELD = """
SELECT schemaname || '.' || tablename FROM pg_tables
WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 1
"""


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a SQLite file as it is at one moment; whoever writes to it goes on."""
    with closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as reading:
        with closing(sqlite3.connect(target)) as writing:
            reading.backup(writing)
            # The copy is one file that needs nothing beside it; a home that opens it goes back to its own mode.
            writing.execute("PRAGMA journal_mode = DELETE")


def check_sqlite(path: Path) -> None:
    """Nothing, if the file is a whole database.

    Raises:
        VerificationFailed: it is damaged.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as reading:
            said = reading.execute("PRAGMA quick_check").fetchone()
    except sqlite3.DatabaseError as error:
        raise VerificationFailed(f"The database file {path.name} is damaged.") from error
    if said != ("ok",):
        raise VerificationFailed(f"The database file {path.name} is damaged.")


def dump_postgres(url: str, target: Path, programs: Path | None = None) -> None:
    """Write everything a Postgres database holds at one moment into a file, but for who is alive at that moment.

    Raises:
        StoreUnavailable: ``pg_dump`` is not installed, is older than the server, or cannot reach it.
    """
    # Whoever carries runs out now does not where the dump is brought back: their runs are then free to be taken over.
    living = f"--exclude-table-data={WORKERS.name}"
    _run("pg_dump", url, ["--format=custom", "--no-owner", "--no-privileges", living, f"--file={target}"], programs)


def load_postgres(url: str, source: Path, programs: Path | None = None) -> None:
    """Bring a dump back into an empty database, all of it or nothing.

    Raises:
        StoreConflict: the database holds tables already.
        StoreUnavailable: ``pg_restore`` is not installed or could not do it.
    """
    link = DatabaseLink.to_postgres(url)
    try:
        held = link.value(text(_HELD))
    finally:
        link.close()
    if held is not None:
        raise StoreConflict(f"The target database already has tables, such as {held}.", hint="Name an empty database.")
    _run("pg_restore", url, ["--no-owner", "--no-privileges", "--single-transaction", str(source)], programs)


def _run(program: str, url: str, arguments: list[str], programs: Path | None) -> None:
    found = shutil.which(program, path=None if programs is None else str(programs))
    if found is None:
        raise StoreUnavailable(
            f"{program} is not installed.", hint="Install the Postgres client programs, or set their path."
        )
    parsed = make_url(url)
    # A password among the arguments could be read by every user of the machine.
    environment = {**os.environ, "PGPASSWORD": parsed.password} if parsed.password else dict(os.environ)
    plain = parsed.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    done = subprocess.run(
        [found, f"--dbname={plain}", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise StoreUnavailable(
            f"{program} failed: {said[0][:300] if said else done.returncode}",
            hint="It must be at least as new as the server, and its role must own the tables.",
        )
