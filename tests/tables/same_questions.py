"""One table of questions whose answers must be the same on every engine, each dense, since a cluster takes its time.

``SPECS`` are what the analyst composes: selects and calculations on them. ``ASKED`` are questions in words, ``DRILLED``
metrics to be taken apart.
"""

from __future__ import annotations

from typing import Any

from averment.tables.compose.layer_spec import (
    BinLayer,
    Calculation,
    CalculationLayer,
    GroupLayer,
    Layered,
    LineLayer,
    PeriodLayer,
    Sorting,
    Spread,
    SpreadColumn,
    SummaryColumn,
)
from averment.tables.compose.select_spec import ROWS, Condition, Join, Order, Output, Select, Term, aggregate, column

TEXTS = ("o'h", "%", "_", "back\\", 'SAY "HI', "köln", "KÖLN", "☃", "north", "North", "")


def _column(name: str) -> Term:
    return column("sales", name)


def _term(kind: str, *arguments: Term, **more: Any) -> Term:
    return Term.model_validate({"kind": kind, "arguments": arguments, **more})


def _part(part: str, name: str = "day") -> Term:
    return _term("part", _column(name), part=part)


def _test(name: str, operator: str, *values: Any, **more: Any) -> Condition:
    return Condition.model_validate({"term": _column(name), "operator": operator, "values": values, **more})


def _counted(*conditions: Condition) -> Term:
    return Term(kind="rows", conditions=conditions)


def _select(outputs: dict[str, Term], *, by: tuple[Term, ...] = (), **more: Any) -> Select:
    shown = tuple(Output(term=term, alias=alias) for alias, term in outputs.items())
    order = more.pop("order", tuple(Order(term=term) for term in by))
    return Select.model_validate(
        {"table": more.pop("table", "sales"), "outputs": shown, "groups": by, "order": order, **more}
    )


def _rows(outputs: dict[str, Term], **more: Any) -> Select:
    """One row for each sale, in the order of their numbers."""
    first = _column("sale_id")
    return _select({"sale_id": first, **outputs}, order=(Order(term=first),), **more)


def _divided(one: Term, other: Term) -> Term:
    return Term(kind="arithmetic", operation="/", arguments=(one, other))


def _home(term: Term | None = None) -> Select:
    segment = Condition(term=column("customers", "segment"), operator="=", values=("home",))
    return _select({"customer": term or column("customers", "customer")}, table="customers", conditions=(segment,))


def _joined(*, outer: bool) -> Select:
    segment = column("customers", "segment")
    join = Join(left="sales", left_column="customer", right="customers", right_column="customer", outer=outer)
    return _select({"segment": segment, "sum": aggregate("sum", _column("amount"))}, by=(segment,), joins=(join,))


_FUNCTIONS = ("count", "sum", "avg", "min", "max", "median", "stddev")
_PARTS = ("day", "week", "month", "quarter", "year", "year_number", "month_name", "weekday_name")
_NUMBERS = ("quantity", "amount", "weight")
_SUM = aggregate("sum", _column("amount"))
_SECONDS = _term("seconds", _column("placed_at"), _column("shipped_at"))
_DAYS = _term("days", _column("day"), _column("shipped_at"))
_PRODUCT, _REGION, _MONTH = _column("product"), _column("region"), _part("month")
_DESK = _test("product", "=", "Desk")

