"""Attaching comparisons and superlatives: every column a number or a "most" may belong to, each with its cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from averment.plans.plan import Test
from averment.reading.lattice.concepts import concepts
from averment.reading.slots.group_bars import count_bars, is_grouped, is_kind_counted, is_other_row, share_bars
from averment.reading.times.durations import in_own_unit
from averment.reading.told_units import in_scale, in_unit, units_said, written_alike
from averment.reading.words import is_plural, lexicon, singular, units, word_list, word_phrases

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

_PERCENT = ("pct", "percent", "percentage", "share", "rate", "ratio")
_FIGURES = ("mean", "sum", "max", "min", "median")
_NAMED = 0.85
"""From this strength on a noun is what it names."""
_CENTURY = 100
"""How far from all years of the data a number may lie and still be meant for one."""


def equal(state: State, column: Column, target: Span) -> bool:
    """Set a column equal to a number or a quoted text; False where it cannot be."""
    value: Any = target.data[0] if target.type == "NUMBER" else target.data
    if target.type == "NUMBER" and column.kind == "text":
        value = target.text
    if column.kind == "number" and not isinstance(value, int | float):
        return False
    state.tests.append(Test(value=column.value, to=(value,)))
    return True


def _number_column(item: Span | None) -> Column | None:
    if item is None or item.type != "COLUMN":
        return None
    column: Column = item.data
    return column if column.kind == "number" and not column.has("key", "flag") else None


def _has_its_own(state: State, place: int) -> bool:
    """Whether a number of its own follows a column, with or without a comparison between them."""
    column, behind, further = (state.item(each) for each in (place, place + 1, place + 2))
    if column is None or behind is None or behind.start > column.end + 1:
        return False
    held = behind.cue("gt", "ge", "lt", "le", "eq", "between") and further is not None and further.type == "NUMBER"
    return behind.type == "NUMBER" or held


def compare(state: State, place: int, at: int, operator: str, names: Sequence[str] | None) -> Iterator[State]:
    """Every column that a number at ``at``, compared by ``operator``, may belong to."""
    number, unit = state.items[at].data
    after = at + 1
    while (item := state.item(after)) is not None and after in state.used:
        after += 1
    options: list[tuple[float, Column, int | None]] = []
    right = _number_column(state.item(after))
    if right is not None and "per" in right.words and singular(state.items[after].text) in right.words:
        right = None  # Five nights are no rate per night.
    if right is not None and state.items[after].start > state.items[at].end + 1 and _has_its_own(state, after):
        right = None  # "over 60 with a weight of 90 or more": the weight is held against its own number
    gap = 0
    if right is not None:
        gap = state.items[after].start - state.items[at].end
        options.append((0.0 if gap <= 1 else 0.2, right, after))
    for distance, before in enumerate(p for p in range(place - 1, max(-1, place - 5), -1)):
        item = state.item(before)
        if item is None or item.type in {"NUMBER"}:
            break
        column = _number_column(item)
        if column is not None and (before not in state.used or column in state.measures):
            options.append((0.05 + 0.12 * distance, column, before))
    stated = _stated(state, place)
    if stated is not None:
        # "where age is under 10" leaves no choice.
        options = [(0.0, stated, place - 1)]
    elif names:
        options += [(0.02 + cost, column, None) for cost, column in concepts(state, names)[:3]]
        if options and options[0][2] is not None:
            fitting = {id(column) for _, column in concepts(state, names)}
            options = [(cost + (0.0 if id(c) in fitting else 0.5), c, p) for cost, c, p in options]
    if stated is None and unit and unit not in {"percent", "ordinal"} and (unit in units() or units_said(unit)):
        found = concepts(state, tuple(dict.fromkeys((*units().get(unit, ()), *written_alike(unit)))))
        fitting_unit = [column for _, column in found if "per" not in column.words]
        if right is not None and fitting_unit and right not in fitting_unit and gap:
            options = [option for option in options if option[1] is not right]  # "50 points a season" is no season
        options += [(0.06 + 0.1 * n, column, None) for n, column in enumerate(fitting_unit[:2])]
    if unit == "percent":
        options += [(0.1, column, where) for column, where in _shares(state, [o for o in options if o[2] is not None])]
    for column in _years(state, number) if stated is None else ():
        said = state.items[place].text in {"since", "after", "before", "until", "prior to"}
        options.append((0.0 if said else 0.12, column, None))
    people = word_list("people")
    if number <= 120 and not unit and stated is None and not _counts_what_follows(state, place, at, after):
        said = any(i.type in {"ROW", "VALUE", "UNKNOWN"} and i.text in people for i in state.items)
        options += [(0.1 if said else 0.3, column, None) for _, column in concepts(state, ("age",))[:1]]
    if not options and number >= 1000 and not (1000 <= number <= 2200 and float(number).is_integer()):
        # A large number nobody named a column for: the one number of the table that reaches it.
        able = [c for c in state.home.measures if isinstance(c.high, int | float) and c.low <= number <= c.high]
        options += [(0.3, column, None) for column in able] if len(able) == 1 else []
    deals = word_list("deal_noun")
    if not options and not unit and number < 1000 and any(item.text in deals for item in state.items[:place]):
        # "How many purchases were over 20": of the one number that reaches it; people under 40 are another matter.
        plain = [c for c in state.home.measures if c.expression is None]
        able = [c for c in plain if isinstance(c.high, int | float) and c.low <= number <= c.high]
        options += [(0.35, column, None) for column in able] if len(able) == 1 else []
    if not options and not unit and any(item.cue("sum") for item in state.items):
        # "More than 500 altogether": of the one number that adds up.
        able = [c for c in state.home.measures if c.additive and c.expression is None]
        options += [(0.2, column, None) for column in able] if len(able) == 1 else []
    beside = state.item(after)
    if beside is not None and (is_other_row(state, beside) or (not unit and is_kind_counted(state, after))):
        # "More than 5 members" counts members; it is nobody's age.
        options = [(cost + 0.4, c, p) for cost, c, p in options]
    seen: set[int] = set()
    made = 0
    for cost, column, where in sorted(options, key=lambda option: (option[0], repr(option[1]))):
        if id(column) in seen:
            continue
        seen.add(id(column))
        value = _scaled(column, number, unit)
        if value is None:
            continue
        figure, later = _figure(state, place, where, after)
        if figure is not None and is_grouped(state):
            # "Whose average rating is over 4": of each group, and not of a row.
            group = state.copy(cost)
            if later is None:
                group.aggregates.remove(figure)
                group.cues.discard("count")  # "the average number of goals" counts nothing
            else:
                group.used.add(later)
            group.drop_measure(column)
            group.having_of.append((figure, column, operator, value))
            group.cues.add("having")
            if where is not None:
                group.used.add(where)
            yield group
            made += 1
        one = state.copy(cost + (0.3 if figure is not None else 0.0))
        one.drop_measure(column)
        one.tests.append(Test(value=column.value, operator=operator, to=(value,)))  # pyright: ignore[reportArgumentType]
        if where is not None:
            one.used.add(where)
        one.columns_at.append((at, column))
        yield one
        made += 1
        if made >= 3:
            break
    if stated is None or unit == "times":
        for one in (
            *count_bars(state, at, after, operator, rivals=bool(options)),
            *share_bars(state, place, at, operator),
        ):
            yield one
            made += 1
    if not made:
        state.unknown.append(state.items[at].text)
        yield state


def _figure(state: State, place: int, where: int | None, after: int) -> tuple[str | None, int | None]:
    """The figure of a group that a bar is put on, and its place where it is yet to be read: "over 80 on average"."""
    before = where - 1 if where is not None and where < place else place - 1  # "average over 25 points"
    taken = state.item(before)
    if taken is not None and taken.cue("count") and not taken.cue("distinct"):
        taken = state.item(before - 1)  # "the average number of goals"
    figure = next((f for f in _FIGURES if taken is not None and taken.cue(f) and f in state.aggregates), None)
    if figure is not None:
        return figure, None
    for behind in (after, after + 1):
        item = state.item(behind)
        if item is not None and item.type == "CUE" and item.text in word_phrases("on_average"):
            return next(f for f in _FIGURES if item.cue(f)), behind
        if item is None or (item.type != "COLUMN" or behind != where):
            break
    return None, None


def against(state: State, place: int, column: Column | None, operator: str) -> Iterator[State]:
    """A number before a comparison held against the one right behind it: of each row, or of each group as it says."""
    if column is None:
        yield from _over_own(state, place, operator)
        return
    if column.kind != "number":
        return
    limit: Column = state.items[place + 1].data
    at = next((p for p in (place - 1, place - 2) if (i := state.item(p)) is not None and i.data is column), place)
    taken = state.item(at - 1)
    figure = next((f for f in _FIGURES if taken is not None and taken.cue(f)), None)
    owned = column.table != limit.table and limit.table in state.schema.routes[column.table]
    grouped = owned and figure in state.aggregates and bool(state.groups or state.targets)
    if grouped and figure is not None:
        group = state.copy(0.05)
        group.used.add(place + 1)
        group.aggregates.remove(figure)
        group.having_of.append((figure, column, operator, limit.value))
        group.cues.add("having")
        yield group
    one = state.copy(0.4 if grouped else 0.1)
    one.used.add(place + 1)
    one.drop_measure(column)
    one.tests.append(Test(value=column.value, operator=operator, other=limit.value))  # pyright: ignore[reportArgumentType]
    yield one


def _over_own(state: State, place: int, operator: str) -> Iterator[State]:
    """ "Over their budget on salaries": what many rows have against what the row has that they all point at."""
    limit: Column = state.items[place + 1].data
    near = [(at, item) for at in range(place + 2, place + 5) if (item := state.item(at)) is not None]
    named = next(((at, item.data) for at, item in near if _number_column(item) is not None), None)
    doing = next((item.text for item in state.items[:place] if item.text in lexicon("words")["doing"]), "")
    found = [named] if named is not None else []
    if named is None and doing:
        found = [(None, column) for _, column in concepts(state, lexicon("words")["doing"][doing].split())[:2]]
    if not found:
        found = [(None, column) for column in _only_amounts(state)]
    for at, column in found:
        if column.table == limit.table or limit.table not in state.schema.routes[column.table]:
            continue
        one = state.copy(0.1)
        one.used |= {place + 1} if at is None else {place + 1, at}
        one.drop_measure(column)
        one.tests.append(Test(value=column.value, operator=operator, other=limit.value))  # pyright: ignore[reportArgumentType]
        yield one
    if named is None and word_list("limit") & set(limit.words):
        for order, column in enumerate(_held_to(limit, state)):
            one = state.copy(0.15 + 0.15 * order)
            one.used.add(place + 1)
            one.tests.append(Test(value=column.value, operator=operator, other=limit.value))  # pyright: ignore[reportArgumentType]
            yield one


def _held_to(limit: Column, state: State) -> list[Column]:
    """The numbers of a row that a limit in the same row may be meant for: those whose values lie about where its do."""

    def apart(column: Column) -> float:
        middles = [(float(c.low) + float(c.high)) / 2 for c in (column, limit)]
        return abs(middles[0] - middles[1]) / (abs(middles[0]) + abs(middles[1]) + 1e-9)

    able = [
        column
        for column in state.schema.tables[limit.table].columns
        if column is not limit and column.has("measure") and not column.has("flag", "key")
    ]
    ranged = [c for c in (*able, limit) if isinstance(c.low, int | float) and isinstance(c.high, int | float)]
    return sorted((c for c in able if c in ranged), key=apart)[:2] if limit in ranged else []


def _only_amounts(state: State) -> list[Column]:
    """The one number that adds up of each table whose rows are named."""
    names = dict.fromkeys(item.data for item in state.items if item.type == "ROW" and item.data is not None)
    tables = [state.schema.tables[name] for name in names]
    able = [[c for c in table.measures if c.additive and c.expression is None] for table in tables]
    return [columns[0] for columns in able if len(columns) == 1]


def _shares(state: State, near: Sequence[tuple[float, Column, int | None]]) -> list[tuple[Column, int | None]]:
    """Columns that hold the share of what is named beside a percentage: "80% women" is a share of women."""
    found: list[tuple[Column, int | None]] = []
    for _, named, where in near:
        for column in state.home.measures:
            says = any(word.startswith(_PERCENT) for word in column.words)
            if column is not named and says and set(named.words) <= set(column.words):
                found.append((column, where))
    return found


def _stated(state: State, place: int) -> Column | None:
    """The column of a plain condition: "where", then somewhere a column right before its comparison."""
    column = _number_column(state.item(place - 1))
    opened = any(item.type == "CUE" and item.text == "where" for item in state.items[: max(0, place - 1)])
    return column if opened else None


def _counts_what_follows(state: State, place: int, at: int, after: int) -> bool:
    """Whether a bar is of how many: "at least two courses". Only "under 18 players" may still be of an age."""
    noun = state.item(after)
    named = noun is not None and noun.type in {"ROW", "COLUMN"} and noun.strength >= _NAMED
    named = named and noun is not None and (is_plural(noun.text) or state.items[at].data[0] == 1)
    close = noun is not None and noun.start == state.items[at].end
    kind = is_kind_counted(state, after)
    return (kind or (named and close)) and state.items[place].text not in {"over", "under", "above", "below", "beyond"}


def _years(state: State, number: float) -> list[Column]:
    if not float(number).is_integer() or not 1000 <= number <= 2200:
        return []
    years = [c for c in state.home.columns if c.has("year") and isinstance(c.high, int | float) and c.high > 100]
    return [c for c in years if c.low - _CENTURY <= number <= c.high + _CENTURY]


def _scaled(column: Column, number: float, unit: str) -> float | None:
    """The number in the column's own unit; None where it cannot be meant."""
    if unit == "percent":
        fraction = isinstance(column.high, int | float) and 0 <= column.high <= 1
        says = any(word.startswith(_PERCENT) or word.endswith(("pct", "percent", "rate")) for word in column.words)
        if fraction:
            return number / 100
        if not says and isinstance(column.high, int | float) and column.high > 100:
            return None
    spanned = in_own_unit(column, number, unit)
    if spanned is not None:
        return spanned
    if units_said(unit):
        own = in_unit(column.name, number, unit)
        reached = not isinstance(column.high, int | float) or column.low <= number <= column.high
        # Where nothing says a unit, a number that no row comes near is in another one.
        return own if own is not None or column.expression is not None or not reached else _plain(number)
    scaled = in_scale(column.name, number)
    ranged = isinstance(column.high, int | float) and number > column.high >= scaled >= column.low
    return scaled if ranged else _plain(number)


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() else number
