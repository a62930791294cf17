"""Snapshots: what was read from a file, kept under the hash of its bytes so that the same bytes are read once.

A snapshot is a database file and a description beside it. Both are written under temporary names and renamed, so that a
reader sees all of it or nothing, and two processes that build the same one do not disturb each other.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from pathlib import Path
from typing import Any

from averment import errors
from averment.errors import AvermentError, HomeNotWritable, SourceUnreadable
from averment.nursery.spares import ZygoteGone
from averment.nursery.waiting import is_readable
from averment.settings import Settings
from averment.tables.children import Child
from averment.tables.options import ReadOptions

READER_VERSION = "r2"
MIN_SECONDS = 60
SECONDS_A_MEGABYTE = 2.0
CHUNK = 1 << 16


def snapshot_of(
    path: Path, kind: str, sha256: str, *, label: str, settings: Settings, options: ReadOptions, cache_dir: Path
) -> tuple[Path, dict[str, Any]]:
    """The snapshot of the file and its description, built now if it is not there yet.

    Raises:
        SourceError: the file cannot be read for certain.
        HomeNotWritable: the cache folder cannot be written.
    """
    key = f"{sha256}-{READER_VERSION}-{kind}-{options.digest(settings.null_words)}"
    target, story = cache_dir / f"{key}.duckdb", cache_dir / f"{key}.json"
    if target.is_file() and story.is_file():
        with contextlib.suppress(ValueError, OSError):
            return target, json.loads(story.read_text(encoding="utf-8"))
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HomeNotWritable(f"The folder {cache_dir} cannot be made: {error.strerror}.") from error
    draft = cache_dir / f".{secrets.token_hex(8)}.duckdb"
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
        outcome = run_job(job, settings, size=path.stat().st_size)
        _keep(draft, target)
        note = draft.with_suffix(".json")
        note.write_text(json.dumps(outcome, ensure_ascii=False), encoding="utf-8")
        _keep(note, story)
        return target, outcome
    finally:
        for leftover in (draft, Path(f"{draft}.wal"), draft.with_suffix(".json")):
            leftover.unlink(missing_ok=True)


def _keep(draft: Path, target: Path) -> None:
    """Moves a finished file to its place, its bytes on disk before its name."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(target)


def run_job(job: dict[str, Any], settings: Settings, *, size: int) -> dict[str, Any]:
    """What the reading process answers.

    Raises:
        SourceError: it refused the source, took too long, or died of it.
    """
    seconds = MIN_SECONDS + SECONDS_A_MEGABYTE * size / 1_000_000
    body = json.dumps({**job, "memory_mb": settings.query_memory_mb})
    name = Path(str(job["path"])).name
    answer = _answer(body.encode(), seconds)
    if answer is None:
        raise SourceUnreadable(f"{name} could not be read within {seconds:.0f} seconds.")
    try:
        outcome: dict[str, Any] = json.loads(answer)
    except ValueError:
        raise SourceUnreadable(
            f"{name} broke the process that read it.", hint="Export it again in a plain form."
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
