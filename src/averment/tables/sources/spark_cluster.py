"""A Spark cluster as a source: how it is named and reached, and what tables it holds.

``sc://host:port`` is a Spark Connect server, ``spark://host:port`` a standalone cluster, which takes the whole of Spark
in place of its client. Without more, the tables are those of the cluster's own catalog; ``?folder=/data/sales`` names a
folder of Parquet files that the cluster can read, any number of times. This module is used in processes of their own,
never in the one that was asked.
"""

from __future__ import annotations

import os
import socket
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, urlsplit

from averment.tables.processes.lean import show_pandas
from averment.tables.read.naming import table_name, unique_name

FOLDER = "folder"
REACH_SECONDS = 10
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
DEFAULT_PORTS = {"sc": 15002, "spark": 7077}
_SETTINGS = {"spark.sql.session.timeZone": "UTC", "spark.sql.legacy.timeParserPolicy": "CORRECTED"}
_TYPES = {
    "string": "VARCHAR",
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamp_ntz": "TIMESTAMP",
    "binary": "BLOB",
}


def connect(url: str) -> Any:
    """A session on the cluster.

    Raises:
        ImportError: Spark's client is not installed.
        Exception: whatever the client says when the cluster cannot be reached.
    """
    show_pandas()  # its client fetches results by way of it
    from pyspark.sql import SparkSession

    os.environ.setdefault("PATH", os.defpath)
    parts = urlsplit(url)
    # The client would try for minutes to reach a server that is not there.
    socket.create_connection((parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]), REACH_SECONDS).close()
    builder: Any = SparkSession.builder
    if parts.scheme == "sc":
        session = builder.remote(f"sc://{parts.netloc}{parts.path}").getOrCreate()
    else:
        _refuse_bare_client()
        builder = builder.master(f"spark://{parts.netloc}").appName("averment")
        for name, value in _driver_settings(parts.hostname or "").items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    return session


def _refuse_bare_client() -> None:
    """A standalone cluster is joined by a whole Spark with its Java parts; the client alone speaks to Connect only."""
    from pyspark.util import is_remote_only

    if is_remote_only():
        raise ImportError("spark:// needs the package pyspark instead of pyspark-client; sc:// needs only the client")


def _driver_settings(host: str) -> dict[str, str]:
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    if host in _LOOPBACK:
        # A cluster on this machine needs no port of ours that others could reach.
        quiet |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    return quiet


def places(url: str) -> list[str]:
    """The folders of Parquet files that the URL names."""
    return parse_qs(urlsplit(url).query).get(FOLDER, [])


def frames(session: Any, url: str) -> dict[tuple[str, ...], Any]:
    """Every table of the source by where it lives: (folder,) or (database, table)."""
    folders = places(url)
    if folders:
        return {(folder,): session.read.parquet(folder) for folder in folders}
    database = session.catalog.currentDatabase()
    return {
        (database, found.name): session.table(f"{quoted(database)}.{quoted(found.name)}")
        for found in session.catalog.listTables(database)
        if not found.isTemporary
    }


def inspect(url: str, label: str) -> list[dict[str, Any]]:
    """The tables of the source as ``TableInfo`` takes them; columns of nested kinds are left out."""
    session = connect(url)
    tables: list[dict[str, Any]] = []
    for origin, frame in sorted(frames(session, url).items()):
        columns: list[dict[str, str]] = []
        for name, kind in frame.dtypes:
            known = kind.upper() if kind.startswith("decimal") else _TYPES.get(kind)
            if known is not None:
                columns.append({"name": name, "type": known, "original_name": name})
        wanted = table_name(PurePosixPath(origin[-1]).stem)
        name = unique_name(wanted, [table["name"] for table in tables])
        if columns:
            tables.append(
                {"name": name, "columns": columns, "row_count": None, "source": label, "origin": list(origin)}
            )
    return tables


def quoted(name: str) -> str:
    """A name as Spark's SQL quotes it."""
    return "`" + name.replace("`", "``") + "`"
