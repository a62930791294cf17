"""What the user says of columns and relations against what was read: names settled, types checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from averment.errors import InvalidRequest, MissingColumn, TypeMismatch
from averment.tables.profile.relationships import TableRelation

if TYPE_CHECKING:
    from averment.records.drilldown.files import ColumnRole
    from averment.tables.profile.profiler import TableProfile


Place = tuple[str, str]
"""A column by its table and its name."""

ASIDE = "it was set aside"
"""Why an ignored column is no dimension."""

NAMED = 30
"""Columns that an error names at most."""

_FITTING = {
    "measure": (frozenset({"integer", "float"}), "numbers"),
    "timestamp": (frozenset({"date", "datetime"}), "dates"),
}


class Roles(NamedTuple):
    """The roles as they hold: which columns are searched in any case, never, and which one was called the day."""

    dimensions: frozenset[Place] = frozenset()
    ignored: frozenset[Place] = frozenset()
    days: tuple[Place, ...] = ()

    @property
    def day(self) -> Place | None:
        """The column that dates the rows, where the user named one."""
        return self.days[0] if len(self.days) == 1 else None


def resolve_roles(given: Mapping[str, ColumnRole], columns: Mapping[str, Sequence[str]]) -> dict[Place, ColumnRole]:
    """The roles by table and column; ``columns`` are the names of the columns that each table has.

    Raises:
        MissingColumn: no table has a column of that name.
        InvalidRequest: several tables have it, or a column is given two roles.
    """
    resolved: dict[Place, ColumnRole] = {}
    for name, role in given.items():
        places = _places(name, columns)
        if not places:
            raise MissingColumn(
                f"A role names {name}, but no table has that column.",
                hint=f"The columns are {_listed(columns)}.",
                details={"column": name},
            )
        if len(places) > 1:
            raise InvalidRequest(
                f"A role names {name}, but several tables have that column.",
                hint=f"Say which: {', '.join('.'.join(place) for place in places)}.",
                details={"column": name},
            )
        if resolved.setdefault(places[0], role) != role:
            raise InvalidRequest(f"{'.'.join(places[0])} was given two roles.", details={"column": name})
    return resolved


def check_role(place: Place, role: ColumnRole, data_type: str) -> None:
    """Nothing, if a column of that type can have the role: what is added up is a number, what dates rows is a date.

    Raises:
        TypeMismatch: it cannot.
    """
    types, words = _FITTING.get(role, (None, ""))
    if types is not None and data_type not in types:
        kind = {"string": "text", "integer": "whole numbers", "float": "decimals"}.get(data_type, "dates")
        raise TypeMismatch(
            f"{'.'.join(place)} cannot be a {role}: it contains {kind}, not {words}.",
            hint="Keep the detected role, or exclude the column.",
            details={"column": ".".join(place), "role": role},
        )


def take_roles(
    profiles: Sequence[TableProfile], given: Mapping[str, ColumnRole]
) -> tuple[list[TableProfile], list[TableProfile], Roles]:
    """The profiles with the roles as they were given, the same without what is ignored, and the roles.

    Raises:
        MissingColumn, InvalidRequest, TypeMismatch: as ``resolve_roles`` and ``check_role``.
    """
    resolved = resolve_roles(
        given, {profile.table: [column.name for column in profile.columns] for profile in profiles}
    )
    roled: list[TableProfile] = []
    searched: list[TableProfile] = []
    for profile in profiles:
        columns = list(profile.columns)
        for number, column in enumerate(columns):
            place = (profile.table, column.name)
            role = resolved.get(place)
            if role is None or role == "ignore":
                continue
            if role == "timestamp" and may_date(column.data_type, column.sample_values):
                continue  # its text or number is read as a day, in whichever form it is written
            check_role(place, role, column.data_type)
            columns[number] = column.changed(inferred_type=role)
        roled.append(profile.changed(columns=tuple(columns)))
        kept = (column for column in columns if resolved.get((profile.table, column.name)) != "ignore")
        searched.append(profile.changed(columns=tuple(kept)))
    chosen = {
        wanted: tuple(place for place, role in resolved.items() if role == wanted)
        for wanted in ("dimension", "ignore", "timestamp")
    }
    roles = Roles(frozenset(chosen["dimension"]), frozenset(chosen["ignore"]), chosen["timestamp"])
    return roled, searched, roles


def may_date(data_type: str, samples: Sequence[str]) -> bool:
    """Whether a text or number may be a written day: every sample has a digit, as every day has in whichever form."""
    written = data_type in {"string", "integer"}
    return written and bool(samples) and all(any(sign.isdigit() for sign in text) for text in samples)


def _listed(columns: Mapping[str, Sequence[str]]) -> str:
    names = [f"{table}.{column}" for table, of_table in columns.items() for column in of_table]
    return ", ".join(names[:NAMED]) + (" and more" if len(names) > NAMED else "")


def _places(name: str, columns: Mapping[str, Sequence[str]]) -> list[Place]:
    """The columns of that name, with its table or without; letter case decides only between several."""
    every = [(table, column) for table, names in columns.items() for column in names]
    for fold in (str, str.casefold):
        full = [place for place in every if fold(".".join(place)) == fold(name)]
        if found := full or [place for place in every if fold(place[1]) == fold(name)]:
            return found
    return []


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
