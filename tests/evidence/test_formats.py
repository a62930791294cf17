"""Values are written by kind, the same everywhere."""

import pytest

from averment.claims.kinds import apart
from averment.evidence.formats import KINDS, write
from averment.evidence.values import faithful


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (1960, "year", "1960"),
        (1960.0, "year", "1960"),
        ("1960-01-01", "year", "1960"),
        (1990, "decade", "the 1990s"),
        ("2015-07-01", "quarter", "Q3 2015"),
        ("2015-07-01", "month", "July 2015"),
        ("2015-07-06", "week", "the week of 2015-07-06"),
        ("2015-07-06T00:00:00", "date", "2015-07-06"),
        ("2019-03-16T10:02:25", "date", "2019-03-16 10:02:25"),
        (7, "hour", "07:00"),
        (74.2038, "percentage", "74.2 %"),
        (0.0123, "percentage", "0.012 %"),
        (-12.34, "abs percentage", "12.3 %"),
        (2.5, "points", "2.5 percentage points"),
        (0.742, "fraction", "74.2 %"),
        (5714, "count", "5,714"),
        (1234.5, "money", "1,234.50"),
        ("2328.60", "money", "2,328.60"),
        (12, "money", "12"),
        (3e-12, "p", "< 0.001"),
        (0.0342, "p", "= 0.034"),
        (16.336000000000002, "number", "16.34"),
        (2.998, "number", "3.00"),
        (0.9680851063829787, "number", "0.968"),
        (0.000012345, "number", "0.0000123"),
        (1e-12, "number", "1.00e-12"),
        (3.0, "number", "3"),
        (14.333, "minutes", "14.33 minutes"),
        (754.3, "minutes", "754.3 minutes (12 h 34 min)"),
        (1, "days", "1 day"),
        (3.0, "label", "3"),
        (12345, "label", "12345"),
        (True, "label", "true"),
        (None, "count", "no value"),
    ],
)
def test_a_value_is_written_as_its_kind_is(value: object, kind: str, text: str) -> None:
    assert write(value, kind) == text  # type: ignore[arg-type]
    assert faithful(text, value, unit=kind)  # type: ignore[arg-type]


def test_a_slot_of_a_kind_is_held_to_the_very_text() -> None:
    assert not faithful("1,960", 1960, unit="year")
    assert not faithful("75 %", 74.2, unit="percentage")
    assert not faithful("< 0.001", 0.2, unit="p")


def test_values_that_differ_are_written_apart() -> None:
    kind = apart([0.9911, 0.9914], "number")
    assert write(0.9911, kind) != write(0.9914, kind)
    assert apart([1.0, 2.0], "number") == "number"


def test_every_kind_writes_every_value_without_failing() -> None:
    for kind in KINDS:
        for value in (None, True, 0, -3, 2.5, 1e300, "text", "12.50", "2020-02-30", "2020-02-29"):
            assert isinstance(write(value, kind), str)
