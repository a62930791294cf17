"""Signs: what can be seen of a reading before anyone knows whether it is right, as numbers a calibrated model weighs.

Each sign is a plain fact about the question's words, how they were linked, the query made of them and what it returned.
They are bounded, so that no odd question can outweigh all the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.words import (
    AGGREGATES,
    DISTINCT,
    FREQUENT,
    NEGATIONS,
    SPLITS,
    SUPERLATIVES,
)
from averment.tables.select_spec import Term

if TYPE_CHECKING:
    from averment.agents.analyst.query.charts import ChartAsk
    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.mentions import Marked
    from averment.agents.analyst.query.vocabulary import Vocabulary
    from averment.tables.select_spec import Condition, Select


@dataclass(frozen=True)
class Seen:
    """All that is known of a reading when it is judged."""

    marked: Marked
    draft: Draft
    select: Select
    ask: ChartAsk
    vocabulary: Vocabulary
    unread: tuple[str, ...]
    lenient: tuple[str, ...]
    content: int
    loose: int
    rows: int | None
    chart: bool
    margins: tuple[float, ...]
    agrees: bool
    home: bool
    only_mentions: bool
    result: tuple[tuple[object, ...], ...] = ()
    fit: tuple[float, float, int] | None = None
    readers: tuple[int, int] = (1, 0)


def read_signs(seen: Seen) -> dict[str, float]:
    """The signs of a reading, by name."""
    return {**_words(seen), **_links(seen), **_query(seen), **_result(seen), **_readers(seen), **_chart(seen)}


def _cap(value: float, most: float) -> float:
    return min(float(value), most) / most


def _words(seen: Seen) -> dict[str, float]:
    words = [token.normal for token in seen.marked.tokens]
    said = set(words)
    unread = seen.unread
    draft, select = seen.draft, seen.select
    extreme = bool(select.order and select.limit) or any(m.function in {"min", "max"} for m in draft.measures)
    grouped = bool(select.groups) or bool(draft.splits)
    many = any(w == "many" and words[p - 1] == "how" for p, w in enumerate(words) if p)
    negative = bool(draft.absent) or any(map(_negates, (*select.conditions, *select.having)))
    wants_extreme = bool(said & set(SUPERLATIVES) or said & FREQUENT) and "at" not in said
    return {
        "unread_share": _cap(len(unread) / max(1, seen.content), 0.6),
        "unread_some": float(bool(unread)),
        "unread_two": float(len(unread) >= 2),
        "unread_many": _cap(len(unread), 6),
        "lenient_some": float(bool(seen.lenient)),
        "lenient_share": _cap(len(seen.lenient) / max(1, seen.content), 0.6),
        "unread_named": float(any(word[:1].isupper() for word in unread)),
        "unread_digits": float(any(char.isdigit() for word in unread for char in word)),
        "loose_some": float(seen.loose > 0),
        "loose_two": float(seen.loose > 1),
        "length": _cap(len(words), 40),
        "long": float(len(words) > 25),
        "sentences": _cap(len(seen.marked.breaks), 3),
        "extreme_missed": float(wants_extreme and not extreme),
        "extreme_met": float(wants_extreme and extreme),
        "split_missed": float(bool(said & (SPLITS - {"across"})) and not grouped),
        "split_met": float(bool(said & SPLITS) and grouped),
        "count_missed": float(many and not draft.measures and not draft.counted and not select.groups),
        "negation_missed": float(bool(said & NEGATIONS) and not negative),
        "negation_met": float(bool(said & NEGATIONS) and negative),
        "aggregate_missed": float(bool(said & set(AGGREGATES)) and not _aggregates(select)),
        "or_missed": float("or" in said and not _chooses(select)),
        "both_said": float(bool(said & {"both", "neither", "either"})),
        "distinct_said": float(bool(said & DISTINCT)),
        "two_extremes": float(sum(word in SUPERLATIVES for word in words) > 1),
        "defined": float(any(word.isupper() and len(word) > 2 for word in unread)),
        "which": float(bool(words) and words[0] in {"which", "who"}),
        "how_many": float(many),
        "top": float("top" in said),
        "compared": float(bool(said & {"than", "above", "below", "over", "under", "between"})),
    }


def _negates(condition: Condition) -> bool:
    return (
        condition.negated
        or condition.operator in {"<>", "not in", "<", "<=", "null"}
        or any(map(_negates, (*condition.any_of, *condition.all_of)))
    )


def _chooses(select: Select) -> bool:
    return any(c.any_of or c.operator == "in" for c in select.conditions) or select.set_operation == "union"


def _terms(select: Select) -> list[Term]:
    found = [output.term for output in select.outputs] + [order.term for order in select.order]
    found += [c.term for c in (*select.conditions, *select.having) if c.term is not None]
    queue, every = list(found), list[Term]()
    while queue:
        term = queue.pop()
        every.append(term)
        queue += term.arguments
    return every


def _aggregates(select: Select) -> bool:
    return any(term.kind in {"aggregate", "rows", "scalar"} for term in _terms(select)) or any(
        condition.query is not None for condition in select.conditions
    )


def _links(seen: Seen) -> dict[str, float]:
    used = [m for m in seen.marked.mentions if set(m.words) & seen.draft.used]
    named = [m for m in used if m.kind in {"table", "column"} and m.choices]
    scores = [max(choice.score for choice in m.choices) for m in named] or [0.5]
    values = [m for m in used if m.kind == "value" and m.choices]
    cells = [max(choice.score for choice in m.choices) for m in values] or [1.0]
    margin = min(seen.margins, default=0.3)
    several = sum(len({(c.table, c.column) for c in m.choices}) > 1 for m in values)
    return {
        "link_least": max(0.0, min(scores) - 0.5) * 2,
        "link_mean": max(0.0, sum(scores) / len(scores) - 0.5) * 2,
        "link_weak": float(min(scores) < 0.75),
        "link_count": _cap(len(named), 8),
        "link_none": float(not named),
        "implied": _cap(sum(m.implied for m in named), 2),
        "value_least": max(0.0, min(cells) - 0.5) * 2,
        "value_count": _cap(len(values), 3),
        "value_several": float(several > 0),
        "margin": _cap(margin, 0.3),
        "margin_none": float(margin < 0.02),
        "margin_small": float(margin < 0.1),
        "agrees": float(seen.agrees),
        "home": float(seen.home),
        "unused_mentions": _cap(sum(not set(m.words) & seen.draft.used for m in seen.marked.mentions), 3),
    }


def _query(seen: Seen) -> dict[str, float]:
    select, draft = seen.select, seen.draft
    joins = len(select.joins)
    declared = {frozenset((one.left, one.right)) for one in seen.vocabulary.relations if one.declared}
    guessed = sum(frozenset((join.left, join.right)) not in declared for join in select.joins)
    shown = {output.term.table for output in select.outputs if output.term.table}
    return {
        "joins": _cap(joins, 4),
        "joins_one": float(joins == 1),
        "joins_two": float(joins == 2),
        "joins_more": float(joins > 2),
        "joins_guessed": _cap(guessed, 3),
        "keys_undeclared": float(not declared and len(seen.vocabulary.profiles) > 1),
        "keys_undeclared_joined": float(not declared and joins > 0),
        "keys_undeclared_unread": float(not declared and bool(seen.unread)),
        "keys_undeclared_formula": float(not declared and any(m.term is not None for m in draft.measures)),
        "tables_shown": _cap(len(shown), 3),
        "tables_known": _cap(math.log(max(1, len(seen.vocabulary.profiles))), 3),
        "tables_one": float(len(seen.vocabulary.profiles) == 1),
        "outputs": _cap(len(select.outputs), 6),
        "outputs_one": float(len(select.outputs) == 1),
        "measures_two": float(len(draft.measures) > 1),
        "splits_two": float(len(select.groups) > 2),
        "grouped": float(bool(select.groups)),
        "conditions": _cap(len(select.conditions), 4),
        "conditions_none": float(not select.conditions and not select.having),
        "having": float(bool(select.having)),
        "ordered": float(bool(select.order) and select.limit is None),
        "limited": float(select.limit is not None),
        "nested": float(any(c.query is not None for c in select.conditions)),
        "absent": float(bool(draft.absent)),
        "set_operation": float(select.set_operation is not None),
        "formula": float(any(m.term is not None for m in draft.measures)),
        "distinct_counted": float(any(m.distinct for m in draft.measures)),
        "parts": float(any(term.kind == "part" for term in _terms(select))),
        "only_mentions": float(seen.only_mentions),
        "plain_list": float(not select.conditions and not select.groups and not select.order and joins > 0),
        "count_only": float(len(select.outputs) == 1 and select.outputs[0].term.kind == "rows" and not joins),
    }


def _result(seen: Seen) -> dict[str, float]:
    rows = seen.rows
    single = bool(seen.select.limit == 1 or (seen.draft.measures and not seen.select.groups))
    return {
        "rows_none": float(not rows),
        "rows_one": float(rows == 1),
        "rows_many": float((rows or 0) > 100),
        "rows_single_met": float(single and rows == 1),
        **_cells(seen),
    }


def _cells(seen: Seen) -> dict[str, float]:
    """What the result's cells say: missing values, columns that never change, a lone nothing."""
    cells = [cell for row in seen.result for cell in row]
    columns = list(zip(*seen.result, strict=True)) if len(seen.result) > 2 else []
    lone = len(cells) == 1 and cells[0] in (0, 0.0)
    return {
        "cells_missing": sum(cell is None for cell in cells) / max(1, len(cells)),
        "cells_some_missing": float(any(cell is None for cell in cells)),
        "cells_constant": float(any(len(set(map(repr, column))) == 1 for column in columns)),
        "cells_repeated": float(len(set(map(repr, seen.result))) < len(seen.result)),
        "cells_zero": float(lone),
    }


