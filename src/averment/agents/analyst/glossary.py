"""The glossary: what a person taught about their words is kept, and used whenever a word is said again.

A meaning holds for the schema it was taught over. Over a schema that changed a little since, it is carried over where
its columns are still there or have plainly only changed their names; the reading says so, and says it too where not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from averment.agents.analyst.corrections import NamedColumn, ParsedStatement, TaughtStatement, listen, plain, refusal
from averment.plans.meaning import Meaning
from averment.plans.plan import Measure, Plan
from averment.reading.lattice.taught_spans import said_in
from averment.reading.schema.drift import columns_of
from averment.reading.schema.known_words import MOST_MEANINGS, KnownWord, known, known_words, longest_first
from averment.reading.understand import understand
from averment.records.base import Record
from averment.store.knowledge.corrections import Correction, CorrectionStore

if TYPE_CHECKING:
    from averment.reading.schema.schema_view import Schema
    from averment.runtime.run_context import RunContext
    from averment.tables.profile.profiler import TableProfile


class GlossaryReading(Record):
    """A question without what was taught in it, and the taught words that it says."""

    text: str
    asks: bool = True
    told: tuple[TaughtStatement, ...] = ()
    said: tuple[KnownWord, ...] = ()
    refused: str | None = None

    @property
    def meanings(self) -> tuple[Meaning, ...]:
        """What the words of the question were taught to mean, the longest first."""
        return tuple(known.meaning for known in self.said if known.meaning is not None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of every taught word of the question."""
        return tuple(known.note for known in self.said)

    def used_in(self, plan: Plan) -> tuple[KnownWord, ...]:
        """The taught words that a plan speaks of."""
        return tuple(known for known in self.said if known.meaning is not None and known.meaning.stands_in(plan))


class Glossary:
    """The meanings of one home, as the analyst uses them."""

    def __init__(self, store: CorrectionStore) -> None:
        self._store = store

    def read(self, work: RunContext, profiles: Sequence[TableProfile], schema: Callable[[], Schema]) -> GlossaryReading:
        """The request's question as it is meant, over the permitted columns; ``schema`` is asked for when needed."""
        columns = permitted_columns(work, profiles)
        before = self._known(work, columns)

        def read(word: str, said: str) -> Meaning | None:
            tables = schema()
            # What a word means may lean on words taught before, but not on itself.
            tables.taught = tuple(each.meaning for each in before if each.meaning is not None and each.word != word)
            return understand(word, said, tables)

        heard = self._heard(work, columns, read)
        unknown = next((each for each in heard.told if each.meaning is None), None)
        if unknown is not None:
            return GlossaryReading(text=heard.rest, told=heard.told, refused=refusal(unknown, columns))
        now = [known(each.meaning) for each in heard.told if each.meaning is not None]
        words = {each.word for each in now}
        said = [
            each for each in longest_first([*now, *(k for k in before if k.word not in words)]) if _is_said(each, heard)
        ]
        lost = next((each for each in said if each.meaning is None), None)
        if lost is not None:
            # Another column that sounds alike would be a guess against what was taught.
            return GlossaryReading(
                text=heard.rest, told=heard.told, refused=_which(lost, [named.column for named in columns])
            )
        return GlossaryReading(text=heard.rest, asks=heard.asks, told=heard.told, said=tuple(said))

    def tables(self) -> set[str]:
        """The tables of which words were taught in this home."""
        return {each.table for each in self._store.list(limit=MOST_MEANINGS)}

    def keep(self, work: RunContext, meant: GlossaryReading) -> None:
        """Keep what was taught, and write it down; teaching the same again changes nothing."""
        for statement in meant.told:
            meaning = statement.meaning
            if meaning is None:
                continue
            self._store.save(
                Correction(
                    schema_fingerprint=work.catalog.fingerprint,
                    word=statement.word,
                    kind=meaning.kind,
                    table=meaning.table,
                    column=(meaning.value.column or "") if meaning.kind == "column" and meaning.value else "",
                    meaning=meaning.to_json(),
                    in_words=meaning.in_words(),
                    schema_columns=columns_of(work.catalog),
                )
            )
            work.journal.decide(
                f"correction/{statement.word}",
                decision="kept",
                rule="CORRECTION",
                reason=f"{statement.word} means {meaning.in_words()} over this schema",
            )

    def _heard(
        self, work: RunContext, columns: Sequence[NamedColumn], read: Callable[[str, str], Meaning | None]
    ) -> ParsedStatement:
        """What the request teaches: outright, or in the words of its question."""
        taught = work.state.meaning.get("teach")
        if taught is None:
            return listen(work.request.intent, columns, read)
        word, said = plain(str(taught["word"])), str(taught["means"]).strip()
        named = listen(f"by {word} I mean {said}", columns, read).told if len(word.split()) <= 4 else ()
        exact = next((each.meaning for each in named if each.word == word and each.said == said), None)
        statement = TaughtStatement(word=word, said=said, meaning=exact or read(word, said), span=(0, 0))
        return ParsedStatement(rest="", told=(statement,))

    def _known(self, work: RunContext, columns: Sequence[NamedColumn]) -> list[KnownWord]:
        """Every word that was taught before: those of this schema, then those of its kin."""
        permitted = {(named.table, named.column) for named in columns}
        # What was taught with the dataset stands before what was taught over any table like it.
        taught = (work.state.meaning.get("dataset") or {}).get("meanings") or ()
        meant = [Meaning.model_validate(each) for each in taught]
        own = {each.word: known(each) for each in meant if set(each.columns()) <= permitted}
        others = known_words(self._store.list(limit=MOST_MEANINGS), work.catalog, permitted)
        return longest_first({**{each.word: each for each in others}, **own}.values())


def _is_said(known: KnownWord, heard: ParsedStatement) -> bool:
    return said_in(known.word, heard.rest)


def _which(known: KnownWord, names: Sequence[str]) -> str:
    said = known.note[:1].upper() + known.note[1:]
    return f"{said}. What is {known.word} now? There are: {', '.join(dict.fromkeys(names))}."


def permitted_columns(work: RunContext, profiles: Sequence[TableProfile]) -> list[NamedColumn]:
    """The columns a person may name: those the policy permits."""
    found: list[NamedColumn] = []
    for profile in profiles:
        originals = {column.name: column.original_name for column in work.catalog.table(profile.table).columns}
        found += [
            NamedColumn(table=profile.table, column=column.name, original=originals.get(column.name) or column.name)
            for column in profile.columns
        ]
    return found


def shown_by(meaning: Meaning, schema: Schema) -> Plan:
    """What shows a person what they taught: the figure, how many rows meet it, or how far the values reach."""
    table = meaning.table
    if meaning.where:
        return Plan(table=table, where=meaning.where, measures=(Measure(function="rows"),), expects="figure")
    if meaning.measure is not None:
        return Plan(table=table, measures=(meaning.measure,), expects="figure")
    column = schema.column(table, meaning.value.column or "") if meaning.value is not None else None
    several = ("count", "distinct") if column is not None and column.kind == "text" else ("min", "max")
    return Plan(table=table, measures=tuple(Measure(function=each, of=meaning.value) for each in several))
