"""The prompt of the loop: what does not change comes first, so that a provider's cache holds it; then this question.

A model is shown which words of the question the embedded readers could place, and which not, but not how they read the
whole: their reading is the witness, and a witness who has been listened to before is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.model_loop.added_tools import offered
from averment.agents.analyst.model_loop.cards import ModelView, join_cards, table_card
from averment.agents.analyst.model_loop.linking import link
from averment.agents.analyst.recipes import SEARCHED, confirmed
from averment.llm import Prompt, render, today_for
from averment.reading.lattice.cutting import cut
from averment.reading.lattice.tilings import tilings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.agents.analyst.skill import Question
    from averment.runtime.models.steps import TakenStep

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


def placed_words(view: ModelView, question: str) -> dict[str, Any]:
    """Which words of the question name columns and values, and which found no place."""
    readings = tilings(cut(question, view.schema), most=1)
    placed: list[dict[str, str]] = []
    lost: list[str] = []
    for span in readings[0].spans if readings else ():
        if span.type == "COLUMN":
            placed.append({"words": span.text, "column": repr(span.data)})
        elif span.type == "VALUE":
            column, value = span.data
            if view.may_see(column.table, column.name) or str(value).casefold() in question.casefold():
                view.privacy.shown.add(str(value))
                placed.append({"words": span.text, "column": repr(column), "value": str(value)})
        elif span.type == "UNKNOWN":
            lost.append(span.text)
    return {"placed": placed, "no_place": lost}


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
        "words": placed_words(view, question.text),
        "question": view.work.request.intent,
    }


def step_prompt(values: dict[str, Any], taken: Sequence[TakenStep], left: int) -> Prompt:
    """The whole prompt of the next step."""
    steps = [{"step": each.step, "observation": each.observation} for each in taken]
    return render("plan_analysis", **values, steps=steps, steps_left=left)
