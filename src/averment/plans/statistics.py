"""The statistics of the plan language: one class each, from which everything else about it is derived.

A class says what the statistic needs (its fields), what its result holds, how it is computed and how it is read back.
The JSON schema of plans, the table of ``docs/reference/plan.md``, the text form, what is told of a result and the names
that plugins may not take follow from it. Adding a test of SciPy is adding a class of a few lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from averment import plugins
from averment.errors import InvalidArguments
from averment.plans import steps
from averment.plans.compile import SHARE, CompiledPlan
from averment.plans.expressions import cut_sql, known_sql, measure_sql, select, value_sql
from averment.plans.names import headings, measure_name, plain_number, value_name
from averment.plans.operations import AddedStatistic, Bins, Reach, added_kind
from averment.plans.plan import GIVEN, Measure, Plan, Statistic, Value
from averment.plans.query import Query, Sorting, Step, parsed
from averment.plans.registry import AGGREGATES, AggregateName
from averment.plans.steps import MOST_CORRELATED, Period

One = Annotated[tuple[Value, ...], Field(min_length=1, max_length=1)]
Two = Annotated[tuple[Value, ...], Field(min_length=2, max_length=2)]
Some = Annotated[tuple[Value, ...], Field(min_length=1)]
Many = Annotated[tuple[Value, ...], Field(min_length=2)]

IQR_REACH, Z_REACH = 1.5, 3.0
"""The reach of outliers where nobody says: in interquartile ranges, in standard deviations."""

FIRST_SHARE, SECOND_SHARE = "percent of first", "percent of second"
FIGURE, VALUE = "figure", "value"
"""The headings of what a program computes: one row for each figure."""


class OwnStatistic(Statistic):
    """A statistic that Averment has itself."""

    promise: ClassVar[str] = ""
    """What it finds, in a sentence of its own."""
    said: ClassVar[str] = ""
    """How a read-back says it; a name in braces is a field."""
    example: ClassVar[str] = ""
    """One such statistic of sales in the text form of plans, behind its kind."""

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        return self.said.format(**{name: _said(field, qualified=qualified) for name, field in self})


class Correlation(OwnStatistic):
    """``against`` is the one value that each other is correlated with; without it every two are."""

    kind = "correlation"
    promise = "How strongly numbers correlate: every pair of them, or each with one."
    figures: ClassVar = {"correlation": "number", "rows": "count"}
    example = "of price, amount"

    of: Many
    against: Value | None = None
    method: Literal["pearson", "spearman", "kendall"] | None = None

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        rank = {"spearman": "rank ", "kendall": "Kendall "}.get(self.method or "", "")
        if self.against is not None:
            rest = _said([value for value in self.of if value != self.against], qualified=qualified)
            return f"{rank}correlation of {_said(self.against, qualified=qualified)} with each of {rest}"
        every = "every two of " if len(self.of) > 2 else ""
        return f"{rank}correlation of {every}{_said(self.of, qualified=qualified)}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """The coefficient of each pair and the rows that have both values."""
        keys = ("first", "second")
        names = _names(self.of)
        if self.method == "kendall":
            names = names[:2]
            query = _values(plan, self.of[:2], names)
            program = {"kind": self.kind, "columns": names}
            return CompiledPlan(query=query, keys=keys, figures=tuple(self.figures), program=program)
        if len(names) > MOST_CORRELATED:
            raise InvalidArguments(f"At most {MOST_CORRELATED} columns can be correlated at once.")
        against = names[self.of.index(self.against)] if self.against in self.of else None
        query = _values(plan, self.of, names).then(steps.correlating(names, against, self.method or "pearson"))
        order = (Sorting("strength", descending=True), *map(Sorting, keys))
        query = replace(query, shown=(*keys, *self.figures, *(("strength",) if len(names) > 2 else ())), order=order)
        return CompiledPlan(query=query, keys=keys, figures=tuple(self.figures))


class DifferenceTest(OwnStatistic):
    """Welch's test, or with ``anova`` the classic analysis of variance, of the groups in ``by``."""

    kind = "difference_test"
    promise = "Whether the mean of a number differs between groups by more than chance explains."
    figures: ClassVar = {"count": "count", "mean": "number", "standard deviation": "number"}
    example = "of amount between region"

    of: One
    by: Value
    method: Literal["welch", "anova"] | None = None

    def key_value(self, name: str) -> Value | None:
        """The group."""
        return self.by

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        test = "analysis of variance of" if self.method == "anova" else "test of the difference in"
        return f"{test} {_said(self.of, qualified=qualified)} between {_said(self.by, qualified=qualified)}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """The figures of each group that the test rests on."""
        key = self.by.column or "group"
        functions: tuple[AggregateName, ...] = ("count", "mean", "stddev")
        group = value_sql(self.by)
        measures = [measure_sql(Measure(function=function, of=self.of[0])) for function in functions]
        outputs = {key: group, **dict(zip(self.figures, measures, strict=True))}
        base = select(plan, outputs, where=[known_sql(self.by)], group=[group], order=[group])
        figures = tuple(self.figures)
        return CompiledPlan(query=Query(base=base, shown=(key, *figures)), keys=(key,), figures=figures)


class Independence(OwnStatistic):
    """Pearson's chi-square test."""

    kind = "independence"
    promise = "Whether two categories depend on each other by more than chance explains."
    said = "test whether {of} are independent"
    figures: ClassVar = {"rows": "count", FIRST_SHARE: "percentage", SECOND_SHARE: "percentage"}
    example = "of region, product"

    of: Two

    def compile(self, plan: Plan) -> CompiledPlan:
        """How many rows each pair of values has, and how many percent that is of either value's rows."""
        keys = _names(self.of)
        groups = [value_sql(value) for value in self.of]
        outputs = {**dict(zip(keys, groups, strict=True)), "rows": measure_sql(Measure(function="rows"))}
        base = select(plan, outputs, where=[known_sql(value) for value in self.of], group=groups)
        names = zip((FIRST_SHARE, SECOND_SHARE), keys, strict=True)
        shares = steps.adding({name: steps.share_of("rows", (key,)) for name, key in names})
        query = Query(base=base, shown=(*keys, *self.figures), order=tuple(map(Sorting, keys))).then(shares)
        return CompiledPlan(query=query, keys=tuple(keys), figures=tuple(self.figures))


