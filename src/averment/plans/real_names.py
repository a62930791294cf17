"""SQL that a model wrote, with names and values that exist: what is spelt nearly so becomes what is there.

A query is parsed, each table and column it names is looked up in the schema, and the nearest stands in where there is
no such name; a text that a column does not hold becomes the value of it that reads alike. What has no near relative
stays as it is, and fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

NEAR_NAME = 0.55
"""How alike a name must be to stand for one that does not exist."""

NEAR_VALUE = 0.84
"""How alike a value must be to stand for one that a column does not hold."""

_WORD = re.compile(r"[\w'&.+-]+")
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_RESERVED = frozenset(
    "all and any as asc between by case column cross default desc distinct else end except exists false from full "
    "group having in inner intersect into is join left like limit not null offset on or order outer primary right "
    "select set some table then to true union unique using when where window with".split()
)
_BESIDE = (exp.EQ, exp.NEQ, exp.Is)
_PATTERNS = (exp.Like, exp.ILike)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of some tables, the texts of their columns, and which column holds the key of which table."""

    tables: Mapping[str, Sequence[str]]
    values: Mapping[tuple[str, str], Sequence[str]]
    keys: Sequence[tuple[str, str, str, str]] = ()
    """Table, column, and the table and column whose key it holds."""

    def way(self, start: str, goal: str) -> list[tuple[str, str, str, str]]:
        """How to come from one table to another along keys, in two steps at most; none where there is no way."""
        direct = [key for key in self.keys if key[0] == start and key[2] == goal]
        if direct:
            return direct[:1]
        return next(
            ([one, two] for one in self.keys if one[0] == start for two in self.keys if two[::2] == (one[2], goal)), []
        )

    def table(self, name: str) -> str | None:
        """The table that is called so, or nearly so."""
        return next(iter(self.tables)) if len(self.tables) == 1 else near(name, self.tables)

    def column(self, name: str, among: Iterable[str]) -> tuple[str, str] | None:
        """Table and column that are called so, or nearly so, in some tables."""
        known = [(table, column) for table in among for column in self.tables[table]]
        exact = next((one for one in known if one[1].casefold() == name.casefold()), None)
        best = exact[1] if exact else near(name, [column for _, column in known])
        return next((one for one in known if one[1] == best), None)

    def value(self, column: tuple[str, str], text: str) -> str:
        """The value of a column that a text means; the text itself where there is none."""
        known = self.values.get(column, ())
        if not known or text in known:
            return text
        plain = " ".join(words_of(text))
        by_words = {" ".join(words_of(value)): value for value in reversed(known)}
        if not plain or plain in by_words:
            return by_words.get(plain, text)
        alike = get_close_matches(plain, by_words, n=1, cutoff=NEAR_VALUE)
        return by_words[alike[0]] if alike else text


def words_of(text: str) -> list[str]:
    """The words of a text as they are looked up."""
    return [word for word in (each.strip(".'-") for each in _WORD.findall(text.casefold())) if word]


