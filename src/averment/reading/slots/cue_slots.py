"""What words that ask for something do to the slots: comparisons, groups, rankings, figures, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.operations import CUE
from averment.plans.plan import Test
from averment.reading.lattice.concepts import concepts
from averment.reading.lattice.phrases import said_phrase
from averment.reading.lattice.tails import FIGURE_TOLD
from averment.reading.slots.comparison_slots import AGGREGATES, against_figure, compared
from averment.reading.slots.condition_slots import read_absent, read_between, read_text_test
from averment.reading.slots.group_slots import read_by
from averment.reading.slots.superlatives import BROAD, superlative
from averment.reading.times.time_conditions import year_earlier
from averment.reading.words import COUNTING_ENDS, adjectives, speaks_of_bad

if TYPE_CHECKING:
    from averment.plans.plan import Operator
    from averment.reading.lattice.spans import Span
    from averment.reading.slots.state import State

_LASTING = ("duration", "runtime", "running_time", "minutes", "hours", "seconds", "days", "elapsed", "time")
"""What says how long something lasts, and not how far it goes."""

_FIGURES = frozenset({"iqr"})
"""Phrases that name a figure of a number."""

_OPERATORS = {"gt": ">", "lt": "<", "ge": ">=", "le": "<="}

_PASSING = frozenset(
    [
        *("count", "much", "share", "rate", "as_share", "growth", "change", "falling", "period_over_period", "running"),
        *(
            "moving",
            "correlation",
            "rank_correlation",
            "test",
            "distribution",
            "outliers",
            "regression",
            "versus",
            "than",
        ),
        *(
            "difference",
            "other",
            "over_time",
            "which",
            "list",
            "both",
            "either",
            "apart",
            "complete",
            "pooled",
            "only",
            "instead",
            "same",
            "any",
            "when",
        ),
        *("future", "ratio", "known", "distinct", "common", "rare", "in_time", "around", "first_time", "last_time"),
        *("latest", "now_relative", "all_columns"),
    ]
)


def read_cue(state: State, place: int, span: Span) -> Iterator[State]:
    """The states that follow from a word that asks for something."""
    names = set(span.data)
    after = state.item(place + 1)
    quantile = next((name for name in names if name.startswith("quantile ")), None)
    if quantile is not None:
        state.quantile = float(quantile.split()[1])
        state.aggregates.append("quantile")
        state.said["quantiles"] = (*state.said.get("quantiles", ()), state.quantile)
        yield state
        return
    phrase = said_phrase(names)
    if phrase is not None:
        state.said[phrase[0]] = (*state.said.get(phrase[0], ()), *phrase[1])
        if phrase[0] in _FIGURES:
            state.aggregates.append(phrase[0])
        state.cues.add(phrase[0])
        yield state
        return
    operator = next((_OPERATORS[name] for name in ("gt", "lt", "ge", "le") if name in names), None)
    if operator is not None:
        handled = list(compared(state, place, operator, span))
        if handled:
            yield from handled
            return
        if names & {"gt", "lt"}:
            state.asks = state.asks or ("more" if "gt" in names else "less")
            state.cues |= {"comparative", "than"}
            yield state
            return
    if "between" in names and after is not None and after.type == "NUMBER":
        yield from read_between(state, place)
        return
    if "by" in names and span.text in {"by", "by the"} and _gives_order(state, place):
        # "Name and age by age descending" is an order; "total fare by class, lowest first" has groups and their order.
        grouped = not state.targets and not state.groups
        ordered = state.copy(0.3 if grouped else 0.0)
        _sorted_by(ordered, place)
        yield ordered
        if grouped:
            yield from read_by(state.copy(), place, span)
        return
    if "by" in names:
        yield from read_by(state, place, span)
        return
    if names & {"top", "bottom"} and after is not None and after.type == "NUMBER" and not after.data[1]:
        state.limit, state.descending = int(after.data[0]), "top" in names
        state.used.add(place + 1)
        state.cues.add("ranking")
        yield from superlative(state, place + 1, descending="top" in names, adjective=None, names=(), optional=True)
        return
    if names & {"min", "max"} and state.has("ranking"):
        state.aggregates.append("max" if "max" in names else "min")  # the lowest maximum
        yield state
        return
    if names & {"most", "least"} and not (names & {"min", "max"} and after is not None and after.cue("count")):
        if after is not None and after.type == "GRADE":
            yield state
            return
        if after is not None and after.cue("correlation"):
            state.descending = "most" in names
            yield state
            return
        if span.text in {"best", "worst"}:
            # The worst delay is the longest one, the worst score the lowest.
            bad = speaks_of_bad(
                [w for i in state.items if i.type == "COLUMN" for w in (*i.data.words, *i.text.split())]
            )
            made = state.copy(0.0 if bad or span.text == "best" else 0.05)
            yield from superlative(made, place, descending=(span.text == "best") != bad, adjective=None, names=())
            return
        figure = bool(names & {"min", "max"}) and not state.has("which") and not state.targets
        made = state.copy(0.3 if figure else 0.0)
        made.counts_most = span.text in COUNTING_ENDS
        yield from superlative(made, place, descending="most" in names, adjective=None, names=())
        if names & {"min", "max"}:
            other = state.copy(0.0 if figure else 0.15)
            other.aggregates.append("max" if "max" in names else "min")
            yield other
        return
    if names & {"top", "bottom"} and not names & {"first_time", "last_time"}:
        yield from superlative(state, place, descending="top" in names, adjective=None, names=())
        return
    if names & {"common", "rare"}:
        state.descending, state.ranked_rows = "common" in names, True
        state.cues.add("common")
        yield state
        return
    if "second" in names or "third" in names:
        state.skip = 1 if "second" in names else 2
        ranked = any(item.type == "GRADE" or item.cue("most", "least", "top", "bottom") for item in state.items)
        if not ranked and state.has("which"):
            first = state.copy()  # "which hive comes second for honey"
            first.descending = True
            first.cues.add("ranking")
            yield first
        yield state
        return
    if names & {"ascending", "descending"}:
        state.sort = "up" if "ascending" in names else "down"
        if span.text.endswith((" of", " by", " by the")):
            _sorted_by(state, place)
        yield state
        return
    if "rank_of" in names:
        state.cues |= {"sorted", "places"}
        yield state
        return
    sorts = after is not None and after.cue("ascending", "descending", "x_axis", "y_axis")
    if "sorted" in names and span.text.startswith("rank") and span.text != "ranked by" and not sorts:
        state.cues |= {"sorted", "places"}
        yield state
        return
    if names & {"x_axis", "y_axis"}:
        state.axis = "x" if "x_axis" in names else "y"
        state.sort = state.sort or "up"
        yield state
        return
    if "sorted" in names:
        state.cues.add("sorted")
        if after is None or not after.cue("ascending", "descending"):
            _sorted_by(state, place)
        yield state
        return
    said = span.text.split()
    if "much" in names and len(said) == 2 and said[1] in adjectives() and said[1] not in BROAD:
        yield from _how_old(state, said[1], span)
        return
    if any(name.startswith("unit ") for name in names):
        yield state
        return
    aggregate = next((name for name in AGGREGATES if name in names), None)
    if aggregate is not None:
        state.cues |= names & {"pooled"}
        state.aggregates.append(aggregate)
        yield state
        return
    if names & {"min", "max"}:
        state.aggregates.append("max" if "max" in names else "min")
        yield state
        return
    if "missing" in names or "no" in names:
        yield from read_absent(state, place, span, missing="missing" in names)
        return
    if "same_period" in names:
        earlier = year_earlier(state.periods[-1][0], state.schema.anchor) if state.periods else None
        if earlier is None:
            state.unknown.append(span.text)
        else:
            state.tests.append(earlier)
            state.periods.append((earlier,))
        yield state
        return
    if "known" in names and (before := state.item(place - 1)) is not None and before.type == "COLUMN":
        state.drop_measure(before.data)
        mine = [test for test in state.tests if test.value == before.data.value]
        if any(test.to == (0,) for test in mine) and before.data.filled < before.data.rows:
            return  # "No sales recorded" speaks of what was not written down, and of no zero.
        if not any(test.operator == "null" for test in mine):
            state.tests.append(Test(value=before.data.value, operator="null", negated=True))
        yield state
        return
    if "not" in names:
        following = state.item(place + 1)
        if following is not None and following.cue("missing", "known"):
            state.cues.add("known")
        state.cues.add("not")
        yield state
        return
    if names & {"more", "less"} and not state.has("yes_no"):
        first, than, second = after, state.item(place + 2), state.item(place + 3)
        if (
            first is not None
            and first.type == "COLUMN"
            and than is not None
            and than.cue("than")
            and second is not None
        ):
            figure = next((f for f in ("mean", "median") if second.cue(f)), None)
            if figure is not None and first.data.has("measure"):
                made = state.copy()
                made.used |= {place + 1, place + 2, place + 3}
                made.tests.append(against_figure(first.data, ">" if "more" in names else "<", figure))
                yield made
                return
        if (
            first is not None
            and second is not None
            and than is not None
            and than.cue("than")
            and first.type == second.type == "COLUMN"
            and first.data.kind == second.data.kind == "number"
        ):
            made = state.copy()
            made.used |= {place + 1, place + 2, place + 3}
            sign: Operator = ">" if "more" in names else "<"
            made.tests.append(Test(value=first.data.value, operator=sign, other=second.data.value))
            yield made
            return
    if names & {"more", "less"}:
        state.asks = state.asks or ("more" if "more" in names else "less")
        state.cues.add("comparative")
        yield state
        return
    if "chart" in names:
        state.chart = span.text
        yield state
        return
    if names & {"contains", "starts", "ends"}:
        yield from read_text_test(state, place, names)
        return
    if names & {"first_time", "last_time"}:
        state.cues.add("first" if "first_time" in names else "last")
        yield state
        return
    if "eq" in names and after is not None and after.type == "VALUE":
        yield state
        return
    if names & {"since", "after", "before", "or_more", "or_less", "eq"} and not names & _PASSING:
        state.unknown.append(span.text)
        yield state
        return
    state.cues |= {name for name in names if name in _PASSING or name.startswith(CUE)}
    state.cues |= {"much"} if FIGURE_TOLD in names else set[str]()
    yield state


def _how_old(state: State, adjective: str, span: Span) -> Iterator[State]:
    """ "How old is …": what the adjective measures, unless a number is named beside it."""
    state.cues.add("much")
    named = any(item.type == "COLUMN" and item.data.has("measure", "date", "year") for item in state.items)
    ways = ((True, _LASTING),) if span.cue("lasting") else adjectives()[adjective]
    found = [] if named else [pair for _, names in ways for pair in concepts(state, names)[:2]]
    for cost, column in found[:2]:
        one = state.copy(cost)
        one.measures.append(column)
        yield one
    if not found:
        if not named:
            state.unknown.append(span.text)
        yield state


def _gives_order(state: State, place: int) -> bool:
    """Whether a "by" belongs to an order that is named before it or right after what it names."""
    if (before := state.item(place - 1)) is not None and before.cue("ascending", "descending"):
        return True
    for item in state.items[place + 1 : place + 4]:
        if item.cue("ascending", "descending"):
            return True
        if item.type not in {"COLUMN", "ROW"} and not item.cue("count", "sum", "mean", "min", "max"):
            return False
    return False


def _sorted_by(state: State, place: int) -> None:
    """What stands after "sorted by" or "in ascending order of" is what the rows are sorted by."""
    near = [(p, i) for p in (place + 1, place + 2) if (i := state.item(p)) is not None]
    if near and near[0][1].cue("count"):
        # "By the number of goals": the figure itself.
        state.axis, state.sort = "y", state.sort or "up"
        state.cues.add("sorted")
        state.used |= {p for p, i in near if i.cue("count") or i.type in {"COLUMN", "ROW"}}
        return
    by = next((p for p, i in near if i.type == "COLUMN"), None)
    if by is None:
        return
    state.cues.add("sorted")
    state.sorted_by = state.items[by].data
    state.sort = state.sort or "up"
    state.used |= set(range(place + 1, by + 1))
