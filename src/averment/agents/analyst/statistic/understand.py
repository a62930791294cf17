"""Reading a question as a specification: preparation steps, then one computation a value asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.columns import Columns
from averment.agents.analyst.statistic.implied import implied_values, uncovered
from averment.agents.analyst.statistic.preparation import read_steps
from averment.agents.analyst.statistic.reading import Reading
from averment.agents.analyst.statistic.unread import unread_words
from averment.agents.analyst.statistic.values import read_context, resolve
from averment.agents.analyst.statistic.wording import Wording

if TYPE_CHECKING:
    from averment.tables.catalog import Catalog
    from averment.tables.engine import Engine
    from averment.tables.profile import TableProfile

Step = dict[str, Any]


def read_question(text: str, profile: TableProfile, catalog: Catalog, engine: Engine | None = None) -> Reading | None:
    """The reading over one table; None when nothing in the text is for statistics."""
    originals = {column.name: column.original_name for column in catalog.table(profile.table).columns}
    columns = Columns(profile, originals, engine)
    wording = Wording.of(text, columns)
    steps = _with_hours(read_steps(wording))
    context = read_context(wording, steps)
    plain = not wording.asked
    if plain:
        wording.asked = implied_values(wording, context)
        if not wording.asked:
            return None
    values: list[dict[str, Any]] = []
    unread: list[str] = []
    for asked in wording.asked:
        found = resolve(asked, context)
        if found is None:
            unread.append(asked.name)
            continue
        values.append({**found, "decimals": found.get("decimals", wording.places(asked))})
    unread += _twins(values)
    unread += unread_words(wording, context, values)
    if plain:
        unread += uncovered(wording, context, values)
        used = json.dumps([steps, values])
        unread += [name for name in columns.named(text) if json.dumps(name) not in used and f":{name}" not in used]
    needed = _needed(steps, values, profile)
    return Reading(
        table=profile.table,
        columns=needed,
        steps=tuple(steps),
        values=tuple(values),
        unread=tuple(dict.fromkeys(unread)),
    )


def _twins(values: list[dict[str, Any]]) -> list[str]:
    """Names of values that came out as the same computation: what tells them apart was not understood."""
    seen: dict[str, str] = {}
    found: list[str] = []
    for value in values:
        text = json.dumps({key: part for key, part in value.items() if key not in ("name", "decimals")}, sort_keys=True)
        if text in seen and value["kind"] != "verdict":
            found += [seen[text], value["name"]]
        seen[text] = value["name"]
    return found


def _with_hours(steps: list[Step]) -> list[Step]:
    """Bins over the clock are bins over the hour."""
    found: list[Step] = []
    for step in steps:
        if step.get("clock"):
            hour = f"hour of {step['columns'][0]}"
            found.append({"do": "derive", "name": hour, "how": "hour", "columns": step["columns"]})
            found.append({**step, "columns": [hour]})
        else:
            found.append(step)
    return found


def _needed(steps: list[Step], values: list[dict[str, Any]], profile: TableProfile) -> tuple[str, ...]:
    """The columns that must be read; all of them where a step looks at whole rows."""
    names = [column.name for column in profile.columns]
    said: set[str] = set()
    whole = any(step["do"] == "deduplicate" or ("columns" in step and step["columns"] is None) for step in steps)

    def collect(part: Any) -> None:
        if isinstance(part, dict):
            for each in part.values():  # pyright: ignore[reportUnknownVariableType] - JSON
                collect(each)
        elif isinstance(part, list | tuple):
            for each in part:  # pyright: ignore[reportUnknownVariableType] - JSON
                collect(each)
        elif isinstance(part, str):
            said.update((part, part.partition(":")[2]))

    collect([steps, values])
    whole = whole or any(
        v["kind"] in {"duplicates"} or (v["kind"] == "missing" and not v.get("columns")) for v in values
    )
    return tuple(name for name in names if whole or name in said) or tuple(names[:1])
