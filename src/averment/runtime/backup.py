"""A home in one folder: all it holds as of now, taken while it is in use, and brought back elsewhere.

The order makes it whole without stopping anybody: first what durable runs remember of done steps, then the state, then
the files, and the ledger last. Whatever comes later may know more than what came before, never less, and that is what
a crash leaves as well: a step that was not remembered is repeated and finds what it had kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from averment.errors import InvalidRequest, SourceNotFound, StoreConflict, VerificationFailed
from averment.ledger.copying import copy_log
from averment.ledger.verify import verify_file
from averment.records.base import Record, iso_z, utc_now
from averment.settings import Settings
from averment.store.db.database import MAIN_FILE, RECIPE_FILE
from averment.store.db.dump import check_sqlite, copy_sqlite, dump_postgres, load_postgres
from averment.store.schema.main_tables import SCHEMA_VERSION
from averment.store.storage.base import SHARED_FOLDERS, Files
from averment.store.storage.configured import open_files
from averment.store.storage.disk_errors import writing
from averment.store.storage.local import FileStore
from averment.store.storage.migrate_files import chunks_of, migrate_files

MANIFEST = "manifest.json"
DUMP = "database.dump"
DATABASES = ("durable.db", MAIN_FILE, RECIPE_FILE)
"""The files of an embedded home's databases, in the order in which they are copied."""

Progress = Callable[[str, int], None]


