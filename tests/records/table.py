"""How a table of a seed's records is written and read: a row is a record's shape, a field's limits, or a life's steps.

A row begins with the requirements it proves, apart by spaces. Every value that is refused must be refused with the code
that stands in its row; ``INVALID_REQUEST`` is the code of whatever has none of its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, ValidationError

from averment.errors import AvermentError, IllegalTransition
from averment.records.base import StateMachine
from averment.records.refusal import checked

Kind = type[BaseModel]
Values = dict[str, Any]

HASH = "ab" * 32
NO_HASH = ("", "ab" * 31, "ab" * 33, "AB" * 32, "zz" * 32, HASH + "\n", "a3f5b8c...")
NO_SHARE = (-0.01, 1.01, math.nan, math.inf)

_SHAPES: dict[Kind, Shape] = {}


@dataclass(frozen=True)
class Shape:
    """A record's fields: those it must be given, with good values, those it may be given, and their defaults."""

    ids: str
    kind: Kind
    needed: Values
    others: str
    defaults: Values
    make: Callable[[Values], Any]

    @property
    def name(self) -> str:
        return self.kind.__name__

    def check(self) -> None:
        names = {*self.needed, *self.others.split()}
        assert set(self.kind.model_fields) == names
        made = self.make(self.needed)
        assert {name: getattr(made, name) for name in self.defaults} == self.defaults
        written = json.loads(made.model_dump_json())
        assert self.kind.model_validate_json(json.dumps(written)) == made
        with pytest.raises(ValidationError):
            self.kind.model_validate_json(json.dumps({**written, "something_else": 1}))
        for name in self.needed:
            with pytest.raises(ValidationError):
                self.kind.model_validate_json(json.dumps({key: written[key] for key in written if key != name}))


@dataclass(frozen=True)
class Limit:
    """What one field of a record takes, and what it refuses with which code; without a name, several fields at once."""

    ids: str
    kind: Kind
    field: str
    good: Sequence[Any]
    bad: Sequence[Any]
    code: str
    among: str

    @property
    def name(self) -> str:
        return f"{self.kind.__name__}.{self.field or 'whole'}"

    def check(self) -> None:
        shape = _SHAPES[self.kind]
        if self.among:
            assert known(self.kind.model_fields[self.field].annotation) == set(self.among.split())
        for value in self.good:
            made = shape.make({**shape.needed, **self._given(value)})
            for name, kept in self._given(value).items():
                assert name not in self.kind.model_fields or plain(getattr(made, name)) == plain(kept), name
        for value in self.bad:
            with pytest.raises(AvermentError) as refused:
                shape.make({**shape.needed, **self._given(value)})
            assert refused.value.code == self.code, value

    def _given(self, value: Any) -> Values:
        return {self.field: value} if self.field else value


@dataclass(frozen=True)
class Steps:
    """Every step a life takes, from one state to another; it takes no other."""

    ids: str
    machine: StateMachine[Any]
    states: Any
    steps: str

    @property
    def name(self) -> str:
        return self.machine.name

    def check(self) -> None:
        assert self.machine.states == known(self.states)
        assert " ".join(sorted(taken(self.machine))) == " ".join(sorted(self.steps.split()))


def shape(ids: str, kind: Kind, needed: Values, others: str = "", make: Any = None, **defaults: Any) -> Shape:
    """The row of a record's fields; ``make`` is how it is made from raw values, if not from them as they are."""
    _SHAPES[kind] = Shape(ids, kind, needed, others, defaults, make or (lambda values: checked(kind, values)))
    return _SHAPES[kind]


def limit(
    ids: str, kind: Kind, field: str, good: Iterable[Any] = (), bad: Iterable[Any] = (), code: str = "INVALID_REQUEST"
) -> Limit:
    """The row of a field with good and bad values."""
    return Limit(ids, kind, field, tuple(good), tuple(bad), code, "")


def between(ids: str, kind: Kind, field: str, least: int, most: int, bad: Any = (), code: str = "INVALID_REQUEST"):
    """The row of a whole number with its ends."""
    return Limit(ids, kind, field, (least, most), (least - 1, most + 1, *bad), code, "")


def length(ids: str, kind: Kind, field: str, least: int, most: int, bad: Any = (), code: str = "INVALID_REQUEST"):
    """The row of a text with its lengths."""
    short = ["x" * (least - 1)] if least else []
    return Limit(ids, kind, field, ("x" * least, "x" * most), (*short, "x" * (most + 1), *bad), code, "")


def among(ids: str, kind: Kind, field: str, words: str, code: str = "INVALID_REQUEST") -> Limit:
    """The row of a field that is one of these words and no other."""
    return Limit(ids, kind, field, words.split(), ("", "something else", None), code, words)


def share(ids: str, kind: Kind, field: str) -> Limit:
    """The row of a number from 0 to 1."""
    return Limit(ids, kind, field, (0.0, 0.5, 1.0), NO_SHARE, "INVALID_REQUEST", "")


def rows(table: Iterable[Shape | Limit | Steps]) -> Any:
    """The rows as a parameter of a test, each with the marks of what it proves."""
    return pytest.mark.parametrize(
        "row",
        [
            pytest.param(row, marks=[pytest.mark.seed(one) for one in row.ids.split()], id=f"{row.name} {row.ids}")
            for row in table
        ],
    )


def plain(value: Any) -> Any:
    """A value without the difference between a list and a tuple, or a record and its fields."""
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json"))
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bool | int | float):
        return value
    return str(value.value if isinstance(value, Enum) else value)


def known(annotation: Any) -> set[str]:
    """The words that a field may be."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {str(one.value) for one in annotation}
    return set().union(*(known(part) for part in get_args(annotation)))


def taken(machine: StateMachine[Any]) -> set[str]:
    """Every step the machine takes, tried one by one."""
    found: set[str] = set()
    for current in machine.states:
        for following in machine.states:
            try:
                found.add(f"{current}>{machine.step(current, following)}")
            except IllegalTransition:
                assert not machine.allows(current, following)
    return found
