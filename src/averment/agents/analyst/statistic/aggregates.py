"""Statistics over tables that are too long for the jail: by the engine's own aggregates, or over a stated sample.

An aggregate gives the very number over all rows. Where the engine has none, a part of the rows may stand for the whole
if the value does not grow with their number; a count, a total or a p-value never comes from a part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.drift import family
from averment.tables.backend import quote

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.reading import Reading
    from averment.tables.catalog import TableInfo

Params = list[object]

SAMPLED_SHARE = 0.95
"""How much of what a task may hand on a sample aims for; it is drawn row by row, so its size is never quite sure."""

_SUMMARIES = {
    "mean": "avg({x})",
    "median": "median({x})",
    "std": "stddev_samp({x})",
    "std_population": "stddev_pop({x})",
    "variance": "var_samp({x})",
    "variance_population": "var_pop({x})",
    "min": "min({x})",
    "max": "max({x})",
    "range": "max({x}) - min({x})",
    "sum": "coalesce(sum({x}), 0)",
    "count": "count({x})",
    "distinct": "count(DISTINCT {x})",
    "skewness": "skewness({x})",
    "kurtosis": "kurtosis({x})",
    "kurtosis_plain": "kurtosis_pop({x})",
    "iqr": "quantile_cont({x}, 0.75) - quantile_cont({x}, 0.25)",
    "q1": "quantile_cont({x}, 0.25)",
    "q3": "quantile_cont({x}, 0.75)",
    "sem": "stddev_samp({x}) / sqrt(count({x}))",
    "cv": "stddev_samp({x}) / avg({x})",
}
_COUNTED = frozenset({"count", "distinct"})
_OPERATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_UNSCALED = frozenset(_SUMMARIES) - {"sum", "count", "distinct", "min", "max", "range", "sem"}


def compile_aggregates(reading: Reading, table: TableInfo) -> tuple[str, Params] | None:
    """One query that gives each value over all rows, one row a value; None where the engine has no such aggregate."""
    branches: list[str] = []
    params: Params = []
    for value in reading.values:
        after = value.get("after", -1)
        steps = reading.steps if after == -1 else reading.steps[:after]
        wheres = [*_filters(steps), *value.get("where", [])] if _are_filters(steps) else None
        if wheres is None:
            return None
        tests: list[str] = []
        tested: Params = []
        for where in wheres:
            test = _condition(where, table)
            if test is None:
                return None
            tests.append(test[0])
            tested += test[1]
        found = _value(value, table, f" WHERE {' AND '.join(tests)}" if tests else "", tested)
        if found is None:
            return None
        branches.append(found[0])
        params += [value["name"], *found[1]]
    return " UNION ALL ".join(branches), params


def _are_filters(steps: Any) -> bool:
    return all(step["do"] == "filter" for step in steps)


def _filters(steps: Any) -> list[dict[str, Any]]:
    return [dict(step) for step in steps]


def _value(value: dict[str, Any], table: TableInfo, where: str, tested: Params) -> tuple[str, Params] | None:
    """One branch of the query and the parameters after the value's name."""
    place = f"FROM {quote(table.name)}"
    expression = _expression(value, table)
    if expression is not None:
        return f"{_row(expression)} {place}{where}", tested
    if value["kind"] == "outliers" and value["part"] in {"count", "share"} and _is_number(value["column"], table):
        x = _number(value["column"])
        low, high = _bounds(value["rule"], x)
        outside = f"{x} > h" if value["rule"].get("above_only") else f"({x} > h OR {x} < l)"
        # A share is one of all rows, as the program in the jail counts it.
        count = f"count(*) FILTER (WHERE {outside})"
        told = count if value["part"] == "count" else f"{count} * {float(value.get('scale', 1))!r} / count(*)"
        inner = f"SELECT {low} AS l, {high} AS h {place}{where}"
        return f"{_row(told)} {place}, ({inner}) AS b{where}", [*tested, *tested]
    return None


def _row(expression: str) -> str:
    return (
        f"SELECT CAST(? AS VARCHAR) AS name, CAST({expression} AS DOUBLE) AS value, CAST(NULL AS VARCHAR) AS text, "
        f"count(*) AS {quote('rows')}"
    )


