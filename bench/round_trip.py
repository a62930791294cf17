"""Read-backs read again: generated plans over real schemas, each said in a sentence, the sentence read as a question.

    python bench/round_trip.py --tables DIR ... [--plans 2000] [--seed 1] [--show 20] [--jobs 1]

Each DIR holds CSV files, each a schema of its own, and SQLite databases. Right is a read-back whose best reading gives
the same rows as the plan it was made from and leaves no word over. Plans are of every class in ``CLASSES``, over one
table or joined ones where the schema has joins.

Measures a part: averment.plans, averment.reading and averment.tables.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from averment.errors import AvermentError
from averment.plans.compile import compile_plan
from averment.plans.plan import GroupTest, Measure, Plan, Rank, Test, Value, Window
from averment.plans.readback import read_back
from averment.reading.reader import read
from averment.reading.resolve_joins import resolve_joins
from averment.reading.schema.gather import gather
from averment.reading.schema.implied_joins import hang_together
from averment.reading.schema.result_values import plain_rows, same_rows
from averment.reading.schema.schema_column import Column
from averment.reading.schema.schema_view import Schema, Table
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.sources.opening import open_sources

FUNCTIONS = ("mean", "sum", "median", "min", "max", "stddev")
MOST_ROWS = 400
"""Longer results are not compared."""


class Maker:
    """Draws plans over one schema."""

    def __init__(self, schema: Schema, chance: random.Random) -> None:
        self.schema, self.chance = schema, chance

    def plan(self) -> tuple[str, Plan | None]:
        """One plan and its class, or None where the table drawn has nothing for it."""
        name = self.chance.choice(list(CLASSES))
        table = self.chance.choice(list(self.schema.tables.values()))
        if len(table.columns) < 2 or table.rows < 2:
            return name, None
        made = CLASSES[name](self, table)
        return name, resolve_joins(self.schema, made) if made is not None else None

    def near(self, table: Table) -> list[Column]:
        """The table's columns, and now and then those of a table that each of its rows points at."""
        reached = [t for t in self.schema.routes.get(table.name, {}) if t != table.name]
        if reached and self.chance.random() < 0.4:
            return self.schema.tables[self.chance.choice(reached)].columns
        return table.columns

    def number(self, table: Table) -> Column | None:
        able = [c for c in table.columns if c.has("measure") and c.expression is None and not c.numeric_text]
        return self.chance.choice(able) if able else None

    def category(self, table: Table) -> Column | None:
        able = [c for c in self.near(table) if c.has("category") and c.kind == "text" and 1 < c.distinct <= 40]
        return self.chance.choice(able) if able else None

    def when(self, table: Table) -> Value | None:
        able = [c for c in table.columns if c.kind == "date" and c.expression is None]
        if not able:
            return None
        part = self.chance.choice(["year", "month", "quarter", "weekday", "month_of_year"])
        column = self.chance.choice(able)
        return Value(kind="part", table=column.table, column=column.name, part=part)

    def tests(self, table: Table) -> tuple[Test, ...]:
        """No, one or two conditions."""
        found: list[Test] = []
        column = self.category(table)
        if column is not None and column.values and self.chance.random() < 0.5:
            values = [v for v in column.values if isinstance(v, str) and v.strip()]
            if values and self.chance.random() < 0.75:
                operator = self.chance.choice(["=", "=", "=", "!="])
                found.append(Test(value=column.value, operator=operator, to=(self.chance.choice(values),)))
            elif len(values) > 1:
                found.append(Test(value=column.value, operator="in", to=tuple(self.chance.sample(values, 2))))
        number = self.number(table)
        if number is not None and self.chance.random() < 0.35:
            low, high = number.low, number.high
            if isinstance(low, int | float) and isinstance(high, int | float) and high > low:
                bounds = sorted(self._between(number, float(low), float(high)) for _ in range(2))
                if self.chance.random() < 0.15 and bounds[0] < bounds[1]:
                    found.append(Test(value=number.value, operator="between", to=tuple(bounds)))
                else:
                    operator = self.chance.choice([">", "<", ">=", "<="])
                    found.append(Test(value=number.value, operator=operator, to=(bounds[0],)))
        return tuple(found)

    def _between(self, column: Column, low: float, high: float) -> float:
        drawn = low + (high - low) * self.chance.random()
        return int(drawn) if column.whole else round(drawn, 2)

    def measure(self, table: Table, used: set[str | None]) -> Measure | None:
        """A figure of a number that no condition is about."""
        column = self.number(table)
        if column is None or self.chance.random() < 0.25:
            return Measure(function="rows")
        function: Any = self.chance.choice(FUNCTIONS)
        return None if column.name in used else Measure(function=function, of=column.value)


def _used(tests: tuple[Test, ...]) -> set[str | None]:
    return {test.value.column for test in tests if test.value is not None}


def _figure(maker: Maker, table: Table) -> Plan | None:
    where = maker.tests(table)
    measure = maker.measure(table, _used(where))
    return Plan(table=table.name, measures=(measure,), where=where, expects="figure") if measure else None


def _grouped(maker: Maker, table: Table) -> Plan | None:
    where = maker.tests(table)
    keys = [maker.category(table) for _ in range(maker.chance.choice([1, 1, 2]))]
    names = {key.name for key in keys if key is not None}
    measure = maker.measure(table, _used(where))
    if measure is None or None in keys or len(names) < len(keys) or names & _used(where):
        return None
    return Plan(table=table.name, measures=(measure,), by=tuple(key.value for key in keys if key), where=where)


