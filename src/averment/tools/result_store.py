"""The result store: where a run's tables lie between its steps, as Arrow files under their call's id, each with its
hash.

A result is written once and atomically, so a resumed run finds either the whole table or none.
"""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from averment.errors import InvalidArguments, VerificationFailed

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.store.storage.base import Files


NEAR_BYTES = 16 * 1024 * 1024
"""So much of a run's results is held in memory for the tasks that read them again."""


class KeptColumn(BaseModel):
    """Name and type of one column of a kept table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: str


class StoredTable(BaseModel):
    """A table in the result store: where, what, and the hash of its content."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: str
    sha256: str
    row_count: int
    columns: tuple[KeptColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(column.name for column in self.columns)


class KeptFile(BaseModel):
    """A file on the result store: where, its size and its hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ref: str
    sha256: str
    size_bytes: int


def table_bytes(table: pa.Table) -> bytes:
    """A table as Arrow IPC bytes that depend on its content alone: one batch, no metadata, no dictionaries.

    What lies in memory where a value is missing is nobody's content; it is cleared.
    """
    import pyarrow as pa

    plain = pa.table(
        [_cleared(_undictionary(column).combine_chunks()) for column in table.columns],
        schema=pa.schema([pa.field(f.name, _plain_type(f.type)) for f in table.schema]),
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, plain.schema) as writer:
        writer.write_table(plain)
    return sink.getvalue().to_pybytes()


def _plain_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa
    import pyarrow.types as pat

    return kind.value_type if pat.is_dictionary(kind) else (pa.string() if pat.is_large_string(kind) else kind)


def _undictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    wanted = _plain_type(column.type)
    return column if wanted.equals(column.type) else column.cast(wanted)


def _cleared(array: Any) -> Any:
    """The array with zeros where it has no value; lists, structs and rarer kinds are left as they are."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.types as pat

    kind = array.type
    plain = pat.is_primitive(kind) or pat.is_decimal(kind) or pat.is_string(kind) or pat.is_binary(kind)
    if array.null_count == 0 or not plain:
        return array
    there = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    validity = pa.py_buffer(np.packbits(there, bitorder="little").tobytes())
    if pat.is_string(kind) or pat.is_binary(kind):
        _, offsets, text = array.fill_null("" if pat.is_string(kind) else b"").buffers()
        return pa.Array.from_buffers(kind, len(array), [validity, offsets, text])
    if pat.is_boolean(kind):
        truth = np.asarray(array.fill_null(False).to_numpy(zero_copy_only=False), dtype=bool)
        bits = pa.py_buffer(np.packbits(truth, bitorder="little").tobytes())
        return pa.Array.from_buffers(kind, len(array), [validity, bits])
    width = kind.bit_width // 8
    start = array.offset * width
    cells = np.frombuffer(array.buffers()[1], dtype=np.uint8)[start : start + len(array) * width].copy()
    cells.reshape(len(array), width)[~there] = 0
    return pa.Array.from_buffers(kind, len(array), [validity, pa.py_buffer(cells.tobytes())])


def kept_files(data: Any) -> dict[str, str]:
    """The files that a recorded output names, by their name on the result store, each with its hash."""
    if isinstance(data, list):
        return {name: digest for each in data for name, digest in kept_files(each).items()}
    if not isinstance(data, dict):
        return {}
    reference, digest = data.get("ref"), data.get("sha256")
    if isinstance(reference, str) and isinstance(digest, str):
        return {Path(reference).name: digest}
    return {name: digest for each in data.values() for name, digest in kept_files(each).items()}


class ResultStore:
    """Results of one run by call id, readable by task id once the runtime has said which call answered it.

    A result whose hash is known is given out only if it still has it.
    """

    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self._folder = folder
        self._calls: dict[str, str] = {}
        self._near: dict[str, bytes] = {}
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, call_id: str, table: pa.Table) -> StoredTable:
        """Keep a table under a call's id; keeping the same content again changes nothing."""
        content = table_bytes(table)
        stored = self._files.write(self._name(call_id), content)
        self._keep_near(call_id, content)
        columns = tuple(KeptColumn(name=f.name, type=str(f.type)) for f in table.schema)
        digest = hashlib.sha256(content).hexdigest()
        return StoredTable(ref=str(stored.path), sha256=digest, row_count=table.num_rows, columns=columns)

    def put_file(self, call_id: str, suffix: str, content: bytes) -> KeptFile:
        """Keep a file under a call's id; keeping the same content again changes nothing."""
        stored = self._files.write(str(Path(self._folder) / f"{call_id}.{suffix}"), content)
        return KeptFile(ref=str(stored.path), sha256=stored.sha256, size_bytes=stored.size)

    def file(self, call_id: str, suffix: str) -> bytes:
        """The content of a file a call kept."""
        return self._read(f"{call_id}.{suffix}")

    def answer(self, task_id: str, call_id: str) -> None:
        """Say that this call answered that task, so that later tasks can read its table."""
        self._calls[task_id] = call_id

    def expect(self, data: Any) -> None:
        """Remember the hashes that a recorded output names: what is read from here on must have them."""
        self._known.update(kept_files(data))

    def holds(self, call_id: str) -> bool:
        """Whether that call kept a table here."""
        return call_id in self._near or self._files.exists(self._name(call_id))

    def by_call(self, call_id: str) -> pa.Table:
        """The table a call kept.

        Raises:
            VerificationFailed: it is not what was kept.
        """
        import pyarrow as pa

        content = self._near.get(call_id)
        if content is None:
            content = self._read(f"{call_id}.arrow")
            self._keep_near(call_id, content)
        with pa.ipc.open_file(pa.BufferReader(content)) as reader:
            return reader.read_all()

    def by_task(self, task_id: str) -> pa.Table:
        """The table a task was answered with.

        Raises:
            InvalidArguments: that task kept no table.
        """
        call_id = self._calls.get(task_id)
        if call_id is None or not self.holds(call_id):
            raise InvalidArguments(
                f"The task {task_id} has no table to work on.",
                hint=f"Tasks with tables: {', '.join(sorted(self._calls)) or 'no task yet'}.",
            )
        return self.by_call(call_id)

    def bytes_of(self, task_id: str) -> bytes:
        """The Arrow bytes of a task's table, to be handed into a jail."""
        return table_bytes(self.by_task(task_id))

    def _keep_near(self, call_id: str, content: bytes) -> None:
        """Hold on to what later tasks will read again: a result is never changed, and the files may be far away."""
        with self._lock:
            self._near.pop(call_id, None)
            if len(content) <= NEAR_BYTES:
                self._near[call_id] = content
            while sum(map(len, self._near.values())) > NEAR_BYTES:
                self._near.pop(next(iter(self._near)))

    def _read(self, name: str) -> bytes:
        content = self._files.read(str(Path(self._folder) / name))
        known = self._known.get(name)
        if known is not None and hashlib.sha256(content).hexdigest() != known:
            raise VerificationFailed(
                f"The kept result {name} differs from its recorded content.",
                hint="`averment verify` lists what was changed.",
            )
        return content

    def _name(self, call_id: str) -> str:
        return str(Path(self._folder) / f"{call_id}.arrow")
