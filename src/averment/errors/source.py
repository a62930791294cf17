"""A source cannot be used."""

from __future__ import annotations

from averment.errors.base import AvermentError


class SourceError(AvermentError):
    """A source cannot be used."""

    code = "SOURCE_ERROR"
    exit_code = 2
    http_status = 422
    default_hint = "Check the source and try again."


class SourceNotFound(SourceError):
    """There is no file, folder or database at that location."""

    code = "SOURCE_NOT_FOUND"
    http_status = 404
    default_hint = "Check the path; it is relative to the folder in which you run averment."


class SourceEmpty(SourceError):
    """The file is empty."""

    code = "SOURCE_EMPTY"
    default_hint = "The file has 0 bytes or only blank lines; export it again."


class NoRows(SourceError):
    """The table has a header but no rows."""

    code = "NO_ROWS"
    default_hint = "The table has columns but no rows, so there is nothing to compute."


class InvalidFileType(SourceError):
    """The content does not match the file name, or its format is not supported."""

    code = "INVALID_FILE_TYPE"
    http_status = 415
    default_hint = "Give CSV, TSV, JSON, JSONL, Parquet, Excel, DuckDB or SQLite data with its usual extension."


class NoHeaders(SourceError):
    """The file has no header row."""

    code = "NO_HEADERS"
    default_hint = "Add a first line that names the columns."


class FileTooLarge(SourceError):
    """An upload is larger than the limit."""

    code = "FILE_TOO_LARGE"
    http_status = 413
    default_hint = "Uploads are limited to 50 MB; connect larger data by path or database URL."


class SourceUnreadable(SourceError):
    """The file is damaged, or it cannot be read."""

    code = "SOURCE_UNREADABLE"


class SourceAmbiguous(SourceError):
    """The file can be read in several ways that give different cells."""

    code = "SOURCE_AMBIGUOUS"
    default_hint = "Set the format, for example with --delimiter ';'."


class UnsupportedSource(SourceError):
    """That kind of source is not supported."""

    code = "UNSUPPORTED_SOURCE"
    http_status = 415


class SourceChanged(SourceError):
    """The source has changed since the run started."""

    code = "SOURCE_CHANGED"
    exit_code = 1
    http_status = 409
    default_hint = "Run the question again on the source as it is now."


class SourceVanished(SourceError):
    """The source disappeared during the run."""

    code = "SOURCE_VANISHED"
    exit_code = 1
    http_status = 409
    default_hint = "Put the source back, then `averment resume RUN`, or ask again."


class SourceUnreachable(SourceError):
    """A page could not be fetched: no connection, a timeout, too many redirects, or an error status."""

    code = "SOURCE_UNREACHABLE"
    exit_code = 1
    http_status = 502
    retryable = True
    default_hint = "Try again later, or open the page yourself and add the saved file."
