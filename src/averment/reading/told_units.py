"""Units: which one a number is in, by the name of its column, and the same number told in another one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from averment.plans.names import is_time_of_day, plain_number
from averment.plans.plan import Value
from averment.plans.registry import AGGREGATES
from averment.reading.words import lexicon, name_words, singular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Measure, Plan
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_view import Schema

CUE = "unit "
"""What the cue of a unit is called before the unit's own words."""

_SHORT = 2
"""Units that are written with so few letters count only where a column has one of their kind."""
_LASTING = ("days", "hours", "minutes", "seconds")


class Unit(NamedTuple):
    """A unit: what it measures, its name, and how many of the smallest kind it is; 0 where no number says it."""

    of: str
    name: str
    size: float


@cache
def _units() -> dict[str, tuple[Unit, ...]]:
    """The units that each way of writing may stand for."""
    found: dict[str, list[Unit]] = {}
    for of, units in lexicon("words")["measured"].items():
        for name, body in units.items():
            size, *written = body.split()
            for each in (name, *written):
                found.setdefault(each.replace("_", " "), []).append(Unit(of, name, float(size)))
    return {written: tuple(units) for written, units in found.items()}


def units_said(words: str) -> tuple[Unit, ...]:
    """The units that a word or two stand for, in the singular or the plural."""
    return _units().get(words) or _units().get(singular(words), ())


def written_alike(words: str) -> tuple[str, ...]:
    """How the units of what a unit measures are written in names."""
    kinds = {unit.of for unit in units_said(words)}
    return tuple(each for each, units in _units().items() if " " not in each and kinds & {unit.of for unit in units})


def _of_name(name: str) -> tuple[Unit, ...]:
    """The units that a column's name may end in; a rate has none."""
    words = name_words(name)
    if not words or "per" in words or (len(words) == 1 and len(words[0]) < 3):
        return ()
    own, beside = (_units().get(word, ()) for word in (words[-1], words[-2] if len(words) > 1 else ""))
    return own if not beside or {unit.of for unit in own} & {unit.of for unit in beside} else ()


def _of(value: Value | None) -> tuple[Unit, ...]:
    """The units that a value may be in."""
    if value is None or is_time_of_day(value):
        return ()
    if value.kind in _LASTING:
        return units_said(value.kind)
    if value.kind in {"column", "as_number"}:
        return _of_name(value.column or "")
    if value.kind != "arithmetic":
        return ()
    first, second = value.operands
    if value.operation in {"+", "-"}:
        return _of(first) if _of(first) == _of(second) else ()
    factor = second.number if second.kind == "number" else None
    if not factor:
        return ()
    sizes = [(unit.of, unit.size * factor if value.operation == "/" else unit.size / factor) for unit in _of(first)]
    every = {unit for units in _units().values() for unit in units}
    return tuple(u for of, size in sizes for u in every if u.of == of and size and abs(u.size / size - 1) < 1e-6)


def in_unit(column: str, number: float, unit: str) -> float | None:
    """A number with its unit as a column of this name has it; None where its name says no unit of that kind."""
    for own in _of_name(column):
        for said in units_said(unit):
            if own == said or (own.of == said.of and own.size and said.size):
                made = float(number) if own == said else round(number * said.size / own.size, 9)
                return int(made) if made.is_integer() else made
    return None


def _scale(words: Sequence[str]) -> float:
    """The thousands or millions that some words say; 1 where they say none."""
    said = [float(size) for size, names in lexicon("words")["scale"].items() if set(words) & set(names.split())]
    return said[0] if len(said) == 1 else 1.0


def _scale_named(column: str) -> float:
    """The thousands or millions that a column's name says it is told in; a last "m" is metres."""
    words = name_words(column)[1:]
    return _scale(words[:-1] if words[-1:] == ("m",) else words)


def in_scale(column: str, number: float) -> float:
    """A number as a column of this name has it that is told in thousands or millions; else the number as it is."""
    own = _scale_named(column)
    made = number / own if number >= own else number
    return int(made) if float(made).is_integer() else made


def unit_spans(lattice: Lattice, schema: Schema) -> None:
    """ "In hours": the unit that a number is to be told in."""
    words = lattice.words
    _drop_bare(lattice, schema)
    kinds = {unit.of for column in schema.columns if column.has("measure") for unit in _of(column.value)}
    kinds |= {unit.of for span in lattice.spans if span.type == "COLUMN" for unit in _of(span.data.value)}
    for place in range(1, len(words)):
        end = place + 2 if units_said(" ".join(words[place : place + 2])) and place + 2 <= len(words) else place + 1
        said = " ".join(words[place:end])
        able = [unit for unit in units_said(said) if unit.of in kinds or len(said) > _SHORT]
        if words[place - 1] == "in" and len(said) > _SHORT and _scale([said]) > 1:
            _drop_columns(lattice, place, end, set())
            lattice.add(place - 1, end, "CUE", 0.97, (CUE + said,))
        rate = words[end : end + 1] == ["per"] and units_said(" ".join(words[end + 1 : end + 2]))
        counted = place > 1 and words[place - 2].isdigit()
        if words[place - 1] != "in" or not able or rate or counted:
            continue
        _drop_columns(lattice, place, end, {unit.of for unit in able})
        lattice.add(place - 1, end, "CUE", 0.95 + 0.02 * (end - place), (CUE + said,))


