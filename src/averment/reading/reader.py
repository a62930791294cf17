"""The grammar reader: a question becomes candidate plans, each with its score and the words it leaves over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.chart_kinds import chart_kind
from averment.plans.names import plain_number
from averment.plans.readback import read_back
from averment.reading.account.exclusions import unresolved
from averment.reading.account.meaningless import meaningless
from averment.reading.account.misplaced import misplaced
from averment.reading.account.unheld import unheld
from averment.reading.account.untold import untold
from averment.reading.account.word_accounts import NAMED, tables_of, unaccounted
from averment.reading.lattice.compounds import paired
from averment.reading.lattice.cutting import cut
from averment.reading.lattice.gaps import without_gaps
from averment.reading.lattice.number_words import scale_said
from averment.reading.lattice.rivals import EXACT
from averment.reading.lattice.tilings import tilings
from averment.reading.operations.none_at_all import none_at_all
from averment.reading.operations.operation import propose
from averment.reading.resolve_joins import resolve_joins
from averment.reading.schema.beside_the_point import (
    adds_up_one,
    columns_as_rows,
    counts_links,
    mixes_namesakes,
    no_place,
)
from averment.reading.schema.ends import end_spans, unjoined, views
from averment.reading.schema.polarity import pointed
from averment.reading.schema.prepared import stepped
from averment.reading.schema.spellings import with_spellings
from averment.reading.schema.tallies import counted_by_tally, counted_in_heads
from averment.reading.schema.wanted import with_wanted
from averment.reading.slots.nested import around_of, ranks, splits
from averment.reading.slots.slot_filling import fill
from averment.reading.told_units import told_in
from averment.reading.words import singular, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.plans.plan import Plan
    from averment.reading.lattice.learned_links import Link
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.lattice.tilings import Tiling
    from averment.reading.operations.plan_parts import Proposal
    from averment.reading.schema.ends import Ends
    from averment.reading.schema.prepared import PreparationStep
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

MOST_TABLES = 4
LEFT_OVER = 0.8
JOINED = 0.22
AWAY = 0.2
NESTED = 0.1
CROWDED = 0.7
MISCOUNTED = 0.35


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a question: its plan, how well it fits, what it leaves over, and its weakest link."""

    plan: Plan
    read_back: str
    score: float
    left: tuple[str, ...]
    weakest: float
    spans: tuple[Span, ...]
    tables: int = 1

    @property
    def links(self) -> list[Span]:
        """The words that stand for what nothing names."""
        return [span for span in self.spans if span.probability < 1]


def read(
    question: str, schema: Schema, link: Link | None = None, lattices: list[Lattice] | None = None
) -> list[Candidate]:
    """Candidate readings, the best first; with ``link`` words that nothing names may stand for what it finds likely.

    The lattices they were read from are left in ``lattices``.
    """
    found: dict[str, Candidate] = {}
    for view in views(schema):
        lattice = cut(question, view, link)
        _read_view(lattice, end_spans(lattice, view), view, found)
        if lattices is not None:
            lattices.append(lattice)
    if schema.steps:
        found = _after_steps(found, schema.steps)
    if schema.wanted:
        found = _telling(found, schema)
    return sorted(found.values(), key=lambda c: (-c.score, c.read_back))


def _after_steps(found: dict[str, Candidate], steps: tuple[PreparationStep, ...]) -> dict[str, Candidate]:
    """The readings over the rows that the question's own steps leave; those in which a step has no place go."""
    made = [(one, plan) for one in found.values() if (plan := stepped(one.plan, steps)) is not None]
    return {said: replace(one, plan=plan, read_back=said) for one, plan in made for said in (read_back(plan),)}


def _telling(found: dict[str, Candidate], schema: Schema) -> dict[str, Candidate]:
    """The readings with all that the question says its answer must tell; what one cannot tell is left over."""
    made: dict[str, Candidate] = {}
    for one in found.values():
        plan, lost = with_wanted(one.plan, schema.wanted, schema)
        said = read_back(plan)
        grown = replace(
            one, plan=plan, read_back=said, left=(*one.left, *lost), score=one.score - LEFT_OVER * len(lost)
        )
        if said not in made or grown.score > made[said].score:
            made[said] = grown
    return made


