"""Random tables and random plans over them, and the stage on which a plan is told without a run around it."""

import hashlib
import random
import types
from typing import Any

import duckdb
import pyarrow as pa

from averment.agents.analyst.teller import tell
from averment.plans.compile import CompiledPlan, compile_plan
from averment.plans.plan import Measure, Plan, Rank, Test, Value, Window
from averment.plans.statistics import statistic_of
from averment.records.claim import Claim
from averment.records.run import Observation, ToolCall
from averment.runtime.run_state import RunState

NAMES = ("ruby", "teal", "amber", "olive", "coral")
PEOPLE = ("Ada", "Bob", "Cem", "Dee")
TABLE = "goods"
SCHEMA = pa.schema(
    {
        "colour": pa.string(),
        "person": pa.string(),
        "year": pa.int64(),
        "fresh": pa.bool_(),
        "pieces": pa.int64(),
        "weight": pa.float64(),
    }
)
Row = dict[str, Any]


def random_rows(dice: random.Random) -> list[Row]:
    """Rows with gaps, ties, negative numbers and few different values."""
    return [
        {
            "colour": None if dice.random() < 0.08 else dice.choice(NAMES[: dice.randint(2, 5)]),
            "person": dice.choice(PEOPLE),
            "year": dice.randint(1998, 2003),
            "fresh": None if dice.random() < 0.05 else dice.random() < 0.5,
            "pieces": None if dice.random() < 0.1 else dice.choice((0, 1, 2, 3, 5, 8, -4)),
            "weight": None
            if dice.random() < 0.1
            else dice.choice((0.25, 1.5, 2.0, -0.75, round(dice.uniform(0, 40), 3))),
        }
        for _ in range(dice.randint(0, 30))
    ]


def column(name: str) -> Value:
    return Value(table=TABLE, column=name)


def random_test(dice: random.Random) -> Test:
    name = dice.choice(("colour", "person", "year", "pieces", "weight"))
    if name in {"colour", "person"}:
        values = NAMES if name == "colour" else PEOPLE
        kind = dice.choice(("=", "!=", "in"))
        to = tuple(dice.sample(values, 2)) if kind == "in" else (dice.choice(values),)
        return Test(value=column(name), operator=kind, to=to)  # type: ignore[arg-type]
    kind = dice.choice(("=", "<", "<=", ">", ">="))
    number = dice.randint(1998, 2003) if name == "year" else dice.choice((0, 1, 2, 20))
    return Test(value=column(name), operator=kind, to=(number,))  # type: ignore[arg-type]


def random_measure(dice: random.Random) -> Measure:
    function = dice.choice(("rows", "rows", "count", "distinct", "sum", "mean", "min", "max", "median", "rate"))
    if function == "rows":
        return Measure(function="rows")
    if function == "rate":
        return Measure(function="rate", where=(Test(value=column("fresh"), to=(True,)),))
    return Measure(function=function, of=column(dice.choice(("pieces", "weight"))))  # type: ignore[arg-type]


def random_plan(dice: random.Random) -> Plan:
    where = tuple(random_test(dice) for _ in range(dice.choice((0, 0, 1, 2))))
    keys = tuple(column(name) for name in dice.sample(("colour", "person", "year", "fresh"), dice.choice((1, 1, 2))))
    measure = random_measure(dice)
    match dice.randint(0, 12):
        case 0:
            return Plan(table=TABLE, where=where, measures=(measure, random_measure(dice)))
        case 1 | 2:
            return Plan(table=TABLE, where=where, by=keys, measures=(measure,))
        case 3 | 4:
            skip, limit = dice.choice(((0, 1), (0, 3), (1, 1)))
            rank = Rank(descending=dice.random() < 0.5, limit=limit, skip=skip)
            return Plan(table=TABLE, where=where, by=keys, measures=(measure,), rank=rank)
        case 5:
            rank = Rank(descending=dice.random() < 0.5, limit=dice.randint(1, 2), within=(0,))
            keys = (column("year"), column("colour"))
            return Plan(table=TABLE, where=where, by=keys, measures=(measure,), rank=rank)
        case 6:
            summed = Measure(function=dice.choice(("rows", "sum")), of=column("pieces"))
            summed = summed if summed.function == "sum" else Measure(function="rows")
            return Plan(table=TABLE, where=where, by=keys, measures=(summed,), window=Window(kind="share"))
        case 7:
            by, sides = dice.choice((("colour", NAMES), ("person", PEOPLE)))
            named = Test(value=column(by), operator="in", to=tuple(dice.sample(sides, 2)))
            asks = dice.choice(("more", "less"))
            return Plan(table=TABLE, where=(*where, named), by=(column(by),), measures=(measure,), asks=asks)  # type: ignore[arg-type]
        case 8:
            return Plan(table=TABLE, where=where, by=(column("fresh"),), measures=(measure,), asks="more")
        case 9:
            years = tuple(sorted(dice.sample(range(1998, 2004), 2)))
            window = Window(kind=dice.choice(("growth", "change")), along=0, span=years)  # type: ignore[arg-type]
            by = (column("year"), column("person")) if dice.random() < 0.5 else (column("year"),)
            return Plan(table=TABLE, where=where, by=by, measures=(measure,), window=window)
        case 10:
            show = tuple(column(name) for name in dice.sample(("colour", "person", "pieces"), dice.randint(1, 2)))
            ranked = Rank(by=column("weight"), descending=dice.random() < 0.5, limit=dice.choice((1, 3)))
            rank = ranked if dice.random() < 0.6 else None
            return Plan(table=TABLE, where=where, show=show, distinct=rank is None and dice.random() < 0.6, rank=rank)
        case 11:
            return Plan(table=TABLE, where=where, by=(column("year"),), measures=(measure,))
        case _:
            kind = dice.choice(("correlation", "difference_test", "distribution", "outliers"))
            of = (column("pieces"), column("weight")) if kind == "correlation" else (column("weight"),)
            groups = {"by": column("person")} if kind == "difference_test" else {}
            return Plan(table=TABLE, where=where, statistic=statistic_of(kind, of=of, **groups))


class Stage:
    """An engine with one table, on which plans are run and told."""

    def __init__(self) -> None:
        self._engine = duckdb.connect()

    def set(self, rows: list[Row]) -> None:
        table = pa.Table.from_pylist(rows, schema=SCHEMA)
        self._engine.register(TABLE, table)

    def run(self, plan: Plan) -> tuple[CompiledPlan, pa.Table, str]:
        compiled = compile_plan(plan)
        composed = compiled.compose("duckdb")
        return compiled, self._engine.execute(composed.sql, list(composed.params)).to_arrow_table(), composed.sql

    def tell(self, plan: Plan, *, row_limit: int | None = None) -> tuple[tuple[Claim, ...], pa.Table]:
        """The claims over a plan's result, cut at the row limit where it has more rows."""
        compiled, table, sql = self.run(plan)
        cut = row_limit is not None and table.num_rows > row_limit
        table = table.slice(0, row_limit) if cut else table
        return tell(work_of(sql, truncated=cut), plan, compiled, table), table


def work_of(sql: str, *, truncated: bool = False) -> Any:
    """As much of a run as the teller looks at."""
    call = ToolCall(task_id="query", tool_name="sql.run", arguments={})
    data = {"query_hash": hashlib.sha256(sql.encode()).hexdigest(), "truncated": truncated}
    observation = Observation(call_id=call.call_id, status="success", data=data, execution_time_seconds=0.1)
    return types.SimpleNamespace(state=RunState(answered={"query": (call, observation)}))
