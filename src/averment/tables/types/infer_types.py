"""Columns of text become typed columns, in the engine and with nothing lost.

A column gets a type only if every one of its values has it; the finished column must hold exactly as many values as the
text did, or it stays text. Whatever was read out of its written form (a currency sign, a decimal comma, a day before a
month) is told in a note, and whatever could be read in two ways is left as text and told too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from averment.tables.catalog import ColumnInfo, Note, TableInfo
from averment.tables.engines.backend import quote, quote_text
from averment.tables.read.naming import column_names
from averment.tables.read.staging import MISSING, Hint, StagedTable, column_note, count_rows, problem_note
from averment.tables.sources.options import ReadOptions
from averment.tables.types.date_words import (
    DateMixture,
    DateWords,
    cleaned_text,
    date_column,
    mixture_formats,
    order_of_days,
    read_date_mixture,
    read_date_words,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Mode = Literal["plain", "comma_groups", "dot_groups", "space_dot", "space_comma", "apostrophe"]

"""How numbers are written: 1234.5, 1,234.5, 1.234,5, 1 234.5, 1 234,5 and 1'234.5."""

Family = Literal["number", "boolean", "date", "timestamp", "time", "text", "empty"]

MARKS, MARK_LETTERS, MARK_LENGTH = 3, 3, 12

"""A column has at most so many kinds of marks that stand for no value; longer ones are words, or sentences."""

MARK_SHARE, WORD_SHARE = 0.25, 0.05

"""At most these parts of a column are marks: abbreviations and signs (TBD, k.A., ?), and words (pending), which are
likelier to mean something (none, unlimited)."""

MAX_SCALE = 10

MAX_DIGITS = 38

_SPACE = "[ \u00a0\u202f]"

_CURRENCY = "[$€£¥₹]|USD|EUR|GBP|CHF|JPY|INR"

_AFFIX = re.compile(
    rf"(?P<open>\()?\s*[+-]?\s*(?P<before>{_CURRENCY})?\s*[+-]?(?P<core>[9.,'eE \u00a0\u202f+-]*9[.,]?)"
    rf"\s*(?P<percent>%)?\s*(?P<after>{_CURRENCY})?\s*(?P<close>\))?"
)

_WRITTEN: tuple[tuple[str, tuple[Mode, ...]], ...] = (
    (r"9+", ("plain", "comma_groups", "dot_groups", "space_dot", "space_comma", "apostrophe")),
    (r"9{1,3}\.999", ("plain", "comma_groups", "dot_groups", "space_dot", "apostrophe")),
    (r"9+\.9*|\.9+", ("plain", "comma_groups", "space_dot", "apostrophe")),
    (r"9{1,3},999", ("comma_groups", "dot_groups", "space_comma")),
    (r"9{1,3}(?:,999)+(?:\.9*)?", ("comma_groups",)),
    (r"9+,9*|,9+", ("dot_groups", "space_comma")),
    (r"9{1,3}(?:\.999)+(?:,9*)?", ("dot_groups",)),
    (rf"9{{1,3}}(?:{_SPACE}999)+(?:\.9*)?", ("space_dot",)),
    (rf"9{{1,3}}(?:{_SPACE}999)+(?:,9*)?", ("space_comma",)),
    (r"9{1,3}(?:'999)+(?:\.9*)?", ("apostrophe",)),
)

_CORES: tuple[tuple[re.Pattern[str], frozenset[Mode]], ...] = tuple(
    (re.compile(pattern), frozenset(modes)) for pattern, modes in _WRITTEN
)

_SCIENTIFIC = re.compile(r"(?:9+(?:\.9*)?|\.9+)[eE][+-]?9+")

_EXCEL = re.compile(r"9(?:\.9{1,5})?E\+99")

_DATE_PARTS = re.compile(r"(9{1,2})([/.-])(9{1,2})\2(9999|99)(?P<time> +9{1,2}:99(?::99)?(?P<half> ?[AaPp][Mm])?)?")

_ISO_DATE = re.compile(r"9999([-/.])9{1,2}\1 ?9{1,2}")

_ISO_STAMP = re.compile(r"9999[-/]9{1,2}[-/]9{1,2}[T ]9{1,2}:99(?::99(?:[.]9+)?)?(?P<zone> ?Z| ?[+-]99(?::?99)?)?")

