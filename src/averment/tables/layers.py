"""What is computed on top of a query's rows, as frozen records: layers of calculations over a select.

Each layer sees the headings of the one below. The records travel as JSON inside a plan, like the select they stand on.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from averment.records.base import Record
from averment.tables.select_spec import Select

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
    "ratio",
    "share_of",
    "filled_run",
    "filled",
    "length",
    "extract",
    "hour",
    "day_of_month",
    "month_of_year",
    "quarter_of_year",
    "weekday",
]
Summary = Literal["rows", "count", "distinct", "sum", "avg", "min", "max", "quantile"]


class Calculation(Record):
    """One new column, made of the columns ``of`` the layer below.

    ``along`` orders the rows, ``within`` parts them, ``steps`` is how far back or how wide, ``step`` the grain of a
    period, ``pattern`` what a text is searched for.

    ``period_number`` counts periods so that neighbours differ by one, and days by their rows; ``earlier`` is the value
    ``steps`` periods before, and nothing where that period has no rows; ``percent_change`` and ``log_ratio`` need an
    earlier value above zero; ``moving_…`` span ``steps`` periods and begin where a whole span is known; ``share`` and
    ``running_share`` are percent of the sum, ``share_of`` one column in percent of another; ``weekday`` counts from
    Monday, which is one; ``filled_run`` numbers the stretches that begin with a value, and
    ``filled`` repeats that value through its stretch (``of`` the value and its run).
    """

    kind: CalculationKind
    alias: str
    of: tuple[str, ...]
    along: str | None = None
    within: tuple[str, ...] = ()
    steps: int = Field(default=1, ge=1, le=10_000)
    step: Step | None = None
    pattern: str | None = None


class Calculated(Record):
    """A layer that keeps every row and adds columns."""

    kind: Literal["calculated"] = "calculated"
    columns: tuple[Calculation, ...]


class Summarised(Record):
    """One column of a summary; ``quantile`` interpolates between neighbours at ``at``, from 0 to 1."""

    function: Summary
    alias: str
    of: str | None = None
    at: float | None = Field(default=None, ge=0, le=1)


class Gathered(Record):
    """A layer with one row for each combination of ``keys``; without keys one row in all."""

    kind: Literal["gathered"] = "gathered"
    keys: tuple[str, ...] = ()
    columns: tuple[Summarised, ...]


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


class Binned(Record):
    """A layer of ``count`` bins of equal width from the least to the greatest value, empty ones too.

    A bin holds its lower end and not its upper one; the last holds both. Missing values are in none.
    """

    kind: Literal["binned"] = "binned"
    of: str
    count: int = Field(ge=1, le=100)
    lower: str = "from"
    upper: str = "to"
    rows: str = "rows"


class Kept(Record):
    """A layer that keeps the rows whose period begins on ``start`` or later; ``start`` is an ISO date."""

    kind: Literal["kept"] = "kept"
    column: str
    start: str


class Fitted(Record):
    """A layer of one row: the straight line of least squares through ``of`` along ``along``.

    Its columns: ``points``, ``slope`` for one step, ``r_squared``. With fewer than three points there is no line.
    """

    kind: Literal["fitted"] = "fitted"
    of: str
    along: str


class Fenced(Record):
    """A layer of one row: how many values lie beyond 1.5 interquartile ranges from the quartiles (Tukey's fences).

    Its columns: ``values``, ``outside``, ``low`` and ``high``, the fences themselves.
    """

    kind: Literal["fenced"] = "fenced"
    of: str


Layer = Annotated[Calculated | Gathered | Spread | Binned | Kept | Fitted | Fenced, Field(discriminator="kind")]


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
