"""One table of questions whose answers must be the same on every engine, each dense, since a cluster takes its time.

``SPECS`` are plans of every shape. ``ASKED`` are questions in words, ``DRILLED`` metrics to be taken apart.
"""

from __future__ import annotations

from typing import Any

from averment.plans.plan import (
    Across,
    Combine,
    GroupTest,
    Join,
    Measure,
    Plan,
    Rank,
    Sort,
    Test,
    Value,
    Window,
    column,
)
from averment.plans.statistics import statistic_of

TEXTS = ("o'h", "%", "_", "back\\", 'SAY "HI', "köln", "KÖLN", "☃", "north", "North", "")


def _column(name: str, table: str = "sales") -> Value:
    return column(table, name)


def _part(part: str, name: str = "day", **more: Any) -> Value:
    return Value.model_validate({"kind": "part", "table": "sales", "column": name, "part": part, **more})


def _value(kind: str, *operands: Value, **more: Any) -> Value:
    return Value.model_validate({"kind": kind, "operands": operands, **more})


def _test(name: str, operator: str, *to: Any, **more: Any) -> Test:
    return Test.model_validate({"value": _column(name), "operator": operator, "to": to, **more})


def _measure(function: str, of: Value | str | None = None, **more: Any) -> Measure:
    value = _column(of) if isinstance(of, str) else of
    return Measure.model_validate({"function": function, "of": value, **more})


def _plan(**parts: Any) -> Plan:
    return Plan.model_validate({"table": "sales", **parts})


def _figures(*measures: Measure, by: tuple[Value, ...] = (), **more: Any) -> Plan:
    return _plan(measures=measures, by=by, **more)


def _rows(*shown: Value, **more: Any) -> Plan:
    """One row for each sale, in the order of their numbers."""
    return _plan(show=(_column("sale_id"), *shown), order=more.pop("order", (Sort(at=0),)), **more)


def _counted(*where: Test) -> Measure:
    return _measure("rows", where=where)


def _series(part: str, *more: Value, **parts: Any) -> Plan:
    return _figures(_SUM, by=(_part(part), *more), where=(_test("day", "null", negated=True),), **parts)


def _statistic(kind: str, *of: str, **fields: Any) -> Plan:
    return _plan(statistic=statistic_of(kind, of=tuple(map(_column, of)), **fields), show=fields.pop("show", ()))


def _joined(*, outer: bool) -> Plan:
    join = Join(left="sales", left_column="customer", right="customers", right_column="customer", outer=outer)
    return _figures(_SUM, by=(_column("segment", "customers"),), joins=(join,))


_FUNCTIONS = ("count", "sum", "mean", "min", "max", "median", "stddev", "variance")
_PARTS = ("day", "week", "month", "quarter", "year", "decade", "hour", "day_of_month", "month_of_year", "weekday")
_NUMBERS = ("quantity", "amount", "weight")
_SUM = _measure("sum", "amount")
_SECONDS = _value("seconds", _column("placed_at"), _column("shipped_at"))
_DAYS = _value("days", _column("day"), _column("shipped_at"))
_PRODUCT, _REGION, _MONTH = _column("product"), _column("region"), _part("month")
_DESK = _test("product", "=", "Desk")
_HOME = Plan(
    table="customers",
    show=(_column("customer", "customers"),),
    where=(Test(value=_column("segment", "customers"), to=("home",)),),
)

