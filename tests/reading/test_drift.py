"""What changed between two schemas, and what can be carried over."""

from hypothesis import given
from hypothesis import strategies as st

from averment.reading.schema.drift import compare, named_in

BEFORE = (
    ("sales", "order_date", "DATE"),
    ("sales", "region", "VARCHAR"),
    ("sales", "amount", "DECIMAL(18,2)"),
    ("sales", "quantity", "BIGINT"),
)


def changed(**names: str | None) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (table, names.get(column) or column, kind)
        for table, column, kind in BEFORE
        if column not in names or names[column] is not None
    )


def test_the_same_columns_under_another_table_name_are_no_change() -> None:
    drift = compare(BEFORE, tuple(("orders", column, kind) for _, column, kind in BEFORE))
    assert drift is not None
    assert drift.in_words() == ""
    assert drift.rebind({"table": "sales", "column": "amount"}) == {"table": "orders", "column": "amount"}


def test_a_column_with_a_like_name_and_kind_was_renamed() -> None:
    drift = compare(BEFORE, changed(amount="amount_eur"))
    assert drift is not None
    assert drift.renamed == {"amount": "amount_eur"}
    assert drift.rebind("total amount") == "total amount_eur"


def test_the_one_new_column_in_the_old_place_was_renamed() -> None:
    drift = compare(BEFORE, changed(region="zone"))
    assert drift is not None
    assert drift.column("region") == "zone"


def test_a_column_that_is_gone_is_gone() -> None:
    drift = compare(BEFORE, changed(region=None))
    assert drift is not None
    assert drift.column("region") is None
    assert drift.in_words() == "region gone"


def test_a_column_of_another_kind_cannot_be_carried_over() -> None:
    now = tuple((t, c, "VARCHAR" if c == "amount" else k) for t, c, k in BEFORE)
    drift = compare(BEFORE, now)
    assert drift is not None
    assert drift.column("amount") is None
    wider = compare(BEFORE, tuple((t, c, "DECIMAL(38,4)" if c == "amount" else k) for t, c, k in BEFORE))
    assert wider is not None
    assert wider.column("amount") == "amount"


def test_two_schemas_that_share_little_are_not_kin() -> None:
    assert compare(BEFORE, (("t", "region", "VARCHAR"), ("t", "a", "BIGINT"), ("t", "b", "BIGINT"))) is None


def test_a_name_is_found_as_a_whole_word_only() -> None:
    assert named_in({"sql": ["month of order_date"], "n": 3}, ["order_date", "date", "order"]) == ["order_date"]


@given(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1))
def test_a_schema_has_not_drifted_from_itself(names: list[str]) -> None:
    schema = tuple(("t", name, "BIGINT") for name in names)
    drift = compare(schema, schema)
    assert drift is not None
    assert drift.in_words() == ""
    assert all(drift.column(name) == name for name in names)
