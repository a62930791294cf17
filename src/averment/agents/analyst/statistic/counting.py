"""Counts and shares of rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.statistic.asked import Asked
from averment.agents.analyst.statistic.conditions import group_of
from averment.agents.analyst.statistic.naming import filtered

if TYPE_CHECKING:
    from averment.agents.analyst.statistic.values import Context

Value = dict[str, Any]


def rows(asked: Asked, words: str, context: Context) -> Value | None:
    """Counts and shares of rows, of a group or of all that the conditions leave."""
    share = re.search(r"proportion|percent|share|ratio|fraction|\brate\b", words)
    if (
        not share
        and not re.search(r"count|number|num|total|how many", words)
        and not re.search(r"integer|count", asked.inner + asked.about)
    ):
        return None
    where = group_of(asked, context)
    if where:
        extra: Value = {"of": True, "scale": 100 if share and "percent" in share[0] else 1} if share else {}
        return {"kind": "rows", **where, **extra}
    if share is not None:
        return None if _loose(context) else _share(share[0], context)
    best = _counted_extreme(words, context)
    if best is not None:
        return best
    if (
        share is None
        and context.grouping is None
        and any(step["do"] in {"filter", "deduplicate"} for step in context.steps)
    ):
        return {"kind": "rows"}
    return None


def _counted_extreme(words: str, context: Context) -> Value | None:
    """How many rows the largest group has."""
    group = context.grouping
    if group is None or not context.wording.says(r"\bmost\b|highest number|largest number"):
        return None
    return {"kind": "extreme", "by": group.column, "column": None, "statistic": "count", "how": "max", "show": "value"}


def _loose(context: Context) -> bool:
    """Whether the sentence that asks for a share holds words that found no place."""
    from averment.agents.analyst.statistic.implied import loose_words

    for _, sentence in context.wording.sentences_with(r"proportion|percent|share|fraction|\brate\b"):
        columns = context.wording.columns
        named = {
            name
            for name in columns.named(sentence, minimum=0.95)
            if (c := columns.of(name)) is None or c.inferred_type != "id"
        }
        if named - filtered(context):
            return True
        return bool(loose_words(sentence, context))
    return False


def _share(word: str, context: Context) -> Value | None:
    """The share of the rows that meet the last condition among those that meet the others."""
    chosen = [step for step in context.steps if step["do"] == "filter"]
    if not chosen or context.grouping is not None:
        return None
    numerator = chosen[-1]
    context.steps.remove(numerator)
    context.steps.append(numerator)
    where = {key: numerator[key] for key in ("column", "is", "value")}
    scale = 100 if word == "percent" else 1
    return {"kind": "rows", "where": [where], "of": True, "scale": scale, "after": len(context.steps) - 1}
