"""``metric.attribute``: leaves and days of a metric become ranked causes of its change, and the rest.

The search is exact arithmetic on arrays (``averment.stats.attribution``); the same tables give the same answer to the
last bit. The kept table has the whole change first, then what the data's faults, the calendar and each segment did, and
last what nothing explains: the contributions sum to the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from averment.errors import MetricUndefined, MissingColumn, TypeMismatch
from averment.tools.metric_facts import FactArgs, load_facts
from averment.tools.result_store import StoredTable
from averment.tools.tool import Args, Output, ToolContext, tool

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.stats.attribution.calendar import DailySeries
    from averment.stats.attribution.cube import CodedColumn, LeafCube
    from averment.stats.attribution.verdict import Attribution, SegmentExplanation

MEASURES = ("rows", "total", "squares", "hits", "weight")
EVERYTHING = "everything"


class AttributeArgs(Args):
    """Which tables hold the leaves and the days, how the metric is made of them, and which periods are compared."""

    cube: str = Field(min_length=1, description="The task whose table has one row for each combination of values.")
    daily: str = Field(min_length=1, description="The task whose table has one row for each day.")
    dimensions: list[str] = Field(max_length=12, description="The columns of the cube that are dimensions.")
    metric: Literal["sum", "ratio"] = Field(description="A sum over rows, or a total per weight.")
    baseline: tuple[date, date] = Field(description="First and last day of the baseline period.")
    comparison: tuple[date, date] = Field(description="First and last day of the comparison period.")
    per_day: bool = Field(default=False, description="Whether the metric is divided by the days that have rows.")
    max_dimensions: int = Field(default=3, ge=1, le=5, description="How many dimensions a segment may name.")
    max_explanations: int = Field(default=8, ge=1, le=20, description="How many causes are named at most.")
    alpha: float = Field(default=0.002, gt=0, lt=0.5, description="Probability of naming a cause where there is none.")
    moves: FactArgs | None = Field(default=None, description="The rows from which faults and expectations are read.")


class AttributeOutput(Output):
    """The ranked causes as a table, and the whole attribution as a document."""

    table: StoredTable
    verdict: str
    segments_searched: int
    attribution: dict[str, Any]


def attribute_metric(args: AttributeArgs, context: ToolContext) -> AttributeOutput:
    """Search the cube for what moved the metric.

    Raises:
        MetricUndefined: the metric divides by zero in one of the periods.
        MissingColumn: a table lacks a dimension or measure.
        TypeMismatch: the denominators are below zero somewhere.
    """
    rows = None if args.moves is None else context.result_store.by_task(args.moves.facts)
    found = search_tables(context.result_store.by_task(args.cube), context.result_store.by_task(args.daily), args, rows)
    if found.change is None:
        empty = "baseline" if found.baseline is None else "comparison"
        raise MetricUndefined(f"The metric divides by zero in the {empty} period, so it has no value there.")
    return AttributeOutput(
        table=context.keep(explanation_table(found, stories=rows is not None)),
        verdict=found.verdict,
        segments_searched=found.segments_searched,
        # A search without stories gives what it always gave, so that earlier runs verify.
        attribution=found.model_dump(mode="json", exclude=None if rows is not None else _STORIES),
    )


def search_tables(leaves: pa.Table, days: pa.Table, args: AttributeArgs, rows: pa.Table | None = None) -> Attribution:
    """The attribution of a metric from its leaves and its days, and from its rows where they are given.

    Raises:
        MissingColumn: a table lacks a dimension or measure.
        TypeMismatch: the denominators are below zero somewhere.
    """
    from averment.stats.attribution.attribute import attribute
    from averment.stats.attribution.calendar import DaySpan
    from averment.stats.attribution.options import Options

    for name in [*args.dimensions, *(f"{measure}_{side}" for measure in MEASURES for side in ("before", "after"))]:
        if name not in leaves.column_names:
            raise MissingColumn(f"The table of {args.cube} has no column {name}.")
    baseline, comparison = (DaySpan(first=first, last=last) for first, last in (args.baseline, args.comparison))
    series, distinct = _series(days)
    dated = args.moves is None or not args.moves.grouped
    searched = attribute(
        _cube(leaves, args.dimensions),
        Options(
            metric=args.metric,
            alpha=args.alpha,
            max_dimensions=args.max_dimensions,
            max_explanations=args.max_explanations,
            scale=_scale(series, baseline, comparison) if args.per_day else (1.0, 1.0),
            daily=series if dated else None,
            baseline=baseline,
            comparison=comparison,
            distinct_rows=distinct,
        ),
    )
    if rows is None or args.moves is None or searched.change is None:
        return searched
    from averment.tools.metric_stories import read_stories

    return read_stories(load_facts(rows, args.moves), searched)[0]


def segment_text(segment: dict[str, str]) -> str:
    """A segment as a reader sees it: ``channel = organic, plan = free``."""
    return ", ".join(f"{name} = {value}" for name, value in sorted(segment.items())) or EVERYTHING


def spans_of(days: Sequence[str]) -> str:
    """Days in ISO form as a reader sees them, neighbours drawn together: ``2024-03-04, 2024-03-06 to 2024-03-09``."""
    spans: list[list[date]] = []
    for day in (date.fromisoformat(text) for text in sorted(days)):
        if spans and (day - spans[-1][-1]).days == 1:
            spans[-1].append(day)
        else:
            spans.append([day])
    texts = [
        str(span[0]) if len(span) == 1 else f"{span[0]} to {span[-1]}" if len(span) > 2 else f"{span[0]}, {span[1]}"
        for span in spans
    ]
    return ", ".join(texts)


_DETAIL_TEXTS = ("fault", "side", "since", "until", "old", "new", "column", "table")
_NUMBERS = ("before", "after", "effect", "contribution", "share", "chance")
_STORIES: Any = {"explanations": {"__all__": {"kind", "details"}}}
_DETAIL_NUMBERS = ("count", "other_count", "multiple", "low", "high")


def _span(explanation: SegmentExplanation) -> str | None:
    since, until = explanation.details.get("since"), explanation.details.get("until")
    if since is None:
        return None
    return str(since) if until in (None, since) else f"{since} to {until}"


def explanation_table(found: Attribution, *, stories: bool = False) -> pa.Table:
    """The attribution as a table: the change, each explanation in its rank, and the unexplained rest."""
    import pyarrow as pa

    change, before = found.change or 0.0, found.baseline or 0.0
    rows: list[dict[str, Any]] = [
        {
            "part": "change",
            "segment": EVERYTHING,
            "verdict": found.verdict,
            "before": found.baseline,
            "after": found.comparison,
            "effect": change / abs(before) if before else None,
            "contribution": change,
            "share": 1.0 if change else None,
        }
    ]
    for rank, explanation in enumerate(found.explanations, start=1):
        fault = explanation.fault
        rows.append(
            {
                "part": "explanation",
                "rank": rank,
                "segment": segment_text(explanation.segment),
                "verdict": explanation.verdict,
                "factor": fault.kind if fault else explanation.factor,
                "state": explanation.state,
                "before": explanation.before,
                "after": explanation.after,
                "effect": explanation.effect,
                "contribution": explanation.contribution,
                "share": explanation.share_of_change,
                "chance": explanation.significance,
                "days": spans_of(fault.days) if fault else _span(explanation),
                "kind": explanation.kind,
                **{name: explanation.details.get(name) for name in (*_DETAIL_TEXTS, *_DETAIL_NUMBERS)},
            }
        )
    rest = found.unexplained or 0.0
    share = rest / change if change else None
    rows.append({"part": "unexplained", "segment": EVERYTHING, "contribution": rest, "share": share})
    texts = ("part", "segment", "verdict", "factor", "state", "days", *(("kind", *_DETAIL_TEXTS) if stories else ()))
    numbers = (*_NUMBERS, *(_DETAIL_NUMBERS if stories else ()))
    names = ("part", "rank", *texts[1:], *numbers)
    kinds = {"rank": pa.int64(), **dict.fromkeys(texts, pa.string()), **dict.fromkeys(numbers, pa.float64())}
    return pa.table({name: pa.array([row.get(name) for row in rows], kinds[name]) for name in names})


def _cube(leaves: pa.Table, dimensions: list[str]) -> LeafCube:
    from averment.stats.attribution.cube import Side, build_cube

    sides: list[Side] = []
    for side in ("before", "after"):
        arrays = {measure: leaves.column(f"{measure}_{side}").to_numpy() for measure in MEASURES}
        if len(leaves) and arrays["weight"].min() < 0:
            raise TypeMismatch(
                "The metric's denominator is negative in some segments, so its change cannot be attributed.",
                suggestion="Use the numerator alone, or a denominator that cannot be negative.",
            )
        sides.append(Side.of(**arrays))
    columns: dict[str, Sequence[object] | CodedColumn] = {name: _coded(leaves.column(name)) for name in dimensions}
    if not columns:
        # Without any dimension there is still the whole, which may have moved as one.
        columns[EVERYTHING] = [EVERYTHING] * len(leaves)
    return build_cube(columns, baseline=sides[0], comparison=sides[1])


def _coded(column: pa.ChunkedArray) -> CodedColumn:
    from averment.stats.attribution.cube import CodedColumn

    numbered: Any = column.combine_chunks().dictionary_encode(null_encoding="encode")
    if hasattr(numbered, "combine_chunks"):
        numbered = numbered.combine_chunks()
    return CodedColumn(numbered.dictionary.to_pylist(), numbered.indices.to_numpy(zero_copy_only=False))


def _series(days: pa.Table) -> tuple[DailySeries, tuple[float, ...] | None]:
    import numpy as np

    from averment.stats.attribution.calendar import DailySeries

    given = days.column("day").to_pylist()
    series = DailySeries(
        days=tuple(day if isinstance(day, date) else date.fromisoformat(str(day)) for day in given),
        rows=np.asarray(days.column("row_count").to_pylist(), dtype=np.float64),
        totals=np.asarray(days.column("total").to_pylist(), dtype=np.float64),
        nulls=np.asarray(days.column("nulls").to_pylist(), dtype=np.float64),
    )
    if "distinct_rows" not in days.column_names:
        return series, None
    return series, tuple(float(count) for count in days.column("distinct_rows").to_pylist())


def _scale(series: DailySeries, baseline: Any, comparison: Any) -> tuple[float, float]:
    before, after = (int(period.holds(series.numbers).sum()) for period in (baseline, comparison))
    return 1.0 / max(before, 1), 1.0 / max(after, 1)


METRIC_ATTRIBUTE = tool(
    "metric.attribute",
    attribute_metric,
    "Find which segments moved a metric between two periods, by how much, and what stays unexplained.",
    cost_seconds=2.0,
)