def named(name: str) -> str:
    """A name as SQL writes it, in quotes only where it must be."""
    if _PLAIN.fullmatch(name) and name.casefold() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def quoted(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def near(name: str, among: Iterable[str]) -> str | None:
    """The name that is most like another, if it is enough like it."""
    plain = _plain(name)
    rated = [(_alike(plain, _plain(one)), one) for one in among]
    best = max(rated, default=(0.0, None), key=lambda each: each[0])
    return best[1] if best[0] >= NEAR_NAME else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip().casefold()


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    whole = SequenceMatcher(None, one, other).ratio()
    words, others = set(one.split()), set(other.split())
    shared = len(words & others) / max(1, min(len(words), len(others)))
    return max(whole, 0.9 * shared if words & others else 0.0)


def with_real_names(sql: str, names: Names) -> str | None:
    """The query with names and values that exist, in the form the engine reads; None where it is no query."""
    tree = _parsed(sql, names)
    if tree is None:
        return None
    made = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        if table.name.casefold() in made:
            continue
        if not isinstance(table.this, exp.Identifier):
            return None  # A function in place of a table.
        found = names.table(table.name)
        if found is None:
            return None
        if not table.alias and found.casefold() != table.name.casefold():
            _rename(tree, table.name, found)
        table.set("this", exp.to_identifier(found, quoted=_asks_quotes(found)))
        table.set("db", None)
    _join_what_is_missing(tree, names)
    aliases = {alias.alias.casefold() for alias in tree.find_all(exp.Alias, exp.TableAlias) if alias.alias}
    for each in tree.find_all(exp.TableAlias):
        aliases.update(column.name.casefold() for column in each.args.get("columns") or ())
    where: dict[int, tuple[str, str]] = {}
    for column in list(tree.find_all(exp.Column)):
        _correct(column, names, tree, aliases, where)
    for column in list(tree.find_all(exp.Column)):
        if id(column) in where:
            _correct_values(column, where[id(column)], names)
    return tree.sql(dialect="duckdb", comments=False)


def _asks_quotes(name: str) -> bool:
    return named(name).startswith('"')


def _parsed(sql: str, names: Names) -> exp.Expr | None:
    text = sql.strip().rstrip(";")
    if not re.match(r"(select|with)\b", text, re.IGNORECASE):
        return None
    for each in (text, _with_quotes(text, names)):
        try:
            return parse_one(each, dialect="duckdb")
        except (SqlglotError, RecursionError):
            continue
    return None


def _with_quotes(sql: str, names: Names) -> str:
    """The query with quotes around names that need them and stand there without."""
    wanted = {
        name for table, columns in names.tables.items() for name in (table, *columns) if named(name).startswith('"')
    }
    for name in sorted(wanted, key=len, reverse=True):
        sql = re.sub(rf"(?<![\"'\w]){re.escape(name)}(?![\"'\w])(?!\s*\()", '"' + name + '"', sql)
    return sql


def _rename(tree: exp.Expr, old: str, new: str) -> None:
    for column in tree.find_all(exp.Column):
        if column.table.casefold() == old.casefold():
            column.set("table", exp.to_identifier(new, quoted=_asks_quotes(new)))


def _join_what_is_missing(tree: exp.Expr, names: Names) -> None:
    """Join a table whose columns a query names without joining it, where keys lead to it."""
    for column in list(tree.find_all(exp.Column)):
        select = column.find_ancestor(exp.Select)
        if select is None or isinstance(column.this, exp.Star) or _is_made(column, select):
            continue
        own = _sources(select)
        called = column.name.casefold()
        if not own or any(_holds(names, table, called) for table in _around(column, names).values()):
            continue
        for goal in [table for table in names.tables if _holds(names, table, called) and table not in own.values()]:
            ways = [(alias, way) for alias, start in own.items() if (way := names.way(start, goal))]
            if ways:
                _join(select, *ways[0], names)
                column.set("table", exp.to_identifier(goal, quoted=_asks_quotes(goal)))
                break


def _is_made(column: exp.Column, select: exp.Select) -> bool:
    """Whether a name is one that the query itself gives."""
    given = {item.alias.casefold() for item in select.expressions if isinstance(item, exp.Alias)}
    inner = any(isinstance(join.this, exp.Subquery) for join in select.args.get("joins") or ())
    source = select.args.get("from_")
    return column.name.casefold() in given or inner or (source is not None and isinstance(source.this, exp.Subquery))


def _holds(names: Names, table: str, column: str) -> bool:
    return any(each.casefold() == column for each in names.tables.get(table, ()))


def _sources(select: exp.Select) -> dict[str, str]:
    """The tables of one query, by what they are called there."""
    sources = [select.args.get("from_"), *(select.args.get("joins") or ())]
    tables = [each.this for each in sources if each is not None and isinstance(each.this, exp.Table)]
    return {table.alias_or_name: table.name for table in tables}


def _join(select: exp.Select, alias: str, way: list[tuple[str, str, str, str]], names: Names) -> None:
    """Join along a way of keys; names that were of one table alone say so from now on."""
    before = _sources(select)
    for column in select.find_all(exp.Column):
        if not column.table and column.find_ancestor(exp.Select) is select:
            home = next((a for a, table in before.items() if _holds(names, table, column.name.casefold())), None)
            if home is not None:
                column.set("table", exp.to_identifier(home, quoted=_asks_quotes(home)))
    start = alias
    for _, left, goal, right in way:
        one = exp.column(exp.to_identifier(left, _asks_quotes(left)), exp.to_identifier(start, _asks_quotes(start)))
        other = exp.column(exp.to_identifier(right, _asks_quotes(right)), exp.to_identifier(goal, _asks_quotes(goal)))
        table = exp.Table(this=exp.to_identifier(goal, _asks_quotes(goal)))
        select.append("joins", exp.Join(this=table, on=exp.EQ(this=one, expression=other)))
        start = goal


def _around(column: exp.Expr, names: Names) -> dict[str, str]:
    """The tables that a column may be of, by what they are called there: those of its query, then those around it."""
    found: dict[str, str] = {}
    scope = column.find_ancestor(exp.Select)
    while scope is not None:
        sources = [scope.args.get("from_"), *(scope.args.get("joins") or ())]
        for source in sources:
            table = source.this if source is not None else None
            if isinstance(table, exp.Table) and table.name in names.tables:
                found.setdefault(table.alias_or_name.casefold(), table.name)
        scope = scope.find_ancestor(exp.Select)
    return found


def _correct(
    column: exp.Column, names: Names, tree: exp.Expr, aliases: set[str], where: dict[int, tuple[str, str]]
) -> None:
    around = _around(column, names)
    qualifier = column.table.casefold()
    own = around.get(qualifier)
    if isinstance(column.this, exp.Star) or (qualifier and own is None and qualifier in aliases):
        return  # A column of an inner query.
    tables = [own] if own else list(dict.fromkeys(around.values()))
    exact = next(
        ((t, c) for t in tables for c in names.tables[t] if c.casefold() == column.name.casefold()),
        None,
    )
    if exact is None and column.name.casefold() in aliases and not own:
        return
    if exact is None and own:  # The column may stand in another table of the query.
        others = [t for t in dict.fromkeys(around.values()) if t != own]
        exact = next(((t, c) for t in others for c in names.tables[t] if c.casefold() == column.name.casefold()), None)
    if exact is None:
        literal = _as_value(column, names, tables)
        if literal is not None:
            column.replace(literal)
            return
        exact = names.column(column.name, tables or names.tables)
    if exact is None:
        return
    table, real = exact
    column.set("this", exp.to_identifier(real, quoted=_asks_quotes(real)))
    if qualifier and own != table:
        called = next((alias for alias, one in around.items() if one == table), None)
        column.set("table", exp.to_identifier(called, quoted=_asks_quotes(called)) if called else None)
    where[id(column)] = (table, real)


def _as_value(column: exp.Column, names: Names, tables: Sequence[str]) -> exp.Expr | None:
    """A text in double quotes that no column is called by, and that a column holds: a value."""
    if not column.this.args.get("quoted") or column.table:
        return None
    beside = column.parent
    if not isinstance(beside, (*_BESIDE, *_PATTERNS)) or column.arg_key != "expression":
        return None
    text = column.name
    held = isinstance(beside, _PATTERNS) or any(
        text in names.values.get((t, c), ()) for t in tables for c in names.tables[t]
    )
    return exp.Literal.string(text) if held else None


def _correct_values(column: exp.Column, real: tuple[str, str], names: Names) -> None:
    beside = column.parent
    if isinstance(beside, exp.Lower | exp.Upper | exp.Trim):
        return
    literals: list[exp.Expr] = []
    if isinstance(beside, _BESIDE):
        literals = [each for each in (beside.this, beside.expression) if each is not column]
    elif isinstance(beside, exp.In):
        literals = list(beside.expressions)
    for literal in literals:
        if isinstance(literal, exp.Literal) and literal.is_string:
            meant = names.value(real, literal.this)
            if meant != literal.this:
                literal.replace(exp.Literal.string(meant))
