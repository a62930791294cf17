"""What a plan is made of: values, tests, measures, windows, rankings, statistics, and the plan itself.

A plan says what is meant, not how an engine computes it. It travels as JSON (``averment.plan/1``), has a hash, and is
the same for every dialect. Columns are named with their table, so that a plan needs no question to be understood.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import CoreSchema, core_schema

from averment.errors import InvalidArguments
from averment.plans.registry import AggregateName, GroupedName, WindowName
from averment.plugins import STORED
from averment.records.base import Record

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

PLAN_VERSION = "averment.plan/1"

GIVEN = "given"
"""The key of a validation's context that says: a person wrote this now, so that nothing in it may be without effect."""

Scalar = str | int | float | bool
Part = Literal[
    "year",
    "quarter",
    "month",
    "week",
    "day",
    "hour",
    "decade",
    "month_of_year",
    "weekday",
    "weekend",
    "day_of_month",
]
"""What a moment is cut to: ``month`` is a month of one year, ``month_of_year`` the same month of every year;
``weekend`` tells weekdays from weekends."""

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "between", "in", "not in", "contains", "starts", "ends", "null"]
Shape = Literal["figure", "row", "list", "table", "series", "yes_no"]


class Value(Record):
    """Something each row has: a column, a part of a moment, arithmetic over two values, a number, or a span of time.

    ``days``, ``hours``, ``minutes`` and ``seconds`` count from the first operand to the second; ``length`` is a text's
    length; a ``part`` of ``year`` with a ``number`` is the fiscal year that begins with that month; ``bucket`` cuts a
    number into steps of ``width``; ``as_number`` reads the number in a text; ``piece`` is a part of a text: the domain
    of an address, an area code, the first letter or the first word.
    """

    kind: Literal[
        "column",
        "part",
        "arithmetic",
        "number",
        "days",
        "hours",
        "minutes",
        "seconds",
        "length",
        "bucket",
        "place",
        "as_number",
        "piece",
    ] = "column"
    table: str | None = None
    column: str | None = None
    part: Part | None = None
    piece: Literal["domain", "area_code", "first_letter", "first_word", "last_word"] | None = None
    operation: Literal["+", "-", "*", "/"] | None = None
    number: float | None = None
    width: float | None = Field(default=None, gt=0)
    operands: tuple[Value, ...] = ()

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every (table, column) the value reads."""
        if (
            self.kind in {"column", "part", "bucket", "length", "as_number", "piece"}
            and self.table is not None
            and self.column is not None
        ):
            yield self.table, self.column
        for each in self.operands:
            yield from each.columns()


class Test(Record):
    """A condition on a row, or a choice of conditions: of ``any_of`` one must hold, of ``all_of`` each.

    ``to`` are the values compared with; ``other`` compares with another value of the same row; ``inner`` with what
    another plan finds (its one figure, or for ``in`` and ``not in`` its list).
    """

    __test__: ClassVar[bool] = False  # not a test of pytest's

    value: Value | None = None
    operator: Operator = "="
    to: tuple[Scalar, ...] = ()
    other: Value | None = None
    inner: Plan | None = None
    any_of: tuple[Test, ...] = ()
    all_of: tuple[Test, ...] = ()
    negated: bool = False

    def parts(self) -> Iterator[Test]:
        """The plain tests inside, this one included."""
        for each in (*self.any_of, *self.all_of):
            yield from each.parts()
        if self.value is not None:
            yield self

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every column of this plan's own rows that the condition reads."""
        for each in self.parts():
            if each.value is not None:
                yield from each.value.columns()
            if each.other is not None:
                yield from each.other.columns()


