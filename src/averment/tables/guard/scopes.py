"""What a name can mean at one place of a query: the relations in FROM, their columns, and the scopes around.

Each column carries the source columns it reads. A relation whose columns cannot all be known is ``open``: a name that
is found nowhere else is taken to be one of its columns, and everything that relation reads is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Read = tuple[str, str]
"""A source column: (table, column) as the catalog spells them."""

Reads = frozenset[Read]

NOTHING: Reads = frozenset()


@dataclass(frozen=True)
class OutputColumn:
    """One column of a relation or result; ``name`` is as written, ``key`` as the engine compares it."""

    name: str
    key: str
    reads: Reads


@dataclass(frozen=True)
class ScopeRelation:
    """Something with columns that stands in FROM, under the key its alias has."""

    key: str
    columns: tuple[OutputColumn, ...]
    open: bool = False
    hidden: Reads = NOTHING
    """What reading this relation at large reads beyond its known columns."""
    in_star: bool = True

    @property
    def every(self) -> Reads:
        """All source columns that any of its columns reads."""
        return self.hidden.union(*(column.reads for column in self.columns))

    def find(self, key: str) -> Reads | None:
        """What the column of that key reads, or None when it has no such column."""
        found = [column.reads for column in self.columns if column.key == key]
        return NOTHING.union(*found) if found else None


@dataclass(frozen=True)
class Result:
    """What a query gives: its columns, and what it reads whichever of them are used (filters, joins, groups …)."""

    columns: tuple[OutputColumn, ...]
    base: Reads
    open: bool = False

    @property
    def every(self) -> Reads:
        """All source columns the query reads when all its columns are used."""
        return self.base.union(*(column.reads for column in self.columns))

    def all_used(self) -> Result:
        """The same result with all its columns counted as used."""
        every = self.every
        return Result(tuple(OutputColumn(c.name, c.key, every) for c in self.columns), every, self.open)


@dataclass
class Scope:
    """The names one SELECT can use, and the scope around it."""

    parent: Scope | None = None
    relations: list[ScopeRelation] = field(default_factory=list[ScopeRelation])
    aliases: dict[str, Reads] = field(default_factory=dict[str, Reads])
    locals: frozenset[str] = frozenset()

    def chain(self) -> Iterator[Scope]:
        """This scope and the ones around it, from the inside out."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def with_locals(self, names: Iterable[str]) -> Scope:
        """A scope inside this one where the given names are parameters of a lambda."""
        return Scope(parent=self, locals=frozenset(names))

    def relation(self, key: str) -> ScopeRelation | None:
        """The nearest relation of that key."""
        for scope in self.chain():
            for relation in scope.relations:
                if relation.key == key:
                    return relation
        return None

    def column(self, key: str, *, alias_first: bool = False) -> Reads | None:
        """What an unqualified name reads, or None when no scope knows it."""
        through_open: Reads | None = None
        for depth, scope in enumerate(self.chain()):
            if key in scope.locals:
                return NOTHING
            if alias_first and depth == 0 and key in scope.aliases:
                return scope.aliases[key]
            found = [reads for relation in scope.relations if (reads := relation.find(key)) is not None]
            if found:
                return NOTHING.union(*found, through_open or NOTHING)
            if key in scope.aliases:
                return scope.aliases[key] | (through_open or NOTHING)
            whole = [relation.every for relation in scope.relations if relation.key == key]
            if whole:
                return NOTHING.union(*whole, through_open or NOTHING)
            unknown = [relation.every for relation in scope.relations if relation.open]
            if unknown:
                through_open = NOTHING.union(*unknown, through_open or NOTHING)
        return through_open

    def nearest(self) -> Scope:
        """The innermost scope that has a FROM, or this one."""
        return next((scope for scope in self.chain() if scope.relations), self)

    def at_large(self) -> Reads:
        """Everything the relations of this scope read: the answer when a part cannot be resolved."""
        return NOTHING.union(*(relation.every for relation in self.relations))

    def known_columns(self) -> list[str]:
        """Every column name visible from here, for suggestions."""
        return [column.name for scope in self.chain() for relation in scope.relations for column in relation.columns]
