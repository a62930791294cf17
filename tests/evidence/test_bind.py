"""A finding is bound to evidence or it is not made."""

from decimal import Decimal
from functools import cache

import pyarrow as pa
import pytest

from averment.errors import MissingColumn, UnboundNumber
from averment.evidence.bind import bind, cell, result, slot, value_of
from averment.records.base import new_id
from averment.records.run import Slot


@cache
def totals() -> pa.Table:
    return pa.table({"region": ["West", "East"], "total": pa.array([Decimal("10.50"), Decimal("7.25")])})


HASH = "a" * 64


def make_cell(row: int, column: str) -> Slot:
    return slot(cell(totals(), row, column, observation_id=new_id(), query_hash=HASH))


def test_a_finding_shows_the_cells_it_is_bound_to() -> None:
    finding = bind(
        finding_id="f",
        template="{group} sold {value}.",
        slots={"group": make_cell(0, "region"), "value": make_cell(0, "total")},
        method="query",
    )
    assert finding.text == "West sold 10.50."
    assert value_of(finding.slots["value"].evidence) == "10.50"


def test_a_number_without_a_cell_is_refused() -> None:
    with pytest.raises(UnboundNumber):
        bind(finding_id="f", template="It sold 11 and {v}.", slots={"v": make_cell(0, "total")}, method="query")


def test_a_number_the_user_said_may_stand() -> None:
    finding = bind(
        finding_id="f",
        template="In 2024 it sold {v}.",
        slots={"v": make_cell(0, "total")},
        method="q",
        own_words="2024",
    )
    assert finding.text == "In 2024 it sold 10.50."


def test_a_slot_that_shows_another_value_is_refused() -> None:
    honest = make_cell(0, "total")
    forged = Slot(evidence=honest.evidence, text="10.51")
    with pytest.raises(UnboundNumber):
        bind(finding_id="f", template="{v}", slots={"v": forged}, method="q")


@pytest.mark.parametrize("template", ["{v} {w}", "nothing", "{w}"])
def test_a_template_and_its_evidence_must_match(template: str) -> None:
    with pytest.raises(UnboundNumber):
        bind(finding_id="f", template=template, slots={"v": make_cell(0, "total")}, method="q")


@pytest.mark.parametrize(("row", "column"), [(2, "total"), (-1, "total"), (0, "missing")])
def test_a_cell_that_is_not_there_is_no_evidence(row: int, column: str) -> None:
    with pytest.raises(MissingColumn):
        cell(totals(), row, column, observation_id=new_id(), query_hash=HASH)


def test_a_name_with_braces_is_taken_literally() -> None:
    finding = bind(finding_id="f", template="{{x}} has {v}", slots={"v": slot(result(new_id(), "n", 3))}, method="q")
    assert finding.text == "{x} has 3"
