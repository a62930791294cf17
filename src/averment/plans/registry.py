"""What the plan language computes: one record for each aggregate and window, from which everything else is derived.

The names that a plan may use and their JSON schema, the words of read-backs, headings and the builder, the SQL that is
written and the SQL that is read back into a plan, the unit of a figure, and whether figures of parts add up to that of
the whole: all of it is read off these records. Adding an aggregate or a window that one SQL function computes is adding
its record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, WithJsonSchema

Taken = Literal["nothing", "anything", "ordered", "number"]
"""What an aggregate is taken of: rows themselves, values of any kind, values that have an order, or numbers."""


@dataclass(frozen=True, kw_only=True)
class Aggregate:
    """A figure over rows."""

    name: str
    words: str
    """How it is said before what it is taken of: "average", "standard deviation of"."""
    heading: str = ""
    """How a column of a result is called, where that is shorter than the words."""
    end: str = ""
    """How it is said where the words would read as a ranking: "maximum" for "highest"."""
    of: Taken = "number"
    sql: str = ""
    """The function of DuckDB that computes it; nothing where it is composed of others."""
    spelt: frozenset[str] = frozenset()
    """Further functions that compute the same, as other people write them."""
    unit: Literal["same", "squared", "count", "percent"] = "same"
    additive: bool = False
    """Whether the figures of parts add up to the figure of the whole."""
    among: bool = False
    """Whether it lies among the values it is taken of, and so is of their kind: a median of years is a year."""
    placed: bool = False
    """Whether it is found by a value's place among the others."""
    of_groups: bool = False
    """Whether it can be taken once more over the figures of groups."""
    built: str = ""
    """What the builder calls it, where the words alone do not do; a figure that needs a place is not offered there."""

    @property
    def counts(self) -> bool:
        """Whether it says how many there are."""
        return self.unit == "count"

    @property
    def said(self) -> str:
        """How it is said in a read-back."""
        return self.end or self.words

    @property
    def called(self) -> str:
        """How it is said in the heading of a column."""
        return self.heading or self.words.removesuffix(" of")


@dataclass(frozen=True, kw_only=True)
class Window:
    """A figure over the groups of a result."""

    name: str
    words: str
    """What its column is called."""
    said: str
    """How a read-back says it of a figure: "running total of {figure}"; ``{steps}`` is how wide it is."""
    spoken: str = ""
    """What it is called beside its figure, where that is shorter than the column's name."""
    along: bool = False
    """Whether it goes along time."""
    unitless: bool = False
    """Whether its column is not in the unit of the figure."""
    kind: str = ""
    """The kind of its column's values, where that is not the figure's."""
    sql: str = ""
    """How SQL computes it of a ``{value}`` of groups, within each of other keys, where one function does."""
    compares: str = ""
    """The calculation that sets a period against an earlier one, where it is one of those."""


Record = TypeVar("Record", Aggregate, Window)


def _by_name(records: Iterable[Record]) -> dict[str, Record]:
    return {record.name: record for record in records}


AGGREGATES = _by_name(
    [
        Aggregate(name="rows", words="number of rows", of="nothing", unit="count", additive=True, sql="COUNT"),
        Aggregate(
            name="count",
            words="number of known",
            heading="count",
            of="anything",
            unit="count",
            additive=True,
            sql="COUNT",
        ),
        Aggregate(name="distinct", words="number of different", of="anything", unit="count"),
        Aggregate(name="sum", words="total", sql="SUM", additive=True, of_groups=True),
        Aggregate(name="mean", words="average", sql="AVG", spelt=frozenset({"MEAN"}), among=True, of_groups=True),
        Aggregate(name="median", words="median", sql="MEDIAN", among=True, of_groups=True),
        Aggregate(name="min", words="lowest", end="minimum", of="ordered", sql="MIN", among=True, of_groups=True),
        Aggregate(name="max", words="highest", end="maximum", of="ordered", sql="MAX", among=True, of_groups=True),
        Aggregate(name="stddev", words="standard deviation of", sql="STDDEV", spelt=frozenset({"STDDEV_SAMP"})),
        Aggregate(name="variance", words="variance of", unit="squared", sql="VARIANCE", spelt=frozenset({"VAR_SAMP"})),
        Aggregate(name="mad", words="median absolute deviation of", sql="MAD"),
        Aggregate(name="quantile", words="percentile of", sql="QUANTILE_CONT", among=True, placed=True),
        Aggregate(name="iqr", words="interquartile range of", placed=True),
        Aggregate(
            name="rate", words="share of rows in percent", of="nothing", unit="percent", built="share of rows where"
        ),
    ]
)
"""Every aggregate by its name, in the order in which they are offered."""

WINDOWS = _by_name(
    [
        Window(
            name="share",
            words="share in percent",
            spoken="share",
            said="share of {figure} in percent of the total",
            unitless=True,
            kind="percentage",
        ),
        Window(
            name="growth",
            words="growth in percent",
            spoken="growth",
            said="growth of {figure} in percent",
            along=True,
            unitless=True,
            kind="percentage",
            compares="percent_change",
        ),
        Window(name="change", words="change", said="change of {figure}", along=True, compares="difference"),
        Window(name="running", words="running total", said="running total of {figure}", along=True),
        Window(name="moving", words="moving average", said="moving average over {steps} of {figure}", along=True),
        Window(name="moving_total", words="moving total", said="moving total over {steps} of {figure}", along=True),
        Window(
            name="rank",
            words="rank",
            said="rank of {figure}",
            unitless=True,
            kind="count",
            sql="RANK() OVER ({within}ORDER BY {value} DESC NULLS LAST)",
        ),
        Window(
            name="percent_rank",
            words="percentile rank",
            said="percentile rank of {figure}",
            unitless=True,
            kind="percentage",
            sql="100.0 * PERCENT_RANK() OVER ({within}ORDER BY {value} NULLS FIRST)",
        ),
        Window(
            name="log_return",
            words="log return",
            said="log return of {figure}",
            along=True,
            unitless=True,
            compares="log_ratio",
        ),
    ]
)
"""Every window by its name."""


def _known(names: Collection[str]) -> Callable[[str], str]:
    """A check that a text is one of these names."""

    def checked(name: str) -> str:
        if name not in names:
            raise ValueError(f"choose one of {', '.join(names)}")
        return name

    return checked


def _schema(names: Iterable[str]) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "enum": list(names)})


COUNTS = frozenset(record.name for record in AGGREGATES.values() if record.counts)
"""The aggregates that say how many there are."""
GROUPED = (*(record.name for record in AGGREGATES.values() if record.of_groups), "count")
"""What may be taken once more over groups: a figure of their figures, or how many they are."""

AggregateName = Annotated[str, AfterValidator(_known(AGGREGATES)), _schema(AGGREGATES)]
WindowName = Annotated[str, AfterValidator(_known(WINDOWS)), _schema(WINDOWS)]
GroupedName = Annotated[str, AfterValidator(_known(GROUPED)), _schema(GROUPED)]


def aggregate_of_sql(function: str) -> Aggregate | None:
    """The aggregate that a function of SQL computes of one value; None where it is none of ours."""
    wanted = function.upper()
    single = (record for record in AGGREGATES.values() if not record.counts and not record.placed and record.sql)
    return next((record for record in single if wanted == record.sql or wanted in record.spelt), None)
