"""What words were taught to mean, over the tables of today.

A meaning holds for the schema it was taught over. Over a schema that changed a little since, it is carried over where
its columns are still there or have plainly only changed their names; its note says so, and says it too where not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Value
from averment.reading.schema.drift import Drift, SchemaColumns, columns_of, compare
from averment.records.base import Record

if TYPE_CHECKING:
    from averment.store.knowledge.corrections import Correction
    from averment.tables.catalog import Catalog

MOST_MEANINGS = 1_000
"""Meanings that are looked through; the latest taught come first."""


class KnownWord(Record):
    """A taught word with what it means today; no meaning when what was taught is gone, and what is to be said of it."""

    word: str
    meaning: Meaning | None
    note: str


def known(meaning: Meaning) -> KnownWord:
    """A word whose meaning holds."""
    return KnownWord(word=meaning.word, meaning=meaning, note=meaning.note())


def known_words(
    kept: Sequence[Correction], catalog: Catalog, permitted: Collection[tuple[str, str]]
) -> list[KnownWord]:
    """Every word that was taught before, the longest first: those of this schema, then those of its kin.

    ``permitted`` are the tables and columns that may be spoken of; a meaning of others is known and cannot be used.
    """
    found: dict[str, KnownWord] = {}
    now = columns_of(catalog)
    same = [each for each in kept if each.schema_fingerprint == catalog.fingerprint]
    for each in (*same, *(other for other in kept if other not in same)):
        if each.word in found:
            continue
        one = known(_meaning_of(each)) if each in same else _carried(each, now)
        if one is not None and one.meaning is not None and not set(one.meaning.columns()) <= set(permitted):
            # The name of a column that the policy hides is not said.
            one = KnownWord(word=each.word, meaning=None, note=f"what you taught about {each.word} cannot be used here")
        if one is not None:
            found[each.word] = one
    return longest_first(found.values())


def longest_first(words: Iterable[KnownWord]) -> list[KnownWord]:
    """The longest first: "net revenue" is another word than "revenue"."""
    return sorted(words, key=lambda each: (-len(each.word.split()), each.word))


def _meaning_of(correction: Correction) -> Meaning:
    """What is kept; what was kept before there were other kinds means its column."""
    if correction.meaning:
        return Meaning.model_validate(correction.meaning)
    value = Value(table=correction.table, column=correction.column)
    return Meaning(word=correction.word, kind="column", value=value)


def _carried(correction: Correction, now: SchemaColumns) -> KnownWord | None:
    """What was taught over another schema, as far as it holds here; None when the schemas are not of one kind."""
    drift = compare(correction.schema_columns, now)
    if drift is None:
        return None
    before = _meaning_of(correction)
    if any(drift.column(name) is None for _, name in before.columns()):
        return KnownWord(word=correction.word, meaning=None, note=_lost(before, drift))
    meaning = Meaning.model_validate(drift.rebind(before.to_json()))
    meaning = meaning.changed(word=correction.word)
    changed = f" before the columns changed ({drift.in_words()})" if drift.in_words() else ""
    return KnownWord(word=correction.word, meaning=meaning, note=f"{meaning.note()}{changed}")


def _lost(meaning: Meaning, drift: Drift) -> str:
    return (
        f"you taught that {meaning.word} means {meaning.in_words()}, which is no longer true: "
        f"the columns changed ({drift.in_words()})"
    )
