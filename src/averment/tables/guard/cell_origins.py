"""Where the cells of a result come from: a source, a label, or nothing but the words of whoever wrote the query.

``SELECT 'North', 999999`` gives a cell like any other, and running it again proves that it gives that cell. It proves
nothing about the data. So each result column is followed to what its values are made of, branch by branch where rows
are put together, and a column that is made up is named with the literal that made it.

A text chosen by a CASE is a label: it names what a condition on the data found. Literals that the asker wrote are the
asker's own. Numbers that only turn one unit into another (a percent, an hour) are no statement, nor is the name of a
part of a date (``YEAR``), a step of one unit of time (``INTERVAL 1 DAY``) or the width that values are cut to.

What a function is given as a literal either says how it reads its argument (``substr(name, 1, 3)``) or is written into
its value (``name || ' is broke'``, ``replace(name, 'North', 'Atlantis')``). Only functions known to read may be
given words and numbers; into others only what keeps things apart may be written, such as a comma.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from averment.errors import PlanInvalid
from averment.tables.catalog import Dialect
from averment.tables.guard.grammar import parse_statements
from averment.tables.guard.tree_check import parameter_name, read_statement

Made = Literal["source", "label", "constant"]

UNITS = frozenset("1 2 7 10 12 24 30 52 60 100 365 365.25 1000 1440 3600 86400 1000000 0.01 0.001".split())
"""Factors that change a unit or make an average, and say nothing by themselves."""

LONGEST_CYCLE = 31
"""The longest cycle that is counted round and round: days of a month, months, weekdays, hours."""

_INDICATORS = frozenset({"0", "1"})
_CHOOSERS = (exp.Case, exp.If, exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif)
_CHOOSING = frozenset("case if iff coalesce ifnull nvl greatest least nullif".split())
_COUNTING = frozenset("count count_star row_number rank dense_rank ntile cume_dist percent_rank".split())
_CUTTING = frozenset("time_bucket date_bin".split())
_SERIES = frozenset("generate_series range unnest explodinggenerateseries".split())
_READING = frozenset(
    """round trunc ceil floor pow power log mod fmod substr substring substring_grapheme left right left_grapheme
    right_grapheme split_part split str_split string_split str_split_regex string_split_regex string_to_array
    string_to_table regexp_split_to_array regexp_split_to_table regexp_extract regexp_extract_all regexp_substr
    regexp_match regexp_matches regexp_full_match regexp_like regexp_count regexp_instr instr strpos position
    str_position locate contains starts_with ends_with prefix suffix like_escape levenshtein damerau_levenshtein hamming
    jaccard jaro_similarity jaro_winkler_similarity editdist3 trim ltrim rtrim btrim date_trunc datetrunc
    timestamp_trunc date_part datepart extract date_diff datediff date_sub datesub timediff strptime try_strptime
    to_date to_number
    to_timestamp timezone time_bucket date_bin interval quantile quantile_cont quantile_disc percentile percentile_cont
    percentile_disc approx_quantile median mode ntile nth_value first_value last_value first last arg_max arg_min max_by
    min_by argmax argmin approx_top_k width_bucket equi_width_bins histogram json_extract json_extract_string
    json_extract_path json_extract_path_text jsonb_extract_path jsonb_extract_path_text json_value json_exists json_type
    json_array_length json_query jsonb_path_query jsonb_path_query_first jsonb_path_exists j_s_o_n_extract
    j_s_o_n_extract_scalar j_s_o_n_b_extract j_s_o_n_b_extract_scalar element_at list_extract array_extract list_element
    list_slice array_slice list_contains array_contains list_has array_has list_position array_position list_sort
    array_sort array_length map_extract struct_extract encode decode convert_from convert_to timestamp bar
    """.split()
)
"""Functions whose literals say how or where they read, so that none of them enters the value."""
_DATES = frozenset("date datetime time julianday unixepoch".split())
_REWRITING = frozenset("replace regexp_replace translate".split())
_APART = frozenset(" \t\n,;:/|()[]&_#.'\"-\u2013\u2014\u00b7\u2022\u2192<>=~")
_SIGNS = frozenset("-+.\u2013\u2014\u2212")
_LETTERS = frozenset("qwthz")
"""Letters that stand before a part of a date: Q3, W27, T12."""
_BEGINNINGS = re.compile(r"(?:-01)+$|(?::00)+$")
"""The first day or the full hour, behind a month or an hour."""
_FORMAT = re.compile(r"%[-+ 0#,']*\d*(?:\.\d+)?[A-Za-z%]|\{[^{}]*\}")
_CODES = {
    **dict.fromkeys(("strftime", "printf", "format"), _FORMAT),
    "regexp_replace": re.compile(r"\\+\d"),
    "to_char": re.compile(
        r"(?:FM)?(?:Y,YYY|I?Y{1,4}|MON(?:TH)?|MM|DAY|DY|D{1,3}|HH(?:12|24)?|MI|SS|IW|WW?|ID|Q|[90][90.,]*)",
        re.IGNORECASE,
    ),
}
"""What stands for parts of the value in the text that a function writes it by."""
_ROUNDING = frozenset("floor ceil ceiling round trunc cast try_cast".split())
_SUMS = (exp.Add, exp.Sub)
_PRODUCTS = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod)


@dataclass(frozen=True, slots=True)
class Origin:
    """What one result column is: its name, what it is made of, its expression, and the literals that were put in."""

    name: str
    made_of: Made
    expression: str
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Value:
    """What is known of an expression's value: does it vary with the data, and what was written into it."""

    varies: bool
    made_up: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


