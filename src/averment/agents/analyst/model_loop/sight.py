"""What a model is shown of a question and its tables, as far as privacy allows and in as few words as possible.

What does not change comes first, so that a provider's cache holds it; then this question. Up to a few hundred columns
everything is shown. Beyond that each table is scored by the question's words in its name, its columns and its values,
and by nearness of meaning; the best come with all their joins. A model sees which values of the data stand in the
question, but not how the embedded readers read it: their reading is the witness.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.model_loop.submission import offered
from averment.agents.analyst.profiling import columns_to_read, profile_table
from averment.agents.analyst.recipes import SEARCHED, confirmed
from averment.errors import AvermentError, MissingTable
from averment.llm import Prompt, render, today_for
from averment.reading.words import singular
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Question
    from averment.language.embeddings import Embedder
    from averment.reading.schema.schema_view import Schema
    from averment.runtime.model_loop.privacy import Privacy
    from averment.runtime.model_loop.tool_loop import TakenStep
    from averment.runtime.run_context import RunContext
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

UNITS = {
    "kg": "kilograms",
    "g": "grams",
    "km": "kilometres",
    "cm": "centimetres",
    "mm": "millimetres",
    "m": "metres",
    "mi": "miles",
    "lb": "pounds",
    "usd": "US dollars",
    "eur": "euros",
    "gbp": "pounds sterling",
    "pct": "percent",
    "percent": "percent",
    "percentage": "percent",
    "min": "minutes",
    "minutes": "minutes",
    "sec": "seconds",
    "seconds": "seconds",
    "ms": "milliseconds",
    "hours": "hours",
    "days": "days",
    "kwh": "kilowatt-hours",
    "celsius": "degrees Celsius",
    "fahrenheit": "degrees Fahrenheit",
}
"""Last words of column names that say in what a number is measured."""

_DIGIT = re.compile(r"\d")
_DATE_SHAPES = re.compile(r"[9/.:\-T Z]{4,25}|9{1,2}[ -][A-Za-z]{3,9}[ -,]{1,2}9{2,4}")


@dataclass
class ModelView:
    """All that a model could be shown of one run: its work, profiles, schema and level of privacy."""

    work: RunContext
    profiles: tuple[TableProfile, ...]
    schema: Schema
    privacy: Privacy
    names: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.names |= {name for each in self.profiles for name in (each.table, *(c.name for c in each.columns))}
        self.names |= {name for view, columns in self.unread.items() for name in (view, *columns)}

    @property
    def unread(self) -> dict[str, list[str]]:
        """The columns of those tables that nobody has looked into yet: views that the question does not name."""
        read = {each.table for each in self.profiles}
        others = {one.name: columns_to_read(self.work, one) for one in self.work.catalog.tables if one.name not in read}
        return {name: columns for name, columns in others.items() if columns}

    def profile(self, table: str) -> TableProfile:
        """The profile of a table.

        Raises:
            MissingTable: there is none of that name.
        """
        for each in self.profiles:
            if each.table.casefold() == table.casefold():
                return each
        for name in self.unread:
            if name.casefold() == table.casefold():
                info = self.work.catalog.table(name)
                self.profiles = (*self.profiles, profile_table(self.work, info, self.unread[name]))
                return self.profiles[-1]
        raise MissingTable(
            f"There is no table {table}.", suggestion=f"Tables: {', '.join(each.table for each in self.profiles)}."
        )

    def reads(self, sql: str) -> dict[str, list[tuple[str, str]]]:
        """Which source columns each result column of a query is made of."""
        try:
            return {name: sorted(read) for name, read in self.work.queries.engine().check(sql).outputs}
        except AvermentError:
            return {}

    def may_see(self, table: str, column: str) -> bool:
        """Whether values of a column of texts may be shown when they are looked for."""
        found = self.profile(table).column(column)
        values = [str(value) for value, _ in (found.values or ())] if found is not None else []
        known = values or [str(value) for value in (found.sample_values if found is not None else ())]
        return self.privacy.permits("values", table, column) and not self.privacy.is_personal(table, column, known)


def table_card(view: ModelView, profile: TableProfile, columns: Sequence[str] | None = None) -> dict[str, Any]:
    """A table: its rows and its columns, or some of them."""
    shown = [column for column in profile.columns if columns is None or column.name in columns]
    card: dict[str, Any] = {
        "table": profile.table,
        "rows": profile.row_count,
        "columns": [column_card(view, profile, column) for column in shown],
    }
    hidden = len(profile.columns) - len(shown)
    return card | ({"further_columns": hidden} if hidden else {})


def column_card(view: ModelView, profile: TableProfile, column: ColumnProfile) -> dict[str, Any]:
    """A column: name and type; key, unit, format, range and values as far as they are known and may be shown."""
    card: dict[str, Any] = {"name": column.name, "type": column.type}
    known = view.schema.column(profile.table, column.name)
    if known is not None and known.is_unique and (known.has("key") or column.inferred_type == "id"):
        card["key"] = "unique"
    elif known is not None and known.has("key"):
        card["key"] = "reference"
    unit = unit_of(column.name)
    if unit is not None and column.data_type in {"integer", "float"}:
        card["unit"] = unit
    if not view.privacy.permits("profiles", profile.table, column.name):
        return card
    if column.nulls and profile.row_count:
        card["empty"] = f"{100 * column.nulls / profile.row_count:.3g} %"
    card["distinct"] = column.cardinality
    if column.data_type != "string" and column.minimum is not None and "key" not in card:
        card["range"] = [str(column.minimum), str(column.maximum)]
    shape = date_shape(column)
    if shape is not None:
        card["format"] = shape
        card["range"] = [str(column.minimum), str(column.maximum)]
    values = view.privacy.samples(profile.table, column)
    if values and "key" not in card:
        card["values" if len(values) == column.cardinality else "some_values"] = values
    return card


def unit_of(name: str) -> str | None:
    """In what a number is measured, where the column's name ends in it."""
    parts = [part.casefold() for part in name_parts(name)]
    return UNITS.get(parts[-1]) if len(parts) > 1 or (parts and len(parts[0]) > 2) else None


