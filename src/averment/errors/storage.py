"""Required data cannot be stored."""

from __future__ import annotations

from averment.errors.base import AvermentError


class LedgerError(AvermentError):
    """The ledger cannot be used."""

    code = "LEDGER_ERROR"


class LedgerCorrupt(LedgerError):
    """The ledger's last complete entry is not valid, so nothing is appended."""

    code = "LEDGER_CORRUPT"
    exit_code = 5
    default_hint = "Run `averment verify --ledger FILE` to see the first fault; restore the file from a backup."


class LedgerUnavailable(LedgerError):
    """The ledger file cannot be opened, locked or written."""

    code = "LEDGER_UNAVAILABLE"
    http_status = 503
    retryable = True


class StorageError(AvermentError):
    """Required data cannot be stored."""

    code = "STORAGE_ERROR"
    http_status = 507


class DiskFull(StorageError):
    """The disk is full; the partial write was removed."""

    code = "DISK_FULL"
    retryable = True
    default_hint = "Free some space, or move the home with AVERMENT_HOME, then `averment resume RUN`."


class HomeNotWritable(StorageError):
    """The home folder is not writable."""

    code = "HOME_NOT_WRITABLE"
    exit_code = 2
    default_hint = "Choose another folder with AVERMENT_HOME or --home."


class StoreUnavailable(StorageError):
    """The database or the shared file store cannot be reached."""

    code = "STORE_UNAVAILABLE"
    http_status = 503
    retryable = True


class StoreConflict(StorageError):
    """A different record with that key already exists."""

    code = "STORE_CONFLICT"
    http_status = 409
