"""Required data cannot be stored."""

from __future__ import annotations

from averment.errors.base import AvermentError


class LedgerError(AvermentError):
    """The ledger cannot be used."""


class LedgerCorrupt(
    LedgerError,
    exit_code=5,
    hint="Run `averment verify --ledger FILE` to see the first fault; restore the file from a backup.",
):
    """The ledger's last complete entry is not valid, so nothing is appended."""


class LedgerUnavailable(LedgerError, http_status=503, retryable=True):
    """The ledger file cannot be opened, locked or written."""


class StorageError(AvermentError, http_status=507):
    """Required data cannot be stored."""


class DiskFull(
    StorageError,
    retryable=True,
    hint="Free some space, or move the home with AVERMENT_HOME, then `averment resume RUN`.",
):
    """The disk is full; the partial write was removed."""


class HomeNotWritable(StorageError, exit_code=2, hint="Choose another folder with AVERMENT_HOME or --home."):
    """The home folder is not writable."""


class StoreUnavailable(StorageError, http_status=503, retryable=True):
    """The database or the shared file store cannot be reached."""


class StoreConflict(StorageError, http_status=409):
    """A different record with that key already exists."""
