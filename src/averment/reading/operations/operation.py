"""Operations: small records of what a question may ask for, each proposing plans from the slots it needs.

All that apply propose side by side. Where words leave something open (a total or a mean, the highest row or the highest
group) each way is a plan with its own cost; accounting and the judge decide between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.reading.operations.entities import around, without
from averment.reading.operations.figures import (
    aggregate,
    average_of_groups,
    per_group,
    propose_count,
    propose_places,
    propose_rate,
    propose_share,
)
from averment.reading.operations.first_passing import first_passing, passes_a_bar
from averment.reading.operations.groups import counts_groups, groups_counted
from averment.reading.operations.members import fewest, log_returns, members, retention, rows_at_an_end
from averment.reading.operations.membership import propose_membership, takes_membership
from averment.reading.operations.ordered import names_with_number, numbered_names, sorted_by_number, sorts_by_number
from averment.reading.operations.over_time import (
    growth,
    propose_along,
    propose_moving,
    propose_periods,
    propose_series,
    propose_when,
)
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.reading.operations.plugin_operations import propose_added
from averment.reading.operations.rankings import extreme_of_groups, ranking
from averment.reading.operations.row_lists import existence, listing, only_whether, propose_compare, propose_difference
from averment.reading.operations.spread import bins, equal_groups, quantiles, steps, values_counted
from averment.reading.operations.statistics import (
    correlations,
    models,
    outliers,
    relation,
    shapes,
    test_of_difference,
)
from averment.reading.operations.totals import propose_totals
from averment.reading.operations.whole_tables import PIECES, duplicates, lengths, overview, pieces, pivot

if TYPE_CHECKING:
    from averment.reading.slots.state import State

Build = Callable[[Parts], Iterator[Proposal]]


@dataclass(frozen=True)
class QuestionOperation:
    """What a question may ask for: when it applies, and the plans it makes of the slots."""

    name: str
    applies: Callable[[State], bool]
    build: Build


def propose(state: State) -> list[Proposal]:
    """Every plan that the slots allow, with its cost."""
    found: list[Proposal] = []
    parts = Parts(state)
    for operation in OPERATIONS:
        if operation.applies(state):
            found += [(state.cost + cost, plan) for cost, plan in operation.build(parts)]
    return [*found, *((state.cost + cost, plan) for cost, plan in propose_added(state))]


def _may_be_figure(state: State) -> bool:
    """Whether a figure may be meant: "has any sailing …" is answered by yes or no, and by no total."""
    return bool(state.aggregates) or state.has("comparative", "than", "versus") or not only_whether(Parts(state))


def _always(_: State) -> bool:
    return True


OPERATIONS: tuple[QuestionOperation, ...] = (
    QuestionOperation(
        "correlations", lambda s: s.has("correlation", "rank_correlation", "matrix", "with_all"), correlations
    ),
    QuestionOperation("kendall", lambda s: s.has("kendall"), correlations),
    QuestionOperation("models", lambda s: s.has("predict"), models),
    QuestionOperation("shapes", lambda s: s.has("normal", "shape"), shapes),
    QuestionOperation("relation", lambda s: s.has("correlation", "independent", "chi_square"), relation),
    QuestionOperation("test", lambda s: s.has("test", "differs", "anova"), test_of_difference),
    QuestionOperation("outliers", lambda s: s.has("outliers", "z"), outliers),
    QuestionOperation("rows at an end", lambda s: bool(s.groups), rows_at_an_end),
    QuestionOperation("retention", lambda s: s.has("retention"), retention),
    QuestionOperation("members", lambda s: s.has("new_members", "returning_members", "active_members"), members),
    QuestionOperation("log returns", lambda s: s.has("log_return"), log_returns),
    QuestionOperation("the fewest", lambda s: s.has("until"), fewest),
    QuestionOperation("pivot", lambda s: s.has("pivot", "across"), pivot),
    QuestionOperation("overview", lambda s: s.has("overview", "stands_out"), overview),
    QuestionOperation("duplicates", lambda s: s.has("duplicates"), duplicates),
    QuestionOperation("lengths", lambda s: s.has("length"), lengths),
    QuestionOperation("pieces", lambda s: s.has(*PIECES), pieces),
    QuestionOperation(
        "quantiles", lambda s: s.has("quantiles", "spread", "distribution") or "quantiles" in s.said, quantiles
    ),
    QuestionOperation("bins", lambda s: s.has("bins", "distribution"), bins),
    QuestionOperation("values counted", lambda s: s.has("distribution"), values_counted),
    QuestionOperation("steps", lambda s: s.has("width"), steps),
    QuestionOperation("equal groups", lambda s: s.has("tiles", "entity_tiles"), equal_groups),
    QuestionOperation("growth", lambda s: s.has("growth", "change", "period_over_period"), growth),
    QuestionOperation("along", lambda s: s.has("running"), propose_along),
    QuestionOperation("moving", lambda s: s.has("moving"), propose_moving),
    QuestionOperation("periods", lambda s: len(s.periods) > 1 and bool(Parts(s).period_sides), propose_periods),
    QuestionOperation("series", lambda s: s.has("over_time"), propose_series),
    QuestionOperation("compare", lambda s: s.has("comparative", "than", "versus", "difference"), propose_compare),
    QuestionOperation("difference", lambda s: s.has("difference", "comparative", "than"), propose_difference),
    QuestionOperation("existence", lambda s: Parts(s).yes_no, existence),
    QuestionOperation("when", lambda s: s.has("when", "first", "last"), propose_when),
    QuestionOperation("first passing", passes_a_bar, first_passing),
    QuestionOperation("ranking", lambda s: s.descending is not None and not s.has("places"), ranking),
    QuestionOperation("extreme", lambda s: s.descending is not None, extreme_of_groups),
    QuestionOperation("places", lambda s: s.has("places"), propose_places),
    QuestionOperation("share", lambda s: s.has("share", "as_share"), propose_share),
    QuestionOperation("rate", lambda s: bool(s.flags or s.rated) and s.descending is None, propose_rate),
    QuestionOperation("groups counted", counts_groups, groups_counted),
    QuestionOperation("mean of groups", lambda s: bool(s.aggregates) and s.descending is None, average_of_groups),
    QuestionOperation("count", lambda s: s.descending is None, propose_count),
    QuestionOperation("aggregate", lambda s: s.descending is None and _may_be_figure(s), aggregate),
    QuestionOperation("per group", lambda s: s.descending is None and _may_be_figure(s), per_group),
    QuestionOperation("without", lambda s: len(s.schema.tables) > 1 and s.has("not", "no", "missing"), without),
    QuestionOperation("sets", takes_membership, propose_membership),
    QuestionOperation("totals", lambda s: bool(s.tests) and s.descending is None, propose_totals),
    QuestionOperation("names with their number", names_with_number, numbered_names),
    QuestionOperation("sorted by number", sorts_by_number, sorted_by_number),
    QuestionOperation("around", lambda s: len(s.schema.tables) > 1, around),
    QuestionOperation("list", _always, listing),
)
