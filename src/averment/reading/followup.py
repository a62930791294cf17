"""Follow-ups: a short question after an earlier one is an operation on the earlier plan.

"and by month?", "only for women", "the median instead", "as a share", "and the fewest?": what the words name replaces
what stands in its place, or is added where nothing does. A question that stands on its own is read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.plans.chart_kinds import chart_kind
from averment.plans.plan import Measure, Plan, Rank, Test, Window
from averment.plans.readback import read_back
from averment.plans.registry import AGGREGATES
from averment.reading.account.word_accounts import unaccounted
from averment.reading.lattice.cutting import cut
from averment.reading.lattice.tilings import tilings
from averment.reading.operations.plan_parts import Parts
from averment.reading.reader import LEFT_OVER, Candidate, read
from averment.reading.resolve_joins import resolve_joins
from averment.reading.schema.ends import end_spans, unjoined, views_of
from averment.reading.schema.usual_figures import number_measure, usual
from averment.reading.slots.slot_filling import fill

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_view import Schema
    from averment.reading.slots.state import State

_LEANS = re.compile(
    r"^(?:(?:ok(?:ay)?|hm+|well|so)[, ]+)*(?:and|but|now|then|also|only|just|same|what about|how about|what if|by|per|"
    r"for|in|with|without|as|of|except|excluding|instead|again|sort|order|plot|show (?:it|that|them|this))\b"
    r"|\b(?:it|its|that|this|those|these|them|they|their|there|ones?|instead|same|others?|the rest|too|as well|again|"
    r"latter|former|above result)\b(?!\s+(?:are|is) (?:more|less|above|below|over|under)\b)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?:please |can you |could you |tell me )*(?:what(?:'s| is| are| was| were)|how many|how much|who|whose|when|"
    r"where|which|list|count|number of|give me|show me|show|find|compute|calculate)\b",
    re.IGNORECASE,
)
_FIGURES = frozenset(record.name for record in AGGREGATES.values() if not record.placed) - {"rows", "rate"}
ALONE = 0.55
"""What it costs to read a follow-up as a question of its own."""


def stands_alone(question: str, schema: Schema) -> bool:
    """Whether a question needs nothing of the one before: it asks whole, has a figure of its own, and points nowhere.

    "what is the mean distance by borough" and "how many are above 1 carat?" do; "and the median?" and "which is the
    highest?" do not.
    """
    if _LEANS.search(question.strip()):
        return False
    spans = next((tiling.spans for tiling in tilings(cut(question, schema))), ())
    figures = [span for span in spans if span.cue(*_FIGURES)]
    if not figures:
        return False
    counts = any(span.cue("count") for span in figures)
    names = [span for span in spans if span.type in {"COLUMN", "VALUE", "ROW", "DENY", "GRADE", "NUMBER", "TIME"}]
    measured = any(span.type == "COLUMN" and span.data.kind == "number" for span in spans)
    grouped = any(span.cue("by") for span in spans)
    asks = bool(_FRAME.match(question.strip()))
    return bool(names) and ((counts and asks) or (measured and (asks or grouped)))


def follow(question: str, earlier: Plan, schema: Schema, lattices: list[Lattice] | None = None) -> list[Candidate]:
    """Candidate readings of a question that leans on an earlier plan, the best first.

    The lattices they were read from are left in ``lattices``.
    """
    found: dict[str, Candidate] = {}
    home = schema.tables.get(earlier.table) or next(iter(schema.tables.values()))
    cuts = [(view, cut(question, view)) for view in views_of(schema, earlier)]
    ways = [(view, end_spans(lattice, view), tilings(lattice)) for view, lattice in cuts]
    if lattices is not None:
        lattices += [lattice for _, lattice in cuts]
    for view, ends, tiling in ((view, ends, each) for view, ends, several in ways for each in several):
        spans = tuple(s for s in tiling.spans if s.type not in {"STOP", "AND"})
        links = [s.strength for s in spans if s.type in {"COLUMN", "VALUE", "ROW", "DENY"}]
        for state in fill(view, home, tiling):
            for cost, raw in _edits(state, earlier):
                plan = resolve_joins(view, raw.model_copy(update={"joins": ()}))
                if plan is None or plan == earlier:
                    continue
                lost = [*unaccounted(plan, spans), *unjoined(plan, ends, spans)]
                left = tuple(dict.fromkeys([*(w for w in state.unknown if w in lost or w not in _texts(spans)), *lost]))
                score = tiling.score - state.cost - cost - LEFT_OVER * len(left)
                said = read_back(plan)
                if said not in found or score > found[said].score:
                    found[said] = Candidate(plan, said, score, left, min(links, default=1.0), spans, len(schema.tables))
    for candidate in read(question, schema)[:4]:
        alone = Candidate(
            candidate.plan,
            candidate.read_back,
            candidate.score - ALONE,
            candidate.left,
            candidate.weakest,
            candidate.spans,
            candidate.tables,
        )
        found.setdefault(alone.read_back, alone)
    return sorted(found.values(), key=lambda c: (-c.score, c.read_back))


def _texts(spans: tuple[Any, ...]) -> set[str]:
    return {span.text for span in spans}


def _edits(state: State, plan: Plan) -> Iterator[tuple[float, Plan]]:
    """The plans one edit away that the words allow; several words may edit several things at once."""
    parts = Parts(state)
    changes: list[list[tuple[float, dict[str, Any]]]] = []
    if state.groups or (state.targets and not state.measures):
        changes.append(_regrouped(parts, plan))
    tests = [*parts.merged, *parts.flag_tests]
    if tests:
        changes.append(_filtered(parts, plan, tests))
    if state.aggregates and plan.measures:
        changes.append(_refigured(parts, plan, state.aggregates[0]))
    elif state.measures and (plan.measures or plan.rank):
        changes.append(_remeasured(parts, plan))
    if state.descending is not None and not state.measures:
        changes.append(_reranked(state, plan))
    elif state.limit is not None and plan.rank is not None:
        changes.append([(0.0, {"rank": plan.rank.model_copy(update={"limit": state.limit})})])
    if state.has("share", "as_share") and plan.measures and plan.by:
        changes.append([(0.0, {"window": Window(kind="share"), "rank": None, "expects": "table"})])
    if state.chart is not None:
        changes.append([(0.0, {"chart": chart_kind(state.chart) or "bar"})])
    if state.sort is not None:
        rank = plan.rank.model_copy(update={"descending": state.sort == "down"}) if plan.rank else None
        changes.append([(0.0, {"rank": rank} if rank is not None else {})])
    if not changes:
        return
    yield from _combined(plan, [each for each in changes if each])


def _combined(plan: Plan, changes: list[list[tuple[float, dict[str, Any]]]]) -> Iterator[tuple[float, Plan]]:
    made: list[tuple[float, Plan]] = [(0.0, plan)]
    for options in changes:
        made = [(cost + extra, before.model_copy(update=change)) for cost, before in made for extra, change in options]
    yield from ((cost, each) for cost, each in made if each is not plan)


def _regrouped(parts: Parts, plan: Plan) -> list[tuple[float, dict[str, Any]]]:
    state = parts.state
    wanted = tuple(dict.fromkeys([*state.groups, *([] if state.groups else state.targets)]))
    if not wanted:
        return []
    if plan.rank is not None and plan.measures:
        # "and which month?" ranks other groups by the same figure.
        return [(0.0, {"by": wanted}), (0.4, {"by": wanted, "rank": None, "expects": "table"})]
    if not plan.measures:
        if plan.show:
            return [(0.1, {"show": tuple(dict.fromkeys((*plan.show, *wanted)))})]
        return []
    base: dict[str, Any] = {"expects": "table", "over_groups": None}
    replaced = (0.0, {**base, "by": wanted})
    added = (0.0, {**base, "by": tuple(dict.fromkeys((*plan.by, *wanted)))})
    if not plan.by:
        return [replaced]
    if state.has("instead"):
        return [replaced]
    return [(0.0, replaced[1]), (0.2, added[1])]


def _filtered(parts: Parts, plan: Plan, tests: list[Test]) -> list[tuple[float, dict[str, Any]]]:
    """Conditions on what was tested before replace it, others are added."""
    state = parts.state
    named = {(t.value.table, t.value.column) for t in tests if t.value is not None}
    kept = [t for t in plan.where if t.value is None or (t.value.table, t.value.column) not in named]
    if any(t.value is not None and parts.is_time(t.value) for t in tests):
        kept = [t for t in kept if t.value is None or not parts.is_time(t.value)]
    if plan.asks is not None and plan.by and state.flags and not parts.merged:
        return [(0.0, {"by": (state.flags[0][0].value,)})]
    rated = _rated(plan, tests)
    where = (*kept, *tests)
    found: list[tuple[float, dict[str, Any]]] = [(0.0, {"where": where})]
    if rated is not None:
        found.insert(0, (0.0, rated))
        found[1] = (0.3, found[1][1])
    return found


def _rated(plan: Plan, tests: list[Test]) -> dict[str, Any] | None:
    """The same share of another part: "and for women?" after a percentage of men."""
    if len(plan.measures) != 1 or not plan.measures[0].where or len(tests) != 1:
        return None
    measure = plan.measures[0]
    mine = {(t.value.table, t.value.column) for t in measure.where if t.value is not None}
    value = tests[0].value
    if value is None or (value.table, value.column) not in mine:
        return None
    return {"measures": (measure.model_copy(update={"where": (tests[0],)}),)}


def _refigured(parts: Parts, plan: Plan, function: str) -> list[tuple[float, dict[str, Any]]]:
    state = parts.state
    measure = plan.measures[0]
    if parts.numbers:
        made = number_measure(parts.numbers[0], function, state.quantile)
    elif measure.of is not None:
        at = state.quantile if function == "quantile" else None
        made = Measure(function=function, of=measure.of, at=at, where=measure.where)  # pyright: ignore[reportArgumentType]
    else:
        return []
    return [(0.0, {"measures": (made, *plan.measures[1:]), "window": None})]


def _remeasured(parts: Parts, plan: Plan) -> list[tuple[float, dict[str, Any]]]:
    column = parts.numbers[0]
    if plan.rank is not None and plan.rank.by is not None:
        return [(0.0, {"rank": plan.rank.model_copy(update={"by": column.value})})]
    functions = [plan.measures[0].function] if plan.measures and plan.measures[0].of is not None else []
    functions = [f for f in functions if f not in {"rows", "distinct", "rate"}] or [usual(column)[0][1]]
    return [(0.0, {"measures": (number_measure(column, functions[0], parts.state.quantile),)})]


def _reranked(state: State, plan: Plan) -> list[tuple[float, dict[str, Any]]]:
    descending = bool(state.descending)
    if plan.rank is not None:
        rank = plan.rank.model_copy(update={"descending": descending, "limit": state.limit or plan.rank.limit})
        return [(0.0, {"rank": rank})]
    if plan.measures and plan.by:
        limit = state.limit or 1
        return [(0.0, {"rank": Rank(descending=descending, limit=limit), "expects": "list" if limit > 1 else "row"})]
    return []