_TIME = re.compile(r"9{1,2}:99(?::99(?:\.9+)?)?")

_TRUTH = (frozenset({"true", "false"}), frozenset({"yes", "no"}))


@dataclass(frozen=True)
class Shape:
    """One shape of a column: how many values have it, whether one starts with a needless zero, and an example."""

    text: str
    count: int
    leading_zero: bool
    example: str


@dataclass
class ColumnVerdict:
    """What a column is, how its values are written, and what must be said about it.

    ``problem`` is a note code that keeps the column as text; ``note_codes`` say what was done to the values.
    ``odd`` are the shapes that keep it text, or of a column that is none, those that count as missing.
    """

    family: Family = "text"
    mode: Mode = "plain"
    digits: int = 0
    scale: int = 0
    scientific: bool = False
    affixes: bool = False
    format: str | None = None
    separator: str | None = None
    zoned: bool = False
    words: DateWords | None = None
    mixture: DateMixture | None = None
    problem: str | None = None
    odd: list[Shape] = field(default_factory=list[Shape])
    note_codes: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class _Number:
    modes: frozenset[Mode]
    core: str
    currency: str
    percent: bool
    bracket: bool
    scientific: bool


def judge_column(
    shapes: list[Shape],
    *,
    delimiter: str | None,
    decimal: str | None,
    id_like: bool,
    marks: bool = True,
    measure: bool = False,
) -> ColumnVerdict:
    """What a column with these shapes is; every value counts, not only the commonest.

    With ``marks`` a few marks among numbers or dates are no values; of a ``measure`` nothing is that is no number.
    """
    if not shapes:
        return ColumnVerdict("empty")
    odd = [shape for shape in shapes if _number(shape.text) is None] if measure else _marks(shapes)
    if not measure:
        verdict = _judge_all(shapes, delimiter, decimal, id_like)
        if verdict.family != "text" or not marks or not odd or id_like or verdict.problem not in {None, "mixed_values"}:
            return verdict
    kept = [shape for shape in shapes if shape not in odd]
    verdict = _judge_all(kept, delimiter, decimal, id_like) if kept else ColumnVerdict(problem="mixed_values")
    if verdict.family not in ({"number"} if measure else {"number", "date", "timestamp", "time"}):
        return replace(verdict, odd=odd) if measure else _judge_all(shapes, delimiter, decimal, id_like)
    return replace(verdict, odd=odd)


def _marks(shapes: list[Shape]) -> list[Shape]:
    """The shapes that stand for no value if the others are numbers or dates; none where they are too many or too much.

    Nothing with a digit is a mark (12a, A12), nor is a single letter: a size, a grade, the last place of an ISBN.
    """
    found = [shape for shape in shapes if "9" not in shape.text]
    total, letters = sum(shape.count for shape in shapes), [sum(map(str.isalpha, shape.text)) for shape in found]
    if len(found) > MARKS or any(n == 1 or len(s.text) > MARK_LENGTH for s, n in zip(found, letters, strict=True)):
        return []
    words = sum(shape.count for shape, n in zip(found, letters, strict=True) if n > MARK_LETTERS)
    few = sum(shape.count for shape in found) <= MARK_SHARE * total and words <= WORD_SHARE * total
    return found if few else []


def _judge_all(shapes: list[Shape], delimiter: str | None, decimal: str | None, id_like: bool) -> ColumnVerdict:
    """What a column is of which every value counts."""
    total = sum(shape.count for shape in shapes)
    for judge in (_boolean, _date, _stamp, _time):
        verdict = judge(shapes)
        if verdict is not None:
            return verdict
    numbers = [(shape, _number(shape.text)) for shape in shapes]
    fits = [(shape, number) for shape, number in numbers if number is not None]
    share = sum(shape.count for shape, _ in fits) / total
    if share == 1:
        return _judge_numbers([(shape, number) for shape, number in fits], delimiter, decimal, id_like)
    odd = [shape for shape, number in numbers if number is None]
    if share >= 0.5:
        return ColumnVerdict(problem="mixed_values", odd=odd)
    return ColumnVerdict()


def _boolean(shapes: list[Shape]) -> ColumnVerdict | None:
    words = {shape.text.lower() for shape in shapes}
    return ColumnVerdict("boolean") if any(words <= known for known in _TRUTH) else None