class Distribution(OwnStatistic):
    """``bins`` is how many there are."""

    kind = "distribution"
    promise = "How many rows lie in each of several bins of one width."
    figures: ClassVar = {"rows": "count"}
    example = "of amount bins 5"

    of: One
    bins: Bins = 10

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        bins = f" in {self.bins} bins" if self.bins != 10 else ""
        return f"distribution of {_said(self.of, qualified=qualified)}{bins}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """One row for each bin."""
        return _stepped(plan, self, steps.binning(_names(self.of)[0], self.bins), ("from", "to"), (Sorting("from"),))


class Outliers(OwnStatistic):
    """Beyond ``reach`` interquartile ranges from the quartiles, or with ``z`` standard deviations from the mean."""

    kind = "outliers"
    promise = "The rows whose number lies far from the usual range, over all rows or within each group."
    example = "of amount"

    of: One
    within: tuple[Value, ...] = ()
    reach: Reach | None = None
    method: Literal["iqr", "z"] | None = None

    @property
    def limit(self) -> float:
        """How far from the usual an outlier lies."""
        return self.reach or (Z_REACH if self.method == "z" else IQR_REACH)

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        beyond = ""
        if self.method == "z":
            beyond = f" beyond {plain_number(self.limit)} standard deviations from the mean"
        elif self.reach is not None:
            beyond = f" beyond {plain_number(self.reach)} interquartile ranges from the quartiles"
        within = f", within each {_said(self.within, qualified=qualified)}" if self.within else ""
        return f"outliers of {_said(self.of, qualified=qualified)}{beyond}{within}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """The rows themselves, with the bounds they lie beyond."""
        of = self.of[0]
        shown = tuple(dict.fromkeys(value for value in (*plan.show, *self.within) if value != of))
        names = _names((*shown, of))
        within = tuple(names[shown.index(value)] for value in self.within)
        order = (Sorting(names[-1], descending=True), *map(Sorting, names[:-1]))
        query = _values(plan, (*shown, of), names)
        query = query.then(steps.outlying(names[-1], self.method or "iqr", self.limit, within))
        query = replace(query, shown=(*names, "low", "high"), order=order)
        return CompiledPlan(query=query, keys=tuple(names[:-1]), figures=(names[-1], "low", "high"))


class Trend(OwnStatistic):
    """Of its first value along the second."""

    kind = "trend"
    promise = "The straight line that fits one number along another best."
    figures: ClassVar = {"points": "count", "slope": "number", "r_squared": "number"}
    example = "of amount, price"

    of: Two

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        first, second = (_said(value, qualified=qualified) for value in self.of)
        return f"straight trend of {first} along {second}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """One row: how many points, how steep, and how well the line fits."""
        first, second = _names(self.of)
        return _stepped(plan, self, steps.fitting(first, second), (), ())


class EqualGroups(OwnStatistic):
    """``bins`` groups: of rows by a value, or of what the plan is ``by`` by its measure."""

    kind = "equal_groups"
    promise = "Groups of equal size from the lowest to the highest: of rows, or of the keys in the plan's `by`."
    figures: ClassVar = {"rows": "count"}
    example = "of amount bins 4"

    of: Annotated[tuple[Value, ...], Field(max_length=1)] = ()
    bins: Bins = 10

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        groups = f"{self.bins} groups of equal size"
        measure = measure_name(plan.measures[0], qualified=qualified) if plan.measures else "number of rows"
        if plan.by:
            return f"{' and '.join(value_name(v, qualified=qualified) for v in plan.by)} in {groups} by {measure}"
        return f"{measure} by {groups} of {_said(self.of, qualified=qualified)}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """One row for each group."""
        if plan.by:
            return self._of_keys(plan)
        if not self.of:
            raise InvalidArguments("Groups of equal size need a value or keys.")
        outputs, columns = {VALUE: value_sql(self.of[0])}, {"rows": steps.summary_of("rows", None)}
        measure = plan.measures[0] if plan.measures else None
        if measure is not None and measure.of is not None:
            record = AGGREGATES[measure.function]
            if record.counts or record.placed or not record.sql:
                raise InvalidArguments(f"A {measure.function} cannot be computed for groups of equal size.")
            outputs["amount"] = value_sql(measure.of)
            columns[headings(plan)[1][0]] = steps.summary_of(measure.function, "amount")
        return self._tiled(Query(base=select(plan, outputs), shown=()), columns)

    def _of_keys(self, plan: Plan) -> CompiledPlan:
        """What the plan is ``by``, by its figure."""
        keys, figures = headings(plan)
        measure, groups = plan.measures[0], [value_sql(value) for value in plan.by]
        outputs = {**dict(zip(keys, groups, strict=True)), VALUE: measure_sql(measure)}
        base = select(plan, outputs, where=[known_sql(value) for value in plan.by], group=groups)
        columns, query = {f"number of {keys[0]}": steps.summary_of("rows", None)}, Query(base=base, shown=())
        if not AGGREGATES[measure.function].additive:
            return self._tiled(query, columns)
        columns[figures[0]] = steps.summary_of("sum", VALUE)
        return self._tiled(query, columns, {SHARE: steps.share_of(figures[0])})

    def _tiled(self, query: Query, columns: dict[str, str], added: Mapping[str, str] | None = None) -> CompiledPlan:
        keys, figures = ("group", "from", "to"), (*columns, *(added or ()))
        query = query.then(steps.tiling(VALUE, self.bins, columns), *([steps.adding(added)] if added else []))
        query = replace(query, shown=(*keys, *figures), order=(Sorting("group"),))
        return CompiledPlan(query=query, keys=keys, figures=figures)


class Cohorts(OwnStatistic):
    """A member begins at ``by``, or when first seen; time goes in ``step``; only what begins in ``span`` is told."""

    of: Two
    by: Value | None = None
    step: Period | None = None
    span: tuple[str, str] | None = None

    @property
    def asked(self) -> str | None:
        """Which members are reported first; nothing where cohorts are."""
        return None

    @property
    def period(self) -> Period:
        """What time is cut to."""
        return self.step or "month"

    def compile(self, plan: Plan) -> CompiledPlan:
        """One row for each period, of cohorts one for each and each period after."""
        member, when = self.of
        label, after = f"{self.period} of {when.column or value_name(when)}", f"{self.period}s after"
        outputs = {"member": value_sql(member), label: cut_sql(when, self.period)}
        if self.by is not None:
            outputs["start"] = cut_sql(self.by, self.period)
        query = Query(base=select(plan, outputs, where=[known_sql(member), known_sql(when)]), shown=())
        query = query.then(steps.cohorts("member", label, "start" if self.by is not None else None, self.period, after))
        if self.span is not None:
            # Only after all members have their beginning: who was there before is not new.
            first, last = (date.fromisoformat(each) for each in self.span)
            shown_by = "cohort" if self.asked is None else label
            query = query.then(steps.between_days(shown_by, first.isoformat(), (last + timedelta(days=1)).isoformat()))
        return self._counted(query, label, after)

    def _counted(self, query: Query, label: str, after: str) -> CompiledPlan:
        raise NotImplementedError

    def _since(self, cohort: str = "") -> str:
        began = f"its first {self.period}" if self.by is None else f"the {self.period}"
        told = f", shown from {self.span[0]} to {self.span[1]}" if self.span is not None else ""
        return f"{cohort}each new in {began} of {value_name(self.by or self.of[1])}{told}"


class Retention(Cohorts):
    """Of a member and the time it is seen."""

    kind = "retention"
    promise = "How many of the members that began together return, period by period."
    figures: ClassVar = {"size": "count", "active": "count", "retention in percent": "percentage"}
    example = "of customer, day"

    def _counted(self, query: Query, label: str, after: str) -> CompiledPlan:
        """How many of each cohort come back."""
        keys, figures = ("cohort", after), tuple(self.figures)
        counted = steps.grouping(("cohort", "size", after), {"active": steps.summary_of("rows", None)})
        query = query.then(counted, steps.adding({figures[-1]: steps.percent_of("active", "size")}))
        query = replace(query, shown=(*keys, *figures), order=tuple(map(Sorting, keys)))
        return CompiledPlan(query=query, keys=keys, figures=figures)

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        since = self._since(f"by cohort in {self.period}s of {value_name(self.of[1])}, ")
        return f"retention of {_said(self.of[0], qualified=qualified)}, {since}"


class Members(Cohorts):
    """Of a member and the time it is seen; ``method`` is what is reported first."""

    kind = "members"
    promise = "How many members are active, new and returning in each period."
    figures: ClassVar = {"active": "count", "new": "count", "returning": "count"}
    example = "of customer, day"

    method: Literal["new", "active", "returning"] | None = None

    @property
    def asked(self) -> str:
        """Which members are reported first."""
        return self.method or "active"

    def _counted(self, query: Query, label: str, after: str) -> CompiledPlan:
        """How many members are active, new and returning in each period."""
        sums = {name: steps.summary_of("sum", name) for name in ("new", "returning")}
        query = query.then(steps.grouping((label,), {"active": steps.summary_of("rows", None), **sums}))
        figures = tuple(dict.fromkeys((self.asked, *self.figures)))
        query = replace(query, shown=(label, *figures), order=(Sorting(label),))
        return CompiledPlan(query=query, keys=(label,), figures=figures)

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        by = f"by {self.period} of {value_name(self.of[1])}"
        return f"{self.asked} {_said(self.of[0], qualified=qualified)} {by}, {self._since()}"


class TableOverview(OwnStatistic):
    """Of every column in ``show``; ``of`` are the numbers among them."""

    kind = "overview"
    promise = "Every column of a table: what it holds and what is missing."
    figures: ClassVar = {
        **dict.fromkeys(("rows", "missing", "different"), "count"),
        **dict.fromkeys(("minimum", "maximum", "mean"), "number"),
    }

    of: tuple[Value, ...] = ()

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        kinds = {each.statistic.kind for each in plan.beside if each.statistic is not None}
        looks = kinds - {Duplicates.kind} or any(each.window is not None for each in plan.beside)
        return f"overview of every column{' and what stands out' if looks else ''}"

    def compile(self, plan: Plan) -> CompiledPlan:
        """One row for each column."""
        numbers = {value.column for value in self.of}
        text = steps.overview(plan.table, {name: name in numbers for name in _names(plan.show)})
        base, keys, figures = parsed(text), ("column",), tuple(self.figures)
        query = Query(base=base, shown=(*keys, *figures), order=(Sorting("place"),))
        return CompiledPlan(query=query, keys=keys, figures=figures)


class Duplicates(OwnStatistic):
    """All rows, how many of them are different, and how many repeat an earlier one."""

    kind = "duplicates"
    promise = "How many rows repeat an earlier one in all these values."
    said = "number of rows that repeat an earlier one in {of}"
    figures: ClassVar = {"rows": "count", "different": "count", "repeated": "count"}
    example = "of region, product"

    of: Some

    def compile(self, plan: Plan) -> CompiledPlan:
        """One row with the three counts."""
        names, groups = _names(self.of), [value_sql(value) for value in self.of]
        outputs = {**dict(zip(names, groups, strict=True)), "alike": measure_sql(Measure(function="rows"))}
        figures = tuple(self.figures)
        query = Query(base=select(plan, outputs, group=groups), shown=figures).then(
            steps.grouping((), {"rows": steps.summary_of("sum", "alike"), "different": steps.summary_of("rows", None)}),
            steps.adding({"repeated": steps.difference_of("rows", "different")}),
        )
        return CompiledPlan(query=query, keys=(), figures=figures)


class Programmed(OwnStatistic):
    """A statistic that a program computes of rows: what SQL has no function for."""

    figures: ClassVar = {VALUE: "number"}

    def compile(self, plan: Plan) -> CompiledPlan:
        """The rows that the program needs, and what it is to compute of them."""
        values = tuple(value for _, field in self for value in (field if isinstance(field, tuple) else (field,)))
        values = tuple(value for value in values if isinstance(value, Value))
        names = _names(values)
        query = _values(plan, values, names)
        program = {"columns": names, **self.program(names)}
        return CompiledPlan(query=query, keys=(FIGURE,), figures=(VALUE,), program=program)

    def program(self, names: Sequence[str]) -> dict[str, Any]:
        """What the program is given beside the columns."""
        return {"kind": self.kind}


class Model(Programmed):
    """``against`` is told from the values: a number by least squares, a category by a logistic model."""

    kind = "model"
    promise = "How well a value can be predicted from others, and how much each of them contributes."
    example = '{"against":{"table":"sales","column":"amount"}} of price, region'

    of: Some
    against: Value
    method: Literal["linear", "logistic"] | None = None

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """The statistic in words."""
        target, of = _said(self.against, qualified=qualified), _said(self.of, qualified=qualified)
        return f"{self.method or 'linear'} model of {target} on {of}"

    def program(self, names: Sequence[str]) -> dict[str, Any]:
        """The model, what it tells, and from what."""
        return {"kind": self.method or "linear", "target": names[-1], "features": list(names[:-1])}


class Normality(Programmed):
    """The test of Shapiro and Wilk; of many values D'Agostino's."""

    kind = "normality"
    promise = "Whether the values of a number can come from a normal distribution."
    said = "test whether {of} is normally distributed"
    example = "of amount"

    of: One


class Moments(Programmed):
    """Skewness and excess kurtosis, corrected for the size of the sample."""

    kind = "shape"
    promise = "The skewness and the kurtosis of a number."
    said = "skewness and kurtosis of {of}"
    example = "of amount"

    of: One


class SampleTest(Programmed):
    """A test of SciPy that compares the values of the groups in ``by``, told by its p-value."""

    test: ClassVar[str] = ""
    """What the test's statistic is called."""
    function: ClassVar[str] = ""
    """The function of ``scipy.stats`` that computes it."""
    samples: ClassVar[int | None] = None
    """How many groups it takes; any number from two where nothing is said."""
    example = "of amount between region"

    of: One
    by: Value

    def program(self, names: Sequence[str]) -> dict[str, Any]:
        """The function of SciPy, and how many samples it takes."""
        return {"kind": "test", "function": self.function, "samples": self.samples}


