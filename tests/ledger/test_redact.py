from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import InvalidRequest
from averment.ledger.redact import matches, new_salt, salted

values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())


@settings(deadline=None)
@given(values, st.binary(min_size=16, max_size=32))
def test_a_reference_is_matched_by_its_value_and_salt_alone(value, salt):
    held = salted(value, salt)
    assert set(held) == {"ref", "sha256"}
    assert matches(value, salt, held)
    assert not matches([value], salt, held)
    assert not matches(value, salt + b"x", held)


def test_equal_values_with_different_salts_cannot_be_seen_to_be_equal():
    first, second = salted("Ada", new_salt()), salted("Ada", new_salt())
    assert first["sha256"] != second["sha256"]
    assert first["ref"] != second["ref"]


def test_the_value_is_not_in_the_reference():
    held = salted("zoe@example.org", new_salt())
    assert "zoe" not in "".join(held.values())


def test_an_entry_outlives_the_deletion_of_the_value(ledger, home, request_id):
    salt = new_salt()
    held = salted("zoe@example.org", salt)
    ledger.append(request_id=request_id, event_type="request_submitted", event_data={"user": held}, actor="system")
    ledger.checkpoint()
    del salt
    assert home.verify().ok
    assert b"zoe" not in home.log.read_bytes()


@pytest.mark.parametrize(
    ("value", "salt"), [("x", b""), ("x", b"short"), (object(), b"x" * 16), (float("nan"), b"x" * 16)]
)
def test_a_short_salt_or_a_value_that_is_not_json_is_refused(value, salt):
    with pytest.raises(InvalidRequest):
        salted(value, salt)
