"""Read-backs read again: generated plans over real schemas, each said in a sentence, the sentence read as a question.

    python bench/round_trip.py --tables DIR [--plans 2000] [--seed 1]

DIR holds CSV files. Right is a read-back whose best reading gives the same rows as the plan it was made from.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from averment.plans.compile import compile_plan
from averment.plans.plan import Measure, Plan, Rank, Test
from averment.plans.readback import read_back
from averment.reading.gather import gather
from averment.reading.reader import read
from averment.reading.relations import hang_together
from averment.reading.schema import Schema, Table
from averment.reading.settle import settle
from averment.reading.values import plain_rows, same_rows
from averment.settings import Settings
from averment.tables.engine import Engine
from averment.tables.profile import profile
from averment.tables.sources import open_sources


def generated(table: Table, schema: Schema, chance: random.Random) -> Plan | None:
    """One plan that the table allows."""
    numbers = [c for c in table.columns if c.has("measure") and c.expression is None and not c.numeric_text]
    groups = [c for c in table.columns if c.has("category") and c.kind == "text" and 1 < c.distinct <= 40]
    where: list[Test] = []
    if groups and chance.random() < 0.5:
        column = chance.choice(groups)
        where.append(Test(value=column.value, to=(chance.choice(column.values),)))
    if numbers and chance.random() < 0.35:
        column = chance.choice(numbers)
        if isinstance(column.low, int | float) and isinstance(column.high, int | float):
            bound = round(column.low + (column.high - column.low) * chance.random(), 2)
            where.append(Test(value=column.value, operator=chance.choice([">", "<", ">=", "<="]), to=(bound,)))
    named = {t.value.column for t in where if t.value is not None}
    free = [c for c in groups if c.name not in named]
    by = tuple(c.value for c in chance.sample(free, min(len(free), chance.choice([0, 1, 1, 2]))))
    if numbers and chance.random() < 0.75:
        able = [c for c in numbers if c.name not in named]
        if not able:
            return None
        function: Any = chance.choice(["mean", "sum", "median", "min", "max", "stddev"])
        measure = Measure(function=function, of=chance.choice(able).value)
    else:
        measure = Measure(function="rows")
    rank = (
        Rank(descending=chance.random() < 0.6, limit=chance.choice([1, 3, 5]))
        if len(by) == 1 and chance.random() < 0.3
        else None
    )
    plan = Plan(table=table.name, measures=(measure,), by=by, where=tuple(where), rank=rank)
    return settle(schema, plan)


def main() -> int:
    """Generate, say, read and compare."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--tables", type=Path, required=True)
    asked.add_argument("--plans", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--show", type=int, default=0)
    given = asked.parse_args()
    chance = random.Random(given.seed)
    count: Counter[str] = Counter()
    files = sorted(given.tables.glob("*.csv"))
    with tempfile.TemporaryDirectory() as home:
        for path in files:
            settings = Settings(home=Path(home))
            catalog = open_sources([str(path)], settings=settings, cache_dir=Path(home))
            with Engine(catalog, settings) as engine:
                profiles = [profile(engine, table.name) for table in catalog.tables]

                def ask(sql: str, params: Any, engine: Engine = engine) -> list[dict[str, Any]]:
                    return engine.run(sql, params).table.to_pylist()

                def rows(plan: Plan, engine: Engine = engine) -> list[list[Any]]:
                    composed = compile_plan(plan).compose("duckdb")
                    return plain_rows(engine.run(composed.sql, composed.params).table)

                schema = gather(profiles, hang_together(engine, profiles), ask)
                for _ in range(given.plans // len(files)):
                    plan = generated(next(iter(schema.tables.values())), schema, chance)
                    if plan is None:
                        continue
                    said = read_back(plan)
                    found = read(said, schema)
                    right = bool(found) and not found[0].left and same_rows(rows(plan), rows(found[0].plan))
                    count["right" if right else "wrong"] += 1
                    if not right and count["wrong"] <= given.show:
                        print(
                            path.stem,
                            "|",
                            said,
                            "|",
                            found[0].read_back if found else None,
                            found[0].left if found else "",
                        )
    total = sum(count.values())
    print(f"{len(files)} tables, {total} plans, read again the same: {count['right'] / max(1, total):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