def _date(shapes: list[Shape]) -> ColumnVerdict | None:
    if all(_ISO_DATE.fullmatch(shape.text) for shape in shapes):
        dotted = any("." in shape.text for shape in shapes)
        return ColumnVerdict("date", format="%Y.%m.%d" if dotted else None)
    words = read_date_words(shape.text for shape in shapes)
    if words is not None:
        return ColumnVerdict("date" if words.timed == "none" else "timestamp", words=words)
    mixture = read_date_mixture(shape.text for shape in shapes)
    if mixture is not None:
        return ColumnVerdict("date", mixture=mixture)
    found = [_DATE_PARTS.fullmatch(shape.text) for shape in shapes]
    matches = [match for match in found if match is not None]
    if len(matches) < len(shapes):
        return None
    if any(len(match.group(4)) == 2 for match in matches):
        return ColumnVerdict(problem="two_digit_years")
    separators = {match.group(2) for match in matches}
    times = {bool(match.group("time")) for match in matches}
    halves = {bool(match.group("half")) for match in matches}
    if len(separators) > 1 or len(times) > 1 or len(halves) > 1:
        return ColumnVerdict(problem="mixed_dates")
    seconds = {match.group("time").count(":") == 2 for match in matches if match.group("time")}
    if len(seconds) > 1:
        return ColumnVerdict(problem="mixed_dates")
    clock = ""
    if True in times:
        clock = (" %I:%M" if True in halves else " %H:%M") + (":%S" if True in seconds else "")
        clock += (" %p" if " " in (matches[0].group("half") or "") else "%p") if True in halves else ""
    return ColumnVerdict("timestamp" if clock else "date", separator=separators.pop(), format=clock)


def _stamp(shapes: list[Shape]) -> ColumnVerdict | None:
    matches = [_ISO_STAMP.fullmatch(shape.text) for shape in shapes]
    if any(match is None for match in matches):
        dates = all(_ISO_STAMP.fullmatch(shape.text) or _ISO_DATE.fullmatch(shape.text) for shape in shapes)
        return ColumnVerdict("timestamp", note_codes=["dates_as_midnight"]) if dates and not _zones(matches) else None
    zones = _zones(matches)
    if zones and zones < len(shapes):
        return ColumnVerdict(problem="mixed_time_zones")
    return ColumnVerdict("timestamp", zoned=bool(zones), note_codes=["converted_to_utc"] if zones else [])


def _zones(matches: list[re.Match[str] | None]) -> int:
    return sum(match is not None and match.group("zone") is not None for match in matches)


def _time(shapes: list[Shape]) -> ColumnVerdict | None:
    return ColumnVerdict("time") if all(_TIME.fullmatch(shape.text) for shape in shapes) else None


def _number(text: str) -> _Number | None:
    match = _AFFIX.fullmatch(text)
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    core = match["core"]
    currency = match["before"] or match["after"] or ""
    if _SCIENTIFIC.fullmatch(core):
        return _Number(frozenset({"plain"}), core, currency, bool(match["percent"]), bool(match["open"]), True)
    for pattern, modes in _CORES:
        if pattern.fullmatch(core):
            return _Number(modes, core, currency, bool(match["percent"]), bool(match["open"]), False)
    return None


def _judge_numbers(
    fits: list[tuple[Shape, _Number]], delimiter: str | None, decimal: str | None, id_like: bool
) -> ColumnVerdict:
    numbers = [number for _, number in fits]
    if any(shape.leading_zero for shape, _ in fits):
        return ColumnVerdict(problem="leading_zeros")
    if len({number.currency for number in numbers if number.currency}) > 1:
        return ColumnVerdict(problem="mixed_currencies")
    if 0 < sum(number.percent for number in numbers) < len(numbers):
        return ColumnVerdict(problem="mixed_percent")
    note_codes = [
        code for code, seen in (("currency", any(n.currency for n in numbers)), ("percent", numbers[0].percent)) if seen
    ]
    affixes = (
        bool(note_codes) or any(number.bracket for number in numbers) or any(" " in shape.text for shape, _ in fits)
    )
    if any(number.scientific for number in numbers):
        excel = all(_EXCEL.fullmatch(n.core) or n.core.isdigit() for n in numbers) and any(
            _EXCEL.fullmatch(n.core) for n in numbers
        )
        if id_like or excel:
            return ColumnVerdict(problem="excel_scientific")
        if any("," in number.core for number in numbers):
            return ColumnVerdict(problem="mixed_values")
        return ColumnVerdict("number", scientific=True, affixes=affixes, note_codes=note_codes)
    mode = _mode([number.modes for number in numbers], numbers, delimiter, decimal)
    if mode is None:
        return ColumnVerdict(problem="ambiguous_numbers")
    if mode != "plain":
        note_codes.append("decimal_comma" if mode in ("dot_groups", "space_comma") else "thousands_separator")
    point = "," if mode in ("dot_groups", "space_comma") else "."
    whole = max(sum(ch == "9" for ch in number.core.split(point)[0]) for number in numbers)
    scale = max(len(number.core.split(point)[1]) if point in number.core else 0 for number in numbers)
    return ColumnVerdict("number", mode, whole + scale, scale, affixes=affixes, note_codes=note_codes)