_Columns = dict[str, _Value]


def origins(
    sql: str, dialect: Dialect, *, params: Sequence[object] = (), own: Iterable[str] = ()
) -> tuple[Origin, ...]:
    """What each column of a query's result is made of; ``own`` are words and numbers that the asker wrote.

    The query must have passed the guard. ``params`` are the values of its placeholders, which are written in as well.
    """
    tree = parse_statements(read_statement(sql, dialect).body, dialect)[0]
    for mark in list(tree.find_all(exp.Placeholder, exp.Parameter)) if params else ():
        mark.replace(exp.convert(params[int(parameter_name(mark).removeprefix("p")) - 1]))
    asked = frozenset(_plain(text) for text in own)
    if not isinstance(tree, exp.Query):
        return ()
    columns, firsts = _query(tree, {}, asked), _projections(tree)
    found: list[Origin] = []
    for place, (name, value) in enumerate(columns.items()):
        written = firsts[place].sql(dialect=dialect) if place < len(firsts) and len(firsts) == len(columns) else name
        made: Made = "label" if value.labels else "source"
        if value.made_up or not (value.varies or value.labels):
            made = "constant"
        found.append(Origin(name, made, written, value.made_up or value.labels))
    return tuple(found)


def check_origins(sql: str, dialect: Dialect, *, params: Sequence[object] = (), own: Iterable[str] = ()) -> None:
    """Pass a query whose every result column comes from a source, is a label, or is the asker's own word.

    Raises:
        PlanInvalid: a column is made up; the message names it and what was written in.
    """
    for column in origins(sql, dialect, params=params, own=own):
        if column.made_of == "constant":
            written = ", ".join(column.literals) or column.expression
            raise PlanInvalid(
                f"The column {column.name} is made up: {written} is written in the query and comes from no source.",
                hint="Compute every column from the tables; a CASE expression may name the groups it finds.",
                details={"column": column.name, "written": list(column.literals)},
            )


def _query(node: exp.Expr, known: dict[str, _Columns], asked: Collection[str]) -> _Columns:
    clause = node.args.get("with_")
    if clause is not None:
        known = dict(known)
        for cte in clause.expressions:
            key = cte.alias.casefold()
            known.setdefault(key, {})  # A recursive one speaks of itself.
            inner = _query(cte.this, known, asked)
            names = [column.name for column in cte.args["alias"].args.get("columns") or ()]
            known[key] = dict(zip(names, inner.values(), strict=False)) if names else inner
    if isinstance(node, exp.SetOperation):
        left, right = _query(node.left, known, asked), _query(node.right, known, asked)
        if isinstance(node, exp.Except):
            return left
        return {
            name: _either(mine, theirs)
            for (name, mine), theirs in zip(left.items(), [*right.values(), *left.values()], strict=False)
        }
    if isinstance(node, exp.Subquery):
        return _query(node.this, known, asked)
    if isinstance(node, exp.Values):
        return _values(node, asked)
    if not isinstance(node, exp.Select):
        return {}
    return _select(node, known, asked)


def _select(node: exp.Select, known: dict[str, _Columns], asked: Collection[str]) -> _Columns:
    scope = _OriginScope(node, known, asked)
    found: _Columns = {}
    for place, item in enumerate(node.expressions):
        if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            for name, value in scope.every():
                found.setdefault(name, value)
            star = item.this if isinstance(item, exp.Column) else item
            found |= {each.alias_or_name: scope.value(each) for each in star.args.get("replace") or ()}
            continue
        inner = item.this if isinstance(item, exp.Alias) else item
        name = item.alias_or_name or f"column {place + 1}"
        while name in found:
            name += " again"
        found[name] = scope.value(inner)
    return found