_HARD = frozenset(
    """
    latest recent first last previous next new newest consecutive cumulative running percentage percent proportion share
    difference change increase decrease growth same within before after between only exclude excluding except another
    again never always every rank ranked distribution median duration time days hours minutes between compared versus
    cohort retention churn rate repeat returning earliest oldest exactly times than least other both either neither
    convert assume consider if when where while until since minus plus
    """.split()
)
"""Words that ask for more than a look at rows; where one found no place, something was left undone."""


def _readers(seen: Seen) -> dict[str, float]:
    """What two ways of reading say of each other."""
    score, margin, steps = seen.fit or (0.0, 0.0, 0)
    phrases = seen.fit is not None
    both, same, within = seen.readers[0] > 1, seen.readers[1] == 2, seen.readers[1] == 1
    declared = any(one.declared for one in seen.vocabulary.relations)
    unread = len(seen.unread)
    tokens = seen.marked.tokens
    hard = sum(t.normal in _HARD for p, t in enumerate(tokens) if p not in seen.draft.used)
    return {
        "hard_unread": float(hard > 0),
        "undeclared_lenient": float(not declared and bool(seen.lenient)),
        "undeclared_lenient_count": _cap(len(seen.lenient), 4) if not declared else 0.0,
        "undeclared_same": float(not declared and same),
        "undeclared_hard": float(not declared and hard > 0),
        "same_lenient": float(same and bool(seen.lenient)),
        "hard_count": _cap(hard, 4),
        "phrases_hard": float(phrases and hard > 0),
        "phrases_lenient": _cap(len(seen.lenient), 4) if phrases else 0.0,
        "same_hard": float(same and hard > 0),
        "phrases": float(phrases),
        "readers_both": float(both),
        "readers_same": float(same),
        "readers_same_words": float(same and not seen.lenient),
        "readers_within": float(within),
        "phrases_within": float(within and phrases),
        "readers_apart": float(both and not same and not within),
        "phrases_apart": float(phrases and both and not same and not within),
        "phrases_alone": float(phrases and not both),
        "phrases_fit": max(0.0, score - 0.6) if phrases else 0.0,
        "phrases_weak": float(phrases and score < 0.8),
        "phrases_margin": _cap(max(0.0, margin), 0.2) if phrases else 0.0,
        "phrases_tight": float(phrases and margin < 0.03),
        "phrases_steps": _cap(steps, 4) if phrases else 0.0,
        "phrases_unread": _cap(unread, 5) if phrases else 0.0,
        "phrases_whole": float(phrases and not unread),
        "phrases_undeclared": float(phrases and not any(one.declared for one in seen.vocabulary.relations)),
    }


