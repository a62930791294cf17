"""What somebody says about how tables belong together comes before what is found."""

from __future__ import annotations

import pytest

from averment.agents.driller.roles import resolve_relations, with_given
from averment.errors import InvalidRequest, MissingColumn
from averment.tables.profile.relationships import TableRelation

COLUMNS = {"orders": ["id", "buyer", "seller"], "people": ["person_id", "city"], "shops": ["id", "name"]}


def test_a_given_relation_replaces_the_found_one_between_the_same_tables() -> None:
    given = resolve_relations(["orders.seller = people.person_id"], COLUMNS)
    found = [
        TableRelation(left="orders", left_column="buyer", right="people", right_column="person_id"),
        TableRelation(left="orders", left_column="id", right="shops", right_column="id"),
    ]
    held = with_given(given, found)
    assert [(one.left_column, one.right) for one in held] == [("seller", "people"), ("id", "shops")]


@pytest.mark.parametrize("text", ["orders.buyer", "orders.buyer=orders.seller", "a=b=c"])
def test_what_is_no_relation_of_two_tables_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        resolve_relations([text], COLUMNS)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(MissingColumn, match=r"people\.id"):
        resolve_relations(["orders.buyer=people.id"], COLUMNS)