SELECTS: dict[str, Select] = {
    "parts of dates and moments": _rows(
        {f"{part} of {name}": _part(part, name) for part in _PARTS for name in ("day", "placed_at")}
    ),
    "groups by month": _select({"month": _MONTH, "rows": ROWS, "sum": _SUM}, by=(_MONTH,)),
    "groups by weekday": _select(
        {"weekday": _part("weekday_name"), "rows": ROWS}, by=(_part("weekday_name"),), having=()
    ),
    "aggregates of three kinds of numbers": _select(
        {"region": _REGION}
        | {f"{name} {each}": aggregate(each, _column(name)) for each in _FUNCTIONS for name in _NUMBERS},
        by=(_REGION,),
    ),
    "ends of dates and texts": _select(
        {
            f"{each} {name}": aggregate(each, _column(name))
            for each in ("min", "max", "count")
            for name in ("day", "placed_at", "region")
        }
    ),
    "distinct counts and sums": _select(
        {
            "product": _PRODUCT,
            "regions": aggregate("count", _REGION, distinct=True),
            "quantities": aggregate("sum", _column("quantity"), distinct=True),
            "truths": aggregate("count", _column("returned"), distinct=True),
        },
        by=(_PRODUCT,),
    ),
    "seconds and days between": _select(
        {
            "product": _PRODUCT,
            "mean seconds": aggregate("avg", _SECONDS),
            "most seconds": aggregate("max", _SECONDS),
            "mean days": aggregate("avg", _DAYS),
            "most days": aggregate("max", _DAYS),
        },
        by=(_PRODUCT,),
    ),
    "rank and share of groups": _select(
        {"region": _REGION, "rank": _term("rank", _SUM), "share": _term("share", _SUM), "rows": _term("share", ROWS)},
        by=(_REGION,),
        order=(Order(term=_term("rank", _SUM)),),
    ),
    "the month before": _select({"month": _MONTH, "before": _term("before", _SUM, _MONTH)}, by=(_MONTH,)),
    "calculated for each row": _rows(
        {
            "seconds": _SECONDS,
            "days": _DAYS,
            "rank": _term("rank", _column("quantity")),
            "before": _term("before", _column("amount"), _column("sale_id"), _PRODUCT),
            "number": _term("number", _column("packed")),
            "found": _term("extract", _column("packed"), value="([0-9]+) kg"),
            "date": _term("date", _column("written")),
            "length": _term("length", _REGION),
            "absolute": _term("absolute", _column("amount")),
            "half": _term("rounded", _divided(_column("sale_id"), Term(kind="constant", value=2)), value=0),
        }
    ),
    "arithmetic with decimals and whole numbers": _rows(
        {
            f"{name} {sign}": Term.model_validate(
                {"kind": "arithmetic", "operation": sign, "arguments": (_column(name), _column("quantity"))}
            )
            for sign in "+-*/"
            for name in ("amount", "sale_id", "weight")
        }
    ),
    "ratios, some of nothing": _select(
        {
            "product": _PRODUCT,
            "ratio": _divided(_SUM, aggregate("count", _REGION, distinct=True)),
            "of nothing": _divided(_SUM, _counted(_DESK)),
            "rounded": _term("rounded", aggregate("avg", _column("amount")), value=2),
            "rounded float": _term("rounded", aggregate("avg", _column("weight")), value=1),
        },
        by=(_PRODUCT,),
    ),
    "texts with odd characters": _select(
        {
            f"{operator} {place}": _counted(_test("region", operator, text))
            for operator in ("contains", "starts", "ends", "=", "<>")
            for place, text in enumerate(TEXTS)
        }
        | {
            "in": _counted(_test("region", "in", "North", "O'Hare", "back\\slash")),
            "not in": _counted(_test("region", "not in", "North", "O'Hare", "back\\slash")),
            "null": _counted(_test("region", "null")),
            "not null": _counted(_test("region", "not null")),
            "not": _counted(_test("region", "=", "North", negated=True)),
        }
    ),
    "tests of dates, truths and numbers": _select(
        {
            "days": _counted(_test("day", "between", "2022-03-01", "2022-09-30", is_date=True)),
            "moments": _counted(_test("placed_at", "between", "2022-03-01", "2022-09-30", is_date=True)),
            "later": _counted(_test("placed_at", ">", "2022-09-30", is_date=True)),
            "true": _counted(_test("returned", "=", True)),
            "not true": _counted(_test("returned", "<>", True)),
            "decimal": _counted(_test("amount", ">", 500.5)),
            "exactly": _counted(_test("amount", "=", 59.19)),
            "columns": _counted(Condition(term=_column("amount"), operator=">", other=_column("weight"))),
        }
    ),
    "values in the order they are written": _select(
        {
            "desks": Term(kind="aggregate", function="sum", arguments=(_column("amount"),), conditions=(_DESK,)),
            "lamps": _counted(_test("product", "=", "Lamp"), _test("quantity", ">", 3)),
            "constant": Term(kind="constant", value="x"),
        },
        conditions=(
            Condition(
                any_of=(
                    _test("region", "=", "North"),
                    Condition(all_of=(_test("region", "=", "South"), _test("quantity", "<", 10))),
                )
            ),
            _test("amount", "<", 900),
        ),
        having=(Condition(term=ROWS, operator=">", values=(1,)),),
    ),
    "missing numbers last, counting up": _rows(
        {"quantity": _column("quantity")}, conditions=(_test("sale_id", "<", 80),)
    ).model_copy(update={"order": (Order(term=_column("quantity")), Order(term=_column("sale_id")))}),
    "missing numbers last, counting down": _rows({"returned": _column("returned")}).model_copy(
        update={"order": (Order(term=_column("quantity"), descending=True), Order(term=_column("sale_id")))}
    ),
    "texts in order": _select(
        {"region": _REGION, "length": _term("length", _REGION)}, distinct=True, order=(Order(term=_REGION),)
    ),
    "truths as groups": _select({"returned": _column("returned"), "rows": ROWS}, by=(_column("returned"),)),
    "some rows from the middle": _rows({}, limit=5, offset=10),
    "joined": _joined(outer=False),
    "joined, all sales kept": _joined(outer=True),
    "those of a query": _select(
        {
            "rows": ROWS,
            "most": Term(kind="scalar", query=_select({"most": aggregate("max", _column("amount"))})),
        },
        conditions=(Condition(term=_column("customer"), operator="in", query=_home()),),
        groups=(),
    ),
    "above the mean": _select(
        {"rows": ROWS},
        conditions=(
            Condition(
                term=_column("amount"), operator=">", query=_select({"mean": aggregate("avg", _column("amount"))})
            ),
        ),
    ),
    "united": _select({"customer": _column("customer")}, set_operation="union", other=_home()),
    "in both": _select({"customer": _column("customer")}, set_operation="intersect", other=_home()),
    "in the first only": _select({"customer": _column("customer")}, set_operation="except", other=_home()),
}


