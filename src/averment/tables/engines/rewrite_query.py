"""Queries changed just enough to run: another name, quotes, text read as numbers or dates, a part of the rows.

Each function gives the changed text or None where it has nothing to change. None of them makes a query allowed: what
comes out passes the guard like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from averment.errors import SqlSyntax
from averment.tables.catalog import Dialect
from averment.tables.guard.grammar import parse_statements, write_statement

Schema = Mapping[str, Mapping[str, str]]
Kind = Literal["number", "time"]

SEED = 7
MOST_TRIES = 64
_TEXT_TYPE = re.compile(r"CHAR|TEXT|STRING", re.IGNORECASE)
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
_NUMERIC_CALLS = frozenset(
    """
    sum avg mean median stddev stddev_pop stddev_samp variance var_pop var_samp quantile quantile_cont quantile_disc
    corr covar_pop covar_samp skewness kurtosis mad abs round floor ceil sqrt ln log log10 exp power pow
    """.split()
)
_TIME_CALLS = frozenset(
    """
    date_trunc datetrunc date_part datepart year month day quarter week dayofweek dayofyear weekday monthname dayname
    last_day hour minute second strftime date_diff datediff
    """.split()
)
_SCALE_FREE = frozenset(
    """
    avg mean median stddev stddev_pop stddev_samp variance var_pop var_samp quantile quantile_cont quantile_disc
    percentile_cont percentile_disc corr skewness kurtosis mad approx_quantile
    """.split()
)
_AGGREGATES = _SCALE_FREE | frozenset(
    """
    sum count count_star min max any_value first last mode list array_agg string_agg group_concat product bool_and
    bool_or histogram entropy arg_max arg_min
    """.split()
)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg)
_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ, exp.Between)


def quoted_texts(sql: str, names: Iterable[str]) -> str | None:
    """The query with texts in double quotes made plain texts, as SQLite itself reads a quoted name that is none."""
    known = {name.casefold() for name in names}
    aliased = {found.casefold() for found in re.findall(r"\bAS\s+\"([^\"]+)\"", sql, re.IGNORECASE)}

    def plain(found: re.Match[str]) -> str:
        text = found.group()
        if text.startswith("'") or text[1:-1].casefold() in known | aliased:
            return text
        return "'" + text[1:-1].replace('""', '"').replace("'", "''") + "'"

    changed = _QUOTED.sub(plain, sql)
    return changed if changed != sql else None


@dataclass(frozen=True)
class RewrittenQuery:
    """A query in which text columns are read as what the query takes them for."""

    sql: str
    columns: tuple[tuple[str, Kind], ...]


def rename_column(sql: str, dialect: Dialect, wrong: str, right: str) -> str | None:
    """The query with one column name, or table name, in place of another."""
    tree = _tree(sql, dialect)
    if tree is None:
        return None
    changed = False
    for node in [*tree.find_all(exp.Column), *tree.find_all(exp.Table)]:
        if node.name.casefold() == wrong.casefold():
            node.set("this", exp.to_identifier(right, quoted=True))
            changed = True
    return write_statement(tree, dialect) if changed else None


def quoting_ways(sql: str, names: Iterator[str] | list[str]) -> Iterator[str]:
    """The text with known names put in quotes where they stand bare: all places at once, then one by one.

    A name that is also a word of the language can stand in both roles, so the caller tries the ways in turn.
    """
    places = _bare_places(sql, list(names))
    if not places:
        return
    yield _quote_at(sql, places)
    plain = [place for place in places if not _is_clause(sql, place)]
    if plain and len(plain) < len(places):
        yield _quote_at(sql, plain)
    for place in places[:MOST_TRIES]:
        yield _quote_at(sql, [place])


def _bare_places(sql: str, names: list[str]) -> list[tuple[int, int, str]]:
    taken = [match.span() for match in _QUOTED.finditer(sql)]
    found: list[tuple[int, int, str]] = []
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<![\w\"]){re.escape(name)}(?![\w\"(])", sql, re.IGNORECASE):
            start, end = match.span()
            if not any(a < end and start < b for a, b in taken):
                taken.append((start, end))
                found.append((start, end, name))
    return sorted(found)


def _is_clause(sql: str, place: tuple[int, int, str]) -> bool:
    """Whether a bare name stands where the language has the same word: ``ORDER BY``, ``FROM``."""
    after = sql[place[1] :].lstrip()[:3].casefold()
    word = place[2].casefold()
    clauses = {"select", "from", "where", "having", "limit", "join", "on", "as", "and", "or", "distinct", "end", "by"}
    return word in clauses or (word in {"order", "group"} and after.startswith("by"))


def _quote_at(sql: str, places: list[tuple[int, int, str]]) -> str:
    for start, end, name in reversed(places):
        quoted = '"' + name.replace('"', '""') + '"'
        sql = f"{sql[:start]}{quoted}{sql[end:]}"
    return sql


def cast_texts(sql: str, dialect: Dialect, schema: Schema) -> RewrittenQuery | None:
    """The query with text columns read as numbers or times where it computes with them; the rest has no value."""
    tree = _tree(sql, dialect)
    if tree is None or dialect == "sqlite":
        return None
    types = _types(tree, schema)
    cast: dict[str, Kind] = {}
    for node in list(tree.find_all(exp.Column)):
        wanted = _taken_for(node)
        if wanted is not None and _TEXT_TYPE.search(types.get(_key(node), "")):
            node.replace(_cast(node.copy(), wanted, dialect))
            cast[node.name] = wanted
    return RewrittenQuery(write_statement(tree, dialect), tuple(cast.items())) if cast else None


def _types(tree: exp.Expr, schema: Schema) -> dict[tuple[str, str], str]:
    """The type of each column that a query can name, with and without its table's alias."""
    tables = {name.casefold(): columns for name, columns in schema.items()}
    found: dict[tuple[str, str], str] = {}
    for node in tree.find_all(exp.Table):
        for column, kind in tables.get(node.name.casefold(), {}).items():
            for alias in ("", node.alias_or_name.casefold()):
                found.setdefault((alias, column.casefold()), kind)
    return found