class MannWhitney(SampleTest):
    """Of two groups, by the ranks of their values."""

    kind = "mann_whitney"
    promise = "Whether the values of one group tend to be greater than those of another, however they are distributed."
    said = "Mann–Whitney U test of {of} between {by}"
    test = "Mann–Whitney U"
    function = "mannwhitneyu"
    samples = 2


class KruskalWallis(SampleTest):
    """Of two groups or more, by the ranks of their values."""

    kind = "kruskal_wallis"
    promise = "Whether the values of some groups tend to be greater than those of others, however they are distributed."
    said = "Kruskal–Wallis test of {of} between {by}"
    test = "Kruskal–Wallis H"
    function = "kruskal"


def _every(parent: type[Statistic]) -> Iterator[type[Statistic]]:
    for child in parent.__subclasses__():
        if child.kind:
            yield child
        yield from _every(child)


OWN = {kind.kind: kind for kind in _every(OwnStatistic)}
"""Every statistic that Averment has itself, by its name."""

_FIELDS = frozenset(AddedStatistic.model_fields)
"""The fields that plans of earlier versions could have for every kind."""


def known_kinds() -> Iterator[type[Statistic]]:
    """The class of every statistic that a plan may ask for."""
    yield from OWN.values()
    yield from map(added_kind, plugins.names("operations", OWN))


