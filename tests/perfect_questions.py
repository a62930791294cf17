"""Forty questions over a small shop, each with the query a perfect model would submit; four have no answer there."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

SHOP = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, city TEXT, signed_up DATE, tier TEXT);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, title TEXT, category TEXT, price REAL, weight_kg REAL);
CREATE TABLE orders (
    order_id INTEGER PRIMARY KEY,
    customer_id INTEGER REFERENCES customers(customer_id),
    product_id INTEGER REFERENCES products(product_id),
    ordered DATE, quantity INTEGER, returned TEXT
);
"""


def make_shop(path: Path) -> Path:
    """The shop as a SQLite file; every number follows from its row's number."""
    cities, tiers, kinds = ("Bonn", "Kiel", "Ulm"), ("gold", "silver"), ("Lamps", "Desks", "Chairs")
    names = ("Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jule")
    titles = ("Aurora", "Basalt", "Cinder", "Drift", "Ember", "Flint")
    with sqlite3.connect(path) as shop:
        shop.executescript(SHOP)
        for n, name in enumerate(names):
            day = f"202{2 + n % 3}-0{1 + n % 9}-1{n % 10}"
            shop.execute("INSERT INTO customers VALUES (?,?,?,?,?)", (n + 1, name, cities[n % 3], day, tiers[n % 2]))
        for n, title in enumerate(titles):
            row = (n + 1, title, kinds[n % 3], 20 + 7.5 * n, 1.5 + n)
            shop.execute("INSERT INTO products VALUES (?,?,?,?,?)", row)
        for n in range(90):
            day = f"202{3 + n % 2}-{1 + n % 12:02d}-{1 + n % 27:02d}"
            row = (n + 1, 1 + (n * 7) % 9, 1 + (n * n) % 6, day, 1 + n % 5, "yes" if n % 11 == 0 else "no")
            shop.execute("INSERT INTO orders VALUES (?,?,?,?,?,?)", row)
    return path


def read_questions() -> list[tuple[str, str | None]]:
    """Each question with its query, or with none where the shop's data cannot answer it."""
    lines = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    return [(one["question"], one["sql"]) for one in map(json.loads, lines)]


QUESTIONS = read_questions()