def date_shape(column: ColumnProfile) -> str | None:
    """How the dates of a text column are written, digits as 9; None where it holds none."""
    if column.data_type != "string" or not isinstance(column.minimum, str) or not isinstance(column.maximum, str):
        return None
    low, high = _DIGIT.sub("9", column.minimum), _DIGIT.sub("9", column.maximum)
    digits = sum(character == "9" for character in low)
    return low if low == high and digits >= 4 and _DATE_SHAPES.fullmatch(low) else None


def join_cards(view: ModelView, tables: set[str] | None = None) -> list[dict[str, Any]]:
    """How tables join: from the many to the one, with how much of it matches."""
    cards: list[dict[str, Any]] = []
    for one in view.schema.relations:
        if tables is not None and not {one.left, one.right} <= tables:
            continue
        left, right = view.schema.column(one.left, one.left_column), view.schema.column(one.right, one.right_column)
        single = left is not None and left.is_unique
        many = right is not None and not right.is_unique
        kind = "one to one" if single and not many else "many to many" if many and not single else "many to one"
        card: dict[str, Any] = {
            "from": f"{one.left}.{one.left_column}",
            "to": f"{one.right}.{one.right_column}",
            "kind": kind,
            "declared": one.declared,
        }
        if not one.declared:
            card["matched"] = f"{100 * one.included:.3g} %"
        cards.append(card)
    return cards


ALL_COLUMNS = 300
"""Up to so many columns nothing is left out."""

SHOWN_TABLES = 10
SHOWN_COLUMNS = 40
IDLE = frozenset(
    "a an the of in for to at on is are was were and or by with per each all how many much what which who".split()
)
_WORD = re.compile(r"[^\W_]+")


def link(view: ModelView, question: str, embedder: Embedder | None) -> dict[str, list[str]] | None:
    """The tables to show, each with the columns to show of it; None where all of them are shown."""
    total = sum(len(profile.columns) for profile in view.profiles)
    if total <= ALL_COLUMNS:
        return None
    wanted = _words(question)
    scores = {profile.table: 0.0 for profile in view.profiles}
    columns: dict[str, dict[str, float]] = {profile.table: {} for profile in view.profiles}
    spread = _spread(view)
    lowered = f" {' '.join(_WORD.findall(question.casefold()))} "
    for profile in view.profiles:
        named = set(_parts(profile.table))
        scores[profile.table] += sum(3.0 for word in wanted if word in named)
        for column in profile.columns:
            parts = _parts(column.name)
            hit = sum(_weight(word, spread) for word in wanted if word in parts)
            hit += 1.5 * sum(1 for value, _ in column.values or () if _stands(str(value), lowered))
            if hit:
                columns[profile.table][column.name] = hit
        scores[profile.table] += sum(sorted(columns[profile.table].values(), reverse=True)[:4])
    if embedder is not None:
        _add_meaning(view, question, embedder, scores)
    return _chosen(view, scores, columns)