def _read_view(lattice: Lattice, ends: Ends, schema: Schema, found: dict[str, Candidate]) -> None:
    mine: dict[str, Candidate] = {}
    for tiling in tilings(lattice):
        for home in _homes(tiling, schema):
            _read_tiling(tiling, home, schema, mine)
        for inner, outer in splits(tiling, lattice):
            _read_nested(inner, outer, schema, mine)
    for said, one in mine.items():
        lost = tuple(word for word in unjoined(one.plan, ends, one.spans) if word not in one.left)
        if lost:
            one = replace(one, left=(*one.left, *lost), score=one.score - LEFT_OVER * len(lost))
        if said not in found or one.score > found[said].score:
            found[said] = one


def _read_tiling(tiling: Tiling, home: Table, schema: Schema, found: dict[str, Candidate]) -> None:
    links = [s.strength for s in tiling.spans if s.type in {"COLUMN", "VALUE", "ROW", "DENY"}]
    weakest = min(links, default=1.0)
    spans = tuple(s for s in tiling.spans if s.type not in {"STOP", "AND"})
    keys_named = any(
        s.type == "COLUMN"
        and s.data.has("key")
        and {"id", "ids", "code", "codes", "number", "numbers"} & set(s.text.split())
        for s in spans
    )
    # Two superlatives are two questions, one inside the other; read flat, the first is lost.
    doubled = any(map(_doubled, spans, spans[1:]))
    crowded = CROWDED * (sum(map(ranks, spans)) - doubled > 1)
    named = frozenset(s.data for s in spans if s.type == "ROW" and s.data is not None and s.strength >= NAMED)
    open_exclusions = unresolved(tiling.spans)
    for state in fill(schema, home, tiling):
        drawn = {"chart": kind} if (kind := chart_kind(state.chart)) is not None else {}
        for cost, resolved, raw in _resolved(schema, propose(state), named, keys_named):
            if _is_detour(resolved, raw, spans) or _counts_days(resolved, schema, spans) or mixes_namesakes(resolved):
                continue
            if counts_links(resolved, schema, spans) or adds_up_one(resolved, tiling.spans):
                continue
            whole = paired(resolved, spans)
            if whole is None:
                continue
            plan = without_gaps(told_in(whole.model_copy(update=drawn) if drawn else whole, spans, schema), spans)
            plan = pointed(none_at_all(plan, schema, spans), schema, spans)
            lost = [*unaccounted(plan, spans), *_out_of_reach(plan, schema, spans), *_unsold(plan, schema, spans)]
            lost += [*_no_amount(plan, schema, spans), *no_place(plan, schema, spans), *open_exclusions]
            lost += columns_as_rows(schema, spans)
            lost += [*unheld(plan, schema, spans, tiling.spans), *misplaced(plan, schema, spans, tiling.spans)]
            lost += [*meaningless(plan, schema, spans, tiling.spans), *untold(plan, schema, spans, tiling.spans)]
            # A word that found no place while reading may still have left its trace in the plan.
            left = list(dict.fromkeys([*(w for w in state.unknown if w in lost or not _placed(w, spans)), *lost]))
            score = tiling.score - cost - LEFT_OVER * len(left) - JOINED * len(plan.joins)
            score -= AWAY * (plan.table != home.name) + _odd(plan, schema) + crowded
            score -= CROWDED * (doubled and not any(m.function in {"min", "max"} for m in plan.measures))
            score -= AWAY * any(m.function == "rows" and m.table not in {None, plan.table} for m in raw.measures)
            score -= MISCOUNTED * _is_miscounted(plan, spans)
            plan = with_spellings(counted_by_tally(plan, schema, spans), schema)
            heads = counted_in_heads(plan, schema, spans)
            for each in (plan,) if heads is None else (plan, heads):
                said = read_back(each)
                kept = found.get(said)
                if kept is None or score > kept.score:
                    found[said] = Candidate(each, said, score, tuple(left), weakest, spans, len(schema.tables))


def _resolved(
    schema: Schema, proposals: list[Proposal], named: frozenset[str], keys_named: bool
) -> Iterator[tuple[float, Plan, Plan]]:
    """Proposed plans with their joins; where a table is named and not looked into, also with its rows required."""
    for cost, raw in proposals:
        plan = resolve_joins(schema, raw, keys_named=keys_named)
        if plan is None:
            continue
        yield cost, plan, raw
        missing = named - tables_of(plan)
        rules_out = any(test.operator == "not in" and test.inner is not None for test in raw.where)
        if missing and raw.statistic is None and raw.combine is None and not rules_out:
            wider = resolve_joins(schema, raw, keys_named=keys_named, also=missing)
            if wider is not None:
                yield cost, wider, raw


