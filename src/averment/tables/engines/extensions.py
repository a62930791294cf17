"""The engine's extensions, loaded from installed packages and never from the network."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from averment.errors.extras import missing
from averment.tables.engines.backend import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Extension = Literal["excel", "sqlite_scanner", "postgres_scanner"]
_EXTRAS: dict[Extension, str] = {"excel": "all", "sqlite_scanner": "sqlite", "postgres_scanner": "postgres"}
"""The extra that brings each of them."""


def extension_file(name: Extension, version: str) -> Path:
    """Where the extension's package keeps it for that engine version.

    Raises:
        MissingExtra: the package is not installed, or is for another engine version.
    """
    found = importlib.util.find_spec(f"duckdb_extension_{name}")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    for place in places:
        file = Path(place) / "extensions" / version / f"{name}.duckdb_extension"
        if file.is_file():
            return file
    raise missing(f"duckdb-extension-{name.replace('_', '-')} for engine {version}", _EXTRAS[name])


def load_extension(connection: DuckDBPyConnection, name: Extension) -> None:
    """Loads the extension into the connection, offline.

    Raises:
        MissingExtra: it is not installed.
    """
    row = connection.execute("SELECT library_version FROM pragma_version()").fetchone()
    file = extension_file(name, str(row[0]) if row else "")
    connection.execute(f"LOAD {quote_text(str(file))}")
