"""How tables hang together where no foreign key says so: ``aid``, ``paperid``, ``from_airport``.

The tables' own relations come first. A column is added as a reference when another table has a column of that name with
no value twice, or when its name ends in another table's name, and the data bear it out. Of several tables that could
own a key the one named like it does, so that paths do not run through bystanders.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.language.tokens import split_identifier
from averment.reading.words import singular, word_list
from averment.tables.profile.relationships import TableRelation, ValueSets, join_path, relate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

_INCLUDED = 0.9
_OVERLAP = 0.4
_TRIAL_SECONDS = 10.0
_COMMON = frozenset(
    """
    id name title year month day date time status type description text note notes homepage email phone url state_id
    count total amount price cost rating score first_name last_name firstname lastname created_at updated_at category
    population area length rank number age gender sex
    """.split()
)
"""Names that many tables use for things of their own."""


def hang_together(engine: Engine, profiles: Sequence[TableProfile]) -> tuple[TableRelation, ...]:
    """The relations between some tables, the surest first."""
    if len(profiles) < 2:
        return ()
    unique = {(p.table, c.name) for p in profiles for c in p.columns if _is_unique(c, p)}
    values = ValueSets(engine, profiles)
    found = [
        one
        for one in relate(engine, profiles, values=values)
        if one.declared or not (_is_coincidence(one) or _is_own(one, unique))
    ]
    known = {(one.left, one.left_column, one.right) for one in found}
    for guess in (*_namesakes(profiles), *_named_after(profiles)):
        if _is_own(guess, unique) or (guess.left, guess.left_column, guess.right) in known:
            continue
        if _holds(values, guess):
            known.add((guess.left, guess.left_column, guess.right))
            found.append(guess)
    found = _owned(found, profiles)
    linked = {(one.left, one.left_column) for one in found}
    found += [guess for guess in _acting(profiles, linked) if _holds(values, guess)]
    found += _coded(values, profiles, found)
    found += [one for one in _borne_out(values, profiles, found) if one.left != one.right]
    joined = {name for one in found for name in (one.left, one.right)}
    for guess in _shared(profiles):
        if {guess.left, guess.right} <= joined:
            continue
        # Two lists that only share a word for something are joined when nothing else joins them.
        if join_path(found, [guess.left, guess.right]) is None and _holds(values, guess, _OVERLAP):
            found.append(guess)
    return tuple(found)


def _is_coincidence(one: TableRelation) -> bool:
    """Whether only everyday names join two tables: the last names of patients and doctors."""
    return one.left_column.casefold() == one.right_column.casefold() and one.left_column.casefold() in _COMMON


def _is_own(one: TableRelation, unique: set[tuple[str, str]]) -> bool:
    """Whether a column is its own table's key under another name than the one it would refer to."""
    if (one.left, one.left_column) not in unique or one.left_column.casefold() == one.right_column.casefold():
        return False
    table = "".join(word.removesuffix("s") for word in split_identifier(one.left))
    return "".join(split_identifier(one.left_column)).startswith(table)


def _is_unique(column: ColumnProfile, table: TableProfile) -> bool:
    return table.row_count > 0 and column.nulls == 0 and column.cardinality == table.row_count


def _is_number(column: ColumnProfile) -> bool:
    return column.data_type in {"integer", "float"}


def _namesakes(profiles: Sequence[TableProfile]) -> Iterable[TableRelation]:
    """Columns of one name, or ending in it, where one side has no value twice and the name is that of a key."""
    for right in profiles:
        for key in right.columns:
            name = key.name.casefold()
            if name in _COMMON or not _is_unique(key, right) or not _is_key_name(name):
                continue
            for left in profiles:
                if left is right:
                    continue
                for column in left.columns:
                    own = column.name.casefold()
                    same = own == name or (len(name) >= 5 and own.endswith(name))
                    if same and _is_number(column) == _is_number(key):
                        yield TableRelation(left.table, column.name, right.table, key.name)


def _is_key_name(name: str) -> bool:
    return name.endswith(("id", "code", "key", "_no", " no", "number", "symbol"))


