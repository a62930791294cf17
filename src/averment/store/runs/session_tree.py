"""The files of a session, exactly as the driller contract draws them under ``sessions/{session_id}/``.

Every file is published whole. A file that already holds what is to be written is left as it is, so that writing a
session again changes nothing. Readers of tables take an upload by its readable name, a second name of the same bytes
under ``uploads/``, since a table is called after its file.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from averment.errors import SourceNotFound
from averment.records.base import Record
from averment.store.storage.base import Files, StoredFile

ROOT = "sessions"
METADATA, CONTEXT, REPORT = "metadata.json", "context.json", "report.md"
SCHEMA, PLAN, LEDGER = "analysis/schema.json", "analysis/plan.json", "analysis/findings_ledger.json"
HYPOTHESES, ITERATIONS, OUTPUTS = "analysis/hypotheses", "analysis/iterations", "analysis/full_outputs"
EXPLANATIONS, HISTORY = "results/explanations.json", "chat/history.json"
BREAKDOWN = "results/breakdown.json"
_VIEWS = "uploads"
_MAX_STEM = 60


def hypothesis_path(hypothesis_id: str) -> str:
    """Where a hypothesis is kept."""
    return f"{HYPOTHESES}/{hypothesis_id}.json"


def iteration_path(number: int) -> str:
    """Where an iteration is kept in full."""
    return f"{ITERATIONS}/iter_{number:03d}.json"


def output_path(number: int) -> str:
    """Where the raw output of an iteration is kept."""
    return f"{OUTPUTS}/output_{number:03d}.txt"


def upload_path(file_id: str) -> str:
    """Where an upload is kept."""
    return f"files/{file_id}.csv"


def upload_meta_path(file_id: str) -> str:
    """Where what is known of an upload is kept."""
    return f"files/{file_id}_meta.json"


class SessionTree:
    """The trees of all sessions."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def write(self, session_id: str, name: str, content: bytes) -> bool:
        """Publish a file of the session; whether it was not there with this content already."""
        path = f"{ROOT}/{session_id}/{name}"
        if self._files.holds(path, content):
            return False
        self._files.write(path, content)
        return True

    def write_json(self, session_id: str, name: str, value: Record | Iterable[Record]) -> bool:
        """Publish a record, or an array of records, as readable JSON; as ``write``."""
        body: Any = (
            value.model_dump(mode="json")
            if isinstance(value, Record)
            else [one.model_dump(mode="json") for one in value]
        )
        return self.write(session_id, name, (json.dumps(body, ensure_ascii=False, indent=2) + "\n").encode())

    def write_upload(self, session_id: str, file_id: str, chunks: Iterable[bytes], *, max_bytes: int) -> StoredFile:
        """Publish the bytes of an upload as they come.

        Raises:
            FileTooLarge: there are more than ``max_bytes``; nothing is left behind.
        """
        return self._files.write_stream(f"{ROOT}/{session_id}/{upload_path(file_id)}", chunks, max_bytes=max_bytes)

    def read(self, session_id: str, name: str) -> bytes | None:
        """The content of a file of the session, or None when there is none."""
        try:
            return self._files.read(f"{ROOT}/{session_id}/{name}")
        except SourceNotFound:
            return None

    def read_json(self, session_id: str, name: str) -> Any:
        """The value of a JSON file of the session, or None when there is none."""
        content = self.read(session_id, name)
        return None if content is None else json.loads(content)

    def names(self, session_id: str, folder: str) -> list[str]:
        """The names in a folder of the session, sorted."""
        return self._files.names(f"{ROOT}/{session_id}/{folder}")

    def sessions(self) -> list[str]:
        """The ids of the sessions that have a tree."""
        return self._files.names(ROOT)

    def delete_upload(self, session_id: str, file_id: str) -> None:
        """Take an upload away under both of its names, with what is known of it."""
        self._files.delete(f"{_VIEWS}/{session_id}/{file_id}")
        for name in (upload_meta_path(file_id), upload_path(file_id)):
            self._files.delete(f"{ROOT}/{session_id}/{name}")

    def delete(self, session_id: str) -> None:
        """Take a session's tree away, with the readable names of its uploads."""
        self._files.delete(f"{_VIEWS}/{session_id}")
        self._files.delete(f"{ROOT}/{session_id}")

    def clear(self, session_id: str, names: Iterable[str]) -> None:
        """Take some files and folders of a session away."""
        for name in names:
            self._files.delete(f"{ROOT}/{session_id}/{name}")

    def hash_of(self, session_id: str, name: str) -> str | None:
        """The SHA-256 of a file of the session, or None when there is none."""
        try:
            return self._files.hash(f"{ROOT}/{session_id}/{name}").sha256
        except SourceNotFound:
            return None

    def view(self, session_id: str, file_id: str, original_name: str) -> str:
        """The upload as a source whose name reads like the one its user gave; any host can open it.

        Raises:
            StorageError: it cannot be made.
        """
        name = f"{_VIEWS}/{session_id}/{file_id}/{readable_name(original_name)}"
        return self._files.address(f"{ROOT}/{session_id}/{upload_path(file_id)}", name)


def readable_name(original_name: str) -> str:
    """A CSV file's name in letters, digits, ``_`` and ``-`` that keeps what can be read of the given one."""
    stem = re.split(r"[/\\]", original_name)[-1].rpartition(".")[0]
    ascii_only = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return (re.sub(r"[^A-Za-z0-9_-]+", "_", ascii_only).strip("_-")[:_MAX_STEM].rstrip("_-") or "data") + ".csv"