def _chart(seen: Seen) -> dict[str, float]:
    if not (seen.chart or seen.ask.marked):
        return dict.fromkeys(
            (
                "chart",
                "chart_unnamed",
                "chart_time_unnamed",
                "chart_scatter_grouped",
                "chart_series",
                "chart_joins",
                "chart_unread",
                "chart_loose",
                "chart_filtered",
                "chart_count",
                "chart_one_point",
                "chart_ambiguous",
                "chart_time",
                "chart_pie_raw",
            ),
            0.0,
        )
    select, ask = seen.select, seen.ask
    columns = seen.vocabulary
    timed = any(
        split.column is not None
        and columns.table(split.table).column(split.column) is not None
        and columns.table(split.table).column(split.column).inferred_type == "timestamp"  # pyright: ignore[reportOptionalMemberAccess]  # tested in the line before
        for split in seen.draft.splits
    )
    counted = any(term.kind == "rows" for term in _terms(select))
    return {
        "chart": 1.0,
        "chart_unnamed": float(ask.kind is None),
        "chart_time_unnamed": float(timed and ask.unit is None),
        "chart_time": float(timed),
        "chart_scatter_grouped": float(ask.kind == "scatter" and bool(select.groups)),
        "chart_series": float(len(select.groups) > 1),
        "chart_joins": float(bool(select.joins)),
        "chart_unread": _cap(len(seen.unread), 4),
        "chart_loose": float(seen.loose > 0),
        "chart_filtered": float(bool(select.conditions)),
        "chart_count": float(counted),
        "chart_one_point": float(seen.rows == 1),
        "chart_ambiguous": float(min(seen.margins, default=0.3) < 0.05),
        "chart_pie_raw": float(ask.kind == "pie" and not select.groups),
    }
