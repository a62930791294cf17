"""Exclusions, nouns and people: what two conditions leave out is not decided, and rows are no other things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from averment.plans.plan import Plan
from averment.reading.account.exclusions import unresolved
from averment.reading.account.unheld import people_as_rows, unnamed_rows
from averment.reading.lattice.spans import Span
from averment.reading.schema.schema_view import Schema, Table
from spoken import (
    COUNT,
    DEPARTED,
    FEE,
    PETS,
    PITCH,
    TOWN,
    bar,
    column,
    cue,
    figure,
    held,
    meets,
    named,
    plan,
    rows,
    said,
    span,
)

pytestmark = pytest.mark.thorough

HOW_MANY, BY, WHICH = cue("how many", "count"), cue("by"), cue("which")
ELM = held(PITCH, "Elm")

BUT, WHO, NOT = cue("except", "not"), cue("who", "which"), cue("not")
PAID = named(column("paid", "stays", "flag", kind="text"))
SPANS: dict[str, tuple[tuple[Span | str, ...], list[str]]] = {
    "except women who cancelled": ((BUT, ELM, WHO, PAID), ["except"]),
    "except elm": ((BUT, ELM), []),
    "except elm and oak": ((BUT, ELM, "and", held(PITCH, "Oak")), []),
    "except elm, in oslo": ((BUT, ELM, "in", held(TOWN, "Oslo")), []),
    "except elm, paid": ((BUT, ELM, replace(PAID, listed=True)), []),
    "except elm by fee, paid": ((BUT, ELM, BY, PAID), []),
    "except either elm or paid": ((BUT, cue("either"), ELM, "or", PAID), ["except"]),
    "except elm or a dog": ((BUT, ELM, "with", span("DENY", "no dog", PETS)), ["except"]),
    "except elm that departed": ((BUT, ELM, named(DEPARTED, "departed")), ["except"]),
    "except elm with a date": ((BUT, ELM, named(DEPARTED, "departure")), []),
    "except elm with a fee": ((BUT, ELM, named(FEE)), []),
    "except members who have not paid": ((BUT, rows("members", None), WHO, NOT, PAID), ["except"]),
    "except not": ((BUT, NOT, PAID), []),
    "except elm not": ((BUT, ELM, "and", NOT, PAID), []),
    "except in oslo": ((BUT, "in", held(TOWN, "Oslo"), PAID), []),
    "not elm who paid": ((NOT, ELM, WHO, PAID), []),
    "except elm who paid, except oak who paid": ((BUT, ELM, WHO, PAID, BUT, ELM, WHO, PAID), ["except", "except"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SPANS)
def test_an_exclusion_of_two_conditions_is_not_decided(case: str) -> None:
    words, lost = SPANS[case]
    assert unresolved(said(*words)[1]) == lost


WARD, NURSE, HOURS = (
    column("ward", "shifts", kind="text"),
    column("nurse", "shifts", kind="text"),
    column("hours", "shifts", "measure"),
)
SHIFTS = Table("shifts", 40, [WARD, NURSE, HOURS], ("ward", "shift"))
GATE = Table(
    "gate_days",
    40,
    [column(name, "gate_days", "measure", whole=True, additive=True) for name in ("adults", "children")],
    ("gate", "day"),
)
CAFE = Table(
    "cafe_days",
    40,
    [
        column("adults", "cafe_days", "measure", whole=True, additive=True),
        column("takings", "cafe_days", additive=True),
    ],
    ("cafe", "day"),
)
CREW = Table("crew", 40, [WARD, column("name", "crew", kind="text")], ("sailor",), called=("mate",))
CODED = Table("shifts", 40, [WARD, HOURS], ("xqzt",))
WORK = Schema([SHIFTS, GATE, CAFE, CREW], [], None)
OVERVIEWED = {"over_groups": "mean"}


def shifts(*measures: Any, table: str = "shifts", **parts: Any) -> Plan:
    return plan(*measures, table=table, **({"by": (WARD,)} | parts))


TRACTORS = (HOW_MANY, rows("tractors", None), BY, named(WARD))
NOUNS: dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]] = {
    "tractors by ward": (shifts(COUNT), TRACTORS, ["tractors"]),
    "tractors, of values": (shifts(figure("count", HOURS)), TRACTORS, ["tractors"]),
    "tractors, different": (shifts(figure("distinct", HOURS)), TRACTORS, []),
    "tractors, over all": (shifts(figure("rows", over=COUNT)), TRACTORS, []),
    "tractors of all": (shifts(COUNT, by=()), TRACTORS, []),
    "tractors of one ward": (shifts(COUNT, where=(meets(WARD, "=", "B"),)), TRACTORS, []),
    "tractors of one ward, in the figure": (shifts(figure("rows", where=(meets(WARD, "=", "B"),))), TRACTORS, []),
    "more tractors": (shifts(COUNT, having=(bar(COUNT, ">", 3),)), TRACTORS, []),
    "tractors a ward": (shifts(COUNT, **OVERVIEWED), TRACTORS, []),
    "tractors of no table": (shifts(COUNT, table="fields"), TRACTORS, []),
    "tractors, first": (shifts(COUNT), (rows("tractors", None), BY, named(WARD)), ["tractors"]),
    "tractors, later": (shifts(COUNT), (named(WARD), rows("tractors", None)), []),
    "how many of the tractors": (shifts(COUNT), (HOW_MANY, "of", rows("tractors", None), BY, named(WARD)), []),
    "records": (shifts(COUNT), (HOW_MANY, rows("records", None), BY, named(WARD)), []),
    "people": (shifts(COUNT), (HOW_MANY, rows("people", None), BY, named(WARD)), []),
    "nurses, whom a column names": (shifts(COUNT), (HOW_MANY, rows("nurses", None), BY, named(WARD)), []),
    "nightshifts": (shifts(COUNT), (HOW_MANY, rows("shifting", None), BY, named(WARD)), []),
    "shifts": (shifts(COUNT), (HOW_MANY, rows("shifts", "shifts"), BY, named(WARD)), []),
    "wards that each has": (shifts(COUNT), (HOW_MANY, rows("wards", "shifts"), "has", BY, named(WARD)), ["wards"]),
    "wards": (shifts(COUNT), (HOW_MANY, rows("wards", "shifts"), BY, named(WARD)), []),
    "shifts that each has": (shifts(COUNT), (HOW_MANY, rows("shifts", "shifts"), "has", BY, named(WARD)), []),
    "wards and shifts that each has": (
        shifts(COUNT), (HOW_MANY, rows("wards", "shifts"), rows("shifts", "shifts"), "has"), [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NOUNS)
def test_a_noun_that_the_table_does_not_bear_out_is_not_counted_as_its_rows(case: str) -> None:
    made, words, lost = NOUNS[case]
    assert unnamed_rows(made, WORK, *said(*words)) == lost


def test_a_table_whose_name_is_no_word_says_nothing_of_its_rows() -> None:
    assert unnamed_rows(shifts(COUNT), Schema([CODED], [], None), *said(*TRACTORS)) == []


PEOPLE: dict[str, tuple[Plan, tuple[Span | str, ...], list[str]]] = {
    "how many nurses, of shifts": (shifts(COUNT), (HOW_MANY, rows("nurses", None)), ["nurses"]),
    "how many nurses, as a value": (shifts(COUNT), (HOW_MANY, held(WARD, "Nurse", "nurses")), ["nurses"]),
    "the most staff": (shifts(COUNT), (cue("most"), rows("people", "shifts")), ["people"]),
    "how many people of another table": (shifts(COUNT), (HOW_MANY, rows("people", "crew")), []),
    "which nurses": (shifts(COUNT), (WHICH, rows("nurses", None)), []),
    "how many of the nurses": (shifts(COUNT), (HOW_MANY, "of", rows("nurses", None)), []),
    "how many shifts": (shifts(COUNT), (HOW_MANY, rows("shifts", None)), []),
    "how many nurses, by nurse": (shifts(COUNT, by=(NURSE,)), (HOW_MANY, rows("nurses", None)), []),
    "how many nurses, over groups": (shifts(COUNT, **OVERVIEWED), (HOW_MANY, rows("nurses", None)), []),
    "how many nurses, with a bar": (shifts(COUNT, having=(bar(COUNT, ">", 3),)), (HOW_MANY, rows("nurses", None)), []),
    "how many different nurses": (shifts(figure("distinct", NURSE)), (HOW_MANY, rows("nurses", None)), []),
    "how many nurses, of all": (shifts(figure("rows", over=COUNT)), (HOW_MANY, rows("nurses", None)), []),
    "how many mates": (plan(COUNT, table="crew"), (HOW_MANY, rows("people", "crew")), []),
    "how many people of no table": (plan(COUNT, table="fields"), (HOW_MANY, rows("people", None)), []),
    "visitors at the gate": (plan(COUNT, table="gate_days"), (HOW_MANY, rows("visitors", None)), ["visitors"]),
    "visitors at the cafe": (plan(COUNT, table="cafe_days"), (HOW_MANY, rows("visitors", None)), []),
    "days at the gate": (plan(COUNT, table="gate_days"), (HOW_MANY, rows("days", None)), []),
    "visitors of all kinds, different": (
        plan(figure("distinct", HOURS), table="gate_days"), (rows("visitors", None),), [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PEOPLE)
def test_rows_are_not_told_as_people_where_one_of_them_has_many(case: str) -> None:
    made, words, lost = PEOPLE[case]
    assert people_as_rows(made, WORK, said(*words)[0]) == lost