def _mode(
    sets: list[frozenset[Mode]], numbers: list[_Number], delimiter: str | None, decimal: str | None
) -> Mode | None:
    """How the numbers are written, or None when that cannot be told."""
    allowed = frozenset[Mode].intersection(*sets)
    if decimal == ".":
        allowed -= {"dot_groups", "space_comma"}
    elif decimal == ",":
        allowed -= {"comma_groups", "space_dot", "apostrophe"} | (
            {"plain"} if any("." in n.core for n in numbers) else set()
        )
    if "plain" in allowed:
        return "plain"
    if "comma_groups" in allowed and (len(allowed) == 1 or delimiter == ","):
        return "comma_groups"
    commas = allowed & {"dot_groups", "space_comma"}
    if commas and commas == allowed:
        proven = any("." in number.core for number in numbers) or decimal == "," or delimiter not in (",", "")
        return ("dot_groups" if "dot_groups" in allowed else "space_comma") if proven else None
    return next(iter(allowed)) if len(allowed) == 1 else None


SAMPLE_ROWS = 2_000

SAMPLED_FROM = 20_000

MAX_SHAPES = 3_000

_BLANKS = "chr(32) || chr(9) || chr(10) || chr(13) || chr(160)"
# Every digit as a nine. Plain whole numbers, the commonest long columns, have a quicker way to the same text.
_SHAPE = (
    "CASE WHEN regexp_full_match(v, '-?[0-9]+') "
    "THEN (CASE WHEN v < '0' THEN '-' ELSE '' END) || repeat('9', length(v) - CAST(v < '0' AS INTEGER)) "
    "ELSE translate(v, '0123456789', '9999999999') END"
)

_LEADING_ZERO = (
    "CASE WHEN v < '1' THEN substr(ltrim(v, '+-'), 1, 1) = '0' AND substr(ltrim(v, '+-'), 2, 1) BETWEEN '0' AND '9' "
    "ELSE false END"
)

_ID_LIKE = re.compile(
    r"(?:^|[^a-z])(?:id|ids|key|code|sku|isbn|ean|upc|zip|postcode|phone|tel|iban|account)(?:$|[^a-z])", re.I
)

_DATE_NAME = re.compile(r"date|day|datum|jour|fecha", re.I)


@dataclass
class _Column:
    """One column on its way: where it stands, its names, its type so far and what was noticed."""

    index: int
    name: str
    original: str
    hint: Hint | None
    value: str
    type: str = "VARCHAR"
    expression: str = ""
    filled: int = 0
    notes: list[Note] = field(default_factory=list[Note])
    written: str = field(init=False)
    """The value as it was before marks were taken for missing ones."""

    def __post_init__(self) -> None:
        self.written = self.value

    def keep_text(self) -> None:
        """Back to the text as it is written, only null words left out."""
        self.value = self.written
        self.type, self.expression = "VARCHAR", f"CASE WHEN {self.value} IS NULL THEN NULL ELSE c{self.index} END"


