"""The words around values: who is meant and when, lists, and conditions before or behind a sentence."""

from typing import Any

import pytest
from invented import Invented, given

from averment.claims.speech import (
    capital,
    for_whom,
    has,
    is_in_time,
    is_unsigned,
    kind_of,
    listed,
    number_of,
    place_of,
    scope_after,
    scope_before,
    slot,
    value_of,
    who,
)
from averment.records.claim import Claim


def about(keys: dict[str, tuple[Any, str]], **more: Any) -> Claim:
    """A claim about one subject with these keys, each with its kind."""
    made = Invented(
        {name: [value] for name, (value, _) in keys.items()}, *keys, kinds={n: k for n, (_, k) in keys.items()}
    )
    return Claim(claim_id="c", relation="is", values=(given("aside", 9), *made.keyed([0])), **more)


@pytest.mark.parametrize(
    ("parts", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_a_list_ends_with_and(parts: list[str], said: str) -> None:
    assert listed(parts) == said


@pytest.mark.parametrize(
    ("keys", "is_called", "for_it"),
    [
        ({"day": ("Sun", "label")}, "{v1}", "for {v1}"),
        ({"code": ("12", "label")}, "code {v1}", "for code {v1}"),
        ({"size": (3, "number")}, "size {v1}", "for size {v1}"),
        ({"fresh": (True, "label")}, "fresh {v1}", "for fresh {v1}"),
        ({"da{y": (None, "label")}, "rows with {v1} for da{{y", "for rows with {v1} for da{{y"),
        ({"year": (1960, "year")}, "{v1}", "in {v1}"),
        ({"day": ("2024-03-04", "date")}, "{v1}", "on {v1}"),
        ({"hour": (7, "hour")}, "{v1}", "at {v1}"),
        ({"year": (None, "year")}, "rows with {v1} for year", "for rows with {v1} for year"),
        ({"day": ("Sun", "label"), "time": ("noon", "label")}, "day {v1} and time {v2}", "for day {v1} and time {v2}"),
        ({"day": (None, "label"), "x": (3, "number")}, "{v1} for day and x {v2}", "for {v1} for day and x {v2}"),
        ({"year": (1960, "year"), "who": ("Ada", "label")}, "year {v1} and who {v2}", "for year {v1} and who {v2}"),
        ({"year of birth": (1960, "year"), "who": ("Ada", "label")}, "{v1} and who {v2}", "for {v1} and who {v2}"),
        ({"m": ("2015-07-01", "month"), "who": ("Ada", "label")}, "{v1} and who {v2}", "for {v1} and who {v2}"),
    ],
)
def test_a_subject_is_called_by_its_whole_key(keys: Any, is_called: str, for_it: str) -> None:
    claim = about(keys)
    assert who(claim, 0) == is_called
    assert for_whom(claim, 0) == for_it


def test_a_key_may_be_left_out_where_it_is_told_elsewhere() -> None:
    claim = about({"year": (1960, "year"), "who": ("Ada", "label")})
    assert who(claim, 0, without=("year",)) == "{v2}"
    assert for_whom(claim, 0, without=("who",)) == "in {v1}"


@pytest.mark.parametrize(
    ("keys", "in_time"),
    [
        ({"y": (1960, "year")}, True),
        ({"d": ("Sun", "label")}, False),
        ({"y": (1960, "year"), "d": ("a", "label")}, False),
    ],
)
def test_a_subject_is_in_time_where_its_one_key_is(keys: Any, in_time: bool) -> None:
    assert is_in_time(about(keys)) is in_time


@pytest.mark.parametrize(
    ("scope", "after", "comma", "before"),
    [
        ("", "", "", "The tip."),
        ("where a is b", " where a is b", ", where a is b", "Where a is b, the tip."),
        ("in {May}", ", in {{May}}", ", in {{May}}", "In {{May}}, the tip."),
    ],
)
def test_conditions_stand_at_either_end(scope: str, after: str, comma: str, before: str) -> None:
    claim = about({"day": ("Sun", "label")}, scope=scope)
    assert scope_after(claim) == after
    assert scope_after(claim, comma=True) == comma
    assert scope_before(claim, "the tip.") == before


def test_a_capital_begins_a_sentence() -> None:
    assert [capital(text) for text in ("the tip", "{v0} tip", "")] == ["The tip", "{v0} tip", ""]


def test_values_are_found_by_their_role_and_subject() -> None:
    values = (given("value", 1, subject=0), given("value", 2, subject=1), given("other", None))
    claim = Claim(claim_id="c", relation="is", values=values)
    assert (place_of(claim, "value"), place_of(claim, "value", 1)) == (0, 1)
    assert value_of(claim, "value", 1).text == "2"
    assert slot(claim, "value", 1) == "{v1}"
    assert has(claim, "other") and not has(claim, "rest")
    assert number_of(claim, "value") == 1
    assert number_of(claim, "other") is None
    for role, subject in (("rest", None), ("value", 2), ("other", 0)):
        with pytest.raises(LookupError):
            place_of(claim, role, subject)


@pytest.mark.parametrize(
    ("value", "kind", "bare", "unsigned"),
    [(-3, "abs number:2", "number", True), (-3, "number:2", "number", False), (3, "percentage", "percentage", True)],
)
def test_a_kind_is_bare_without_its_decimals(value: int, kind: str, bare: str, unsigned: bool) -> None:
    assert kind_of(given("value", value, kind)) == bare
    assert is_unsigned(given("value", value, kind)) is unsigned
