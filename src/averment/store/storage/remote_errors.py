"""How the faults of shared stores become Averment's errors: a store that is away, a bucket that is not there, no right.

What a vendor's library says is not repeated, since it may name accounts, keys and signed addresses; a code of the store
is all that is taken over. So no credential reaches a log, a ledger or a client by way of an error.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from averment.errors import AvermentError, DiskFull, StorageError, StoreUnavailable
from averment.store.storage.disk_errors import missing

TAKEN = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412"})
UNCONDITIONAL = frozenset({"NotImplemented", "501"})
_NO_BUCKET = frozenset({"NoSuchBucket", "NoSuchContainer", "ContainerNotFound", "InvalidBucketName"})
_FULL = frozenset({"QuotaExceeded", "InsufficientStorage", "EntityTooLarge", "XMinioStorageFull", "507"})
_BUSY = frozenset({"SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "500", "502", "503", "504"})
_DENIED = frozenset({errno.EACCES, errno.EPERM})
_NAMED = re.compile(r"[A-Za-z0-9_.]{1,60}")
_NO_CREDENTIALS = ("NoCredentials", "PartialCredentials", "NoAuth", "CredentialRetrieval", "TokenRetrieval")
_AWAY = ("Connection", "Connect", "Timeout", "ServerDisconnected", "ClientOSError", "ClientPayload", "EOFError", "SSL")


@contextmanager
def translated(what: str, place: str, relative: str | None = None) -> Generator[None]:
    """Turn every fault of a store inside the block into an Averment error; ``place`` names the store for people.

    Raises:
        SourceNotFound: there is no such file, where ``relative`` says which one was to be read.
        StoreUnavailable: the store does not answer; it can be tried again.
        DiskFull: it has no room.
        StorageError: it refuses, or is not there.
    """
    try:
        yield
    except AvermentError:
        raise
    except Exception as error:  # noqa: BLE001  # Each vendor has its own tree of errors, and none of them is to pass.
        raise from_fault(error, what, place, relative) from None


def from_fault(error: Exception, what: str, place: str, relative: str | None = None) -> AvermentError:
    """The error that a store's fault means."""
    codes = frozenset(codes_of(error))
    if codes & _NO_BUCKET:
        hint = "Create it, or correct AVERMENT_FILES_URL."
        return StorageError(f"The files at {place} cannot be used: there is no such bucket.", hint=hint)
    if isinstance(error, (FileNotFoundError, NotADirectoryError, IsADirectoryError)) and relative is not None:
        return missing(relative)
    if codes & _FULL or getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(
            f"No space is left for {what} at {place}.", hint="Free some space in the store, then try again."
        )
    if any(word in name for name in _names(error) for word in _NO_CREDENTIALS):
        return StorageError(
            f"The files at {place} cannot be used: no credentials were found.",
            hint="Set the credentials of its vendor, such as AWS_ACCESS_KEY_ID, or AVERMENT_FILES_OPTIONS.",
        )
    if isinstance(error, PermissionError) or getattr(error, "errno", None) in _DENIED:
        return StorageError(
            f"The store at {place} refuses {what}{_said(codes)}.",
            hint="Check the credentials, and that they may list, read, write and delete under AVERMENT_FILES_URL.",
        )
    away = any(word in name for name in _names(error) for word in _AWAY)
    if away or codes & _BUSY or isinstance(error, (ConnectionError, TimeoutError)):
        return StoreUnavailable(
            f"The store at {place} does not answer{_said(codes)}.",
            hint="Check the network and the endpoint in AVERMENT_FILES_OPTIONS; you can safely retry.",
        )
    reason = _said(codes) or f" ({type(error).__name__})"
    return StorageError(f"Cannot store or read {what} at {place}{reason}.")


def codes_of(error: BaseException) -> Iterator[str]:
    """The codes by which a store named its fault, if it did."""
    for one in _chain(error):
        response = getattr(one, "response", None)
        if isinstance(response, dict):
            yield str(response.get("Error", {}).get("Code", ""))
        for name in ("error_code", "code", "status"):
            known = getattr(one, name, None)
            if isinstance(known, (str, int)):
                yield str(known)


def _said(codes: frozenset[str]) -> str:
    known = sorted(code for code in codes if _NAMED.fullmatch(code))
    return f" ({known[0]})" if known else ""


def _names(error: BaseException) -> Iterator[str]:
    for one in _chain(error):
        yield from (kind.__name__ for kind in type(one).__mro__)


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        yield now
        now = now.__cause__
