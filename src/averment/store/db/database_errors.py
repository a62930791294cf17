"""How the databases' failures become Averment's errors.

Callers never see a driver's exception: a full disk is DiskFull, a folder without permission is HomeNotWritable, and a
database that does not answer is StoreUnavailable, whichever database it is.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import exc

from averment.errors import (
    AvermentError,
    DiskFull,
    HomeNotWritable,
    InvalidRequest,
    StorageError,
    StoreConflict,
    StoreUnavailable,
)

# Primary result codes of sqlite3; the extended code keeps the primary one in its low byte.
_SQLITE_PERM, _SQLITE_BUSY, _SQLITE_LOCKED, _SQLITE_READONLY, _SQLITE_CORRUPT = 3, 5, 6, 8, 11
_SQLITE_FULL, _SQLITE_CANTOPEN, _SQLITE_NOTADB = 13, 14, 26


def from_database_error(error: exc.SQLAlchemyError, place: str) -> AvermentError:
    """The storage error that a database library's error means; ``place`` names the database without its password."""
    if not isinstance(error, exc.DBAPIError):
        return StoreUnavailable(f"The database {place} cannot be used: {error}.")
    cause = error.orig
    if isinstance(error, exc.DataError):
        return _unfit(str(cause))
    if isinstance(error, exc.IntegrityError):
        return StoreConflict(f"The database {place} rejected a change that conflicts with its data.")
    sqlite_code = getattr(cause, "sqlite_errorcode", None)
    if isinstance(sqlite_code, int):
        return _from_sqlite(sqlite_code & 0xFF, str(cause), place)
    return _from_postgres(getattr(cause, "sqlstate", None), str(cause).strip().splitlines()[:1], place)


@contextmanager
def translated(place: str) -> Generator[None]:
    """Turn every database error inside the block into an Averment error."""
    try:
        yield
    except exc.SQLAlchemyError as error:
        raise from_database_error(error, place) from error
    except (UnicodeEncodeError, OverflowError) as error:
        # What the drivers raise for text without a UTF-8 form and for numbers over 64 bits.
        raise _unfit(str(error)) from error


def _unfit(reason: str) -> InvalidRequest:
    return InvalidRequest(f"A value cannot be stored: {reason}.", hint="Correct the value and try again.")


def _from_sqlite(code: int, reason: str, place: str) -> StorageError:
    if code == _SQLITE_FULL:
        return DiskFull(f"No space is left for the database {place}.")
    if code in (_SQLITE_READONLY, _SQLITE_CANTOPEN, _SQLITE_PERM):
        return HomeNotWritable(f"The database {place} is not writable: {reason}.")
    if code in (_SQLITE_BUSY, _SQLITE_LOCKED):
        return StoreUnavailable(
            f"The database {place} is locked by another process.", hint="Wait for the other process, then try again."
        )
    if code in (_SQLITE_CORRUPT, _SQLITE_NOTADB):
        return StoreUnavailable(
            f"The file {place} is not an intact SQLite database.",
            hint="Restore it from a backup, or move it out of the way.",
        )
    return StoreUnavailable(f"The database {place} cannot be used: {reason}.")


def _from_postgres(sqlstate: str | None, reason: list[str], place: str) -> StorageError:
    said = reason[0] if reason else "no reason given"
    if sqlstate == "53100":
        return DiskFull(f"No space is left for the database {place}.", hint="Free some space on the database server.")
    if sqlstate is not None and sqlstate.startswith("28"):
        hint = "Check the user and the password in AVERMENT_DATABASE_URL."
    elif sqlstate == "3D000":
        hint = "Create the database first, or correct its name in AVERMENT_DATABASE_URL."
    elif sqlstate == "42501":
        hint = "Grant the role the right to create and change tables in this database."
    else:
        hint = "Check that the server runs and that AVERMENT_DATABASE_URL is right, then try again."
    return StoreUnavailable(f"The database {place} cannot be used: {said}.", hint=hint)
