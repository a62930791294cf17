"""Two small tables full of what engines like to disagree on, written for each of them.

Missing values in every kind of column, texts with quotes, backslashes, wildcards and other alphabets, negative numbers,
decimals whose mean has many digits, truth values, moments with seconds, numbers and dates written as text.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

REGIONS = ("North", "South", "O'Hare", "100% _off_", "back\\slash", 'say "hi"', "Köln", "naïve ☃", "north", None)
PRODUCTS = ("Desk", "Chair", "Lamp", "Shelf")
CUSTOMERS = tuple(f"C{number:02d}" for number in range(12))
ROWS = 600
FIRST = date(2022, 1, 3)

SALES = pa.schema(
    [
        ("sale_id", pa.int64()),
        ("customer", pa.string()),
        ("day", pa.date32()),
        ("placed_at", pa.timestamp("us")),
        ("shipped_at", pa.timestamp("us")),
        ("region", pa.string()),
        ("product", pa.string()),
        ("quantity", pa.int32()),
        ("amount", pa.decimal128(10, 2)),
        ("weight", pa.float64()),
        ("returned", pa.bool_()),
        ("packed", pa.string()),
        ("written", pa.string()),
    ]
)
PEOPLE = pa.schema([("customer", pa.string()), ("segment", pa.string()), ("since", pa.date32())])
_POSTGRES = {
    pa.int64(): "bigint",
    pa.int32(): "integer",
    pa.string(): "text",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.decimal128(10, 2): "numeric(10,2)",
    pa.float64(): "double precision",
    pa.bool_(): "boolean",
}


def sales(rows: int = ROWS) -> pa.Table:
    """Sales over two and a half years; those of desks bring less in 2023."""
    made: list[dict[str, object]] = []
    for n in range(rows):
        day = FIRST + timedelta(days=n * 7919 % 727)
        at = datetime(day.year, day.month, day.day, n * 13 % 24, n * 7 % 60, n * 11 % 60)
        customer, product = n * 5 % 12, n * 7 % 4
        cents = n * 7919 % 100_000 - 2_000
        if day.year == 2023 and product == 0:
            cents = cents * 6 // 10
        made.append(
            {
                "sale_id": n + 1,
                "customer": CUSTOMERS[customer] if n % 17 else None,
                "day": day if n % 29 else None,
                "placed_at": at,
                "shipped_at": None if n % 13 == 0 else at + timedelta(seconds=n * 997 % 400_000),
                "region": REGIONS[n * 3 % len(REGIONS)],
                "product": PRODUCTS[product],
                "quantity": None if n % 19 == 0 else n * 31 % 23 - 3,
                "amount": None if n % 23 == 0 else Decimal(cents) / 100,
                "weight": None if n % 11 == 0 else (n * 104_729 % 9_973) / 97.0,
                "returned": None if n % 7 == 0 else n % 3 == 0,
                "packed": f"{n * 37 % 5_000:,} kg" if n % 9 else "unknown",
                "written": (f"{day.month}/{day.day}/{day.year}", "2/30/2023", "soon", None)[
                    (n % 31 == 0) * (1 + n % 3)
                ],
            }
        )
    return pa.Table.from_pylist(made, schema=SALES)


def customers() -> pa.Table:
    """Who bought."""
    segments = ("home", "office", "school")
    made = [
        {"customer": name, "segment": segments[n % 3], "since": date(2020, 1, 1) + timedelta(days=40 * n)}
        for n, name in enumerate(CUSTOMERS)
    ]
    return pa.Table.from_pylist(made, schema=PEOPLE)


def write_parquet(place: Path) -> list[Path]:
    """Both tables as folders of Parquet files, the first in two parts."""
    found: list[Path] = []
    for name, table in (("sales", sales()), ("customers", customers())):
        folder = place / name
        folder.mkdir(parents=True)
        half = table.num_rows // 2
        pq.write_table(table.slice(0, half), folder / "part-0.parquet")
        pq.write_table(table.slice(half), folder / "part-1.parquet")
        found.append(folder)
    return found


def write_csv(place: Path) -> list[Path]:
    """Both tables as CSV files, an empty cell where there is no value."""
    place.mkdir(parents=True)
    for name, table in (("sales", sales()), ("customers", customers())):
        arrow_csv.write_csv(table, place / f"{name}.csv")
    return [place / "sales.csv", place / "customers.csv"]


def write_postgres(url: str, tables: dict[str, pa.Table] | None = None) -> None:
    """Both tables, or those given, in a Postgres database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for name, table in (tables or {"sales": sales(), "customers": customers()}).items():
            columns = ", ".join(f"{field.name} {_POSTGRES[field.type]}" for field in table.schema)
            connection.execute(f"CREATE TABLE {name} ({columns})")  # pyright: ignore[reportArgumentType]  # our own names
            with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:  # pyright: ignore[reportArgumentType]
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)
