"""Holes: a question without what is particular to it, and a plan whose literals wait to be filled in.

A period, a value of the data and a number are what two questions of one kind differ in. In the question they become
placeholders, in the plan holes of the same names: ``{region}``, ``{limit}``, ``{time_range.start}``. What fills the
holes comes from a new question alone, so nothing of the old one can remain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from averment.language.linking.values import ValueIndex
from averment.language.numbers import find_quantities
from averment.language.periods import PeriodMatch, find_periods
from averment.records.base import Record

if TYPE_CHECKING:
    from averment.tables.profile.profiler import TableProfile

Span: TypeAlias = tuple[int, int]
Visit: TypeAlias = Callable[[str, str, Any], Any]
HOLE = re.compile(r"^\{(\w+)(?:\.(\w+))?\}$")
_ROLES = {"limit": "limit", "at": "percentile", "steps": "steps", "width": "width", "number": "number"}
_COMPARED = frozenset({"<", "<=", ">", ">=", "between"})


class PlaceholderValue(Record):
    """What stands in a placeholder: the user's words, and the literals a plan may hold for them, by form.

    ``fits`` must be the same for another filling to take its place: the columns that hold the value, or the grain of
    the period and the side it bounds.
    """

    kind: Literal["time", "value", "number"]
    words: str
    forms: dict[str, str]
    fits: tuple[str, ...] = ()


class General(Record):
    """A question with placeholders, and what stood in them."""

    template: str
    slots: dict[str, PlaceholderValue]

    @property
    def shape(self) -> str:
        """The template with nothing but the kind of each placeholder: the same for questions that differ in them."""
        kinds = {"time": "sometime", "value": "something", "number": "somenumber"}
        return re.sub(r"\{(\w+)\}", lambda place: kinds[self.slots[place[1]].kind], self.template)


class PlanTemplate(Record):
    """A plan with holes, beside the question with placeholders of the same names."""

    general: General
    plan: dict[str, Any]


def generalise(text: str, profiles: Iterable[TableProfile]) -> General:
    """The question with placeholders such as ``{time_range}`` where it names a period, a value or a number."""
    found: list[tuple[Span, str, PlaceholderValue]] = []
    for match in find_periods(text, anchor=None):
        if match.period is not None and match.certain:
            found.append((match.span, "time_range", _period(match)))
    held: dict[str, set[str]] = {}
    for profile in profiles:
        for column in profile.columns:
            for value, _ in column.values or ():
                held.setdefault(str(value), set()).add(column.name)
    values = ValueIndex((column, value) for value, columns in held.items() for column in sorted(columns))
    for each in values.find(text, fuzzy=False):
        if each.how in {"exact", "case"} and not _overlaps(each.span, found):
            words = text[slice(*each.span)]
            columns = tuple(sorted(held[each.value]))
            forms = {"": each.value} | ({"number": each.value} if _is_number(each.value) else {})
            filled = PlaceholderValue(kind="value", words=words, forms=forms, fits=columns)
            found.append((each.span, placeholder(each.column), filled))
    for quantity in find_quantities(text, skip=[span for span, _, _ in found]):
        if not _overlaps(quantity.span, found):
            words = text[slice(*quantity.span)]
            forms = {"": f"{quantity.value:f}"}
            if quantity.share != quantity.value:
                forms["share"] = f"{quantity.share:f}"
            filled = PlaceholderValue(kind="number", words=words, forms=forms, fits=(quantity.unit or "",))
            found.append((quantity.span, "number", filled))
    return _replace(text, sorted(found, key=lambda each: each[0]))


def _period(match: PeriodMatch) -> PlaceholderValue:
    forms: dict[str, str] = {}
    if match.start is not None:
        forms["start"] = match.start.isoformat()
        if match.grain == "year":
            forms["year"] = str(match.start.year)
        if match.grain == "month":
            forms["month"] = forms["start"][:7]
    if match.end is not None:
        forms["end"] = match.end.isoformat()
        forms["next"] = (match.end + timedelta(days=1)).isoformat()
    fits = (str(match.grain), str(match.bound), "excluded" if match.excluded else "", *sorted(forms))
    return PlaceholderValue(kind="time", words=match.text, forms=forms, fits=fits)


def _overlaps(span: Span, found: list[tuple[Span, str, PlaceholderValue]]) -> bool:
    return any(span[0] < end and start < span[1] for (start, end), _, _ in found)


def placeholder(column: str) -> str:
    """The name of the placeholder for a value of a column."""
    name = re.sub(r"\W+", "_", column.casefold()).strip("_") or "value"
    return name if name.isidentifier() else f"value_{name}"


def _replace(text: str, found: list[tuple[Span, str, PlaceholderValue]]) -> General:
    parts: list[str] = []
    slots: dict[str, PlaceholderValue] = {}
    at = 0
    for (start, end), name, filled in found:
        unique = _unique(name, slots)
        parts += [_braces(text[at:start]), f"{{{unique}}}"]
        slots[unique] = filled
        at = end
    template = "".join([*parts, _braces(text[at:])])
    return General(template=" ".join(template.casefold().split()), slots=slots)


def _unique(name: str, taken: Iterable[str]) -> str:
    there = set(taken)
    return next(each for each in (name, *(f"{name}_{n}" for n in range(2, 1000))) if each not in there)


def _braces(text: str) -> str:
    return text.replace("{", "(").replace("}", ")")


def dig(plan: dict[str, Any], general: General) -> PlanTemplate | None:
    """The plan with a hole for each placeholder; None where one has no place in it, or it is not plain which."""
    places: dict[str, tuple[str, str]] = {}
    doubts: list[str] = []

    def visit(role: str, column: str, literal: Any) -> Any:
        fitting = {name: form for name, filled in general.slots.items() if (form := _form(filled, literal, column))}
        if len(fitting) > 1 or (isinstance(literal, str) and HOLE.match(literal)):
            doubts.append(role)
        for name, form in fitting.items():
            kind = general.slots[name].kind
            called = {"number": role, "value": placeholder(column), "time": name}[kind]
            if places.setdefault(name, (called, column)) != (called, column) and kind != "time":
                doubts.append(role)
            return f"{{{name}{form.removesuffix('.')}}}"
        return literal

    holed = walk(plan, visit)
    if doubts or set(places) != set(general.slots):
        return None
    final: dict[str, str] = {}
    slots: dict[str, PlaceholderValue] = {}
    for name, filled in general.slots.items():
        called, column = places[name]
        final[name] = _unique(called, final.values())
        slots[final[name]] = filled.model_copy(update={"fits": (column,)}) if filled.kind == "value" else filled
    template = re.sub(r"\{(\w+)\}", lambda place: f"{{{final[place[1]]}}}", general.template)
    plan_with_holes = walk(holed, lambda _role, _column, each: _renamed_hole(each, final))
    return PlanTemplate(general=General(template=template, slots=slots), plan=plan_with_holes)


def _renamed_hole(literal: Any, final: dict[str, str]) -> Any:
    hole = HOLE.match(literal) if isinstance(literal, str) else None
    return literal if hole is None else f"{{{final[hole[1]]}{f'.{hole[2]}' if hole[2] else ''}}}"


def _form(filled: PlaceholderValue, literal: Any, column: str) -> str:
    """Under which form a literal stands for what fills a placeholder, after a dot; nothing where it does not."""
    if isinstance(literal, bool) or literal is None or (filled.kind == "value" and column not in filled.fits):
        return ""
    for name, text in filled.forms.items():
        if isinstance(literal, str):
            same = literal == text and name != "number" and (filled.kind == "value" or not _is_number(text))
        else:
            same = _is_number(text) and float(literal) == float(text) and (filled.kind != "value" or name == "number")
        if same:
            return f".{name}"
    return ""


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[-+]?\d+(\.\d+)?(E[-+]?\d+)?", text) is not None


def fill(holed: PlanTemplate, new: General, renamed: Callable[[str], str] = lambda name: name) -> dict[str, Any] | None:
    """The plan for a new question: its literals in the holes; None when they do not fit one to one."""
    pairs = _pairs(holed.general, new, renamed)
    if pairs is None:
        return None

    def visit(_role: str, _column: str, literal: Any) -> Any:
        hole = HOLE.match(literal) if isinstance(literal, str) else None
        if hole is None:
            return literal
        filled = pairs[hole[1]]
        text = filled.forms[hole[2] or ""]
        if not _is_number(text) or (filled.kind == "value" and hole[2] != "number"):
            return text
        return int(float(text)) if float(text).is_integer() else float(text)

    return walk(holed.plan, visit)


def _pairs(before: General, after: General, renamed: Callable[[str], str]) -> dict[str, PlaceholderValue] | None:
    """For each hole what the new question has for it: of its kind, in the order in which both were said."""
    found: dict[str, PlaceholderValue] = {}
    free = list(after.slots.values())
    for name, old in before.slots.items():
        new = next((each for each in free if each.kind == old.kind and _fits(old, each, renamed)), None)
        if new is None or not set(old.forms) <= set(new.forms):
            return None
        free.remove(new)
        found[name] = new
    return None if free else found


def _fits(old: PlaceholderValue, new: PlaceholderValue, renamed: Callable[[str], str]) -> bool:
    if old.kind == "value":
        return bool({renamed(name) for name in old.fits} & set(new.fits))
    return old.fits == new.fits


def walk(body: Any, visit: Visit, role: str = "", column: str = "") -> Any:
    """The plan's JSON with every literal as ``visit`` gives it back; it gets the literal's role and column."""
    if isinstance(body, list):
        return [walk(each, visit, role, column) for each in body]
    if not isinstance(body, dict):
        return body
    made: dict[str, Any] = {}
    for key, each in body.items():
        if key == "to" and isinstance(each, list):
            made[key] = [visit(*_compared(body), literal) for literal in each]
        elif key == "span" and isinstance(each, list):
            made[key] = [visit("period", "", literal) for literal in each]
        elif key in _ROLES and not isinstance(each, dict | list):
            made[key] = visit(_ROLES[key], "", each)
        else:
            made[key] = walk(each, visit, key, column)
    return made


def _compared(test: dict[str, Any]) -> tuple[str, str]:
    """The role and the column of a test's literals."""
    value: dict[str, Any] = test.get("value") or {}
    of = str(value.get("column") or "")
    if "measure" in test or test.get("operator") in _COMPARED:
        return "threshold", of
    return placeholder(of), of