def type_table(
    connection: DuckDBPyConnection, staged: StagedTable, options: ReadOptions, null_words: Sequence[str], source: str
) -> tuple[TableInfo, list[Note]]:
    """Writes the staged table, typed, into the snapshot, and says what was done to it."""
    kept, notes = _named_columns(connection, staged, options, null_words)
    for column in kept:
        if options.types == "text":
            column.expression = f"c{column.index}"
        else:
            _decide(connection, staged, column, options, source)
    _create(connection, staged, kept)
    if options.types == "infer":
        lossy = _lossy(connection, staged, kept)
        for column in lossy:
            column.keep_text()
            column.notes = [problem_note("invalid_values", column.name, [])]
        if lossy:
            _create(connection, staged, kept)
        notes += _null_word_notes(connection, staged, kept, null_words)
    columns = tuple(ColumnInfo(name=column.name, type=column.type, original_name=column.original) for column in kept)
    rows = count_rows(connection, quote(staged.name))
    table = TableInfo(name=staged.name, columns=columns, row_count=rows, source=source, origin=("main", staged.name))
    return table, notes + [note for column in kept for note in column.notes]


def _named_columns(
    connection: DuckDBPyConnection, staged: StagedTable, options: ReadOptions, null_words: Sequence[str]
) -> tuple[list[_Column], list[Note]]:
    present = [
        index
        for index, original in enumerate(staged.originals)
        if original is not None or options.types == "text" or _any_value(connection, staged, index)
    ]
    originals = [staged.originals[index] or "" for index in present]
    names, notes = column_names(originals)
    words = ", ".join(quote_text(word) for word in {"", *null_words})
    padded = _padded(connection, staged)
    columns: list[_Column] = []
    for index, name, original in zip(present, names, originals, strict=True):
        hint = staged.hints[index] if staged.hints else None
        trimmed = f"trim(c{index}, {_BLANKS})" if padded[index] else f"c{index}"
        value = f"(CASE WHEN {trimmed} IN ({words}) THEN NULL ELSE {trimmed} END)" if hint is None else f"c{index}"
        columns.append(_Column(index, name, original, hint, value))
    return columns, notes


def _padded(connection: DuckDBPyConnection, staged: StagedTable) -> list[bool]:
    """Which columns hold a value with white space around it; only those need to be trimmed."""
    blanks = ("chr(32)", "chr(9)", "chr(10)", "chr(13)", "chr(160)")
    tests = ", ".join(
        f"bool_or(c{index} < '!' OR starts_with(c{index}, chr(160)) OR "
        + " OR ".join(f"ends_with(c{index}, {blank})" for blank in blanks)
        + ")"
        for index in range(staged.width)
    )
    row = connection.execute(f"SELECT {tests} FROM {staged.relation}").fetchone() or ()
    return [bool(cell) for cell in row] or [True] * staged.width


def _any_value(connection: DuckDBPyConnection, staged: StagedTable, index: int) -> bool:
    row = connection.execute(f"SELECT count(*) FROM {staged.relation} WHERE trim(c{index}, {_BLANKS}) <> ''").fetchone()
    return bool(row and row[0])


def _decide(
    connection: DuckDBPyConnection, staged: StagedTable, column: _Column, options: ReadOptions, source: str
) -> None:
    """Sets the column's type and expression."""
    column.keep_text()
    if column.hint == "json":
        return
    if column.hint in ("date", "datetime", "time"):
        _from_serial(connection, staged, column)
        return
    measure = options.measure_key(source, staged.name, column.name) in options.measures
    if column.hint is None and not measure and count_rows(connection, staged.relation) > SAMPLED_FROM:
        head = _shapes(connection, staged.relation, column, SAMPLE_ROWS)
        seen = judge_column(head, delimiter=staged.delimiter, decimal=options.decimal, id_like=False)
        if seen.family == "text" and seen.problem is None:
            return
    shapes = _shapes(connection, staged.relation, column, None)
    if len(shapes) > MAX_SHAPES:
        return
    column.filled = sum(shape.count for shape in shapes)
    id_like = bool(_ID_LIKE.search(column.name))
    verdict = judge_column(
        shapes,
        delimiter=staged.delimiter,
        decimal=options.decimal,
        id_like=id_like,
        marks=options.marks == "missing",
        measure=measure,
    )
    if (
        column.hint == "string"
        and not measure
        and (verdict.family not in ("date", "timestamp") or verdict.separator is not None)
    ):
        return
    if verdict.problem is not None:
        column.notes.append(_problem(connection, staged, column, verdict))
        return
    missing = verdict.odd
    if missing:
        column.value = f"(CASE WHEN {_has_shape(column.value, missing)} THEN NULL ELSE {column.value} END)"
        column.filled -= sum(shape.count for shape in missing)
        shapes = [shape for shape in shapes if shape not in missing]
    _apply(connection, staged, column, verdict, shapes, options)
    if missing and column.type == "VARCHAR":
        column.keep_text()
    elif missing:
        kind = "date" if column.type in {"DATE", "TIMESTAMP"} else "time" if column.type == "TIME" else "number"
        column.notes.append(_told(connection, staged, column, MISSING, missing, kind))