def _key(node: exp.Column) -> tuple[str, str]:
    return node.table.casefold(), node.name.casefold()


def _taken_for(node: exp.Column) -> Kind | None:
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Distinct):
        parent = parent.parent
    if isinstance(parent, exp.Anonymous | exp.Func) and not isinstance(parent, exp.Cast | exp.Extract):
        name = parent.name.casefold() if isinstance(parent, exp.Anonymous) else parent.sql_name().casefold()
        return "number" if name in _NUMERIC_CALLS else "time" if name in _TIME_CALLS else None
    if isinstance(parent, exp.Extract):
        return "time"
    if isinstance(parent, _ARITHMETIC):
        return "number"
    if isinstance(parent, _COMPARISONS):
        others = [each for each in parent.iter_expressions() if each is not node]
        if any(isinstance(each, exp.Literal) and not each.is_string for each in others):
            return "number"
        if any(isinstance(each, exp.Cast) and each.to.is_type("date", "timestamp") for each in others):
            return "time"
    return None


def _cast(column: exp.Expr, wanted: Kind, dialect: Dialect) -> exp.Expr:
    trimmed = exp.Anonymous(this="trim", expressions=[column])
    if dialect == "duckdb":
        return exp.TryCast(this=trimmed, to=exp.DataType.build("DOUBLE" if wanted == "number" else "TIMESTAMP"))
    pattern = r"^[+-]?[0-9]+(\.[0-9]+)?$" if wanted == "number" else r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
    target = "double precision" if wanted == "number" else "timestamp"
    fits = exp.RegexpLike(this=trimmed, expression=exp.Literal.string(pattern))
    converted = exp.Cast(this=trimmed.copy(), to=exp.DataType.build(target, dialect="postgres"))
    return exp.Case(ifs=[exp.If(this=fits, true=converted)])


def sample_rows(sql: str, dialect: Dialect, schema: Schema, percent: float) -> str | None:
    """The query over a part of the rows, always the same part; None where a part cannot stand for the whole.

    An average or a median of a part is an estimate of the whole; a count, a total or an end of a range is not.
    """
    tree = _tree(sql, dialect)
    if tree is None or dialect == "sqlite" or not _is_scale_free(tree):
        return None
    tables = {name.casefold() for name in schema}
    sources = [node for node in tree.find_all(exp.Table) if node.name.casefold() in tables]
    if len(sources) != 1:
        return None
    sources[0].set("sample", None)
    sources[0].set(
        "sample",
        exp.TableSample(
            method=exp.Var(this="BERNOULLI"), percent=exp.Literal.number(f"{percent:g}"), seed=exp.Literal.number(SEED)
        ),
    )
    return write_statement(tree, dialect)


def sampled_percent(sql: str, dialect: Dialect) -> float | None:
    """Of how many in a hundred rows a query takes its answer, or None when it looks at all of them."""
    if "sample" not in sql.casefold():
        return None
    tree = _tree(sql, dialect)
    sample = tree.find(exp.TableSample) if tree is not None else None
    percent = (sample.args.get("percent") or sample.args.get("size")) if sample is not None else None
    return None if percent is None else float(percent.name)


def _is_scale_free(tree: exp.Expr) -> bool:
    names = [
        node.name.casefold() if isinstance(node, exp.Anonymous) else node.sql_name().casefold()
        for node in tree.find_all(exp.Func)
    ]
    found = {name for name in names if name in _AGGREGATES}
    return bool(found) and found <= _SCALE_FREE


def _tree(sql: str, dialect: Dialect) -> exp.Expr | None:
    try:
        trees = parse_statements(sql, dialect)
    except SqlSyntax:
        return None
    return trees[0] if len(trees) == 1 else None
