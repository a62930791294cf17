"""Blocked patterns: what is personal is found, what only looks like it is not, and no expression can hurt."""

from __future__ import annotations

import decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import InvalidRequest
from averment.tables.profile.blocked_patterns import match_names, match_values

ALL = ["email", "phone", "ssn", "credit_card", "iban", "ip_address"]


def found(pattern, *texts):
    hits = match_values([pattern], pa.table({"c": pa.array(texts)}))
    return hits[0][2] if hits else 0


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("email", "write to Ann.Lee+x@mail.example.co.uk today"),
        ("phone", "+49 30 1234567"),
        ("phone", "call (212) 555-0123"),
        ("phone", "212-555-0123"),
        ("phone", "030 1234567"),
        ("ssn", "SSN 219-09-9999."),
        ("credit_card", "4111 1111 1111 1111"),
        ("credit_card", "5500-0000-0000-0004"),
        ("credit_card", "378282246310005"),
        ("credit_card", "not 4111111111111112 but 4111111111111111"),
        ("iban", "DE89 3704 0044 0532 0130 00"),
        ("iban", "to GB82WEST12345698765432, thanks"),
        ("ip_address", "from 192.168.0.1:80"),
        ("ip_address", "2001:db8::8a2e:370:7334"),
    ],
)
def test_personal_values_are_found(pattern, text):
    assert found(pattern, text) == 1


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("email", "at @home or a@b"),
        ("phone", "2021-03-04"),
        ("phone", "order 4111111111111111"),
        ("phone", "12345"),
        ("ssn", "000-12-3456"),
        ("ssn", "219-00-9999"),
        ("ssn", "2021-03-04"),
        ("credit_card", "4111 1111 1111 1112"),
        ("credit_card", "1234567890123"),
        ("iban", "DE00 3704 0044 0532 0130 00"),
        ("iban", "AB12CDEF"),
        ("ip_address", "300.1.1.1"),
        ("ip_address", "10:30:00"),
    ],
)
def test_what_only_looks_alike_is_not_found(pattern, text):
    assert found(pattern, text) == 0


def test_cells_are_counted_by_column_and_pattern():
    table = pa.table(
        {
            "note": ["a@b.co", None, "x", "c@d.org and e@f.org"],
            "card": [4111111111111111, 1, None, 5500000000000004],
            "amount": [1.5, 2.5, 3.5, 4.5],
            "kind": pa.array(["a@b.co", "a@b.co", "y", "y"]).dictionary_encode(),
            "tags": [["a@b.co", "c@d.org"], [], None, ["z"]],
            "big": [decimal.Decimal(4111111111111111), None, None, None],
        }
    )
    assert match_values(ALL, table) == [
        ("note", "email", 2),
        ("kind", "email", 2),
        ("tags", "email", 2),
        ("card", "credit_card", 2),
        ("big", "credit_card", 1),
    ]


def test_what_structs_and_maps_hold_is_looked_into():
    table = pa.table(
        {
            "s": pa.array([{"who": "a@b.co"}, {"who": None}]),
            "m": pa.array([[("k", "c@d.org")], []], pa.map_(pa.string(), pa.string())),
        }
    )
    assert match_values(["email"], table) == [("s", "email", 1), ("m", "email", 1)]


def test_whole_numbers_are_searched_as_their_digits():
    assert match_values([r"^90\d{3}$"], pa.table({"zip": [90210, 10001]})) == [("zip", r"^90\d{3}$", 1)]


def test_an_empty_table_holds_nothing():
    assert match_values(ALL, pa.table({"c": pa.array([], pa.string())})) == []


def test_names_of_columns_speak():
    names = ["customerEmail", "Phone_Number", "ssn", "credit card no", "iban", "client_ip", "shipping", "panel", "sip"]
    assert match_names(ALL, names) == [
        ("customerEmail", "email"),
        ("Phone_Number", "phone"),
        ("ssn", "ssn"),
        ("credit card no", "credit_card"),
        ("iban", "iban"),
        ("client_ip", "ip_address"),
    ]
    assert match_names(["^sal"], ["Salary", "sales", "total"]) == [("Salary", "^sal"), ("sales", "^sal")]


@pytest.mark.parametrize("pattern", ["", "  ", "(", "(?<=a)b", r"(a)\1", "x" * 501, "((a{100}){100}){100}", "a{2000}"])
def test_an_expression_that_cannot_be_used_is_refused(pattern):
    for use in (
        lambda: match_names([pattern], ["a"]),
        lambda: match_values([pattern], pa.table({"a": ["a"]})),
    ):
        with pytest.raises(InvalidRequest):
            use()


def test_nested_repetition_takes_no_more_time_than_its_text():
    # A backtracking matcher would not come back from this one.
    assert found(r"^(a+)+$", "a" * 100_000 + "!") == 0


@given(st.integers(min_value=10**11, max_value=10**18 - 1))
def test_the_right_check_digit_and_only_it_makes_a_card_number(number):
    digits = "4" + str(number)[:14]
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    right = (10 - total % 10) % 10
    for last in range(10):
        assert found("credit_card", f"{digits}{last}") == (last == right)
