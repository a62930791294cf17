"""Snapshots: what was read from a file, kept under the hash of its bytes so that the same bytes are read once.

A snapshot is a database file and a story beside it that names the file by its own hash. The file is never replaced:
whoever has opened it goes on reading the very bytes it opened. Of several who need a snapshot that is not there yet one
builds it and the others wait. A cache can be written to by others than its owner, so the story carries a stamp made
with a secret of the home; a snapshot that does not fit its story, or a story without a fitting stamp, is built anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from averment import errors
from averment.errors import AvermentError, HomeNotWritable, QueryTimeout, SourceUnreadable
from averment.process_pool.children import is_readable
from averment.process_pool.spares import ZygoteGone
from averment.settings import Settings
from averment.tables.processes.children import Child
from averment.tables.sources.options import ReadOptions
from averment.tables.sources.source_kinds import cache_name

SECRET_FILE = "cache.key"

SECRET_BYTES = 32


def stamp(folder: Path | None, body: dict[str, Any]) -> str:
    """The stamp of a body under the folder's secret, which is made on first use; empty where there can be none."""
    secret = None if folder is None else _secret(folder, make=True)
    return "" if secret is None else _sign(secret, body)


def stamped(folder: Path | None, body: dict[str, Any], given: object) -> bool:
    """Whether that is the body's stamp; without a folder nothing needs one."""
    if folder is None:
        return True
    secret = _secret(folder, make=False)
    return secret is not None and isinstance(given, str) and hmac.compare_digest(_sign(secret, body), given)


