"""How many of people's queries become plans, and whether the plans give the same rows.

python bench/lift.py FOLDER...   folders with questions.jsonl (question, sources, sql) beside their tables

Groups of tables that are set aside (``groups.py``) are passed over. A plan gives the same rows if each column of the
query stands in its result, row by row; it may show what it groups or ranks by as well.

Measures a part: averment.plans, averment.tables.
"""

from __future__ import annotations

import csv
import datetime
import itertools
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.lift import lift_sql
from averment.plans.plan import parse_plan
from groups import groups, is_aside

DATES = ("%b %d %Y", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %b %Y", "%Y/%m/%d")
MOST_WAYS = 200
"""Ways to lay the columns of two results on each other that are tried."""


def opened(folder: Path, sources: Sequence[str]) -> Any:
    """The tables in an engine of their own; texts that are dates throughout are dates, as the product reads them."""
    engine = duckdb.connect()
    for source in sources:
        table = Path(source).stem
        engine.execute(f"CREATE TABLE \"{table}\" AS SELECT * FROM read_csv_auto('{folder / source}')")
        for column, kind, *_ in engine.execute(f'DESCRIBE "{table}"').fetchall():
            for form in DATES if kind == "VARCHAR" else ():
                read = f"try_strptime(\"{column}\", '{form}')"
                tested = f'SELECT count("{column}") > 0 AND count("{column}") = count({read}) FROM "{table}"'
                if engine.execute(tested).fetchall() == [(True,)]:
                    engine.execute(f'ALTER TABLE "{table}" ALTER "{column}" TYPE DATE USING {read}::DATE')
                    break
    engine.execute("CREATE MACRO strptime(a, b) AS a::TIMESTAMP")
    return engine


def catalog(folder: Path, sources: Sequence[str]) -> Any:
    """The names of tables and columns, which is all that lifting looks at."""
    tables = []
    for source in sources:
        with (folder / source).open(newline="", encoding="utf-8") as lines:
            columns = [SimpleNamespace(name=name) for name in next(csv.reader(lines))]
        tables.append(SimpleNamespace(name=Path(source).stem, columns=columns))
    return SimpleNamespace(tables=tables)


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, datetime.date | datetime.time):
        return str(value).removesuffix(" 00:00:00")
    try:
        return float(f"{float(value):.9g}")
    except ValueError:
        return str(value)


def is_same(wanted: list[Any], given: list[Any]) -> bool:
    """Whether the columns of one result stand in another, row by row."""
    if len(wanted) != len(given) or not wanted:
        return len(wanted) == len(given)
    asked, shown = (
        [[_plain(each) for each in column] for column in zip(*rows, strict=True)] for rows in (wanted, given)
    )
    places = [
        [at for at, other in enumerate(shown) if Counter(map(repr, other)) == Counter(map(repr, column))]
        for column in asked
    ]
    whole = Counter(map(repr, zip(*asked, strict=True)))
    return any(
        Counter(map(repr, zip(*(shown[at] for at in way), strict=True))) == whole
        for way in itertools.islice(itertools.product(*places), MOST_WAYS)
        if len(set(way)) == len(way)
    )


def outcome(engine: Any, known: Any, sql: str) -> str:
    """What becomes of one query."""
    try:
        wanted = engine.execute(sql).fetchall()
    except duckdb.Error:
        return "does not run itself"
    body = lift_sql(sql, known, "duckdb")
    if body is None:
        return "stays a query"
    try:
        plan = parse_plan(body)
        query = compile_plan(plan).compose("duckdb")
        given = engine.execute(query.sql, list(query.params)).fetchall()
    except (AvermentError, duckdb.Error):
        return "a plan that fails"
    if plan.asks is not None:
        return "same" if len(wanted) == 1 and bool(wanted[0][0]) == bool(given) else "differs"
    return "same" if is_same(wanted, given) else "differs"


def main() -> None:
    """Count the outcomes over all folders."""
    counts: Counter[str] = Counter()
    for folder in map(Path, sys.argv[1:]):
        lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        group = groups(row["sources"] for row in rows)
        rows = [row for row in rows if row["sql"] and not is_aside(f"{folder.name}/{group[row['sources'][0]]}")]
        for sources, asked in itertools.groupby(rows, key=lambda row: row["sources"]):
            engine, known = opened(folder, sources), catalog(folder, sources)
            counts.update(outcome(engine, known, row["sql"]) for row in asked)
    whole = sum(count for name, count in counts.items() if name != "does not run itself")
    for name, count in counts.most_common():
        print(f"{name:20} {count:6}")
    print(f"{counts['same'] / whole:.1%} of {whole} queries become plans with the same rows")


if __name__ == "__main__":
    main()
