"""The archive: bytes under their SHA-256, deflated, checked whenever they are read, and never changed.

Both the raw bytes of a source and its snapshot (the normalised text that spans count in) lie here. A snapshot that does
not hash to its own name any more is named as such and not quoted from.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, select

from averment.errors import SourceNotFound, VerificationFailed
from averment.store.db.database import Database
from averment.store.schema.research_tables import CORPUS_ARCHIVE

_LEVEL = 1


class CorpusArchive:
    """Archived bytes, found by digest."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, sha256: str) -> bytes:
        """The bytes of that digest.

        Raises:
            SourceNotFound: nothing is archived under it.
            VerificationFailed: what is archived is no longer what was put there.
        """
        with self._database.read() as connection:
            query = select(CORPUS_ARCHIVE.c.size, CORPUS_ARCHIVE.c.body).where(CORPUS_ARCHIVE.c.sha256 == sha256)
            row = connection.execute(query).first()
        if row is None:
            raise SourceNotFound(f"Nothing is archived under {sha256[:64]!a}.", hint="See `averment corpus list`.")
        body = _inflated(bytes(row.body), row.size)
        if body is None or hashlib.sha256(body).hexdigest() != sha256:
            raise VerificationFailed(
                f"The archived source {sha256} differs from its recorded content.",
                hint="Restore the database from a backup; reports that quote this source cannot be verified.",
                details={"sha256": sha256},
            )
        return body

    def holds(self, sha256: str) -> bool:
        """Whether something is archived under that digest."""
        with self._database.read() as connection:
            query = select(CORPUS_ARCHIVE.c.sha256).where(CORPUS_ARCHIVE.c.sha256 == sha256)
            return connection.execute(query).first() is not None


def keep(connection: Connection, insert: Callable[..., Any], contents: Sequence[bytes]) -> None:
    """Archive contents inside a transaction; what is there already is left as it is."""
    rows = {
        digest: {"sha256": digest, "size": len(content), "body": zlib.compress(content, _LEVEL)}
        for digest, content in ((hashlib.sha256(content).hexdigest(), content) for content in contents)
    }
    if rows:
        connection.execute(insert(CORPUS_ARCHIVE).on_conflict_do_nothing(), list(rows.values()))


def _inflated(body: bytes, size: int) -> bytes | None:
    """The bytes, or None for a damaged stream; never more than one byte over the size that was noted."""
    try:
        return zlib.decompressobj().decompress(body, size + 1)
    except zlib.error:
        return None