class _OriginScope:
    """The relations of one SELECT, as far as their values are known to be made up."""

    def __init__(self, node: exp.Select, known: dict[str, _Columns], asked: Collection[str]) -> None:
        self._asked = asked
        self._known = known
        self._made: dict[str, _Columns] = {}
        self._is_real = False
        sources = [node.args["from_"].this] if node.args.get("from_") is not None else []
        sources += [join.this for join in node.args.get("joins") or ()]
        sources += [each.this for each in node.args.get("laterals") or ()]
        for source in sources:
            self._take(source)

    def _take(self, source: exp.Expr) -> None:
        name = source.alias_or_name.casefold()
        alias = source.args.get("alias")
        names = [column.name for column in (alias.args.get("columns") or ())] if alias is not None else []
        held = source.this if isinstance(source, exp.Lateral) else source
        if isinstance(source, exp.Table) and source.name.casefold() in self._known:
            inner = self._known[source.name.casefold()]
        elif isinstance(held, exp.Subquery | exp.Values):
            inner = _query(held, self._known, self._asked)
        elif isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier):
            self._is_real = True  # A table of the catalog: the guard knows no other.
            return
        else:
            made = self.value(held.this if isinstance(held, exp.Table) else held)
            self._made[name] = dict.fromkeys([*names, name, _function_name(held.this or held)], made)
            return
        self._made[name] = dict(zip(names, inner.values(), strict=False)) if names else inner

    @property
    def _has_rows(self) -> bool:
        """Whether how many rows there are depends on the data."""
        return self._is_real or any(any(one.varies for one in made.values()) for made in self._made.values())

    def every(self) -> Iterator[tuple[str, _Value]]:
        """What a star stands for, as far as it may be made up."""
        for made in self._made.values():
            yield from made.items()
        if self._is_real or not self._made:
            yield "*", _Value(varies=True)

    def value(self, node: exp.Expr) -> _Value:
        """What an expression is made of."""
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Literal | exp.Boolean):
            return self._literal(node)
        if isinstance(node, exp.Null):
            return _Value(varies=True)  # No value is no statement.
        if isinstance(node, exp.Var | exp.Identifier | exp.DataType | exp.JSONPath | exp.Slice):
            return _Value(varies=False)  # The name of a unit, of a part of a date or of a field, or a place.
        if isinstance(node, exp.PropertyEQ):
            field = self.value(node.expression)
            own = isinstance(node.expression, exp.Column) and node.expression.name == node.this.name
            return field if own else replace(field, made_up=(*field.made_up, node.this.name))
        if isinstance(node, exp.Interval):
            length = self.value(node.this)
            return replace(length, made_up=() if set(length.made_up) <= _INDICATORS else length.made_up)
        called = _function_name(node)
        if called in _COUNTING:
            return _Value(
                varies=self._has_rows, made_up=() if self._has_rows else ("a count of rows that were written",)
            )
        if isinstance(node, exp.Placeholder | exp.Parameter):
            return _Value(varies=False)
        if isinstance(node, exp.Subquery | exp.Query):
            inner = _query(node, self._known, self._asked)
            return next(iter(inner.values()), _Value(varies=True))
        if isinstance(
            node, exp.Paren | exp.Cast | exp.TryCast | exp.Neg | exp.Round | exp.Window | exp.Filter | exp.Abs
        ):
            return self.value(node.this)
        if isinstance(node, exp.Alias | exp.Distinct) and node.this is not None:
            return self.value(node.this)
        if isinstance(node, _CHOOSERS) or called in _CHOOSING:
            return self._chosen(node)
        if isinstance(node, _SUMS + _PRODUCTS):
            return self._computed(node)
        if called in _SERIES:
            return self._series(node)
        if isinstance(node, exp.Predicate | exp.Connector | exp.Not):
            parts = [self.value(part) for part in node.iter_expressions()]
            return _Value(varies=any(part.varies for part in parts))
        if called == "sum" and self._has_rows:
            inner = self.value(next(node.iter_expressions()))
            if inner.made_up == ("1",):
                return _Value(varies=True)  # Another way to count.
        return self._called(node)

    def _column(self, node: exp.Column) -> _Value:
        name, table = node.name, node.table.casefold()
        places = [self._made[table]] if table in self._made else list(self._made.values()) if not table else []
        for made in places:
            for known, value in made.items():
                if known.casefold() == name.casefold():
                    return value
        return _Value(varies=True)

    def _literal(self, node: exp.Expr) -> _Value:
        text = _plain(node.sql() if isinstance(node, exp.Boolean) else node.name)
        if text in self._asked:
            return _Value(varies=False, labels=(text,))
        return _Value(varies=False, made_up=(text,))

    def _series(self, node: exp.Expr) -> _Value:
        """Rows that a function makes: its ends are values of the source, and what it steps by is a unit."""
        parts = [self.value(part) for part in node.iter_expressions() if not isinstance(part, exp.TableAlias)]
        written = tuple(text for part in parts for text in part.made_up if text not in _INDICATORS)
        varies = any(part.varies for part in parts)
        labels = tuple(text for part in parts for text in part.labels)
        return _Value(varies=varies, made_up=written if varies else written or ("a series",), labels=labels)

    def _chosen(self, node: exp.Expr) -> _Value:
        """A value picked by a condition: its texts are labels, zeros and ones mark rows, other numbers are written."""
        results, conditions = _results(node)
        decided = any(self.value(part).varies for part in conditions)
        picked = [(part, self.value(part)) for part in results]
        decided = decided or any(value.varies for _, value in picked)
        labels = tuple(part.name for part, _ in picked if isinstance(part, exp.Literal) and part.is_string)
        numbers = tuple(
            text
            for part, value in picked
            for text in value.made_up
            if not (isinstance(part, exp.Literal) and part.is_string) and text not in _INDICATORS
        )
        if not decided:
            return _Value(varies=False, made_up=tuple(text for _, value in picked for text in value.made_up))
        return _Value(varies=True, made_up=numbers, labels=labels)

    def _computed(self, node: exp.Expr) -> _Value:
        """Arithmetic: a literal may change the unit; one that is added, or that wipes out the rest, is written in."""
        whole = _cut_to_steps(node)
        if whole is not None:
            return self.value(whole)
        parts = [(part, self.value(part)) for part in (node.this, node.expression)]
        written: list[str] = []
        for part, value in parts:
            bare = part.this if isinstance(part, exp.Paren | exp.Neg) else part
            if not isinstance(bare, exp.Literal):
                written += value.made_up
            elif value.made_up:
                unit = isinstance(node, _PRODUCTS) and _plain(bare.name) in UNITS
                unit = unit or (isinstance(node, _SUMS) and _plain(bare.name) in _INDICATORS)
                written += () if unit else value.made_up
        if isinstance(node, exp.Mod):
            written = [text for text in written if not _turns(text, node.expression)]
        if isinstance(node, exp.Mul) and any(isinstance(p, exp.Literal) and _is_zero(p.name) for p, _ in parts):
            return _Value(varies=False, made_up=("0",))
        if isinstance(node, exp.Sub) and node.this == node.expression:
            return _Value(varies=False, made_up=("a difference of a thing with itself",))
        return _Value(varies=any(value.varies for _, value in parts), made_up=tuple(written))

    def _called(self, node: exp.Expr) -> _Value:
        """Any other function: it varies if one of its parts does, and holds what is written into its value."""
        parts = [(part, self.value(part)) for part in _arguments(node)]
        if not any(value.varies for _, value in parts):
            return _Value(varies=False, made_up=tuple(t for _, value in parts for t in value.made_up) or (node.sql(),))
        called = _function_name(node)
        bare = (exp.Literal, exp.Interval) if called in _CUTTING else (exp.Literal,)
        reads = called in _READING or isinstance(node, exp.Bracket | exp.Trim)
        written: list[str] = []
        labels: list[str] = []
        for place, (part, value) in enumerate(parts):
            if isinstance(part, bare) and (reads or _keeps_apart(node, called, part, place, len(parts))):
                continue
            written += value.made_up
            labels += value.labels
        if called in _REWRITING and any(character.isalpha() for character in parts[1][0].name):
            labels.append(parts[1][0].name)  # What is left of a value when letters are cut out of it is another name.
        return _Value(varies=True, made_up=tuple(written), labels=tuple(labels))


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    """What a function is given; texts put one behind the other are the parts of one text."""
    if isinstance(node, exp.DPipe):
        sides = (node.left.unnest(), node.right.unnest())
        return [part for each in sides for part in (_arguments(each) if isinstance(each, exp.DPipe) else [each])]
    return [each.this if isinstance(each, exp.Order) else each for each in node.iter_expressions()]