class Measure(Record):
    """A figure over rows: how many, a sum, a mean …

    ``rows`` counts the rows of ``table``, or of the plan's own table; ``rate`` is the percentage of rows for which
    ``where`` holds among those for which it is known (a plan that is handed in may instead name a yes/no column in
    ``of``); ``quantile`` needs ``at``. With ``where`` any other function
    takes only the rows that meet it. ``over`` divides by another measure (a ratio), ``percent`` gives it in percent;
    ``weight`` makes a mean a weighted one.
    """

    function: AggregateName
    of: Value | None = None
    table: str | None = None
    at: float | None = Field(default=None, ge=0, le=1)
    where: tuple[Test, ...] = ()
    over: Measure | None = None
    percent: bool = False
    weight: Value | None = None

    @model_validator(mode="after")
    def _weighs_a_mean(self) -> Measure:
        if self.weight is not None and self.function != "mean":
            raise ValueError(f"only a mean can be weighted; this is {self.function}")
        return self

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every column the figure reads."""
        for value in (self.of, self.weight):
            if value is not None:
                yield from value.columns()
        for test in self.where:
            yield from test.columns()
        if self.over is not None:
            yield from self.over.columns()


class Window(Record):
    """What is computed over the groups of a result: a share of the whole, a change from one period to the next.

    ``along`` is the place of the key in ``by`` that orders the groups; ``span`` are the two periods that ``growth`` and
    ``change`` compare, and without it each period is compared with the one before; ``steps`` is how wide a moving mean
    is or how far back a change looks; ``within`` are the places of the keys a share or a rank is taken within.
    Of a rank over all groups ``only`` are the values of the last key whose place is told.
    """

    kind: WindowName
    along: int | None = None
    span: tuple[Scalar, Scalar] | None = None
    steps: int = Field(default=1, ge=1, le=1000)
    within: tuple[int, ...] = ()
    only: tuple[Scalar, ...] = ()


class Join(Record):
    """Two tables joined where two columns are equal; ``outer`` keeps rows of the left one that have no partner."""

    left: str
    left_column: str
    right: str
    right_column: str
    outer: bool = False


class Rank(Record):
    """The first few by a figure: the greatest, or the least; rows that share the last place are all kept.

    ``within`` are the places of the keys within which the first few are taken. With ``until`` the limit is what the
    first ones make up together: so many percent of the whole of the measure.
    """

    by: Value | None = Field(default=None, description="What rows are ranked by; without it the first measure.")
    descending: bool = True
    limit: int = Field(default=1, ge=1, le=100_000)
    within: tuple[int, ...] = ()
    skip: int = Field(default=0, ge=0, description="How many first places are passed over: the second highest has 1.")
    until: float | None = Field(default=None, gt=0, le=100)


class Sort(Record):
    """What the rows are sorted by: the place of a heading in the result."""

    at: int = Field(ge=0)
    descending: bool = False


class GroupTest(Record):
    """A condition on a group's figure: groups with more than five rows.

    ``other`` compares with a value that all rows of the group share: what a project cost with the project's budget.
    """

    measure: Measure
    operator: Operator = ">"
    to: tuple[float, ...] = ()
    other: Value | None = None
    inner: Plan | None = None


class Statistic(Record):
    """A statistic over values. Each kind is a class of ``plans.statistics``, which says what it needs in its fields."""

    kind: ClassVar[str] = ""
    """The name by which a plan asks for it."""
    figures: ClassVar[Mapping[str, str]] = {}
    """The figures of its result, and the kind of each."""

    of: tuple[Value, ...]

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every column the statistic reads."""
        for _, field in self:
            for value in field if isinstance(field, tuple) else (field,):
                if isinstance(value, Value):
                    yield from value.columns()

    def key_value(self, name: str) -> Value | None:
        """What a key of the result shows; nothing where it is none of the plan's values."""
        return None

    def figure_kind(self, name: str) -> str:
        """The kind of a figure of the result; some are called after what they are taken of."""
        percent = name.endswith(" in percent") or name.startswith("percent of")
        return self.figures.get(name) or (
            "percentage" if percent else "count" if name.startswith("number of ") else "number"
        )

    def compile(self, plan: Plan) -> Any:
        """A compiled plan: the query that computes it or gives the rows it is computed of, and the result's headings.

        Raises:
            InvalidArguments: the plan lacks something it needs.
        """
        raise NotImplementedError

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        raise NotImplementedError


class _ByKind:
    """Reads and writes a statistic by its ``kind``, which tells its class."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(self._written, info_arg=True)
        return core_schema.with_info_plain_validator_function(self._read, serialization=written)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        from averment.plans.statistics import known_kinds

        choices: dict[str, Any] = {}
        for kind in known_kinds():
            body = handler.resolve_ref_schema(handler(kind.__pydantic_core_schema__))
            fields = {"kind": {"const": kind.kind, "type": "string"}, **body["properties"]}
            choices[kind.kind] = {**body, "properties": fields, "required": ["kind", *body.get("required", ())]}
        return {"oneOf": list(choices.values()), "discriminator": {"propertyName": "kind"}}

    def _written(self, statistic: Statistic, info: core_schema.FieldSerializationInfo) -> dict[str, Any]:
        body = statistic.model_dump(mode=info.mode, exclude_defaults=info.exclude_defaults)
        return {"kind": statistic.kind, **body}

    def _read(self, body: Any, info: core_schema.ValidationInfo) -> Statistic:
        from averment.plans.statistics import read_statistic

        return body if isinstance(body, Statistic) else read_statistic(body, info.context or {})


AnyStatistic = Annotated[Statistic, _ByKind()]
"""A statistic of any kind; its JSON is a union that ``kind`` discriminates."""


class Across(Record):
    """A table of two directions: the key at a place of ``by`` goes across, with these of its values as columns."""

    at: int = Field(ge=0)
    values: tuple[Scalar, ...] = Field(min_length=1, max_length=60)


class Combine(Record):
    """Rows of this plan together with, without, or only where also in another plan's."""

    operation: Literal["union", "intersect", "except"]
    other: Plan


