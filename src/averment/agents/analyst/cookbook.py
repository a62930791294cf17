"""The cookbook: a question that was answered is kept as a recipe, and a like question over a like schema comes from it.

A question is made general by putting placeholders where it names a period, a value of the data or a number. Two
questions with one template differ only in those; the kept reading is then re-bound to the new ones. A recipe never
overrules a sure reading: it speaks where the reading would be the same, or where there is none. A schema that changed a
little is noticed: what was learned is re-bound to the names of today, or it is said why it is of no use any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.drift import Drift, columns_of, compare, named_in
from averment.agents.analyst.skill import Candidate
from averment.language.linking import ValueIndex
from averment.language.numbers import find_quantities
from averment.language.periods import find_periods
from averment.records.analysis import Recipe
from averment.records.base import Record, utc_now

if TYPE_CHECKING:
    from averment.language.embeddings import Embedder
    from averment.spine.work import Work
    from averment.store.recipes import RecipeStore
    from averment.tables.profile import TableProfile

Span = tuple[int, int]


class Filled(Record):
    """What stands in a placeholder: the user's words, and the values a reading holds for them."""

    words: str
    values: tuple[str, ...]


class General(Record):
    """A question with placeholders, and what stood in them."""

    template: str
    slots: dict[str, Filled]


def generalise(text: str, profiles: Iterable[TableProfile]) -> General:
    """The question with placeholders such as ``{time_range}`` where it names a period, a value or a number."""
    found: list[tuple[Span, str, Filled]] = []
    for match in find_periods(text, anchor=None):
        if match.period is not None and match.certain:
            days = [day.isoformat() for day in (match.start, match.end) if day is not None]
            found.append((match.span, "time_range", Filled(words=match.text, values=(*days, match.text))))
    values = ValueIndex(
        (column.name, str(value))
        for profile in profiles
        for column in profile.columns
        for value, _ in column.values or ()
    )
    for each in values.find(text, fuzzy=False):
        if each.how in {"exact", "case"} and not _overlaps(each.span, found):
            words = text[slice(*each.span)]
            found.append((each.span, _placeholder(each.column), Filled(words=words, values=(each.value, words))))
    for quantity in find_quantities(text, skip=[span for span, _, _ in found]):
        if not _overlaps(quantity.span, found):
            words = text[slice(*quantity.span)]
            found.append((quantity.span, "number", Filled(words=words, values=(str(quantity.value), words))))
    return _replace(text, sorted(found, key=lambda each: each[0]))


def _overlaps(span: Span, found: list[tuple[Span, str, Filled]]) -> bool:
    return any(span[0] < end and start < span[1] for (start, end), _, _ in found)


def _placeholder(column: str) -> str:
    name = re.sub(r"\W+", "_", column.casefold()).strip("_") or "value"
    return name if name.isidentifier() else f"value_{name}"


def _replace(text: str, found: list[tuple[Span, str, Filled]]) -> General:
    parts: list[str] = []
    slots: dict[str, Filled] = {}
    at = 0
    for (start, end), name, filled in found:
        unique = name if name not in slots else f"{name}_{sum(1 for each in slots if each.startswith(name)) + 1}"
        parts += [_braces(text[at:start]), f"{{{unique}}}"]
        slots[unique] = filled
        at = end
    template = "".join([*parts, _braces(text[at:])])
    return General(template=" ".join(template.casefold().split()), slots=slots)


def _braces(text: str) -> str:
    return text.replace("{", "(").replace("}", ")")


def rebind(reading: Any, before: dict[str, Filled], after: dict[str, Filled]) -> Any:
    """A kept reading with the new question's values where the old one's stood; None when they do not fit one to one."""
    swaps: dict[str, str] = {}
    for name, old in before.items():
        new = after.get(name)
        if new is None or len(new.values) != len(old.values):
            return None
        for left, right in zip(old.values, new.values, strict=True):
            if swaps.setdefault(left, right) != right:
                return None
    return _swap(reading, swaps)


def _swap(value: Any, swaps: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _swap(each, swaps) for key, each in value.items()}
    if isinstance(value, list):
        return [_swap(each, swaps) for each in value]
    if isinstance(value, str):
        return swaps.get(value, value)
    if isinstance(value, int | float) and not isinstance(value, bool) and str(value) in swaps:
        return type(value)(swaps[str(value)])
    return value


