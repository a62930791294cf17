"""``metric.attribute``: the rows, leaves and days of a metric become ranked causes of its change, and the rest.

What is read of them is exact arithmetic on arrays (``averment.stats.attribution``); the same tables give the same
answer to the last bit. The kept table has the whole change first, then what the data's faults, the calendar and each
segment did, and last what nothing explains: the contributions sum to the change.
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from pydantic import Field

from averment.errors import MetricUndefined
from averment.tools.metric_facts import FactArgs, load_facts, load_leaves
from averment.tools.result_store import StoredTable
from averment.tools.tool import Output, ToolContext, tool

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.stats.attribution.story import Attribution, Explanation

EVERYTHING = "everything"
_TEXTS = ("part", "segment", "state", "days", "kind")
_DETAIL_TEXTS = ("fault", "side", "since", "until", "old", "new", "column", "table")
_NUMBERS = ("before", "after", "effect", "contribution", "share")
_DETAIL_NUMBERS = ("count", "other_count", "multiple", "low", "high")


class AttributeArgs(FactArgs):
    """The facts, and the days of the whole."""

    daily: str = Field(min_length=1, description="The task whose table has one row for each day.")


class AttributeOutput(Output):
    """The ranked causes as a table, and the whole attribution as a document."""

    table: StoredTable
    attribution: dict[str, Any]


def attribute_metric(args: AttributeArgs, context: ToolContext) -> AttributeOutput:
    """Find what moved the metric.

    Raises:
        MetricUndefined: the metric divides by zero in one of the periods.
        MissingColumn: a table lacks a dimension or measure.
        TypeMismatch: the denominators are below zero somewhere.
    """
    leaves, days, rows = (context.result_store.by_task(name) for name in (args.cube, args.daily, args.facts))
    found = search_tables(leaves, days, rows, args)
    return AttributeOutput(table=context.keep(explanation_table(found)), attribution=found.model_dump(mode="json"))


def search_tables(leaves: pa.Table, days: pa.Table, rows: pa.Table, args: AttributeArgs) -> Attribution:
    """The attribution of a metric from its leaves, its days and its rows; raises as ``attribute_metric``."""
    from averment.stats.attribution.tell import attribute

    facts = load_facts(rows, args, days)
    for side, period in enumerate(("baseline", "comparison")):
        if isnan(facts.value(side)):
            raise MetricUndefined(f"The metric divides by zero in the {period} period, so it has no value there.")
    return attribute(facts, None if facts.plain_rows else load_leaves(leaves, args))


def segment_text(segment: dict[str, str]) -> str:
    """A segment as a reader sees it: ``channel = organic, plan = free``."""
    return ", ".join(f"{name} = {value}" for name, value in sorted(segment.items())) or EVERYTHING


def _span(explanation: Explanation) -> str | None:
    since, until = explanation.details.get("since"), explanation.details.get("until")
    if since is None:
        return None
    return str(since) if until in (None, since) else f"{since} to {until}"


def explanation_table(found: Attribution) -> pa.Table:
    """The attribution as a table: the change, each explanation in its rank, and the unexplained rest."""
    import pyarrow as pa

    change, before = found.change, found.baseline
    rows: list[dict[str, Any]] = [
        {
            "part": "change",
            "segment": EVERYTHING,
            "before": before,
            "after": found.comparison,
            "effect": change / abs(before) if before else None,
            "contribution": change,
            "share": 1.0 if change else None,
        }
    ]
    for rank, one in enumerate(found.explanations, start=1):
        rows.append(
            {
                "part": "explanation",
                "rank": rank,
                "segment": segment_text(one.segment),
                "state": one.state,
                "before": one.before,
                "after": one.after,
                "effect": one.effect,
                "contribution": one.contribution,
                "share": one.share_of_change,
                "days": _span(one),
                "kind": one.kind,
                **{name: one.details.get(name) for name in (*_DETAIL_TEXTS, *_DETAIL_NUMBERS)},
            }
        )
    share = found.unexplained / change if change else None
    rows.append({"part": "unexplained", "segment": EVERYTHING, "contribution": found.unexplained, "share": share})
    texts, numbers = (*_TEXTS, *_DETAIL_TEXTS), (*_NUMBERS, *_DETAIL_NUMBERS)
    kinds = {"rank": pa.int64(), **dict.fromkeys(texts, pa.string()), **dict.fromkeys(numbers, pa.float64())}
    names = ("part", "rank", *texts[1:], *numbers)
    return pa.table({name: pa.array([row.get(name) for row in rows], kinds[name]) for name in names})


METRIC_ATTRIBUTE = tool(
    "metric.attribute",
    attribute_metric,
    "Find which segments moved a metric between two periods, by how much, and what stays unexplained.",
    cost_seconds=2.0,
)