def _is_detour(plan: Plan, raw: Plan, spans: tuple[Span, ...]) -> bool:
    """Whether all a plan tells is of one table, and it goes by way of another that no word speaks of."""
    own = any(m.function == "rows" and m.table in {None, plan.table} for m in raw.measures)
    used = {table for table, _ in plan.columns()} | {m.table for m in raw.measures if m.table}
    if not plan.joins or own or len(used) != 1 or plan.table in used or plan.combine is not None:
        return False
    spoken = {s.data for s in spans if s.type == "ROW"} | {s.data.table for s in spans if s.type in {"COLUMN", "DENY"}}
    spoken |= {s.data[0].table for s in spans if s.type == "VALUE"}
    told = any(s.type in {"UNKNOWN", "TEST"} or s.cue("not", "no", "any") for s in spans)
    return not told and plan.table not in spoken and not spoken & {join.right for join in plan.joins} - used


def _is_miscounted(plan: Plan, spans: tuple[Span, ...]) -> bool:
    """Whether rows of another table are counted than of the one that "how many" names."""
    wanted = {
        after.data
        for span, after in pairwise(spans)
        if span.cue("count") and after.type == "ROW" and after.data is not None and after.strength >= NAMED
    }
    counted = [m for m in plan.measures if m.function == "rows" and m.table is None and m.over is None]
    return bool(wanted) and bool(counted) and plan.table not in wanted


def _counts_days(plan: Plan, schema: Schema, spans: tuple[Span, ...]) -> bool:
    """Whether days are counted where "how many" names the rows: voyages that sailed, and not the days they did."""
    nouns = [s for s in spans if s.type in {"ROW", "COLUMN", "CUE"}]  # "how many evening games"
    rows = any(one.cue("count") and _names_rows(two) for one, two in pairwise(nouns))
    days = [m.of for m in plan.measures if m.function == "distinct" and m.of is not None and m.of.kind == "column"]
    columns = [schema.column(value.table or "", value.column or "") for value in days]
    dates = {(c.table, c.name) for c in columns if c is not None and c.kind == "date"}
    # The days of one date are counted by the months of another: "signups per month" is neither.
    other = any(key.part is not None and (key.table, key.column) not in dates for key in plan.by)
    return bool(dates) and (rows or other)


def _names_rows(span: Span) -> bool:
    """Whether a noun is that of rows: their table's, or what a date is of, as games are where there is a match day."""
    if span.type != "COLUMN" or span.data.kind != "date":
        return span.type == "ROW" and span.data is not None
    return not _DAYS & {singular(word) for word in span.text.split()}


_DAYS = frozenset("day date time moment".split())


def _doubled(first: Span, second: Span) -> bool:
    """Whether two superlatives are one figure and its rank: "the lowest maximum price"."""
    return ranks(first) and second.cue("max", "min") and second.start <= first.end


def _out_of_reach(plan: Plan, schema: Schema, spans: tuple[Span, ...]) -> list[str]:
    """Numbers that a column meant by a relative of its name never comes near: grades of 80 are no grade level."""
    found: list[str] = []
    for test in plan.tests():
        value, number = test.value, test.to[0] if len(test.to) == 1 else None
        column = schema.column(value.table or "", value.column or "") if value is not None else None
        if column is None or isinstance(number, bool | str | None) or not isinstance(column.high, int | float):
            continue
        named = max((s.strength for s in spans if s.type == "COLUMN" and s.data is column), default=1.0)
        above = number > column.high and test.operator in {">", ">=", "="}
        below = number < column.low and test.operator in {"<", "<=", "="}
        if (named < EXACT and (above or below)) or (above and _is_in_thousands(number, column, spans)):
            found.append(plain_number(number))
    return found


def _is_in_thousands(number: float, column: Column, spans: tuple[Span, ...]) -> bool:
    """Whether so many thousands or millions are a number of the column's without them: it may be told in those."""
    scales = [scale for s in spans if s.type == "NUMBER" and s.data[0] == number and (scale := scale_said(s.text)) > 1]
    return any(column.low <= number / scale <= column.high for scale in scales)


def _unsold(plan: Plan, schema: Schema, spans: tuple[Span, ...]) -> list[str]:
    """Verbs of selling where the plan looks into no sales, or ranks by their rows where amounts are there."""
    said = [s.text for s in spans if s.type in {"UNKNOWN", "GRADE"} and set(s.text.split()) & word_list("sale_verb")]
    if not said:
        return []
    home = schema.tables.get(plan.table)
    amounts = [c for c in home.measures if c.additive and set(c.words) & _AMOUNTS] if home is not None else []
    if amounts and plan.rank is not None and any(m.function in {"rows", "distinct"} for m in plan.measures):
        return said  # What sold the most has most pieces or most money, not most lines.
    sales = set(_sales(schema)) if len(schema.tables) > 1 else set()
    return said if sales and not sales & tables_of(plan) else []


