"""What a query process does: it opens the data, locks the engine, and answers.

It has an environment of its own and one socket, limits its own memory once the data are open, and ends when the other
side of the socket is gone, even in the middle of a query. Results leave as Arrow files in a private folder.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import shutil
import socket
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa

from averment.tables.catalog import ADDED
from averment.tables.engines.backend import Backend, BackendFailure, EngineSpec, read_spec
from averment.tables.processes.memory import mapped_bytes, resident_bytes
from averment.tables.processes.wire import decode_value, pack_frame, receive_frame

_HEADROOM = 512 * 1024 * 1024
_leaving = threading.Lock()


def serve_queries(channel: socket.socket, folder: Path) -> None:
    """Serve one engine over the socket; the folder is the process's own and goes with it."""
    threading.Thread(target=_end_with_parent, args=(channel, folder), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    first = receive_frame(channel)
    if first is None:
        return
    try:
        spec = read_spec(first["open"])
        backend = open_backend(spec)
        _limit_memory(spec.memory_mb)
    except BackendFailure as failure:
        channel.sendall(pack_frame({"failure": failure.kind, "message": failure.message}))
        return
    channel.sendall(pack_frame({"ready": True, "resident": resident_bytes(os.getpid())}))
    while (request := receive_frame(channel)) is not None:
        answer = pack_frame(_answer(backend, request))
        with contextlib.suppress(BrokenPipeError):
            channel.sendall(answer)
    _leave(folder)


def open_backend(spec: EngineSpec) -> Backend:
    """The engine of a dialect, open and locked.

    Raises:
        BackendFailure: a source cannot be opened.
    """
    if spec.dialect == "sqlite":
        from averment.tables.engines.backend_sqlite import SqliteBackend

        return SqliteBackend(spec)
    if spec.dialect == "postgres":
        from averment.tables.engines.backend_postgres import PostgresBackend

        return PostgresBackend(spec)
    if any(source.attach.startswith(ADDED) for source in spec.sources):
        from averment.tables.engines.engine_kinds import open_added

        return open_added(spec)
    if any(source.attach == "spark" for source in spec.sources):
        from averment.tables.engines.backend_spark import SparkBackend

        return SparkBackend(spec)
    from averment.tables.engines.backend_duckdb import DuckDbBackend

    return DuckDbBackend(spec)


def _answer(backend: Backend, request: dict[str, Any]) -> dict[str, Any]:
    params = [decode_value(value) for value in request["params"]]
    row_limit = int(request["row_limit"])
    try:
        table = backend.run(request["sql"], params, row_limit, float(request["timeout"]))
        truncated = table.num_rows > row_limit
        if truncated:
            table = table.slice(0, row_limit)
        with pa.OSFile(request["path"], "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    except BackendFailure as failure:
        return {"failure": failure.kind, "message": failure.message}
    except (MemoryError, pa.ArrowMemoryError):
        return {"failure": "memory", "message": "the result does not fit into memory"}
    except OSError as error:
        return {"failure": "output", "message": f"the result cannot be written: {error.strerror}"}
    except Exception as error:  # noqa: BLE001  # the boundary of the process: whatever it is, the engine must hear of it
        return {"failure": "failed", "message": f"{type(error).__name__}: {error}"}
    return {"truncated": truncated}


def _limit_memory(memory_mb: int) -> None:
    """A hard wall a little above the limit that the engine itself and the watcher outside keep."""
    mapped = mapped_bytes()
    if not mapped:
        return
    size = mapped + memory_mb * 1024 * 1024 + _HEADROOM
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    largest = max(memory_mb, 64) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))


def _end_with_parent(channel: socket.socket, folder: Path) -> None:
    """End at once when the other side closes, even while the engine is busy, and leave nothing behind.

    The other side clears up after a process that it ends itself; this is for when it was killed.
    """
    poll = select.poll()
    poll.register(channel.fileno(), select.POLLRDHUP | select.POLLHUP)
    poll.poll()
    _leave(folder)


def _leave(folder: Path) -> None:
    with _leaving:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)
