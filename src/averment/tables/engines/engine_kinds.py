"""Engines that plugins add: data that is queried where it stands, named by a URL whose scheme is the engine's name.

What such an engine gets is the guarded text of one query in DuckDB's dialect, in a process of its own with no more than
that; what it gives is an Arrow table. It puts the text into its own language, as ``spark_text`` does for Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from averment import plugins
from averment.errors import AvermentError, SourceNotFound
from averment.tables.catalog import ADDED, TableInfo
from averment.tables.engines.backend import Backend, BackendFailure, EngineSpec
from averment.tables.sources.locations import POSTGRES_SCHEMES, SPARK_SCHEMES, is_url

OWN = frozenset({*POSTGRES_SCHEMES, *SPARK_SCHEMES, "sqlite", "duckdb", "file", "http", "https", "s3", "dataset"})
"""Schemes that no plugin may take."""


@dataclass(frozen=True, kw_only=True)
class EngineKind:
    """An engine: the scheme of its URLs, what tables there are at one, and what answers queries over them.

    ``inspect`` gets the whole URL and gives the tables with their columns and DuckDB's names for their types. ``open``
    gets the same URL as the path of its only source, and gives what runs queries; it raises ``BackendFailure``.
    """

    name: str
    inspect: Callable[[str], Sequence[TableInfo]]
    open: Callable[[EngineSpec], Backend]


def engine_of_url(text: str) -> str | None:
    """The added engine that a URL names by its scheme, or None."""
    scheme = text.partition("://")[0].lower() if is_url(text) else ""
    return scheme if scheme and scheme not in OWN and scheme in plugins.names("engines", OWN) else None


def inspect_added(job: dict[str, Any]) -> dict[str, Any]:
    """The tables that an added engine has at a URL; a job of the reading process."""
    engine = plugins.load("engines", job["engine"], EngineKind, OWN)
    try:
        return {"tables": [asdict(table) for table in engine.inspect(job["path"])], "notes": []}
    except AvermentError:
        raise
    except Exception as error:
        # A stranger's client may raise anything at all, and its words may hold a password.
        raise SourceNotFound(f"{job['label']} could not be opened ({type(error).__name__}).") from error


def open_added(spec: EngineSpec) -> Backend:
    """What answers queries over the one source of an added engine.

    Raises:
        BackendFailure: it cannot be opened.
    """
    (source,) = spec.sources
    try:
        return plugins.load("engines", source.attach.removeprefix(ADDED), EngineKind, OWN).open(spec)
    except BackendFailure:
        raise
    except Exception as error:
        raise BackendFailure("source", f"{type(error).__name__}: {error}") from error