def _shapes(connection: DuckDBPyConnection, relation: str, column: _Column, limit: int | None) -> list[Shape]:
    """The column's distinct shapes, the commonest first."""
    values = f"SELECT {column.value} AS v, 1 AS n FROM {relation} {f'LIMIT {limit}' if limit else ''}"
    if limit is None and _repeats(connection, relation, column):
        # Each value is looked at once, however often it stands in the column.
        values = f"SELECT v, count(*) AS n FROM ({values}) GROUP BY v"
    rows = connection.execute(
        f"SELECT {_SHAPE} AS s, sum(n), bool_or({_LEADING_ZERO}), min(v) "
        f"FROM ({values}) WHERE v IS NOT NULL GROUP BY s ORDER BY sum(n) DESC, s LIMIT {MAX_SHAPES + 1}"
    ).fetchall()
    return [Shape(str(text), int(count), bool(zero), str(example)) for text, count, zero, example in rows]


def _repeats(connection: DuckDBPyConnection, relation: str, column: _Column) -> bool:
    """Whether the column says few things many times, by its first rows; worth knowing only where there are many."""
    if count_rows(connection, relation) <= SAMPLED_FROM:
        return False
    row = connection.execute(
        f"SELECT count(DISTINCT v), count(*) FROM (SELECT {column.value} AS v FROM {relation} LIMIT {SAMPLED_FROM})"
    ).fetchone()
    return row is not None and row[0] * 2 < row[1]


def _apply(
    connection: DuckDBPyConnection,
    staged: StagedTable,
    column: _Column,
    verdict: ColumnVerdict,
    shapes: list[Shape],
    options: ReadOptions,
) -> None:
    value = column.value
    if verdict.family == "boolean":
        column.type = "BOOLEAN"
        word = f"lower({value})"
        column.expression = (
            f"CASE WHEN {word} IN ('true', 'yes') THEN true WHEN {word} IN ('false', 'no') THEN false END"
        )
    elif verdict.family == "time":
        column.type = "TIME"
        column.expression = f"CASE WHEN {value} < '24' OR length({value}) < 5 THEN TRY_CAST({value} AS TIME) END"
    elif verdict.family in ("date", "timestamp"):
        _apply_date(connection, staged, column, verdict, options)
    elif verdict.family == "number":
        _apply_number(connection, staged, column, verdict, shapes)
    column.notes += [column_note(code, column.name) for code in verdict.note_codes if column.type != "VARCHAR"]


def _apply_date(
    connection: DuckDBPyConnection, staged: StagedTable, column: _Column, verdict: ColumnVerdict, options: ReadOptions
) -> None:
    kind = "DATE" if verdict.family == "date" else "TIMESTAMP"
    if verdict.words is not None:
        id_like = bool(_ID_LIKE.search(column.name))
        found = date_column(connection, staged.relation, column.value, verdict.words, id_like=id_like)
        if found.type != "VARCHAR":
            column.type, column.expression = found.type, found.expression
            column.notes += [column_note(code, column.name) for code in found.note_codes]
        elif found.problem is not None:
            column.notes.append(problem_note(found.problem, column.name, []))
        return
    if verdict.mixture is not None:
        _apply_mixture(connection, staged, column, verdict.mixture, options)
        return
    if verdict.separator is None:
        column.type = kind
        if verdict.zoned:
            column.expression = f"timezone('UTC', TRY_CAST({column.value} AS TIMESTAMPTZ))"
        elif verdict.format:
            column.expression = f"CAST(TRY_STRPTIME({column.value}, {quote_text(verdict.format)}) AS {kind})"
        else:
            column.expression = f"TRY_CAST({column.value} AS {kind})"
        return
    mark = quote_text(verdict.separator)
    row = connection.execute(
        f"SELECT max(CAST(split_part(v, {mark}, 1) AS INTEGER)), max(CAST(split_part(v, {mark}, 2) AS INTEGER)) "
        f"FROM (SELECT {column.value} AS v FROM {staged.relation}) WHERE v IS NOT NULL"
    ).fetchone()
    first, second = (int(row[0]), int(row[1])) if row else (0, 0)
    if first > 12 and second > 12:
        column.notes.append(problem_note("mixed_dates", column.name, []))
        return
    day_first = first > 12 or (second <= 12 and options.day_first is True)
    if first <= 12 and second <= 12 and options.day_first is None:
        column.notes.append(problem_note("ambiguous_dates", column.name, []))
        return
    order = ("%d", "%m", "%Y") if day_first else ("%m", "%d", "%Y")
    form = verdict.separator.join(order) + (verdict.format or "")
    column.type = kind
    column.expression = f"CAST(TRY_STRPTIME({column.value}, {quote_text(form)}) AS {kind})"
    column.notes.append(column_note("day_first" if day_first else "month_first", column.name))


