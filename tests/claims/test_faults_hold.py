"""Faults of the data: told from the one row that names them, with figures that such a fault leaves."""

from typing import Any

import pytest
from invented import Invented, say

from averment.claims.of_faults import FAULTS

ROW: dict[str, Any] = {
    "segment": "shop = web",
    "since": "2024-03-04",
    "multiple": 10.0,
    "count": 4.0,
    "other_count": 1.0,
    "days": "2024-03-04, 2024-03-05",
    "before": 0.1,
    "after": 0.5,
    "column": "channel",
    "old": "Web",
    "new": "Online",
    "table": "shops",
    "contribution": -20.0,
    "share": 0.2,
}
KINDS = {name: "label" for name, value in ROW.items() if isinstance(value, str)} | {"share": "fraction"}


def fault(
    name: str, roles: str, *, named: str | None = None, row: int = 1, place: str = "web", **cells: Any
) -> str | None:
    words = {key: cells.pop(key) for key in ("period", "ends", "extra", "alone") if key in cells}
    filled = {key: ["x" if isinstance(value, str) else -100.0, cells.get(key, value)] for key, value in ROW.items()}
    made = Invented({**filled, "fault": [None, named or name]}, kinds=KINDS)
    columns = {"part": "contribution"}
    values = [made.tell(role, row, columns.get(role, role)) for role in roles.split()]
    subjects = ((("shop", place),),) if "segment" in roles.split() else ()
    words = {"fault": name, "period": "comparison", **words}
    return say("fault", *values, sealed=made.sealed, subjects=subjects, words=words)


@pytest.mark.parametrize(
    ("name", "roles", "said"),
    [
        ("unit_factor", "since multiple segment",
         "From 2024-03-04 on the values of shop = web are 10 times what they were, with the same shape: another "
         "unit or currency."),
        ("unit_factor", "since multiple",
         "From 2024-03-04 on the values of all rows are 10 times what they were, with the same shape: another "
         "unit or currency."),
        ("missing_rows", "count days segment",
         "shop = web has no rows on 4 date(s) of the comparison (2024-03-04, 2024-03-05): rows are missing."),
        ("missing_rows", "count days",
         "There are no rows on 4 date(s) of the comparison (2024-03-04, 2024-03-05): rows are missing."),
        ("late_rows", "days multiple",
         "The last days (2024-03-04, 2024-03-05) hold 10 of the usual rows: late rows are still to come."),
        ("duplicates", "count days",
         "4 rows of the comparison are duplicates, there more than once (2024-03-04, 2024-03-05)."),
        ("nulls", "after before since",
         "0.5 of the rows have no value, 0.1 in the other period; nulls since 2024-03-04."),
        ("nulls", "after before since segment",
         "0.5 of the rows, those of shop = web, have no value, 0.1 in the other period; nulls since 2024-03-04."),
        ("negative_sign", "count other_count segment",
         "4 rows of shop = web are below zero, 1 were before: refunds or a flipped sign."),
        ("rename", "column old new since",
         "In channel the value Web goes on as Online from 2024-03-04: renamed, nothing came or went."),
        ("definition", "column old new since",
         "In channel the value Web goes on as Online from 2024-03-04: renamed, nothing came or went. "
         "The metric's definition rests on it."),
        ("key_format", "before after table column since",
         "0.1 of the rows found their partner in shops by channel before, 0.5 now (from 2024-03-04): the key's "
         "format "
         "changed. Figures by its columns cannot be compared."),
        ("timezone", "multiple segment",
         "The hours of shop = web are shifted by 10 hours: another time zone or clock."),
        ("summed_level", "before after",
         "The number is a level, one snapshot for each date: 0.1 dates against 0.5 cannot be summed; their "
         "means are compared."),
        ("outlier", "since after before",
         "One row of 2024-03-04 holds 0.5, where the next largest holds 0.1: an outlier."),
    ],
)  # fmt: skip
def test_each_fault_is_told_where_its_row_names_it(name: str, roles: str, said: str) -> None:
    assert fault(name, roles) == said
    assert fault(name, f"{roles} part share", alone="yes") == (
        f"{said} That alone moves the metric by -20, 20 % of the change."
    )
    assert fault(name, f"{roles} part share", share=0.3) is None
    other = next(each for each in FAULTS if each != name)
    assert fault(name, roles, named=other) is None
    assert fault(name, roles, row=0) is None
    if "segment" in roles:
        assert fault(name, roles, place="shop") is None


@pytest.mark.parametrize("name", ["missing_rows", "duplicates", "negative_sign"])
@pytest.mark.parametrize(("count", "holds"), [(1.0, True), (0.0, False), (-1.0, False), (None, False)])
def test_what_is_counted_is_there_at_least_once(name: str, count: Any, holds: bool) -> None:
    roles = "count other_count" if name == "negative_sign" else "count days"
    assert (fault(name, roles, count=count) is not None) is holds


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("nulls", "after before since"),
        ("key_format", "before after table column since"),
        ("summed_level", "before after"),
        ("outlier", "since after before"),
    ],
)
def test_what_differs_before_and_after_is_not_the_same(name: str, roles: str) -> None:
    assert fault(name, roles, before=0.5, after=0.5) is None
    assert fault(name, roles, before=0.5, after=0.25) is not None


def test_a_fault_has_words_of_its_own_where_it_needs_them() -> None:
    assert "(the return of an order) holds" in str(
        fault("outlier", "since after before", extra="the return of an order")
    )
    ends = str(fault("missing_rows", "count days", ends="yes", period="baseline"))
    assert " of the baseline (2024-03-04, 2024-03-05), where the data end: " in ends
    assert fault("sabotage", "count days") is None


def test_a_fault_is_told_of_one_row() -> None:
    made = Invented(
        {"count": [4.0, 5.0], "days": ["a", "b"], "fault": ["duplicates", "duplicates"]}, kinds={"days": "label"}
    )
    mixed = [made.tell("count", 0, "count"), made.tell("days", 1, "days")]
    words = {"fault": "duplicates", "period": "comparison"}
    assert say("fault", *mixed, sealed=made.sealed, words=words) is None
    bare = Invented({"count": [4.0], "days": ["a"]}, kinds={"days": "label"})
    values = [bare.tell("count", 0, "count"), bare.tell("days", 0, "days")]
    assert say("fault", *values, sealed=bare.sealed, words=words) is None
    assert say("fault", *values, words=words) is not None
