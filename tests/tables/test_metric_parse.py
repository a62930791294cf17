"""A metric's SQL becomes what each row adds, or is refused."""

import pytest

from averment.errors import MetricUnreadable, MissingColumn, MissingTable
from averment.tables.catalog import Catalog, ColumnInfo, OpenedSource, TableInfo
from averment.tables.metrics.parse import MetricForm, read_metric

TABLES = {
    "orders": ("order_id:BIGINT date:DATE customer_id:BIGINT channel:VARCHAR amount:DOUBLE paid:BOOLEAN", 1_000),
    "customers": ("customer_id:BIGINT plan:VARCHAR age:BIGINT", 100),
    "visits": ("visit_id:BIGINT day:DATE clicks:BIGINT views:BIGINT", 500),
}


def catalog() -> Catalog:
    tables = tuple(
        TableInfo(
            name=name,
            columns=tuple(
                ColumnInfo(name=part.split(":")[0], type=part.split(":")[1], original_name=part.split(":")[0])
                for part in columns.split()
            ),
            row_count=rows,
            source=name,
        )
        for name, (columns, rows) in TABLES.items()
    )
    source = OpenedSource(
        label="shop",
        format="duckdb",
        location="shop.duckdb",
        attach="duckdb",
        attach_path="shop.duckdb",
        content_sha256=None,
        size_bytes=None,
        tables=tables,
        notes=(),
        fingerprint="0" * 64,
    )
    return Catalog(sources=(source,), dialect="duckdb")


def read(text: str) -> MetricForm:
    form = read_metric(text, catalog())
    assert form is not None
    return form


@pytest.mark.parametrize(
    ("text", "kind", "value", "weight"),
    [
        ("SUM(amount)", "sum", '"orders"."amount"', None),
        ("sum(o.amount)", "sum", '"orders"."amount"', None),
        ("COUNT(*)", "sum", "1", None),
        ("COUNT(plan)", "sum", 'CASE WHEN NOT "customers"."plan" IS NULL THEN 1 END', None),
        ("SUM(clicks) / SUM(views)", "ratio", '"visits"."clicks"', '"visits"."views"'),
        ("SUM(clicks) / NULLIF(COUNT(*), 0)", "ratio", '"visits"."clicks"', "1"),
        (
            "SUM(amount) FILTER (WHERE channel = 'web')",
            "sum",
            'CASE WHEN "orders"."channel" = \'web\' THEN "orders"."amount" END',
            None,
        ),
        ("AVG(age)", "ratio", '"customers"."age"', 'CASE WHEN NOT "customers"."age" IS NULL THEN 1 END'),
        ("SUM(paid)", "sum", 'CAST("orders"."paid" AS INTEGER)', None),
    ],
)
def test_a_metric_is_taken_apart_into_what_each_row_adds(text: str, kind: str, value: str, weight: str | None) -> None:
    form = read(text.replace("o.amount", "orders.amount"))
    assert (form.kind, form.numerator.value) == (kind, value)
    assert (form.denominator.value if form.denominator else None) == weight


def test_constants_are_a_scale() -> None:
    assert read("100.0 * SUM(clicks) / SUM(views)").scale == 100.0
    assert read("-SUM(amount) / 2").scale == -0.5


def test_distinct_things_are_units() -> None:
    form = read("COUNT(DISTINCT customer_id)")
    assert (form.kind, form.unit, form.numerator.merge) == ("sum", '"orders"."customer_id"', "max")


def test_distinct_things_under_a_condition_share_their_unit() -> None:
    form = read("COUNT(DISTINCT CASE WHEN paid THEN customer_id END) * 1.0 / COUNT(DISTINCT customer_id)")
    assert (form.kind, form.unit) == ("ratio", '"orders"."customer_id"')


def test_a_sum_per_distinct_day_is_a_sum_per_day() -> None:
    form = read("SELECT SUM(amount) / COUNT(DISTINCT date) FROM orders")
    assert (form.kind, form.per_day) == ("sum", '"orders"."date"')


def test_a_select_brings_its_joins_and_its_condition() -> None:
    form = read(
        "SELECT SUM(o.amount) AS revenue FROM orders o LEFT JOIN customers c ON c.customer_id = o.customer_id "
        "WHERE c.plan = 'free'"
    )
    (join,) = form.joins
    assert (join.left, join.right, join.right_column, join.inner) == ("orders", "customers", "customer_id", False)
    assert form.where == '"customers"."plan" = \'free\''
    assert form.tables == ("orders", "customers")


def test_one_minus_a_rate_is_the_rate_of_the_rest() -> None:
    form = read("1 - SUM(clicks) / SUM(views)")
    assert form.kind == "ratio"
    assert form.numerator.value == 'coalesce("visits"."views", 0) + -1.0 * coalesce("visits"."clicks", 0)'


@pytest.mark.parametrize("text", ["conversion rate", "revenue", "active users last month"])
def test_words_are_no_sql(text: str) -> None:
    assert read_metric(text, catalog()) is None


@pytest.mark.parametrize(
    "text",
    [
        "MAX(amount)",
        "MODE(amount)",
        "MEDIAN(amount) / COUNT(*)",
        "SUM(amount) * SUM(clicks)",
        "SUM(amount",
        "SELECT channel, SUM(amount) FROM orders GROUP BY channel",
        "SELECT SUM(amount) FROM (SELECT * FROM orders)",
        "SELECT SUM(amount), COUNT(*) FROM orders",
        "SELECT SUM(a.amount) FROM orders a JOIN orders b ON a.order_id = b.order_id",
        "SELECT SUM(amount) FROM orders CROSS JOIN customers",
        "COUNT(DISTINCT customer_id) / COUNT(DISTINCT order_id)",
        "SUM(amount) OVER ()",
        "SELECT * FROM orders",
    ],
)
def test_what_no_row_adds_to_is_refused(text: str) -> None:
    with pytest.raises(MetricUnreadable):
        read_metric(text, catalog())


def test_a_wrong_name_is_named() -> None:
    with pytest.raises(MissingColumn) as column:
        read_metric("SUM(amuont)", catalog())
    assert "amuont" in column.value.message and "`amount`" in str(column.value.suggestion)
    with pytest.raises(MissingTable) as table:
        read_metric("SELECT SUM(amount) FROM ordres", catalog())
    assert "ordres" in table.value.message and "orders" in str(table.value.suggestion)