def _calculated(*columns: tuple[Any, ...]) -> CalculationLayer:
    made: list[Calculation] = []
    for kind, alias, of, *more in columns:
        options = more[0] if more else {}
        made.append(Calculation.model_validate({"kind": kind, "alias": alias, "of": of, **options}))
    return CalculationLayer(columns=tuple(made))


def _layered(base: Select, *layers: Any, shown: tuple[str, ...], order: tuple[str, ...] = ("period",)) -> Layered:
    return Layered(base=base, layers=layers, shown=shown, order=tuple(Sorting(alias=name) for name in order))


def _series(step: str, *more: Term) -> Select:
    known = (_test("day", "not null"),)
    shown = {"period": _part(step), "value": _SUM, **({"product": more[0]} if more else {})}
    return _select(shown, by=(_part(step), *more), conditions=known)


_ALONG = {"along": "number"}
_WITHIN = {"along": "number", "within": ("product",)}
_PLAIN = _rows({name: _column(name) for name in ("placed_at", "day", "region", "product", "packed", *_NUMBERS)})
_BY_PRODUCT = _select(
    {"product": _PRODUCT, "value": _SUM, "pieces": aggregate("sum", _column("quantity"))}, by=(_PRODUCT,)
)
_QUANTILES = {f"{name} at {at}": (name, at) for name in _NUMBERS for at in (0.1, 0.5, 0.9)}

LAYERS: dict[str, Layered] = {
    **{
        f"change from {step} to {step}": _layered(
            _series(step),
            _calculated(("period_number", "number", ("period",), {"step": step})),
            _calculated(("earlier", "before", ("value",), _ALONG)),
            _calculated(
                ("difference", "difference", ("value", "before")),
                ("percent_change", "percent", ("value", "before")),
                ("log_ratio", "log", ("value", "before")),
            ),
            shown=("period", "value", "before", "difference", "percent", "log"),
        )
        for step in ("week", "quarter", "year")
    },
    "year over year, moving averages and running totals": _layered(
        _series("month"),
        _calculated(("period_number", "number", ("period",), {"step": "month"})),
        _calculated(
            ("earlier", "last year", ("value",), {"along": "number", "steps": 12}),
            ("moving_average", "mean", ("value",), {"along": "number", "steps": 3}),
            ("moving_sum", "moving", ("value",), {"along": "number", "steps": 3}),
            ("running_total", "total", ("value",), _ALONG),
        ),
        _calculated(("percent_change", "percent", ("value", "last year"))),
        shown=("period", "value", "last year", "percent", "mean", "moving", "total"),
    ),
    "moving averages, ranks and shares within products": _layered(
        _series("quarter", _PRODUCT),
        _calculated(("period_number", "number", ("period",), {"step": "quarter"})),
        _calculated(
            ("moving_average", "mean", ("value",), {**_WITHIN, "steps": 3}),
            ("running_total", "total", ("value",), _WITHIN),
            ("rank", "rank", ("value",), {"within": ("period",)}),
            ("share", "share", ("value",), {"within": ("period",)}),
        ),
        shown=("period", "product", "mean", "total", "rank", "share"),
        order=("period", "product"),
    ),
    "running shares and shares of another": _layered(
        _BY_PRODUCT,
        _calculated(
            ("running_share", "running", ("value",), {"along": "product"}),
            ("share_of", "percent", ("value", "pieces")),
        ),
        shown=("product", "running", "percent"),
        order=("product",),
    ),
    "percentiles and counts": _layered(
        _PLAIN,
        GroupLayer(
            keys=("product",),
            columns=(
                *(SummaryColumn(function="quantile", alias=a, of=of, at=at) for a, (of, at) in _QUANTILES.items()),
                SummaryColumn(function="distinct", alias="distinct", of="region"),
                SummaryColumn(function="avg", alias="mean", of="amount"),
            ),
        ),
        shown=("product", *_QUANTILES, "distinct", "mean"),
        order=("product",),
    ),
    "values side by side": _layered(
        _select(
            {"product": _PRODUCT, "returned": _column("returned"), "value": _SUM}, by=(_PRODUCT, _column("returned"))
        ),
        Spread(
            keys=("product",),
            column="returned",
            of="value",
            entries=(SpreadColumn(value="true", alias="back"), SpreadColumn(value="false", alias="kept")),
        ),
        shown=("product", "back", "kept"),
        order=("product",),
    ),
    "bins of equal width": _layered(
        _PLAIN, BinLayer(of="amount", count=7), shown=("bin", "from", "to", "rows"), order=("bin",)
    ),
    "a straight line through the months": _layered(
        _series("month"),
        _calculated(("period_number", "number", ("period",), {"step": "month"})),
        PeriodLayer(column="period", start="2022-06-01"),
        LineLayer(of="value", along="number"),
        shown=("points", "slope", "r_squared"),
        order=(),
    ),
}

SPECS: dict[str, Select | Layered] = {**SELECTS, **LAYERS}

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