def _over_time(maker: Maker, table: Table) -> Plan | None:
    where, when = maker.tests(table), maker.when(table)
    measure = maker.measure(table, _used(where))
    if when is None or measure is None:
        return None
    return Plan(table=table.name, measures=(measure,), by=(when,), where=where, expects="series")


def _top_groups(maker: Maker, table: Table) -> Plan | None:
    made = _grouped(maker, table)
    if made is None or len(made.by) != 1:
        return None
    limit = maker.chance.choice([1, 3, 5])
    return made.model_copy(update={"rank": Rank(descending=maker.chance.random() < 0.6, limit=limit)})


def _top_rows(maker: Maker, table: Table) -> Plan | None:
    number, where = maker.number(table), maker.tests(table)
    if number is None or not table.labels or number.name in _used(where):
        return None
    rank = Rank(by=number.value, descending=maker.chance.random() < 0.6, limit=maker.chance.choice([1, 3]))
    return Plan(table=table.name, show=(table.labels[0].value,), where=where, rank=rank)


def _listed(maker: Maker, table: Table) -> Plan | None:
    where = maker.tests(table)
    if not where or not table.labels or table.labels[0].name in _used(where):
        return None
    return Plan(table=table.name, show=(table.labels[0].value,), where=where, expects="list")


def _distinct(maker: Maker, table: Table) -> Plan | None:
    where, key = maker.tests(table), maker.category(table)
    if key is None or key.name in _used(where):
        return None
    return Plan(table=table.name, measures=(Measure(function="distinct", of=key.value),), where=where, expects="figure")


def _having(maker: Maker, table: Table) -> Plan | None:
    key = maker.category(table)
    if key is None:
        return None
    bound = maker.chance.randint(1, max(2, table.rows // max(1, key.distinct)))
    having = GroupTest(measure=Measure(function="rows"), operator=maker.chance.choice([">", ">=", "<"]), to=(bound,))
    return Plan(table=table.name, measures=(Measure(function="rows"),), by=(key.value,), having=(having,))


def _share(maker: Maker, table: Table) -> Plan | None:
    key, number = maker.category(table), maker.number(table)
    if key is None or number is None or not number.additive:
        return None
    measure = Measure(function="sum", of=number.value)
    return Plan(table=table.name, measures=(measure,), by=(key.value,), window=Window(kind="share"))


CLASSES: dict[str, Callable[[Maker, Table], Plan | None]] = {
    "figure": _figure,
    "grouped": _grouped,
    "over time": _over_time,
    "top groups": _top_groups,
    "top rows": _top_rows,
    "listed": _listed,
    "distinct": _distinct,
    "having": _having,
    "share": _share,
}


class Opened:
    """A schema and a way to run plans over it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        profiles = [profile(engine, table.name) for table in engine.catalog.tables]
        self.schema = gather(profiles, hang_together(engine, profiles), self._ask)

    def _ask(self, sql: str, params: Any) -> list[dict[str, Any]]:
        return self.engine.run(sql, params).table.to_pylist()

    def rows(self, plan: Plan) -> list[list[Any]] | None:
        """What a plan gives; None where it cannot be run."""
        made = compile_plan(plan).compose(self.engine.catalog.dialect)
        try:
            return plain_rows(self.engine.run(made.sql, made.params, row_limit=MOST_ROWS + 1).table)
        except AvermentError:
            return None


@contextmanager
def opened(path: Path, home: Path) -> Iterator[Opened]:
    """The schema of one file."""
    settings = Settings(home=home)
    with Engine(open_sources([str(path)], settings=settings, cache_dir=home), settings) as engine:
        yield Opened(engine)


def round_trips(one: Opened, chance: random.Random, most: int) -> Iterator[tuple[str, str, str | None, bool]]:
    """For each plan: its class, its read-back, what that is read as, and whether the rows are the same."""
    maker, made = Maker(one.schema, chance), 0
    for _ in range(20 * most):
        if made >= most:
            return
        name, plan = maker.plan()
        wanted = one.rows(plan) if plan is not None else None
        if plan is None or not wanted or len(wanted) > MOST_ROWS or all(row[-1] is None for row in wanted):
            continue
        made += 1
        said = read_back(plan)
        found = read(said, one.schema)
        got = one.rows(found[0].plan) if found and not found[0].left else None
        yield name, said, found[0].read_back if found else None, got is not None and same_rows(wanted, got)


def main() -> int:
    """Generate, say, read and compare."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--tables", type=Path, required=True, nargs="+")
    asked.add_argument("--plans", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--show", type=int, default=0)
    given = asked.parse_args()
    files = sorted(p for folder in given.tables for p in folder.iterdir() if p.suffix in {".csv", ".sqlite", ".db"})
    right, total = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as home:
        for number, path in enumerate(files):
            # What an earlier schema could not give is drawn from the later ones.
            most = -(-(given.plans - total.total()) // (len(files) - number))
            with opened(path, Path(home)) as one:
                for name, said, read_as, same in round_trips(one, random.Random(f"{given.seed} {path.stem}"), most):
                    total[name] += 1
                    right[name] += same
                    if not same and total.total() - right.total() <= given.show:
                        print(f"{path.stem} | {name} | {said} | {read_as}", flush=True)
    for name in CLASSES:
        print(f"{name:12} {right[name]:5} of {total[name]:5}")
    share = right.total() / max(1, total.total())
    print(f"{len(files)} schemas, {total.total()} plans, read again the same: {share:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