SPECS: dict[str, Plan] = {
    "parts of dates and moments": _rows(
        *(_part(part, name) for part in (*_PARTS, "weekend") for name in ("day", "placed_at")),
        _part("year", number=7),
    ),
    "groups by month": _figures(_measure("rows"), _SUM, by=(_MONTH,)),
    "groups by weekday": _figures(_measure("rows"), by=(_part("weekday"),)),
    "aggregates of three kinds of numbers": _figures(
        *(_measure(each, name) for each in _FUNCTIONS for name in _NUMBERS), by=(_REGION,)
    ),
    "ends of dates and texts": _figures(
        *(_measure(each, name) for each in ("min", "max", "count") for name in ("day", "placed_at", "region"))
    ),
    "distinct counts": _figures(
        *(_measure("distinct", each) for each in ("region", "quantity", "returned")), by=(_PRODUCT,)
    ),
    "seconds and days between": _figures(
        *(_measure(each, of) for each in ("mean", "max") for of in (_SECONDS, _DAYS)), by=(_PRODUCT,)
    ),
    "calculated for each row": _rows(
        _SECONDS,
        _value("minutes", _column("placed_at"), _column("shipped_at")),
        _DAYS,
        Value(kind="as_number", table="sales", column="packed"),
        *(
            Value.model_validate({"kind": "piece", "table": "sales", "column": "packed", "piece": piece})
            for piece in ("first_word", "last_word", "first_letter")
        ),
        Value(kind="length", table="sales", column="region"),
        Value(kind="bucket", table="sales", column="amount", width=50),
        Value(kind="bucket", table="sales", column="weight", width=2.5),
    ),
    "arithmetic with decimals and whole numbers": _rows(
        *(
            _value("arithmetic", _column(name), _column("quantity"), operation=sign)
            for sign in "+-*/"
            for name in ("amount", "sale_id", "weight")
        )
    ),
    "ratios, some of nothing": _figures(
        _SUM.changed(over=_measure("distinct", "region")),
        _SUM.changed(over=_counted(_DESK)),
        _counted(_DESK).changed(over=_measure("rows"), percent=True),
        _measure("rate", where=(_test("returned", "=", True),)),
        _measure("mean", "weight", weight=_column("quantity")),
        by=(_PRODUCT,),
    ),
    "texts with odd characters": _figures(
        *(
            _counted(_test("region", operator, text))
            for operator in ("contains", "starts", "ends", "=", "!=")
            for text in TEXTS
        ),
        _counted(_test("region", "in", "North", "O'Hare", "back\\slash")),
        _counted(_test("region", "not in", "North", "O'Hare", "back\\slash")),
        _counted(_test("region", "null")),
        _counted(_test("region", "null", negated=True)),
        _counted(_test("region", "=", "North", negated=True)),
    ),
    "tests of dates, truths and numbers": _figures(
        *(_counted(_test(name, "between", "2022-03-01", "2022-09-30")) for name in ("day", "placed_at")),
        _counted(_test("placed_at", ">", "2022-09-30")),
        _counted(_test("placed_at", "!=", "2022-09-30")),
        _counted(_test("returned", "=", True)),
        _counted(_test("returned", "!=", True)),
        _counted(_test("amount", ">", 500.5)),
        _counted(_test("amount", "=", 59.19)),
        _counted(_test("amount", ">", other=_column("weight"))),
    ),
    "values in the order they are written": _figures(
        _SUM.changed(where=(_DESK,)),
        _counted(_test("product", "=", "Lamp"), _test("quantity", ">", 3)),
        by=(_REGION,),
        where=(
            Test(
                any_of=(
                    _test("region", "=", "North"),
                    Test(all_of=(_test("region", "=", "South"), _test("quantity", "<", 10))),
                )
            ),
            _test("amount", "<", 900),
        ),
        having=(GroupTest(measure=_measure("rows"), to=(1,)),),
    ),
    "missing numbers last, counting up": _rows(
        _column("quantity"), where=(_test("sale_id", "<", 80),), order=(Sort(at=1), Sort(at=0))
    ),
    "missing numbers last, counting down": _rows(_column("quantity"), order=(Sort(at=1, descending=True), Sort(at=0))),
    "texts in order": _plan(show=(_REGION, Value(kind="length", table="sales", column="region")), distinct=True),
    "truths as groups": _figures(_measure("rows"), by=(_column("returned"),)),
    "joined": _joined(outer=False),
    "joined, all sales kept": _joined(outer=True),
    "those of a query": _figures(
        _measure("rows"),
        where=(_test("customer", "in", inner=_HOME), _test("amount", "<", inner=_figures(_measure("max", "amount")))),
    ),
    "groups above the figure of all": _figures(
        _measure("mean", "amount"),
        by=(_PRODUCT,),
        having=(GroupTest(measure=_measure("mean", "amount"), inner=_figures(_measure("mean", "amount"))),),
    ),
    **{
        f"{operation} of two lists": _plan(
            show=(_column("customer"),),
            distinct=True,
            where=(_DESK,),
            combine=Combine.model_validate({"operation": operation, "other": _HOME}),
        )
        for operation in ("union", "intersect", "except")
    },
    **{
        f"{kind} from {part} to {part}": _series(part, window=Window(kind=kind, along=0))
        for part in ("week", "quarter", "year")
        for kind in ("change", "growth", "log_return")
    },
    **{
        f"{kind} by month": _series("month", window=Window(kind=kind, along=0, steps=steps))
        for kind, steps in (("growth", 12), ("moving", 3), ("moving_total", 3), ("running", 1))
    },
    **{
        f"{kind} within products": _series("quarter", _PRODUCT, window=Window(kind=kind, along=0, steps=3))
        for kind in ("moving", "running")
    },
    **{
        f"{kind} within quarters": _series("quarter", _PRODUCT, window=Window(kind=kind, within=(0,)))
        for kind in ("rank", "share", "percent_rank")
    },
    "between two years": _figures(
        _SUM, by=(_part("year"), _PRODUCT), window=Window(kind="growth", along=0, span=(2022, 2023))
    ),
    "ranked, ties kept": _figures(_measure("distinct", "region"), by=(_PRODUCT,), rank=Rank(limit=2)),
    "the second within each": _figures(_SUM, by=(_PRODUCT, _REGION), rank=Rank(within=(0,), skip=1)),
    "those who make up half": _figures(_SUM, by=(_REGION,), rank=Rank(limit=100, until=50)),
    "a mean of groups": _figures(_SUM, by=(_PRODUCT,), over_groups="median"),
    "percentiles and counts": _figures(
        *(_measure("quantile", name, at=at) for name in _NUMBERS for at in (0.1, 0.5, 0.9)),
        _measure("iqr", "amount"),
        _measure("distinct", "region"),
        _measure("mean", "amount"),
        by=(_PRODUCT,),
    ),
    "values side by side": _figures(
        _SUM, by=(_PRODUCT, _column("returned")), across=Across(at=1, values=(True, False))
    ),
    "bins of equal width": _statistic("distribution", "amount", bins=7),
    "a straight line": _statistic("trend", "amount", "sale_id"),
    **{
        f"{method} correlations": _statistic("correlation", *_NUMBERS, method=method)
        for method in ("pearson", "spearman")
    },
    **{
        f"outliers by {method}": _statistic("outliers", "amount", method=method, reach=reach, within=(_PRODUCT,))
        for method, reach in (("iqr", 0.4), ("z", 1.6))
    },
    "a test of groups": _statistic("difference_test", "amount", by=_PRODUCT),
    "shares of two categories": _statistic("independence", "region", "product"),
    "groups of equal size": _statistic("equal_groups", "amount", bins=4),
    "products in groups of equal size": _figures(_SUM, by=(_REGION,), statistic=statistic_of("equal_groups", bins=3)),
    "repeated rows": _statistic("duplicates", "region", "product"),
    "who comes back": _statistic("retention", "customer", "day", step="quarter"),
    "who is new": _statistic("members", "customer", "placed_at", span=("2022-02-01", "2023-06-30")),
    "every column": _plan(
        statistic=statistic_of("overview", of=tuple(map(_column, _NUMBERS))),
        show=tuple(map(_column, ("region", "day", *_NUMBERS))),
    ),
}

ASKED = (
    "total amount by region",
    "median amount by product",
    "how many distinct customers by product",
    "average amount by returned",
    "90th percentile of weight by product",
    "total amount by segment",
    "top 3 regions by total quantity",
    "how many sales in O'Hare",
    "amount per quantity by product",
    "3-month moving average of total amount over day by month",
    "sales with amount above 970",
)
DRILLED = ("COUNT(DISTINCT sales.customer)", "AVG(weight)", "SUM(amount) / SUM(quantity)")
PERIODS: dict[str, Any] = {"baseline": ("2022-01-01", "2022-12-31"), "comparison": ("2023-01-01", "2023-12-31")}