def _expression(value: dict[str, Any], table: TableInfo) -> str | None:
    kind = value["kind"]
    if kind == "summary":
        statistic, column = value["statistic"], value["column"]
        if table.column(column) is None:
            return None
        if statistic in _COUNTED:
            return _SUMMARIES[statistic].format(x=quote(column))
        if not _is_number(column, table):
            return None
        if statistic == "quantile":
            share = 0.5 if value.get("quantile") is None else float(value["quantile"])
            return f"quantile_cont({_number(column)}, {share!r})"
        return _SUMMARIES[statistic].format(x=_number(column)) if statistic in _SUMMARIES else None
    if kind == "rows" and not value.get("of"):
        return "count(*)"
    if kind == "correlation" and value["method"] == "pearson" and value["part"] != "p":
        both = _is_number(value["x"], table) and _is_number(value["y"], table)
        return f"corr({_number(value['y'])}, {_number(value['x'])})" if both else None
    if kind == "missing" and value["part"] in {"count", "share"}:
        columns = value.get("columns") or [column.name for column in table.columns]
        if all(table.column(column) is not None for column in columns):
            gaps = " + ".join(f"(count(*) - count({quote(column)}))" for column in columns)
            return (
                gaps
                if value["part"] == "count"
                else f"({gaps}) * {float(value.get('scale', 1))!r} / (count(*) * {len(columns)})"
            )
    return None


def _bounds(rule: dict[str, Any], x: str) -> tuple[str, str]:
    far = repr(float(rule["threshold"]))
    if rule["method"] == "iqr":
        first, third = f"quantile_cont({x}, 0.25)", f"quantile_cont({x}, 0.75)"
        return f"{first} - {far} * ({third} - {first})", f"{third} + {far} * ({third} - {first})"
    spread = f"stddev_samp({x})" if rule.get("ddof") else f"stddev_pop({x})"
    return f"avg({x}) - {far} * {spread}", f"avg({x}) + {far} * {spread}"


def _condition(where: dict[str, Any], table: TableInfo) -> tuple[str, Params] | None:
    column, operator, value = table.column(str(where["column"])), where["is"], where.get("value")
    if column is None or operator not in _OPERATORS or value is None:
        return None
    kind, name = family(column.type), quote(column.name)
    if isinstance(value, bool):
        return None
    if kind == "number":
        try:
            return f"{_number(column.name)} {operator} ?", [float(value)]
        except (TypeError, ValueError):
            return None
    if kind == "text" and operator in {"=", "<>"} and isinstance(value, str):
        return f"lower(trim({name})) {operator} ?", [value.strip().lower()]
    if kind == "time" and operator not in {"=", "<>"} and isinstance(value, str):
        return f"{name} {operator} CAST(? AS TIMESTAMP)", [value]
    return None


def may_be_sampled(reading: Reading) -> bool:
    """Whether every value is one that a part of the rows estimates."""
    return bool(reading.values) and all(_is_unscaled(value) for value in reading.values)


def _is_unscaled(value: dict[str, Any]) -> bool:
    match value["kind"]:
        case "summary":
            return value["statistic"] in _UNSCALED or value["statistic"] in {"quantile", "skewness_plain"}
        case "correlation" | "strongest":
            return value["part"] != "p"
        case "rows":
            return bool(value.get("of"))
        case "outliers" | "missing":
            return value["part"] == "share"
        case "model":
            return not str(value["part"]).startswith("p")
        case _:
            return False


def sampled_data(columns: str, table: str, rows: int, limit: int) -> str:
    """The columns of a part of the rows that fits the limit, always the same part."""
    percent = max(0.0001, float(f"{SAMPLED_SHARE * limit / rows * 100:.4g}"))
    return f"SELECT {columns} FROM {quote(table)} TABLESAMPLE BERNOULLI ({percent:f} PERCENT) REPEATABLE (7)"


def _is_number(column: str, table: TableInfo) -> bool:
    info = table.column(column)
    return info is not None and family(info.type) == "number"


def _number(column: str) -> str:
    return f"CAST({quote(column)} AS DOUBLE)"