def _in_words(text: str, before: dict[str, Filled], after: dict[str, Filled]) -> str:
    for name, old in before.items():
        for left, right in zip(old.values, after[name].values, strict=True):
            text = text.replace(left, right)
    return text


class Recalled(Record):
    """A recipe for a question like this one: its reading re-bound to it, or why it cannot be used."""

    recipe: Recipe
    candidate: Candidate | None = None
    drift: str = ""
    reason: str = ""


class Cookbook:
    """Recipes of one home, recalled and kept by the analyst."""

    def __init__(self, store: RecipeStore, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder

    def recall(self, work: Work, text: str, general: General) -> Recalled | None:
        """The kept recipe whose template is this question's, with its reading re-bound to it.

        Recipes of this very schema come first, then those of a schema that has changed a little since.
        """
        if not general.slots or not self._store.list(limit=1):
            return None
        vector = self._embedder().embed([text])[0]
        fingerprint, now = work.catalog.fingerprint, columns_of(work.catalog)
        there = self._store.find(fingerprint, vector)
        elsewhere = self._store.find_elsewhere(fingerprint, vector)
        unusable: Recalled | None = None
        for recipe, _ in (*there, *elsewhere):
            kept = recipe.plan_structure
            if "reading" not in kept:
                continue
            schema = tuple((str(table), str(column), str(kind)) for table, column, kind in kept.get("schema", ()))
            drift = compare(schema, now) if schema else None
            if drift is None and recipe.schema_fingerprint != fingerprint:
                continue
            found = _rebound(recipe, general, drift)
            if found is not None and found.candidate is not None:
                return found
            unusable = unusable or found
        return unusable

    def keep(self, work: Work) -> Recipe | None:
        """Keep a finished analysis, or count one more success; a question with nothing to generalise is not kept."""
        general = General.model_validate(work.reading["general"])
        if not general.slots or work.plan is None:
            return None
        vector = self._embedder().embed([work.request.intent])[0]
        subtasks = [
            {"task_id": task.task_id, "tool_name": task.tool_name, "dependencies": list(task.dependencies)}
            for task in work.plan.subtasks
        ]
        structure = {
            "subtasks": subtasks,
            "skill": work.reading["skill"],
            "reading": work.reading["reading"],
            "in_words": work.reading.get("read_as", work.reading["in_words"]),
            "schema": [list(column) for column in columns_of(work.catalog)],
            "slots": {name: filled.model_dump(mode="json") for name, filled in general.slots.items()},
        }
        now = utc_now()
        return self._store.save(
            Recipe(
                schema_fingerprint=work.catalog.fingerprint,
                intent_template=general.template,
                intent_embedding=vector.astype("float32").tobytes(),
                plan_structure=structure,
                tool_argument_templates=tuple(dict(task.arguments) for task in work.plan.subtasks),
                created_at=now,
                last_used_at=now,
            )
        )


def _rebound(recipe: Recipe, general: General, drift: Drift | None) -> Recalled | None:
    """The recipe for this question and the schema of today; None when it is a recipe for something else."""
    kept: dict[str, Any] = recipe.plan_structure
    renamed = drift.renamed if drift is not None else {}
    names = {_placeholder(old): _placeholder(new) for old, new in renamed.items()}
    template = re.sub(r"\{(\w+)\}", lambda place: f"{{{names.get(place[1], place[1])}}}", recipe.intent_template)
    if template != general.template:
        return None
    slots: dict[str, Any] = kept["slots"]
    before = {names.get(name, name): Filled.model_validate(body) for name, body in slots.items()}
    told = drift.in_words() if drift is not None else ""
    if drift is not None:
        lost = [name for name in named_in(kept["reading"], _columns(kept)) if drift.column(name) is None]
        if lost:
            return Recalled(recipe=recipe, drift=told, reason=f"it needs {', '.join(lost)}")
    reading = rebind(kept["reading"], before, general.slots)
    if reading is None:
        return None
    words = _in_words(str(kept["in_words"]), before, general.slots)
    if drift is not None:
        reading, words = drift.rebind(reading), drift.rebind(words)
    candidate = Candidate(skill=str(kept["skill"]), reading=reading, in_words=words, score=1.0)
    return Recalled(recipe=recipe, candidate=candidate, drift=told)


def _columns(kept: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(str(column) for _, column, _ in kept["schema"]))