def _words(text: str) -> list[str]:
    found = [singular(word) for word in _WORD.findall(text.casefold()) if word not in IDLE]
    return list(dict.fromkeys(found))


def _parts(name: str) -> list[str]:
    return [singular(part.casefold()) for part in name_parts(name)]


def _spread(view: ModelView) -> Counter[str]:
    """In how many tables a word of a column's name stands: what stands everywhere says nothing."""
    return Counter(
        word
        for profile in view.profiles
        for word in {part for column in profile.columns for part in _parts(column.name)}
    )


def _weight(word: str, spread: Counter[str]) -> float:
    return 1.0 / (1.0 + math.log(max(1, spread[word])))


def _stands(value: str, question: str) -> bool:
    words = " ".join(_WORD.findall(value.casefold()))
    return len(words) > 2 and f" {words} " in question


def _add_meaning(view: ModelView, question: str, embedder: Embedder, scores: dict[str, float]) -> None:
    """Nearness of meaning between the question and each table's name with its columns."""
    cards = [
        f"{' '.join(name_parts(p.table))}: {', '.join(' '.join(name_parts(c.name)) for c in p.columns)}"
        for p in view.profiles
    ]
    names = [" ".join(name_parts(profile.table)) for profile in view.profiles]
    vectors = embedder.embed([question, *cards, *names])
    count = len(view.profiles)
    for place, profile in enumerate(view.profiles):
        near = float(vectors[0] @ vectors[1 + place]), float(vectors[0] @ vectors[1 + count + place])
        scores[profile.table] += 2.0 * max(0.0, near[0]) + 2.0 * max(0.0, near[1])


def _chosen(view: ModelView, scores: dict[str, float], columns: dict[str, dict[str, float]]) -> dict[str, list[str]]:
    ranked = sorted(scores, key=lambda table: (-scores[table], table))
    best = ranked[:SHOWN_TABLES]
    for first in ranked[:3]:
        for second in ranked[:3]:
            best += [table for table in _between(view, first, second) if table not in best]
    keys = {(one.left, one.left_column) for one in view.schema.relations}
    keys |= {(one.right, one.right_column) for one in view.schema.relations}
    chosen: dict[str, list[str]] = {}
    for table in best:
        profile = view.profile(table)
        order = sorted(
            profile.columns,
            key=lambda column: (-columns[table].get(column.name, 0.0), (table, column.name) not in keys),
        )
        chosen[table] = [column.name for column in order[:SHOWN_COLUMNS]]
    return chosen


def _between(view: ModelView, first: str, second: str) -> list[str]:
    """The tables on the way from one table to another."""
    reached: dict[str, list[str]] = {first: []}
    queue = [first]
    while queue:
        here = queue.pop(0)
        if here == second:
            return reached[here][:-1]
        for one in view.schema.relations:
            for other in ({one.left: one.right, one.right: one.left}.get(here),):
                if other is not None and other not in reached:
                    reached[other] = [*reached[here], other]
                    queue.append(other)
    return []


MOST_EXAMPLES = 4
MOST_EARLIER = 4
NEAR_EXAMPLE = 0.35

DIALECTS = {
    "duckdb": (
        "DuckDB SQL. Dates: date_trunc('month', d), year(d), strftime(d, '%Y-%m'), d + INTERVAL 1 DAY, "
        "date_diff('day', a, b). Text: lower, contains, regexp_extract, string_agg, split_part. Statistics: median, "
        "quantile_cont(x, 0.9), stddev_samp, corr, regr_slope. QUALIFY, GROUP BY ALL, FILTER (WHERE …), TRY_CAST work."
    ),
    "sqlite": (
        "SQLite SQL. Dates are texts or numbers: strftime('%Y-%m', d), date(d, '+1 day'), julianday(b) - julianday(a), "
        "substr(d, 1, 4). Write CAST(a AS REAL) / b for a ratio of whole numbers. No median or quantile: use window "
        "functions. There is no QUALIFY; use a step and WHERE."
    ),
    "postgres": (
        "PostgreSQL. Dates: date_trunc('month', d), extract(year from d), to_char is refused. Statistics: "
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY x), stddev_samp, corr. FILTER (WHERE …) and DISTINCT ON work."
    ),
}
"""What matters most of each dialect, and what the guard lets pass."""


