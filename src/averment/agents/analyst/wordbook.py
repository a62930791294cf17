"""The wordbook: what a person told about their words is kept, and used whenever a word is said again.

A meaning holds for the schema it was told over. Over a schema that changed a little since, it is carried over where the
column is still there or has plainly only changed its name; the reading says so, and says it too where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.agents.analyst.corrections import Heard, Named, Statement, apply, listen, refusal
from averment.agents.analyst.drift import Drift, SchemaColumns, columns_of, compare
from averment.records.base import Record
from averment.store.corrections import Correction

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.store.corrections import CorrectionStore
    from averment.tables.profile import TableProfile

MOST_MEANINGS = 1_000
"""Meanings that are looked through; the latest told come first."""


class Meant(Record):
    """A question as it is meant: its words replaced by what was told about them, and what is to be said of it."""

    text: str
    asks: bool = True
    told: tuple[Statement, ...] = ()
    notes: tuple[str, ...] = ()
    refused: str | None = None


class Meaning(Record):
    """A word with the column it stands for today; no column when the one that was told is gone."""

    word: str
    column: str | None
    note: str


class Wordbook:
    """The meanings of one home, as the analyst uses them."""

    def __init__(self, store: CorrectionStore) -> None:
        self._store = store

    def read(self, work: Work, profiles: Sequence[TableProfile]) -> Meant:
        """The request's question as it is meant, over the permitted columns."""
        columns = permitted_columns(work, profiles)
        heard = listen(work.request.intent, columns)
        unknown = next((each for each in heard.told if each.column is None), None)
        if unknown is not None:
            return Meant(text=heard.rest, told=heard.told, refused=refusal(unknown, columns))
        meanings = self._meanings(work, heard, columns)
        text = heard.rest
        notes: list[str] = []
        names = [named.column for named in columns]
        for meaning in meanings:
            changed, used = apply(text, [(meaning.word, meaning.column or "")], names)
            if used and meaning.column is None:
                # Another column that sounds alike would be a guess against what was told.
                return Meant(text=text, told=heard.told, refused=_which(meaning, names))
            if used:
                notes.append(meaning.note)
                text = changed
        return Meant(text=text, asks=heard.asks, told=heard.told, notes=tuple(notes))

    def keep(self, work: Work, meant: Meant) -> None:
        """Keep what was told, and write it down; telling the same again changes nothing."""
        for statement in meant.told:
            if statement.column is None:
                continue
            table, column = statement.column.table, statement.column.column
            self._store.save(
                Correction(
                    schema_fingerprint=work.catalog.fingerprint,
                    word=statement.word,
                    table=table,
                    column=column,
                    schema_columns=columns_of(work.catalog),
                )
            )
            work.journal.decide(
                f"correction/{statement.word}",
                decision="kept",
                rule="CORRECTION",
                reason=f"{statement.word} means {table}.{column} over this schema",
            )

    def _meanings(self, work: Work, heard: Heard, columns: Sequence[Named]) -> list[Meaning]:
        """Every known word: those told in this very question, then those of this schema, then those of its kin."""
        found: dict[str, Meaning] = {}
        for statement in heard.told:
            if statement.column is not None:
                found[statement.word] = _told(statement.word, statement.column.column)
        permitted = {named.column for named in columns}
        kept = self._store.list(limit=MOST_MEANINGS)
        now = columns_of(work.catalog)
        same = [each for each in kept if each.schema_fingerprint == work.catalog.fingerprint]
        for each in (*same, *(other for other in kept if other not in same)):
            if each.word in found:
                continue
            meaning = _told(each.word, each.column) if each in same else _carried(each, now)
            if meaning is not None and meaning.column is not None and meaning.column not in permitted:
                # The name of a column that the policy hides is not said.
                meaning = Meaning(
                    word=each.word, column=None, note=f"what you told about {each.word} cannot be used here"
                )
            if meaning is not None:
                found[each.word] = meaning
        # The longest first: "net revenue" is another word than "revenue".
        return sorted(found.values(), key=lambda meaning: (-len(meaning.word.split()), meaning.word))


def _which(meaning: Meaning, names: Sequence[str]) -> str:
    said = meaning.note[:1].upper() + meaning.note[1:]
    return f"{said}. Which column is {meaning.word} now? There are: {', '.join(dict.fromkeys(names))}."


def permitted_columns(work: Work, profiles: Sequence[TableProfile]) -> list[Named]:
    """The columns a person may name: those the policy permits."""
    found: list[Named] = []
    for profile in profiles:
        originals = {column.name: column.original_name for column in work.catalog.table(profile.table).columns}
        found += [
            Named(table=profile.table, column=column.name, original=originals.get(column.name) or column.name)
            for column in profile.columns
        ]
    return found


def _told(word: str, column: str) -> Meaning:
    return Meaning(word=word, column=column, note=f"{word} = {column}, as you told")


def _carried(correction: Correction, now: SchemaColumns) -> Meaning | None:
    """What was told over another schema, as far as it holds here; None when the schemas are not of one kind."""
    drift = compare(correction.schema_columns, now)
    if drift is None:
        return None
    word, column = correction.word, drift.column(correction.column)
    if column is None:
        return Meaning(word=word, column=None, note=_lost(correction, drift))
    if not drift.in_words():
        return _told(word, column)
    note = f"{word} = {column}, as you told before the columns changed ({drift.in_words()})"
    return Meaning(word=word, column=column, note=note)


def _lost(correction: Correction, drift: Drift) -> str:
    return (
        f"you told that {correction.word} = {correction.column}, which does not hold any more: "
        f"the columns changed ({drift.in_words()})"
    )