def statistic_of(kind: str, **fields: Any) -> Statistic:
    """A statistic of that kind; like ``read_statistic``."""
    return read_statistic({"kind": kind, **fields}, {GIVEN: True})


def read_statistic(body: Any, context: Mapping[str, Any]) -> Statistic:
    """A statistic from its JSON; of what was kept, fields of other kinds are left out, as they never said anything.

    Raises:
        ValueError: there is no such kind, or a field of it is missing or wrong.
    """
    if not isinstance(body, Mapping) or not isinstance(name := body.get("kind"), str):
        raise ValueError("a statistic needs its kind")
    if name not in OWN and not context.get(plugins.STORED) and name not in plugins.names("operations", OWN):
        raise ValueError(f"there is no statistic {name}: {', '.join(kind.kind for kind in known_kinds())}")
    kind = OWN.get(name) or added_kind(name)
    other = {"kind"} if context.get(GIVEN) else {"kind", *_FIELDS - kind.model_fields.keys()}
    return kind.model_validate({field: value for field, value in body.items() if field not in other}, context=context)


def _said(field: Any, *, qualified: bool) -> str:
    """Values in words; other fields as they are."""
    if isinstance(field, Value):
        return value_name(field, qualified=qualified)
    if not isinstance(field, tuple | list):
        return str(field)
    *names, last = [value_name(value, qualified=qualified) for value in field] or [""]
    return f"{', '.join(names)} and {last}" if names else last


def _names(values: Sequence[Value]) -> list[str]:
    names = [value.column or f"value {n}" for n, value in enumerate(values, start=1)]
    return [name if names.index(name) == n else f"{name} {n + 1}" for n, name in enumerate(names)]


def _values(plan: Plan, values: Sequence[Value], names: Sequence[str]) -> Query:
    """The values of each row."""
    outputs = {name: value_sql(value) for value, name in zip(values, names, strict=True)}
    return Query(base=select(plan, outputs), shown=tuple(names))


def _stepped(
    plan: Plan, statistic: Statistic, step: Step, keys: tuple[str, ...], order: tuple[Sorting, ...]
) -> CompiledPlan:
    figures = tuple(statistic.figures)
    query = replace(_values(plan, statistic.of, _names(statistic.of)), shown=(*keys, *figures), order=order)
    return CompiledPlan(query=query.then(step), keys=keys, figures=figures)