def _keeps_apart(node: exp.Expr, called: str, part: exp.Expr, place: int, parts: int) -> bool:
    """Whether a literal says nothing in the value that it is written into: it only keeps other parts apart."""
    text, ends = part.name, place == parts - 1
    if not (isinstance(part, exp.Literal) and part.is_string):
        return _plain(text) in _INDICATORS or (place == 1 and called in {"lpad", "rpad", "lag", "lead"})
    if called in _REWRITING and place in {1, 3}:
        return True
    if called in {"lpad", "rpad"}:
        return text == " " or (text == "0" and called == "lpad")
    if called in _DATES:
        return all(_plain(number) in UNITS | _INDICATORS for number in re.findall(r"\d+(?:\.\d+)?", text))
    if called in _CODES:
        text, ends = _CODES[called].sub("", text), False
    elif (isinstance(node, exp.DPipe) or called == "concat") and place == 0 and set(text.strip()) & _SIGNS:
        return False  # A sign before a figure.
    rest = [character for character in _BEGINNINGS.sub("", text.casefold()) if character not in _APART]
    return not rest or (len(rest) == 1 and rest[0] in _LETTERS and not ends)


def _cut_to_steps(node: exp.Expr) -> exp.Expr | None:
    """What is cut to steps of one width where that is all that is computed: ``x`` of ``floor(x / 5) * 5``."""
    width = node.expression
    if not (isinstance(node, exp.Mul) and isinstance(width, exp.Literal)):
        return None
    cut = node.this.unnest()
    while _function_name(cut) in _ROUNDING or (
        isinstance(cut, exp.Sub) and isinstance(cut.right.unnest(), exp.Predicate)
    ):
        cut = next(cut.iter_expressions()).unnest()
    return cut.this if isinstance(cut, exp.Div | exp.IntDiv) and cut.expression == width else None