def _apply_mixture(
    connection: DuckDBPyConnection, staged: StagedTable, column: _Column, mixture: DateMixture, options: ReadOptions
) -> None:
    order = order_of_days(connection, staged.relation, column.value, mixture)
    if not order and options.day_first is not None:
        order = dict.fromkeys(mixture.marks, options.day_first)
    if any(mark not in order for mark in mixture.marks):
        column.notes.append(problem_note("mixed_dates", column.name, []))
        return
    formats = ", ".join(quote_text(form) for form in mixture_formats(mixture, order))
    text = cleaned_text(column.value, mixture.cleaning)
    column.type, column.expression = "DATE", f"CAST(TRY_STRPTIME({text}, [{formats}]) AS DATE)"
    column.notes.append(column_note("mixed_dates_read", column.name))
    if len(set(order.values())) == 1:
        column.notes.append(column_note("day_first" if True in order.values() else "month_first", column.name))


def _apply_number(
    connection: DuckDBPyConnection, staged: StagedTable, column: _Column, verdict: ColumnVerdict, shapes: list[Shape]
) -> None:
    text = column.value
    if verdict.affixes or verdict.mode != "plain":
        sign = f"CASE WHEN contains({text}, '(') OR contains({text}, '-') THEN '-' ELSE '' END"
        kept = "[^0-9.eE]" if verdict.mode in ("plain", "comma_groups", "space_dot", "apostrophe") else "[^0-9,]"
        body = (
            f"regexp_replace({text}, '{kept}', '', 'g')"
            if not verdict.scientific
            else f"regexp_replace({text}, '[^0-9.eE+-]', '', 'g')"
        )
        text = body if verdict.scientific else f"{sign} || replace({body}, ',', '.')"
    if verdict.scientific:
        column.type = "DOUBLE"
        column.expression = f"CASE WHEN isfinite(TRY_CAST({text} AS DOUBLE)) THEN TRY_CAST({text} AS DOUBLE) END"
    elif verdict.scale == 0 and verdict.digits <= MAX_DIGITS:
        column.type = "BIGINT" if verdict.digits <= 18 else "HUGEINT"
        column.expression = f"TRY_CAST({text} AS {column.type})"
        compact = all(shape.text == "99999999" for shape in shapes) and _DATE_NAME.search(column.name)
        if compact and _are_compact_dates(connection, staged, column):
            column.type, column.expression = "DATE", f"CAST(TRY_STRPTIME({column.value}, '%Y%m%d') AS DATE)"
            column.notes.append(column_note("compact_dates", column.name))
    elif verdict.scale == 0:
        column.notes.append(problem_note("long_numbers", column.name, []))
    elif verdict.scale <= MAX_SCALE and verdict.digits <= MAX_DIGITS:
        column.type = f"DECIMAL({18 if verdict.digits <= 18 else MAX_DIGITS},{verdict.scale})"
        column.expression = f"TRY_CAST({text} AS {column.type})"
    else:
        column.type, column.expression = "DOUBLE", f"TRY_CAST({text} AS DOUBLE)"
        if verdict.digits > 17:
            column.notes.append(column_note("rounded_numbers", column.name))


def _are_compact_dates(connection: DuckDBPyConnection, staged: StagedTable, column: _Column) -> bool:
    row = connection.execute(
        f"SELECT count(*) FROM (SELECT {column.value} AS v FROM {staged.relation}) WHERE v IS NOT NULL AND "
        f"(TRY_STRPTIME(v, '%Y%m%d') IS NULL OR substr(v, 1, 2) NOT IN ('19', '20'))"
    ).fetchone()
    return row is not None and row[0] == 0