def _named_after(profiles: Sequence[TableProfile]) -> Iterable[TableRelation]:
    """``from_airport`` of flights holds codes of airports: its last word is the other table's name."""
    for right in profiles:
        table = [word.removesuffix("s") for word in split_identifier(right.table)]
        keys = [c for c in right.columns if _is_unique(c, right) and _is_key_name(c.name.casefold())][:2]
        for left in profiles:
            if left is right:
                continue
            for column in left.columns:
                words = [word.removesuffix("s") for word in split_identifier(column.name)]
                if words == table and column.data_type == "string":
                    # An employee's department, by the name that the departments list.
                    texts = [c for c in right.columns if _is_unique(c, right) and c.data_type == "string"]
                    yield from (TableRelation(left.table, column.name, right.table, key.name) for key in texts[:2])
                if len(words) > len(table) and words[-len(table) :] == table and column.inferred_type != "measure":
                    yield from (
                        TableRelation(left.table, column.name, right.table, key.name)
                        for key in keys
                        if _is_number(column) == _is_number(key)
                    )


_CODE = re.compile(r"(?=.*[A-Z])[A-Z0-9][A-Z0-9-]{1,9}")
_CODED = 0.95
_FEWEST_CODES = 3


def _coded(values: ValueSets, profiles: Sequence[TableProfile], found: Sequence[TableRelation]) -> list[TableRelation]:
    """Codes of another table under a name of their own: ``flights.origin`` holds what ``airports.iata`` lists.

    Only short codes in capitals tell enough by themselves; where they may stand for two tables, nothing is known.
    """
    related = {frozenset((one.left, one.right)) for one in found}
    linked = {(one.left, one.left_column) for one in found}
    guesses = [
        TableRelation(left.table, column.name, right.table, key.name, coded=True)
        for right in profiles
        for key in right.columns
        if _is_unique(key, right) and _holds_codes(key)
        for left in profiles
        if left is not right and frozenset((left.table, right.table)) not in related
        for column in left.columns
        if _holds_codes(column) and not _is_unique(column, left) and (left.table, column.name) not in linked
    ]
    held = [guess for guess in guesses if _holds(values, guess, _CODED)]
    owners: dict[tuple[str, str], set[str]] = {}
    for one in held:
        owners.setdefault((one.left, one.left_column), set()).add(one.right)
    kept: dict[tuple[str, str], TableRelation] = {}
    for one in held:
        if len(owners[one.left, one.left_column]) == 1:
            kept.setdefault((one.left, one.left_column), one)
    return list(kept.values())


def _holds_codes(column: ColumnProfile) -> bool:
    """Whether a column holds short codes in capitals, several of them."""
    shown = [str(value) for value, _ in column.values or () if value is not None] or list(column.sample_values)
    return (
        column.data_type == "string"
        and column.cardinality >= _FEWEST_CODES
        and bool(shown)
        and all(_CODE.fullmatch(value) for value in shown)
    )


_POINTING = frozenset("by to from who".split())
_FEWEST_NUMBERS = 4
_FEWEST_NAMES = 5


def _borne_out(
    values: ValueSets, profiles: Sequence[TableProfile], found: Sequence[TableRelation]
) -> Iterable[TableRelation]:
    """Keys under a name of their own between tables that nothing joins: ``raised_by`` holds numbers of employees.

    Numbers need a name that says who or what ("by", "to", a word for people); names of things speak for themselves.
    """
    related = {frozenset((one.left, one.right)) for one in found}
    linked = {(one.left, one.left_column) for one in found}
    people = frozenset(singular(word) for word in word_list("people")) | word_list("party")
    for left in profiles:
        for right in profiles:
            if left is right or frozenset((left.table, right.table)) in related:
                continue
            for column in left.columns:
                # A key of the users holds numbers that other tables have as well, and points at the users alone.
                if _is_unique(column, left) or (left.table, column.name) in linked:
                    continue
                guesses = (
                    TableRelation(left.table, column.name, right.table, key.name)
                    for key in right.columns
                    if _is_unique(key, right) and _may_point(column, key, people)
                )
                held = next((guess for guess in guesses if _holds(values, guess, _CODED)), None)
                if held is not None:
                    related.add(frozenset((left.table, right.table)))
                    yield held
                    break