class Plan(Record):
    """The meaning of one question over tables.

    Figures: ``measures`` over the rows that meet ``where``, for each combination of ``by``, kept if ``having`` holds.
    Rows: ``show`` for each row that meets ``where``, each combination once if ``distinct``. ``over_groups`` takes one
    more figure over the groups (the mean number of orders a customer). ``asks`` says what a yes/no question compares:
    ``more`` or ``less`` for the first side against the second, or ``any`` for whether there is a row at all.
    """

    version: Literal["averment.plan/1"] = PLAN_VERSION
    table: str
    joins: tuple[Join, ...] = ()
    where: tuple[Test, ...] = ()
    by: tuple[Value, ...] = ()
    measures: tuple[Measure, ...] = ()
    having: tuple[GroupTest, ...] = ()
    window: Window | None = None
    over_groups: GroupedName | None = None
    show: tuple[Value, ...] = ()
    distinct: bool = False
    rank: Rank | None = None
    order: tuple[Sort, ...] = ()
    combine: Combine | None = None
    statistic: AnyStatistic | None = None
    across: Across | None = None
    query: dict[str, Any] | None = Field(
        default=None, description="What an earlier version composed; it runs as it was recorded, and is not compiled."
    )
    asks: Literal["more", "less", "any"] | None = None
    expects: Shape = "table"
    chart: str | None = Field(default=None, description="The kind of chart asked for, where one was.")
    beside: tuple[Plan, ...] = Field(default=(), max_length=12, description="What an overview looks at as well.")

    @model_validator(mode="after")
    def _computes_something(self) -> Plan:
        if not self.measures and not self.show and self.statistic is None and not self.by and self.query is None:
            raise ValueError("a plan must compute figures, show rows or compute a statistic")
        return self

    def columns(self) -> Iterator[tuple[str, str]]:
        """Every (table, column) that the plan's own rows give; columns of inner plans are theirs."""
        for value in (*self.by, *self.show):
            yield from value.columns()
        if self.statistic is not None:
            yield from self.statistic.columns()
        if self.rank is not None and self.rank.by is not None:
            yield from self.rank.by.columns()
        for test in self.where:
            yield from test.columns()
        for measure in (*self.measures, *(each.measure for each in self.having)):
            yield from measure.columns()
        for group in self.having:
            if group.other is not None:
                yield from group.other.columns()

    def tables(self) -> set[str]:
        """Every table that the plan's own rows come from."""
        counted = (each.table for each in (*self.measures, *(test.measure for test in self.having)))
        return {self.table, *(table for table, _ in self.columns()), *(table for table in counted if table)}

    def tests(self) -> Iterator[Test]:
        """Every plain condition on rows, those of measures included."""
        for test in (*self.where, *(test for measure in self.measures for test in measure.where)):
            yield from test.parts()

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON, without what is not said."""
        return self.model_dump(mode="json", exclude_defaults=True) | {"version": self.version}

    @property
    def hash(self) -> str:
        """SHA-256 over the plan's canonical JSON."""
        text = json.dumps(self.to_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse_plan(body: Plan | Mapping[str, Any], *, given: bool = False) -> Plan:
    """A plan from its JSON; one that is ``given`` by a person now has no field that its statistic does not have.

    Raises:
        InvalidArguments: it is not one.
    """
    if isinstance(body, Plan):
        return body
    try:
        return Plan.model_validate(dict(body), context={GIVEN: given})
    except ValueError as error:
        raise InvalidArguments(f"This is not a plan of {PLAN_VERSION}: {error}.") from error


def stored_plan(body: Mapping[str, Any]) -> Plan:
    """A plan as a run kept it, to be shown, also where a plugin that it needs is no longer installed."""
    return Plan.model_validate(dict(body), context={STORED: True})


def column(table: str, name: str) -> Value:
    """A column of a table."""
    return Value(table=table, column=name)


Value.model_rebuild()
Test.model_rebuild()
Measure.model_rebuild()
GroupTest.model_rebuild()
Plan.model_rebuild()
