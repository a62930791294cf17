"""Which documents belong to which corpus; a document is archived once and may belong to several, or to none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, func, select

from averment.store.db.database import Database
from averment.store.schema.research_tables import CORPUS_MEMBERS

MANY = 500


class CorpusMembers:
    """The corpora of one home by their names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, name: str, document_ids: Iterable[str]) -> None:
        """Let documents belong to a corpus; those that do already stay."""
        with self._database.write() as connection:
            keep_members(connection, self._database, [(name, one) for one in dict.fromkeys(document_ids)])

    def names(self) -> list[tuple[str, int]]:
        """The corpora by name, with how many documents each has."""
        query = select(CORPUS_MEMBERS.c.corpus, func.count()).group_by(CORPUS_MEMBERS.c.corpus)
        return sorted((str(name), int(count)) for name, count in self._database.tuples(query))

    def of(self, names: Sequence[str]) -> frozenset[str]:
        """The ids of the documents of some corpora."""
        query = select(CORPUS_MEMBERS.c.document_id).where(CORPUS_MEMBERS.c.corpus.in_(list(names)))
        return frozenset(self._database.scalars(query))

    def corpora_of(self, document_id: str) -> list[str]:
        """The names of the corpora that a document belongs to."""
        query = select(CORPUS_MEMBERS.c.corpus).where(CORPUS_MEMBERS.c.document_id == document_id)
        return sorted(self._database.scalars(query))

    def forget(self, name: str) -> list[str]:
        """Give up a corpus; the ids of its documents that belong to no other one now."""
        members = self.of([name])
        with self._database.write() as connection:
            connection.execute(CORPUS_MEMBERS.delete().where(CORPUS_MEMBERS.c.corpus == name))
            others = set(connection.execute(select(CORPUS_MEMBERS.c.document_id)).scalars())
        return sorted(members - others)


def keep_members(connection: Connection, database: Database, pairs: Sequence[tuple[str, str]]) -> None:
    """Keep which documents belong to which corpus, inside a transaction that is open."""
    for first in range(0, len(pairs), MANY):
        rows = [{"corpus": name, "document_id": one} for name, one in pairs[first : first + MANY]]
        connection.execute(database.insert(CORPUS_MEMBERS).values(rows).on_conflict_do_nothing())