def _may_point(column: ColumnProfile, key: ColumnProfile, people: frozenset[str]) -> bool:
    """Whether a column may hold the keys of another by its name and kind, if its values do."""
    words = split_identifier(column.name)
    if _is_number(column) or _is_number(key):
        told = bool(words) and (words[-1] in _POINTING or bool({singular(word) for word in words} & people))
        whole = column.data_type == key.data_type == "integer"
        return whole and told and column.cardinality >= _FEWEST_NUMBERS and _is_key_name(key.name.casefold())
    texts = column.data_type == key.data_type == "string"
    return texts and column.cardinality >= _FEWEST_NAMES and column.name.casefold() not in _COMMON


_ROLES = frozenset("sender receiver recipient payer payee buyer seller".split())
_ACTORS = frozenset("user customer merchant member client account person employee vendor supplier seller buyer".split())


def _acting(profiles: Sequence[TableProfile], linked: set[tuple[str, str]]) -> Iterable[TableRelation]:
    """``sender_id``: who acts is one of the people or firms; each role takes the table whose keys it fills best."""
    actors = [
        (profile, key)
        for profile in profiles
        if {word.removesuffix("s") for word in split_identifier(profile.table)} <= _ACTORS
        for key in profile.columns[:1]
        if _is_unique(key, profile)
    ]
    for left in profiles:
        roles = [
            column
            for column in left.columns
            if set(split_identifier(column.name)) & _ROLES
            and split_identifier(column.name)[-1] == "id"
            and (left.table, column.name) not in linked
        ]
        pairs = sorted(
            (
                (abs(key.cardinality - role.cardinality), at, role, right, key)
                for at, role in enumerate(roles)
                for right, key in actors
                if _is_number(role) == _is_number(key)
            ),
            key=lambda pair: (pair[0], pair[1], pair[3].table),
        )
        taken: set[str] = set()
        for _, _, role, right, key in pairs:
            if role.name in taken or right.table in taken:
                continue
            taken |= {role.name, right.table}
            yield TableRelation(left.table, role.name, right.table, key.name)


def _shared(profiles: Sequence[TableProfile]) -> Iterable[TableRelation]:
    """Columns of text with one telling name in two tables, the one with fewer values first."""
    for place, one in enumerate(profiles):
        for two in profiles[place + 1 :]:
            for column in one.columns:
                other = two.column(column.name)
                if (
                    other is None
                    or column.name.casefold() in _COMMON - {"state"}
                    or column.data_type != "string"
                    or other.data_type != "string"
                    or not column.cardinality
                    or not other.cardinality
                ):
                    continue
                left, right = (one, two) if column.cardinality <= other.cardinality else (two, one)
                yield TableRelation(left.table, column.name, right.table, column.name)


def _owned(found: list[TableRelation], profiles: Sequence[TableProfile]) -> list[TableRelation]:
    """Without references to tables that only hold the key of another: ``area.course_id`` is a course's."""
    rows = {profile.table: profile.row_count for profile in profiles}
    kept: list[TableRelation] = []
    for one in found:
        rivals = [
            other
            for other in found
            if (other.left, other.left_column) == (one.left, one.left_column) and other.right != one.right
        ]
        if not one.declared and any(
            _owns(other) > _owns(one) or (other.declared and _owns(other) == _owns(one)) for other in rivals
        ):
            continue
        back = next(
            (other for other in found if (other.left, other.right) == (one.right, one.left) and other is not one), None
        )
        if back is not None and not one.declared:
            if back.declared or _owns(back) > _owns(one):
                continue
            if _owns(back) == _owns(one) and rows[back.right] > rows[one.right]:
                continue
        kept.append(one)
    return kept


def _owns(one: TableRelation) -> int:
    """How well a key's name speaks of the table it is in."""
    table = [word.removesuffix("s") for word in split_identifier(one.right)]
    key = [word.removesuffix("s") for word in split_identifier(one.right_column)]
    joined, name = "".join(key), "".join(table)
    if name and joined.startswith(name):
        return 3
    if key == ["id"]:
        return 3
    if len(table) == 1 and len(joined) <= 3 and joined.endswith("id") and table[0].startswith(joined[:-2]):
        return 2
    return 1 if set(key) & set(table) else 0


def _holds(values: ValueSets, guess: TableRelation, least: float = _INCLUDED) -> bool:
    """Whether nearly all values of the one column are values of the other."""
    return (values.included(guess, least=least, timeout=_TRIAL_SECONDS) or 0.0) >= least
