"""A plan operation: how concentrated a total is over the groups that make it up.

As a plan: ``from access statistic concentration of bytes between host``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from averment.errors import InvalidArguments
from averment.plans.compile import CompiledPlan
from averment.plans.expressions import measure_sql, select, value_sql
from averment.plans.names import value_name
from averment.plans.operations import AddedStatistic, Operation
from averment.plans.plan import Measure, Plan
from averment.plans.query import Query
from averment.records.claim import Claim
from averment_example.claim_concentrated import word_for


def _asked(plan: Plan) -> AddedStatistic:
    if not isinstance(plan.statistic, AddedStatistic) or plan.statistic.by is None:
        raise InvalidArguments("A concentration needs groups: concentration of VALUE between GROUP.")
    return plan.statistic


def compile_concentration(plan: Plan) -> CompiledPlan:
    """Each group's total by the engine, and their Gini coefficient by the tool."""
    statistic = _asked(plan)
    group = value_sql(statistic.by)
    total = measure_sql(Measure(function="sum", of=statistic.of[0]))
    base = select(plan, {"group": group, "total": total}, group=[group], order=[group])
    query = Query(base=base, shown=("group", "total"))
    return CompiledPlan(
        query=query, keys=(), figures=("gini", "count"), tool="example.gini", arguments={"column": "total"}
    )


def say(plan: Plan) -> str:
    """The read-back."""
    statistic = _asked(plan)
    return f"concentration of {value_name(statistic.of[0])} over {value_name(statistic.by)}"


def tell(scene: Any) -> Iterator[Claim | None]:
    """One claim about the one row of the result."""
    statistic = _asked(scene.plan)
    gini = scene.value(0, "gini", role="gini", kind="number")
    words = {"group": value_name(statistic.by), "word": word_for(float(scene.values("gini")[0]))}
    values = [gini, scene.value(0, "count", role="count", kind="count")]
    yield scene.claim("concentrated", "concentration", values, figure=value_name(statistic.of[0]), words=words)


CONCENTRATION = Operation(
    name="concentration",
    promise="How concentrated a total is over the groups that make it up, as a Gini coefficient.",
    compile=compile_concentration,
    say=say,
    tell=tell,
    phrases=("concentration", "concentration of", "how concentrated", "how concentrated is", "gini coefficient of"),
    grouped=True,
)
