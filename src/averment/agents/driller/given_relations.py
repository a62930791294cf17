"""How tables belong together where somebody has said so; what is said comes before what is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from averment.errors import InvalidRequest, MissingColumn
from averment.tables.profile.relationships import TableRelation


def resolve_relations(given: Sequence[str], columns: Mapping[str, Sequence[str]]) -> tuple[TableRelation, ...]:
    """The relations that texts such as ``orders.customer=customers.id`` mean; ``columns`` are those of each table.

    Raises:
        InvalidRequest: a text is no relation between two tables.
        MissingColumn: it names a column that is not there.
    """
    found: list[TableRelation] = []
    for text in given:
        sides = text.split("=")
        if len(sides) != 2:
            raise InvalidRequest(f"{text!r} is not a relation.", hint="Write it as orders.customer=customers.id.")
        (left, left_column), (right, right_column) = (_place(side.strip(), columns) for side in sides)
        if left == right:
            raise InvalidRequest(f"{text!r} relates a table to itself.", hint="Name a key of another table.")
        found.append(
            TableRelation(left=left, left_column=left_column, right=right, right_column=right_column, declared=True)
        )
    return tuple(found)


def with_given(given: Sequence[TableRelation], found: Sequence[TableRelation]) -> list[TableRelation]:
    """The relations that hold: the given ones, and of those found the ones between other tables."""
    resolved = {frozenset((one.left, one.right)) for one in given}
    return [*given, *(one for one in found if frozenset((one.left, one.right)) not in resolved)]


def _place(side: str, columns: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    for table, names in columns.items():
        if side.casefold().startswith(f"{table.casefold()}."):
            wanted = side[len(table) + 1 :].casefold()
            match = next((name for name in names if name.casefold() == wanted), None)
            if match is not None:
                return table, match
    raise MissingColumn(
        f"A relation names {side}, but no table has that column.",
        hint="Write table.column; the tables are " + ", ".join(sorted(columns)) + ".",
        details={"column": side},
    )