def _no_amount(plan: Plan, schema: Schema, spans: tuple[Span, ...]) -> list[str]:
    """ "How much" where the plan gives no number at all: dates and names are no amount."""
    asked = [span.text for span in spans if span.type == "CUE" and span.text in {"how much", "by how much"}]
    if not asked or plan.measures or not plan.show or plan.statistic is not None or plan.combine is not None:
        return []
    shown = [schema.column(value.table or "", value.column or "") for value in plan.show if value.kind == "column"]
    plain = len(shown) == len(plan.show) and all(one is not None and one.kind != "number" for one in shown)
    return asked if plain else []


_AMOUNTS = frozenset("quantity qty units pieces sold amount revenue sales total".split())


def _odd(plan: Plan, schema: Schema) -> float:
    """What makes a plan unlikely by itself: counting rows that were picked by their own name."""
    fixed = [test.value for test in plan.where if test.operator == "=" and test.inner is None]
    if plan.measures and len(plan.by) == 1 and plan.by[0] in fixed and plan.rank is None:
        return 0.6  # One group is no grouping.
    if plan.show and not plan.measures and all(value in fixed for value in plan.show):
        return 0.6  # What was said already is not asked for.
    counts = any(m.function == "rows" or (m.function == "distinct" and m.of is not None) for m in plan.measures)
    if not counts or plan.by:
        return 0.0
    for test in plan.where:
        value = test.value
        column = schema.column(value.table or "", value.column or "") if value is not None else None
        if (
            column is not None
            and column.has("label")
            and column.is_unique
            and test.operator == "="
            and column.table == plan.table
        ):
            return 0.6
    return 0.0


def _placed(word: str, spans: tuple[Span, ...]) -> bool:
    return any(span.type == "UNKNOWN" and span.text == word for span in spans)


def _read_nested(inner: Tiling, outer: Tiling, schema: Schema, found: dict[str, Candidate]) -> None:
    """A question inside a question: the inner one finds a thing, the outer one asks about it."""
    inside: dict[str, Candidate] = {}
    for home in _homes(inner, schema)[:2]:
        _read_tiling(inner, home, schema, inside)
    ranked = [c for c in sorted(inside.values(), key=lambda c: -c.score) if c.plan.rank is not None and not c.left][:3]
    if not ranked:
        return
    around: dict[str, Candidate] = {}
    for home in _homes(outer, schema)[:2]:
        _read_tiling(outer, home, schema, around)
    for whole in sorted(around.values(), key=lambda c: -c.score)[:4]:
        for part in ranked:
            plan = around_of(whole.plan, part.plan, schema)
            if plan is None:
                continue
            score = whole.score + part.score - NESTED
            said = read_back(plan)
            if said not in found or score > found[said].score:
                spans = (*whole.spans, *part.spans)
                weakest = min(whole.weakest, part.weakest)
                found[said] = Candidate(plan, said, score, whole.left, weakest, spans, len(schema.tables))


def _homes(tiling: Tiling, schema: Schema) -> list[Table]:
    """The tables a question may be about: those it names, rows first, and the one that events are in."""
    if len(schema.tables) == 1:
        return list(schema.tables.values())
    named: list[str] = []
    for kind in ("ROW", "TEST", "COLUMN", "VALUE"):
        for span in tiling.spans:
            if span.type == kind:
                data = span.data[0] if kind == "VALUE" else span.data
                name = data if kind == "ROW" else data.table
                if name and name not in named:
                    named.append(name)
    if any(set(span.text.split()) & word_list("sale_verb") for span in tiling.spans):
        named = [*(name for name in _sales(schema) if name not in named), *named]
    if schema.fact not in named:
        named.append(schema.fact)
    return [schema.tables[name] for name in named[:MOST_TABLES]]


def _sales(schema: Schema) -> list[str]:
    """The tables that hold what was sold, those with how many first."""
    held = [t for t in schema.tables.values() if word_list("sale_noun") & {*t.nouns, *t.called}]
    return [t.name for t in sorted(held, key=lambda t: not any("quantity" in c.words for c in t.measures))][:2]
