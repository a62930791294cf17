"""Questions laid out by hand, each word with what it is taken for, over the books of a camp site."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from averment.plans.plan import GroupTest, Join, Measure, Plan, Statistic, Test, Value, Window
from averment.plans.statistics import OWN, statistic_of
from averment.reading.lattice.spans import Span
from averment.reading.schema.schema_column import Column
from averment.reading.schema.schema_view import Schema, Table

ROWS = 40


def column(
    name: str, table: str = "stays", *roles: Any, unique: bool = False, kind: Any = "number", **more: Any
) -> Column:
    """A column with a value in each row; its words are those of its name."""
    distinct = ROWS if unique else 4
    known: dict[str, Any] = {"words": tuple(name.split("_")), "distinct": distinct, "filled": ROWS, **more}
    return Column(table, name, kind, rows=ROWS, roles=set(roles), **known)


def span(kind: Any, text: str, data: Any = None, strength: float = 1.0, **more: Any) -> Span:
    """Some words taken for one thing, at no place yet."""
    return Span(0, 1, kind, strength, data, text, **more)


def cue(text: str, *names: str) -> Span:
    """Words that ask for something; without names they ask for what they say."""
    return span("CUE", text, frozenset(names or (text,)))


def named(made: Column, text: str | None = None, strength: float = 1.0, **more: Any) -> Span:
    """Words that name a column."""
    return span("COLUMN", text or made.name, made, strength, **more)


def held(made: Column, value: Any, text: str | None = None, strength: float = 1.0) -> Span:
    """Words that are a value of a column."""
    return span("VALUE", text or str(value).casefold(), (made, value), strength)


def number(value: float, unit: str = "", text: str | None = None) -> Span:
    """A number, as it was written or not."""
    return span("NUMBER", text or f"{value:g}", (value, unit))


def grade(text: str, adjective: str, way: str = "most") -> Span:
    """An adjective that is compared."""
    return span("GRADE", text, (adjective, way))


def rows(text: str = "stays", table: str | None = "stays", strength: float = 1.0) -> Span:
    """What rows are called, with the table that is meant."""
    return span("ROW", text, table, strength)


def said(*words: Span | str) -> tuple[list[Span], list[Span]]:
    """A question's spans and all of its words, one behind the other; plain text is filler."""
    whole: list[Span] = []
    for word in words:
        one = span("STOP", word) if isinstance(word, str) else word
        start = whole[-1].end if whole else 0
        whole.append(replace(one, start=start, end=start + len(one.text.split())))
    return [each for each in whole if each.type not in {"STOP", "AND"}], whole


STAY = column("stay_id", "stays", "key", unique=True)
GUEST = column("guest", "stays", kind="text")
PITCH = column("pitch", "stays", "category", kind="text", values=("Elm", "Oak", "Ash"))
KIND = column("pitch_type", "stays", "category", kind="text")
ARRIVED = column("arrived", "stays", "date", kind="date")
DEPARTED = column("departed", "stays", "date", kind="date", filled=ROWS - 3)
NIGHTS = column("nights", "stays", "measure", whole=True, additive=True)
FEE = column("fee", "stays", "measure", additive=True)
BILL = column("bill", "stays", "measure", additive=True)
SCORE = column("score", "stays", "measure")
AGE = column("age", "stays", "measure", whole=True)
PETS = column("pets", "stays", "flag", kind="text", true_value="yes", false_value="no")
TENTS = column("n_tents", "stays", "measure", whole=True)
CLAIMS = column("complaints", "stays", "measure", whole=True, additive=True)
NAME = column("name", "guests", "label", unique=True, kind="text")
TOWN = column("town", "guests", "category", kind="text")
STAYS = Table(
    "stays",
    ROWS,
    [STAY, GUEST, PITCH, KIND, ARRIVED, DEPARTED, NIGHTS, FEE, BILL, SCORE, AGE, PETS, TENTS, CLAIMS],
    ("stay",),
)
GUESTS = Table("guests", ROWS, [NAME, TOWN], ("guest",))
SCHEMA = Schema([STAYS, GUESTS], [], None)

JOIN = Join(left="stays", left_column="guest", right="guests", right_column="name")
COUNT = Measure(function="rows")


def figure(function: Any, of: Column | Value | None = None, **more: Any) -> Measure:
    """A figure of a column."""
    return Measure(function=function, of=of.value if isinstance(of, Column) else of, **more)


def meets(of: Column | Value, operator: Any = "=", *to: Any, **more: Any) -> Test:
    """A condition on rows."""
    return Test(value=of.value if isinstance(of, Column) else of, operator=operator, to=to, **more)


def bar(measure: Measure, operator: Any = ">", *to: float, **more: Any) -> GroupTest:
    """A condition on groups."""
    return GroupTest(measure=measure, operator=operator, to=to, **more)


def plan(*measures: Measure, table: str = "stays", **parts: Any) -> Plan:
    """A plan over stays; columns stand for their values."""
    for part in ("by", "show"):
        parts[part] = tuple(each.value if isinstance(each, Column) else each for each in parts.get(part, ()))
    return Plan(table=table, measures=measures, **parts)


def window(kind: Any, **more: Any) -> Plan:
    """A plan with a window over the highest fee."""
    return plan(figure("max", FEE), window=Window(kind=kind, **more))


def some(kind: str, **more: Any) -> Statistic:
    """A statistic, over the values of its example where none are given."""
    fields = OWN[kind].model_fields
    two = "," in OWN[kind].example.rpartition("}")[2]
    usual = {"of": (FEE.value, AGE.value) if two else (FEE.value,), "by": PITCH.value, "against": BILL.value}
    needed = {name: value for name, value in usual.items() if name in fields and fields[name].is_required()}
    return statistic_of(kind, **{**needed, **more})


def statistic(kind: str, **more: Any) -> Plan:
    """A plan with nothing but a statistic."""
    return plan(statistic=some(kind, **more), expects="list")


def listed(**parts: Any) -> Plan:
    """A list of pitches."""
    return plan(**{"show": (PITCH,), "expects": "list", **parts})


def part(of: Column, name: Any) -> Value:
    """A part of a moment."""
    return Value(kind="part", part=name, table=of.table, column=of.name)


def worked_out(one: Column, operation: Any, other: Column) -> Value:
    """Two columns of a row computed with each other."""
    return Value(kind="arithmetic", operation=operation, operands=(one.value, other.value))