def _drop_bare(lattice: Lattice, schema: Schema) -> None:
    """ "4 hours" is no plain 4, unless a column is in hours."""
    stored = {
        unit for c in schema.columns if c.expression is None for word in c.words for unit in _units().get(word, ())
    }
    numbers = [s for s in lattice.spans if s.type == "NUMBER"]
    whole = {s.start for s in numbers if (said := units_said(s.data[1])) and not set(said) & stored}
    lattice.spans = [s for s in lattice.spans if not (s.type == "NUMBER" and not s.data[1] and s.start in whole)]


def _drop_columns(lattice: Lattice, place: int, end: int, kinds: set[str]) -> None:
    """A unit names no column that is not called so, nor one beside the column that is to be told in it."""
    named = [s for s in lattice.spans if s.type == "COLUMN" and not s.start <= place < s.end]
    told = any(unit.of in kinds for s in named for unit in _of(s.data.value))

    def stays(span: Span) -> bool:
        called = {singular(word) for word in span.data.words} if span.type == "COLUMN" else set[str]()
        return (
            span.type != "COLUMN"
            or not span.start <= place < span.end
            or (not told and singular(lattice.words[end - 1]) in called)
        )

    lattice.spans = [s for s in lattice.spans if stays(s)]


def told_in(plan: Plan, spans: Sequence[Span], schema: Schema) -> Plan:
    """The plan with its numbers in the unit that the question asks for; conditions keep the unit of their column."""
    said = next((name for s in spans if s.type == "CUE" for name in s.data if name.startswith(CUE)), None)
    if said is None:
        return plan
    words = said.removeprefix(CUE)
    wanted, scale = units_said(words), _scale([words])

    def told(value: Value | None) -> Any:
        return _scaled(value, scale, schema) if scale > 1 else turned(value, wanted)

    measures = tuple(m.model_copy(update={"of": told(m.of)}) if _tells(m) else m for m in plan.measures)
    rank = plan.rank and plan.rank.model_copy(update={"by": told(plan.rank.by)})
    return plan.model_copy(update={"measures": measures, "rank": rank, "show": tuple(map(told, plan.show))})


def tells_in(plan: Plan, said: str) -> bool:
    """Whether a plan tells a number in a unit, and none of what it measures in another."""
    wanted, scale = units_said(said), _scale([said])
    ranked = plan.rank.by if plan.rank is not None else None
    values = [*plan.show, *(m.of for m in plan.measures if _tells(m)), ranked]
    if scale > 1:
        return any(value is not None and _scale_of(value) == scale for value in values)
    near = [units for units in map(_of, values) if {unit.of for unit in units} & {unit.of for unit in wanted}]
    return bool(near) and all(set(units) & set(wanted) for units in near)


def _scale_of(value: Value) -> float:
    """The thousands or millions that a value is told in."""
    if value.kind == "arithmetic" and value.operation == "/" and value.operands[1].number:
        return _scale_of(value.operands[0]) * value.operands[1].number
    return _scale_named(value.column or "")


def _scaled(value: Value | None, scale: float, schema: Schema) -> Any:
    """A value in thousands or millions, where its numbers are so great that they are in none yet."""
    column = schema.column(value.table or "", value.column or "") if value is not None else None
    own = _scale_of(value) if value is not None else scale
    if value is None or column is None or not column.has("measure") or own >= scale:
        return value
    if own == 1 and (not isinstance(column.high, int | float) or column.high < scale):
        return value
    parts = Value(kind="number", number=scale / own)
    return Value(kind="arithmetic", operation="/", operands=(value, parts))


def _tells(measure: Measure) -> bool:
    """Whether a figure is in the unit of what it is taken of."""
    return AGGREGATES[measure.function].unit in {"same", "squared"} and measure.over is None and not measure.percent


def turned(value: Value | None, wanted: Sequence[Unit]) -> Any:
    """A value in one of the units, where it is in another of the same kind."""
    own = _of(value)
    if value is None or not own or set(own) & set(wanted):
        return value
    pair = next(((a, b) for a in own for b in wanted if a.of == b.of and a.size and b.size), None)
    if pair is None:
        return value
    lasting = value.kind in _LASTING
    if lasting and pair[1].name in _LASTING and pair[1].name != "days":
        return value.model_copy(update={"kind": pair[1].name})
    if lasting:  # A plain count of days would leave out what the clock says.
        value, pair = value.model_copy(update={"kind": "hours"}), (units_said("hours")[0], pair[1])
    times, parts = (round(each, 12) for each in (pair[0].size / pair[1].size, pair[1].size / pair[0].size))
    sign, number = ("*", times) if len(plain_number(times)) <= len(plain_number(parts)) else ("/", parts)
    return Value(kind="arithmetic", operation=sign, operands=(value, Value(kind="number", number=number)))