def _function_name(node: exp.Expr) -> str:
    """The name of a function, whether the parser has a word for it or not; empty for what is none."""
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def _results(node: exp.Expr) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """What a choosing expression may give, and what it chooses by."""
    if isinstance(node, exp.Case):
        branches = node.args.get("ifs") or []
        results = [branch.args["true"] for branch in branches]
        results += [node.args["default"]] if node.args.get("default") is not None else []
        return results, [*([node.this] if node.this is not None else []), *(branch.this for branch in branches)]
    if isinstance(node, exp.Anonymous) and _function_name(node) in {"if", "iff"}:
        return list(node.expressions[1:]), list(node.expressions[:1])
    if isinstance(node, exp.If):
        results = [part for part in (node.args.get("true"), node.args.get("false")) if part is not None]
        return results, [node.this]
    return list(node.iter_expressions()), []


def _values(node: exp.Values, asked: Collection[str]) -> _Columns:
    scope = _OriginScope(exp.Select(), {}, asked)
    alias = node.args.get("alias")
    names = [column.name for column in (alias.args.get("columns") or ())] if alias is not None else []
    found: _Columns = {}
    for row in node.expressions:
        for place, part in enumerate(row.expressions if isinstance(row, exp.Tuple) else [row]):
            name = names[place] if place < len(names) else f"col{place}"
            value = scope.value(part)
            found[name] = _either(found[name], value) if name in found else value
    return found


def _either(one: _Value, other: _Value) -> _Value:
    """A column whose rows come from two places: what is made up in one of them is made up."""
    if not one.varies and not other.varies and not one.made_up and not other.made_up:
        return _Value(varies=False, labels=(*one.labels, *other.labels))
    return _Value(
        varies=one.varies and other.varies,
        made_up=(*one.made_up, *other.made_up),
        labels=(*one.labels, *other.labels),
    )


def _projections(tree: exp.Expr) -> list[exp.Expr]:
    node: exp.Expr = tree
    while isinstance(node, exp.SetOperation | exp.Subquery):
        node = node.left if isinstance(node, exp.SetOperation) else node.this
    if not isinstance(node, exp.Select):
        return []
    return [item.this if isinstance(item, exp.Alias) else item for item in node.expressions]


def _turns(text: str, around: exp.Expr) -> bool:
    """Whether a number only turns a cycle, such as the days of a week: (weekday + 6) % 7."""
    cycle = around.name if isinstance(around, exp.Literal) and not around.is_string else ""
    return text.isdigit() and cycle.isdigit() and int(text) < int(cycle) <= LONGEST_CYCLE


def _is_zero(text: str) -> bool:
    return text.strip("0.") == ""


def _plain(text: str) -> str:
    """A literal as it is compared: without quotes and capitals, and a number in one spelling (``5`` for ``5.0``)."""
    plain = text.strip().strip("'\"").casefold()
    try:
        return f"{float(plain):.15g}"
    except ValueError:
        return plain