class BackupFile(Record):
    """One file of a backup: what its bytes hash and measure."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    size: Annotated[int, Field(ge=0)]


class Manifest(Record):
    """What a backup holds. It is written last: a folder without it is no backup."""

    form: Literal[1] = 1
    made_at: str
    database: Literal["sqlite", "postgresql"]
    schema_version: str
    files: dict[str, BackupFile]

    @property
    def size(self) -> int:
        """All bytes together."""
        return sum(part.size for part in self.files.values())


def make_backup(
    settings: Settings, target: Path, *, programs: Path | None = None, on_part: Progress | None = None
) -> Manifest:
    """Copy a home into a new folder and note the hash of every file; servers and workers may go on.

    ``programs`` is the folder of Postgres' client programs, where they are not on the path.

    Raises:
        InvalidRequest: there is no home.
        StoreConflict: the folder is not empty.
        StoreUnavailable: the database cannot be dumped.
        StorageError: something cannot be read or kept.
    """
    if not settings.home.is_dir():
        raise InvalidRequest(f"There is no home at {settings.home}.", hint="Name the home with --home.")
    _check_empty(target)
    with writing(f"the folder {target}"):
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.chmod(0o700)  # It will hold the signing key.
        tell = on_part or (lambda _name, _count: None)
        tell("database", _copy_database(settings, target, programs))
        files = open_files(settings)
        for folder in SHARED_FOLDERS:
            tell(folder, _copy_files(files, FileStore(target), folder))
        tell("ledger", len(copy_log(settings.ledger_path, target / "logs")))
        tell("keys", _copy_keys(settings.keys, target / "keys"))
        manifest = Manifest(
            made_at=iso_z(utc_now()),
            database="postgresql" if settings.database_url else "sqlite",
            schema_version=SCHEMA_VERSION,
            files={str(path.relative_to(target)): _hashed(path) for path in _walk(target)},
        )
        FileStore(target).write(MANIFEST, manifest.model_dump_json(indent=1).encode())
    return manifest


def read_manifest(source: Path) -> Manifest:
    """What a backup holds.

    Raises:
        InvalidRequest: the folder is not a complete backup.
    """
    try:
        return Manifest.model_validate(json.loads((source / MANIFEST).read_bytes()))
    except (OSError, ValueError, ValidationError) as error:
        raise InvalidRequest(
            f"The folder {source} is not a complete backup.", hint="Name a folder that `averment backup` created."
        ) from error


def restore_backup(source: Path, settings: Settings, *, programs: Path | None = None) -> Manifest:
    """Bring a backup back as a new home, and into an empty database if it came from Postgres; all of it or nothing.

    Every file is held against the manifest, every database file and the ledger are checked before the home appears.

    Raises:
        InvalidRequest: the folder is no backup, or its kind of database is not the one that is set.
        StoreConflict: the home or the database is not empty; it is left as it is.
        VerificationFailed: the backup is not what was backed up.
        StoreUnavailable: the database cannot be filled.
    """
    manifest = read_manifest(source)
    if (manifest.database == "postgresql") != bool(settings.database_url):
        raise InvalidRequest(
            f"The backup contains a {manifest.database} database, but the settings name another kind.",
            hint="Set AVERMENT_DATABASE_URL to an empty Postgres database, or leave it unset for SQLite.",
        )
    _check_empty(settings.home)
    new = settings.home.with_name(f".{settings.home.name}.restoring-{os.getpid()}")
    with writing(f"the folder {settings.home}"):
        try:
            _copy_checked(source, manifest, new)
            for name in DATABASES:
                if (new / "db" / name).exists():
                    check_sqlite(new / "db" / name)
            _check_ledger(new / "logs" / settings.ledger_path.name)
            if settings.database_url:
                load_postgres(settings.database_url, new / DUMP, programs)
                (new / DUMP).unlink()
            if settings.files_url:
                migrate_files(FileStore(new), open_files(settings))
                for folder in SHARED_FOLDERS:
                    shutil.rmtree(new / folder, ignore_errors=True)
            if settings.key_dir is not None:
                _copy_keys(new / "keys", settings.key_dir)
                shutil.rmtree(new / "keys")
            if settings.home.exists():
                settings.home.rmdir()
            new.replace(settings.home)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return manifest


def _check_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoreConflict(f"{folder} already exists and is not empty.", hint="Name a new folder.")


def _copy_database(settings: Settings, target: Path, programs: Path | None) -> int:
    if settings.database_url:
        dump_postgres(settings.database_url, target / DUMP, programs)
        return 1
    copied = 0
    for name in DATABASES:
        source = settings.home / "db" / name
        if source.exists():
            (target / "db").mkdir(exist_ok=True)
            copy_sqlite(source, target / "db" / name)
            copied += 1
    return copied


def _copy_files(files: Files, copies: FileStore, folder: str) -> int:
    copied = 0
    for relative in files.walk(folder):
        try:
            copies.write_stream(relative, chunks_of(files, relative))
        except SourceNotFound:
            continue  # Somebody deleted it since it was listed.
        copied += 1
    return copied


def _copy_keys(source: Path, target: Path) -> int:
    if not source.is_dir():
        return 0
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    copied = 0
    for path in sorted(source.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            with os.fdopen(os.open(target / path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(path.read_bytes())
            copied += 1
    return copied


def _copy_checked(source: Path, manifest: Manifest, new: Path) -> None:
    """Copy every file that the manifest names, and no other, and hold it against its hash."""
    new.mkdir(mode=0o700, parents=True)
    for relative, part in sorted(manifest.files.items()):
        path = new / relative
        if Path(relative).is_absolute() or ".." in Path(relative).parts:
            raise VerificationFailed(f"The manifest names {relative!a}, which is not part of any backup.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / relative, path, follow_symlinks=False)
        except FileNotFoundError as error:
            raise VerificationFailed(f"The backup is missing the file {relative}.") from error
        if path.is_symlink() or _hashed(path) != part:
            raise VerificationFailed(f"The file {relative} of the backup has changed since the backup was made.")
        if relative.startswith("keys/"):
            path.parent.chmod(0o700)
            path.chmod(0o600)


def _check_ledger(log: Path) -> None:
    if log.exists():
        report = verify_file(log)
        if not report.ok:
            raise VerificationFailed("The ledger of the backup does not verify.", hint="Make another backup.")


def _walk(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _hashed(path: Path) -> BackupFile:
    with path.open("rb") as file:
        return BackupFile(sha256=hashlib.file_digest(file, "sha256").hexdigest(), size=path.stat().st_size)
