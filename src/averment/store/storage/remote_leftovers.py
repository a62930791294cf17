"""What writers leave in a shared store when they die: temporary files, and uploads in parts that were never ended.

Nobody there holds a lock, so age decides: what is more than a day old has no writer any more.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from averment.store.storage.remote_system import RemoteSystem

OLD = timedelta(days=1)
_TEMPORARY = re.compile(r"\.averment-[0-9a-f]{16}\.tmp")


def temporary_name() -> str:
    """A new name for what is not published yet."""
    return f".averment-{secrets.token_hex(8)}.tmp"


def sweep_leftovers(system: RemoteSystem, under: str, *, deep: bool = True, older_than: timedelta = OLD) -> int:
    """Remove leftovers under a folder, or in it alone, that are older than that; how many there were."""
    before = datetime.now(UTC) - older_than
    if not system.is_object_store:
        return _sweep_files(system, under, before, deep=deep)
    return _sweep_parts(system, before) if hasattr(system.fs, "call_s3") else 0


def _sweep_files(system: RemoteSystem, under: str, before: datetime, *, deep: bool) -> int:
    removed = 0
    try:
        found = system.fs.find(under, maxdepth=None if deep else 1)
    except FileNotFoundError:
        return 0
    for path in map(str, found):
        if not _TEMPORARY.fullmatch(path.rpartition("/")[2]):
            continue
        with suppress(FileNotFoundError):  # Published or taken away meanwhile.
            if _utc(system.fs.modified(path)) < before:
                system.fs.rm(path)
                removed += 1
    return removed


def _sweep_parts(system: RemoteSystem, before: datetime) -> int:
    """Uploads in parts are no files and cost space all the same; S3 keeps them until somebody ends them."""
    bucket, _, prefix = system.root.partition("/")
    found: dict[str, Any] = system.fs.call_s3("list_multipart_uploads", Bucket=bucket, Prefix=f"{prefix}/".lstrip("/"))
    removed = 0
    for upload in found.get("Uploads") or ():
        if _utc(upload["Initiated"]) < before:
            known = {"Key": upload["Key"], "UploadId": upload["UploadId"]}
            system.fs.call_s3("abort_multipart_upload", Bucket=bucket, **known)
            removed += 1
    return removed


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