def schema_data(view: ModelView, question: str) -> dict[str, Any]:
    """The tables as a model sees them, or of many those that the question can be about."""
    linked = link(view, question, None)
    if linked is not None:
        linked = link(view, question, view.work.services.texts.embedder())
    dialect = view.work.catalog.dialect
    if linked is None:
        tables = [table_card(view, profile) for profile in view.profiles]
        views = {"views": view.unread} if view.unread else {}
        return {"dialect": dialect, "tables": tables, "joins": join_cards(view), **views}
    tables = [table_card(view, view.profile(name), columns) for name, columns in linked.items()]
    others = sorted({*(profile.table for profile in view.profiles), *view.unread} - set(linked))
    return {"dialect": dialect, "tables": tables, "joins": join_cards(view, set(linked)), "further_tables": others}


def named_values(view: ModelView, question: str) -> list[dict[str, Any]]:
    """Values of the data that stand in the question, each with the columns that hold it."""
    lowered = f" {' '.join(_WORD.findall(question.casefold()))} "
    columns: dict[str, list[str]] = {}
    for column in view.schema.columns:
        if column.kind == "text" and column.expression is None:
            for value in filter(lambda value: _stands(str(value), lowered), column.values):
                columns.setdefault(str(value), []).append(repr(column))
    view.privacy.shown.update(columns)
    return [{"value": value, "columns": holding} for value, holding in columns.items()]


def solved_examples(view: ModelView, question: str) -> list[dict[str, Any]]:
    """Questions like this one that were answered before, each with its plan."""
    recipes = view.work.services.store.recipes
    if not recipes.list(limit=1):
        return []
    vector = view.work.services.texts.embedder().embed([question])[0]
    found = confirmed(recipes.find(view.work.catalog.fingerprint, vector, SEARCHED))
    return [
        {"question": recipe.intent_template, "plan": recipe.plan_structure["plan"]}
        for recipe, near in found[:MOST_EXAMPLES]
        if near >= NEAR_EXAMPLE
    ]


def conversation(view: ModelView) -> list[dict[str, Any]]:
    """What was asked before, where this question follows on it, the oldest first."""
    runs, told = view.work.services.store.runs, list[dict[str, Any]]()
    earlier = view.work.state.meaning.get("after")
    while isinstance(earlier, str) and len(told) < MOST_EARLIER:
        row = runs.get(earlier)
        reading = row.reading or {}
        body = reading.get("reading") or {}
        said: dict[str, Any] = {"question": row.intent, "read_as": reading.get("read_as")}
        if isinstance(body.get("plan"), dict):
            said["plan"] = body["plan"]
        elif body.get("tasks"):
            said["query"] = body["tasks"][-1]["arguments"].get("query")
        told.append({name: value for name, value in said.items() if value})
        earlier = (row.request.get("meaning") or {}).get("after")
    return told[::-1]


def today_of(view: ModelView) -> str:
    """The day that counts as today, as the run keeps it: resumed or replayed, it stays the same."""
    runs = view.work.services.store.runs
    kept = runs.record(view.work.run_id, "today", "today")
    if kept is None:
        kept = {"date": today_for(view.work.services.settings)}
        runs.put(view.work.run_id, "today", "today", kept)
    return str(kept["date"])


def first_prompt(view: ModelView, question: Question, notes: Sequence[str]) -> dict[str, Any]:
    """The values of the prompt that stay the same through all steps of a run."""
    anchor = view.schema.anchor
    now = {"today": today_of(view), "dialect_notes": DIALECTS[view.work.catalog.dialect]}
    if anchor is not None and view.privacy.permits("profiles"):
        now["last_day_in_the_data"] = anchor.isoformat()
    return {
        "further": offered(view.work.services.tools.registry),
        "schema": schema_data(view, question.text),
        "examples": solved_examples(view, question.text),
        "now": now,
        "meanings": list(notes),
        "conversation": conversation(view),
        "values": named_values(view, question.text),
        "question": view.work.request.intent,
    }


def step_prompt(values: dict[str, Any], taken: Sequence[TakenStep], left: int) -> Prompt:
    """The whole prompt of the next step."""
    steps = [{"step": each.step, "observation": each.observation} for each in taken]
    return render("plan_analysis", **values, steps=steps, steps_left=left)
