"""What is computed on top of a query's rows, as frozen records: layers of calculations over a select.

Each layer sees the headings of the one below. The records travel as JSON inside a plan, like the select they stand on.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from averment.records.base import Record
from averment.tables.compose.select_spec import Select

Step = Literal["day", "week", "month", "quarter", "year"]
CalculationKind = Literal[
    "period_number",
    "earlier",
    "difference",
    "percent_change",
    "moving_average",
    "moving_sum",
    "running_total",
    "share",
    "rank",
    "running_share",
    "log_ratio",
    "share_of",
]
MOST_CORRELATED = 20
"""More columns at once make a table nobody reads."""

Summary = Literal["rows", "count", "distinct", "sum", "avg", "min", "max", "quantile"]


class Calculation(Record):
    """One new column, made of the columns ``of`` the layer below.

    ``along`` orders the rows, ``within`` parts them, ``steps`` is how far back or how wide, ``step`` the grain of a
    period.

    ``period_number`` counts periods so that neighbours differ by one, and days by their rows; ``earlier`` is the value
    ``steps`` periods before, and nothing where that period has no rows; ``percent_change`` and ``log_ratio`` need an
    earlier value above zero; ``moving_…`` span ``steps`` periods and begin where a whole span is known; ``share`` and
    ``running_share`` are percent of the sum, ``share_of`` one column in percent of another; ``rank`` has its ``sql``.
    """

    kind: CalculationKind
    alias: str
    of: tuple[str, ...]
    along: str | None = None
    within: tuple[str, ...] = ()
    steps: int = Field(default=1, ge=1, le=10_000)
    step: Step | None = None
    sql: str = ""


class CalculationLayer(Record):
    """A layer that keeps every row and adds columns."""

    kind: Literal["calculated"] = "calculated"
    columns: tuple[Calculation, ...]


class SummaryColumn(Record):
    """One column of a summary; ``quantile`` interpolates between neighbours at ``at``, from 0 to 1."""

    function: Summary
    alias: str
    of: str | None = None
    at: float | None = Field(default=None, ge=0, le=1)


class GroupLayer(Record):
    """A layer with one row for each combination of ``keys``; without keys one row in all."""

    kind: Literal["gathered"] = "gathered"
    keys: tuple[str, ...] = ()
    columns: tuple[SummaryColumn, ...]


class SpreadColumn(Record):
    """One column of a spread table: the value it stands for, as text, and its heading."""

    value: str
    alias: str


class Spread(Record):
    """A layer that lays the values of ``column`` side by side: one row for ``keys``, one column for each entry."""

    kind: Literal["spread"] = "spread"
    keys: tuple[str, ...]
    column: str
    of: str
    entries: tuple[SpreadColumn, ...]


class BinLayer(Record):
    """A layer of ``count`` bins of equal width from the least to the greatest value, empty ones too.

    A bin holds its lower end and not its upper one; the last holds both. Missing values are in none.
    """

    kind: Literal["binned"] = "binned"
    of: str
    count: int = Field(ge=1, le=100)
    lower: str = "from"
    upper: str = "to"
    rows: str = "rows"


class PeriodLayer(Record):
    """A layer that keeps the rows whose period begins on ``start`` or later, and before ``end`` where there is one.

    Both are ISO dates.
    """

    kind: Literal["kept"] = "kept"
    column: str
    start: str
    end: str | None = None


class ChosenLayer(Record):
    """A layer that keeps the rows whose ``column`` holds one of some values."""

    kind: Literal["chosen"] = "chosen"
    column: str
    values: tuple[str | int | float | bool, ...] = Field(min_length=1)


class LineLayer(Record):
    """A layer of one row: the straight line of least squares through ``of`` along ``along``.

    Its columns: ``points``, ``slope`` for one step, ``r_squared``. With fewer than three points there is no line.
    """

    kind: Literal["fitted"] = "fitted"
    of: str
    along: str


class CorrelationLayer(Record):
    """A layer with one row for each pair of ``columns``: how their values go together over the rows that have both.

    Its columns: ``first``, ``second``, ``correlation``, ``strength`` (without its sign) and ``rows``. With ``against``
    only the pairs of that column. Spearman's is Pearson's over ranks, equal values sharing the mean of theirs. Where a
    column has no two different values there is no correlation.
    """

    kind: Literal["correlated"] = "correlated"
    columns: tuple[str, ...] = Field(min_length=2, max_length=MOST_CORRELATED)
    against: str | None = None
    method: Literal["pearson", "spearman"] = "pearson"


class BoundsLayer(Record):
    """A layer with one row for each group of ``within``: between which bounds the values of ``of`` are usual.

    Its columns: those of ``within``, ``values`` (how many are known), ``low``, ``high``, ``centre`` and ``unit``.
    By ``iqr`` the bounds lie ``reach`` interquartile ranges outside the quartiles; by ``z`` so many standard deviations
    (of the population) from the mean.
    """

    kind: Literal["bounded"] = "bounded"
    of: str
    method: Literal["iqr", "z"]
    reach: float = Field(gt=0)
    within: tuple[str, ...] = ()


class OutlierLayer(Record):
    """A layer that keeps the rows whose value lies beyond its bounds, and adds what ``BoundsLayer`` says of them.

    Added are ``low``, ``high``, ``away`` (from the centre in units, with its sign) and ``distance`` (without it); the
    headings come from ``headed``, in that order. A row without its group is left out.
    """

    kind: Literal["outlying"] = "outlying"
    bounds: BoundsLayer
    headed: tuple[str, str, str, str]


class TopLayer(Record):
    """A layer that keeps, within each group, the rows with the greatest ``by`` (the least where not ``descending``).

    ``most`` is how many; rows that share the last place are all kept. Rows without a group or without ``by`` are left
    out, and so is a group of fewer than ``among`` rows: of one row none is the second.
    """

    kind: Literal["picked"] = "picked"
    by: str
    descending: bool = True
    within: tuple[str, ...] = ()
    most: int = Field(default=1, ge=1, le=100_000)
    among: int = Field(default=1, ge=1, le=100_000)


class QuantileLayer(Record):
    """A layer of ``count`` groups of about equal size, cut at the quantiles of ``of`` (type 7).

    A value that equals a cut belongs to the lower group, so that equal values stay together. Its columns: ``group``
    from one on, ``from``, ``to``, and the summaries.
    """

    kind: Literal["tiled"] = "tiled"
    of: str
    count: int = Field(ge=2, le=100)
    columns: tuple[SummaryColumn, ...]


class RunningShareLayer(Record):
    """A layer that keeps the rows, the greatest first, until their running share first comes to ``percent``.

    ``share`` and ``running`` are percents of the sum, made by a layer below.
    """

    kind: Literal["reached"] = "reached"
    share: str
    running: str
    percent: float = Field(gt=0, le=100)


class CohortLayer(Record):
    """A layer with one row for each ``member`` in each ``period`` it is seen in, and since when it is a member.

    The rows below are cut to periods: ``period``, and ``start`` where something else says when a member begins; without
    it a member begins with the first period it is seen in. Added are ``cohort`` (the beginning), ``after`` (how many
    ``step``s later this is, under that heading), ``size`` (how many members the cohort has), ``new`` (one in the period
    of the beginning, else nothing) and ``returning`` (the other way round). Periods before the beginning are left out.
    """

    kind: Literal["cohorted"] = "cohorted"
    member: str
    period: str
    start: str | None = None
    step: Step
    after: str = "after"


Layer = Annotated[
    CalculationLayer
    | GroupLayer
    | Spread
    | BinLayer
    | PeriodLayer
    | ChosenLayer
    | LineLayer
    | CorrelationLayer
    | BoundsLayer
    | OutlierLayer
    | TopLayer
    | QuantileLayer
    | RunningShareLayer
    | CohortLayer,
    Field(discriminator="kind"),
]


class Sorting(Record):
    """A heading the rows are sorted by."""

    alias: str
    descending: bool = False


class Layered(Record):
    """A select, the layers on it, and which columns are shown in which order of rows."""

    base: Select
    layers: tuple[Layer, ...] = ()
    shown: tuple[str, ...]
    order: tuple[Sorting, ...] = ()
    limit: int | None = Field(default=None, ge=1)
