"""Flags: columns that only say yes or no, tested where a clause speaks of them ("courses that have a final exam")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.words import NEGATIONS
from averment.language.tokens import split_identifier
from averment.tables.select_spec import Condition, Scalar, column

if TYPE_CHECKING:
    from averment.agents.analyst.query.mentions import Mention
    from averment.agents.analyst.query.roles import RoleReader
    from averment.tables.profile import ColumnProfile

_YES: tuple[Scalar, ...] = (1, "1", "true", "t", "y", "yes", True)
_NO: tuple[Scalar, ...] = (0, "0", "false", "f", "n", "no", False)
_CLAUSES = frozenset("have has had with that who which are were is having".split())
_MARKS = frozenset("is has have can allow yn flag was".split())


def test_flag(reader: RoleReader, mention: Mention) -> bool:
    """Test a yes-or-no column that a clause names; True when it was one."""
    place = reader.resolve(mention, back=True)
    if place is None or not (reader.draft.tables or reader.draft.outputs):
        return False
    profile = reader.vocabulary.column(place)
    sides = _sides(profile)
    if sides is None or not set(split_identifier(profile.name)) & _MARKS:
        return False
    before = [reader.marked.normal(p) for p in range(max(0, mention.first - 6), mention.first)]
    adjective = reader.marked.at(mention.last + 1)
    describes = adjective is not None and adjective.kind == "table" and adjective.first == mention.last + 1
    if not describes and not set(before) & _CLAUSES:
        return False
    negated = any(word in NEGATIONS for word in before)
    reader.draft.used.update(mention.words)
    reader.draft.conditions.append(
        Condition(term=column(place.table, place.column), operator="=", values=(sides[1] if negated else sides[0],))
    )
    return True


def _sides(profile: ColumnProfile) -> tuple[Scalar, Scalar] | None:
    """The values that stand for yes and no, when the column knows no others."""
    listed = [value for value, _ in profile.values or () if value is not None]
    if not listed or len(listed) > 2:
        return None
    known: dict[bool, Scalar] = {}
    for value in listed:
        plain: Scalar = value.casefold() if isinstance(value, str) else value  # pyright: ignore[reportAssignmentType]  # profiles hold plain values
        if plain in _YES:
            known[True] = value  # pyright: ignore[reportArgumentType]  # profiles hold plain values
        elif plain in _NO:
            known[False] = value  # pyright: ignore[reportArgumentType]  # profiles hold plain values
        else:
            return None
    if True not in known:
        return None
    return known[True], known.get(False, 0)
