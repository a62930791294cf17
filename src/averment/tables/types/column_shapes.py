"""What a column is, decided on the shapes of its values.

A shape is a value with each digit written as 9. A million prices have a dozen shapes, so that a column is judged by a
handful of patterns and still by every one of its values. Nothing here touches rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from averment.tables.types.date_mixture import DateMixture, read_date_mixture
from averment.tables.types.date_words import DateWords, read_date_words

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