def _sign(secret: bytes, body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def _secret(folder: Path, *, make: bool) -> bytes | None:
    path = folder / SECRET_FILE
    try:
        if make and not path.exists():
            _create(path)
        content = path.read_bytes()
    except OSError:
        return None
    return content if len(content) == SECRET_BYTES else None


def _create(path: Path) -> None:
    """Of several who make the secret at once exactly one wins; it appears whole, and for its owner alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)


READER_VERSION = "r4"

MIN_SECONDS = 60

SECONDS_A_MEGABYTE = 2.0

CHUNK = 1 << 16

HASH_CHUNK = 1 << 20

_checked: dict[str, tuple[int, int, int, str]] = {}

"""Snapshots whose bytes this process has hashed: size, time, number and hash, by path."""


def snapshot_of(
    path: Path,
    kind: str,
    sha256: str,
    *,
    label: str,
    settings: Settings,
    options: ReadOptions,
    cache_dir: Path,
    deadline: float | None = None,
) -> tuple[Path, dict[str, Any]]:
    """The snapshot of the file and its description, built now if it is not there yet.

    Raises:
        SourceError: the file cannot be read for certain.
        QueryTimeout: it was not built by the deadline, a moment of ``time.monotonic``.
        HomeNotWritable: the cache folder cannot be written.
    """
    key = f"{sha256}-{READER_VERSION}-{cache_name(kind)}-{options.digest(settings.null_words)}"
    found = _there(cache_dir, key, settings)
    if found is not None:
        return found
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HomeNotWritable(f"The folder {cache_dir} cannot be created: {error.strerror}.") from error
    with _alone(cache_dir / f".{key[:64]}.lock"):
        found = _there(cache_dir, key, settings)
        return found or _build(path, kind, sha256, key, label, settings, options, cache_dir, deadline)


def _build(
    path: Path,
    kind: str,
    sha256: str,
    key: str,
    label: str,
    settings: Settings,
    options: ReadOptions,
    cache_dir: Path,
    deadline: float | None,
) -> tuple[Path, dict[str, Any]]:
    draft = cache_dir / f".{secrets.token_hex(8)}.duckdb"
    note = draft.with_suffix(".json")
    try:
        job = {
            "task": "snapshot",
            "format": kind,
            "path": str(path),
            "sha256": sha256,
            "target": str(draft),
            "label": label,
        }
        job |= {"options": options.to_dict(), "null_words": list(settings.null_words)}
        outcome = run_job(job, settings, size=path.stat().st_size, deadline=deadline)
        content = _hash(draft)
        target = cache_dir / f"{key}-{content[:16]}.duckdb"
        _sync(draft)
        with contextlib.suppress(FileExistsError):  # The same bytes under their own name: nothing to replace.
            os.link(draft, target)
        story = {"file": target.name, "sha256": content, "outcome": outcome}
        story["stamp"] = stamp(_secrets(cache_dir, settings), {"key": key, **story})
        note.write_text(json.dumps(story, ensure_ascii=False), encoding="utf-8")
        _sync(note)
        note.replace(cache_dir / f"{key}.json")
        return target, outcome
    finally:
        for leftover in (draft, Path(f"{draft}.wal"), note):
            leftover.unlink(missing_ok=True)


def _there(cache_dir: Path, key: str, settings: Settings) -> tuple[Path, dict[str, Any]] | None:
    """The snapshot as its story describes it; None where there is none that can be trusted."""
    try:
        story: dict[str, Any] = json.loads((cache_dir / f"{key}.json").read_text(encoding="utf-8"))
        given = story.pop("stamp")
        target = cache_dir / str(story["file"])
        if not target.name.startswith(key) or target.parent != cache_dir:
            return None
        body = {"key": key, **story}
        if not stamped(_secrets(cache_dir, settings), body, given) or _hash_once(target) != story["sha256"]:
            return None
        outcome: dict[str, Any] = story["outcome"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return target, outcome


def _secrets(cache_dir: Path, settings: Settings) -> Path | None:
    """Where the secret of the home lies; a cache outside the home is its maker's own, and needs none."""
    inside = cache_dir.absolute().is_relative_to(settings.home.absolute())
    return settings.keys if inside else None


@contextmanager
def _alone(lock: Path) -> Generator[None]:
    """Nobody else builds the same snapshot meanwhile, in this process or another; the lock's file goes with it."""
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise HomeNotWritable(f"The folder {lock.parent} is not writable: {error.strerror}.") from error
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if lock.stat().st_ino == os.fstat(descriptor).st_ino:
                break
        os.close(descriptor)  # Whoever had it has taken the name away: this lock keeps nobody out.
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _sync(draft: Path) -> None:
    """A file's bytes are on disk before it gets its name."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())


def _hash(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(HASH_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _hash_once(path: Path) -> str:
    """The hash of a file, taken anew only when the file is not the one that was hashed before."""
    seen = path.stat()
    signature = (seen.st_size, seen.st_mtime_ns, seen.st_ino)
    known = _checked.get(str(path))
    if known is None or known[:3] != signature:
        known = (*signature, _hash(path))
        _checked[str(path)] = known
    return known[3]


def run_job(job: dict[str, Any], settings: Settings, *, size: int, deadline: float | None = None) -> dict[str, Any]:
    """What the reading process answers, by the deadline if there is one.

    Raises:
        QueryTimeout: the deadline is over; nothing of what was read is kept.
        SourceError: it refused the source, took too long, or died of it.
    """
    seconds = MIN_SECONDS + SECONDS_A_MEGABYTE * size / 1_000_000
    body = json.dumps({**job, "memory_mb": settings.query_memory_mb})
    name = Path(str(job["path"])).name
    left = seconds if deadline is None else min(seconds, deadline - time.monotonic())
    answer = _answer(body.encode(), left)
    if answer is None and left < seconds:
        raise QueryTimeout(
            f"The analysis was stopped: its time ended while {name} was being opened.",
            hint="Allow more time, up to 180 seconds; a file that has been opened once opens faster.",
            details={"source": name},
        )
    if answer is None:
        raise SourceUnreadable(f"{name} could not be read within {seconds:.0f} seconds.")
    try:
        outcome: dict[str, Any] = json.loads(answer)
    except ValueError:
        raise SourceUnreadable(
            f"{name} crashed the process that read it.", hint="Export it again in a plain form."
        ) from None
    if "error" in outcome:
        raise _error(outcome["error"])
    return outcome


def _answer(body: bytes, seconds: float) -> bytes | None:
    """All that a reading process writes before it ends; nothing when its time is over."""
    deadline = time.monotonic() + seconds
    order = os.memfd_create("job", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(order), "wb") as file:
            file.write(body)
        os.lseek(order, 0, os.SEEK_SET)
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR", "HOME") if key in os.environ}
        child = Child("read", order, environment=kept)
    except ZygoteGone:
        return b""
    finally:
        os.close(order)
    parts: list[bytes] = []
    try:
        while is_readable(child.output, max(0.0, deadline - time.monotonic())):
            part = os.read(child.output, CHUNK)
            if not part:
                return b"".join(parts)
            parts.append(part)
    finally:
        child.close()
    return None


def _error(body: dict[str, Any]) -> AvermentError:
    kind = getattr(errors, str(body.get("type")), SourceUnreadable)
    kind = kind if isinstance(kind, type) and issubclass(kind, AvermentError) else SourceUnreadable
    return kind(str(body["message"]), hint=body.get("hint"), details=body.get("details"))
