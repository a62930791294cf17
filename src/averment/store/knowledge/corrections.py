"""Corrections: what a person said a word means, kept by the schema it was said over.

One word has one meaning for a schema; saying it again replaces what was said before. The columns of the schema are
kept beside it, so that a schema which has changed a little since can be told from another one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field
from sqlalchemy import RowMapping, select

from averment.records.base import Record, UtcDatetime, UuidText, iso_z, new_id, utc_now
from averment.store.db.database import Database
from averment.store.db.keyed import KeyedStore
from averment.store.db.text import from_json, plain, to_json
from averment.store.schema.knowledge_tables import CORRECTIONS

SchemaColumns: TypeAlias = tuple[tuple[str, str, str], ...]
"""Table, column and type of every column of a schema."""


class Correction(Record):
    """A word and what it means, over one schema.

    ``meaning`` are the parts of a plan that the word stands for, ``in_words`` says them; ``table`` is the table they
    are about, ``column`` the column where a column alone is meant.
    """

    correction_id: UuidText = Field(default_factory=new_id)
    schema_fingerprint: str
    word: str = Field(min_length=1, max_length=100)
    kind: Literal["column", "formula", "condition", "list"] = "column"
    table: str
    column: str = ""
    meaning: dict[str, Any] = Field(default_factory=dict)
    in_words: str = ""
    schema_columns: SchemaColumns
    created_at: UtcDatetime = Field(default_factory=utc_now)


Corrections: TypeAlias = list[Correction]


class CorrectionStore(KeyedStore[Correction]):
    """What people told about their words, the latest told first."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.link, CORRECTIONS, key=CORRECTIONS.c.correction_id, newest=CORRECTIONS.c.created_at)

    def _kept(self, row: RowMapping) -> Correction:
        return _correction(row)

    def save(self, correction: Correction) -> Correction:
        """Keep a correction; one for the same word and schema is replaced and keeps its id. The kept one."""
        with self._link.write() as connection:
            self._link.lock(connection, f"averment.correction.{correction.schema_fingerprint}")
            same = (CORRECTIONS.c.schema_fingerprint == correction.schema_fingerprint) & (
                CORRECTIONS.c.word == plain(correction.word, "word")
            )
            there = connection.execute(select(CORRECTIONS).where(same)).mappings().first()
            if there is not None:
                known = _correction(there)
                if (known.table, known.column, known.meaning) == (
                    correction.table,
                    correction.column,
                    correction.meaning,
                ):
                    return known
                correction = correction.changed(correction_id=known.correction_id)
                connection.execute(CORRECTIONS.delete().where(same))
            connection.execute(
                CORRECTIONS.insert().values(
                    correction_id=correction.correction_id,
                    schema_fingerprint=correction.schema_fingerprint,
                    word=correction.word,
                    table_name=correction.table,
                    column_name=correction.column,
                    meaning=to_json(
                        {"kind": correction.kind, "parts": correction.meaning, "said": correction.in_words}
                    ),
                    schema_columns=to_json(correction.schema_columns),
                    created_at=iso_z(correction.created_at),
                )
            )
        return correction


def _correction(row: RowMapping) -> Correction:
    kept: dict[str, Any] = from_json(row["meaning"]) if row["meaning"] else {}
    return Correction(
        correction_id=row["correction_id"],
        schema_fingerprint=row["schema_fingerprint"],
        word=row["word"],
        table=row["table_name"],
        column=row["column_name"],
        kind=kept.get("kind", "column"),
        meaning=kept.get("parts", {}),
        in_words=kept.get("said", row["column_name"]),
        schema_columns=from_json(row["schema_columns"]),
        created_at=datetime.fromisoformat(row["created_at"]),
    )
