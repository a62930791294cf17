"""A source cannot be used."""

from __future__ import annotations

from averment.errors.base import AvermentError


class SourceError(AvermentError, exit_code=2, http_status=422, hint="Check the source and try again."):
    """A source cannot be used."""


class SourceNotFound(
    SourceError, http_status=404, hint="Check the path; it is relative to the folder in which you run averment."
):
    """There is no file, folder or database at that location."""


class SourceEmpty(SourceError, hint="The file has 0 bytes or only blank lines; export it again."):
    """The file is empty."""


class NoRows(SourceError, hint="The table has columns but no rows, so there is nothing to compute."):
    """The table has a header but no rows."""


class InvalidFileType(
    SourceError,
    http_status=415,
    hint="Give a file of a supported format with its usual extension.",
):
    """The content does not match the file name, or its format is not supported."""


class NoHeaders(SourceError, hint="Add a first line that names the columns."):
    """The file has no header row."""


class FileTooLarge(
    SourceError, http_status=413, hint="Uploads are limited to 50 MB; connect larger data by path or database URL."
):
    """An upload is larger than the limit."""


class SourceUnreadable(SourceError):
    """The file is damaged, or it cannot be read."""


class SourceAmbiguous(SourceError, hint="Set the format, for example with --delimiter ';'."):
    """The file can be read in several ways that give different cells."""


class UnsupportedSource(SourceError, http_status=415):
    """That kind of source is not supported."""


class SourceChanged(
    SourceError, exit_code=1, http_status=409, hint="Run the question again on the source as it is now."
):
    """The source has changed since the run started."""


class SourceVanished(
    SourceError, exit_code=1, http_status=409, hint="Put the source back, then `averment resume RUN`, or ask again."
):
    """The source disappeared during the run."""


class SourceUnreachable(
    SourceError,
    exit_code=1,
    http_status=502,
    retryable=True,
    hint="Try again later, or open the page yourself and add the saved file.",
):
    """A page could not be fetched: no connection, a timeout, too many redirects, or an error status."""