def _from_serial(connection: DuckDBPyConnection, staged: StagedTable, column: _Column) -> None:
    """Spreadsheet day numbers as dates, times or both."""
    cell = f"c{column.index}"
    number = f"TRY_CAST({cell} AS DOUBLE)"
    row = connection.execute(
        f"SELECT count({cell}), count(*) FILTER (WHERE {number} IS NULL AND {cell} IS NOT NULL), "
        f"count(*) FILTER (WHERE {number} <> floor({number})), min({number}) FROM {staged.relation}"
    ).fetchone()
    filled, odd, fractions, least = (row[0], row[1], row[2], row[3]) if row else (0, 0, 0, None)
    column.filled = int(filled)
    if odd or least is None or least < 0:
        column.notes.append(problem_note("mixed_values", column.name, []))
        return
    moment = f"TIMESTAMP '1899-12-30' + to_microseconds(CAST(round({number} * 86400000) AS BIGINT) * 1000)"
    if column.hint == "time" and least < 1:
        column.type, column.expression = "TIME", f"CAST({moment} AS TIME)"
    else:
        column.type = "TIMESTAMP" if fractions else "DATE"
        column.expression = f"CAST({moment} AS {column.type})"


def _create(connection: DuckDBPyConnection, staged: StagedTable, columns: list[_Column]) -> None:
    body = ", ".join(f"{column.expression} AS {quote(column.name)}" for column in columns)
    connection.execute(f"CREATE OR REPLACE TABLE {quote(staged.name)} AS SELECT {body} FROM {staged.relation}")


def _lossy(connection: DuckDBPyConnection, staged: StagedTable, columns: list[_Column]) -> list[_Column]:
    """The typed columns that hold fewer values than their text did."""
    typed = [column for column in columns if column.type != "VARCHAR"]
    if not typed:
        return []
    counts = ", ".join(f"count({quote(column.name)})" for column in typed)
    row = connection.execute(f"SELECT {counts} FROM {quote(staged.name)}").fetchone() or ()
    return [column for column, count in zip(typed, row, strict=True) if count != column.filled]


def _problem(connection: DuckDBPyConnection, staged: StagedTable, column: _Column, verdict: ColumnVerdict) -> Note:
    return _told(connection, staged, column, verdict.problem or "mixed_values", verdict.odd)


def _told(
    connection: DuckDBPyConnection,
    staged: StagedTable,
    column: _Column,
    code: str,
    odd: Sequence[Shape],
    kind: str = "number",
) -> Note:
    """A note on the values of these shapes: how many of all that are written down, which, and in which rows."""
    if not odd:
        return problem_note(code, column.name, [])
    rows = connection.execute(
        f"SELECT n FROM (SELECT row_number() OVER () AS n, {column.written} AS v FROM {staged.relation}) "
        f"WHERE {_has_shape('v', odd[:200])} LIMIT 20"
    ).fetchall()
    written = connection.execute(f"SELECT count(*) FROM {staged.relation} WHERE trim(c{column.index}) <> ''").fetchone()
    share = (sum(shape.count for shape in odd), int(written[0]) if written else 0)
    return problem_note(code, column.name, [int(row[0]) for row in rows], [shape.example for shape in odd], share, kind)


def _has_shape(value: str, shapes: Sequence[Shape]) -> str:
    texts = ", ".join(quote_text(shape.text) for shape in shapes)
    return f"translate({value}, '0123456789', '9999999999') IN ({texts})"


def _null_word_notes(
    connection: DuckDBPyConnection, staged: StagedTable, columns: list[_Column], null_words: Sequence[str]
) -> list[Note]:
    """One note for each column whose non-empty cells were read as no value."""
    words = ", ".join(quote_text(word) for word in null_words if word)
    plain = [column for column in columns if column.hint is None]
    if not words or not plain:
        return []
    counts = ", ".join(f"count(*) FILTER (WHERE c{column.index} IN ({words}))" for column in plain)
    row = connection.execute(f"SELECT {counts} FROM {staged.relation}").fetchone() or ()
    return [
        Note(
            code="null_words", message=f"{count} cell(s) such as 'NA' or '-' were read as no value.", column=column.name
        )
        for column, count in zip(plain, row, strict=True)
        if count
    ]
