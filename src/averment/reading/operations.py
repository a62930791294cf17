"""Operations: small records of what a question may ask for, each proposing plans from the slots it needs.

All that apply propose side by side. Where words leave something open (a total or a mean, the highest row or the highest
group) each way is a plan with its own cost; accounting and the judge decide between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.reading.operations_entities import around, without
from averment.reading.operations_figures import (
    aggregate,
    average_of_groups,
    per_group,
    propose_count,
    propose_rate,
    propose_share,
)
from averment.reading.operations_rankings import extreme_of_groups, ranking
from averment.reading.operations_rows import existence, listing, propose_compare, statistic
from averment.reading.operations_times import growth, propose_along, propose_series, propose_when
from averment.reading.parts import Parts, Proposal

if TYPE_CHECKING:
    from averment.reading.state import State

Build = Callable[[Parts], Iterator[Proposal]]


@dataclass(frozen=True)
class Operation:
    """What a question may ask for: when it applies, and the plans it makes of the slots."""

    name: str
    applies: Callable[[State], bool]
    build: Build


def propose(state: State) -> list[Proposal]:
    """Every plan that the slots allow, with its cost."""
    found: list[Proposal] = []
    for operation in OPERATIONS:
        if operation.applies(state):
            parts = Parts(state)
            found += [(state.cost + cost, plan) for cost, plan in operation.build(parts)]
    return found


def _always(_: State) -> bool:
    return True


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "statistic", lambda s: s.has("test", "correlation", "rank_correlation", "distribution", "outliers"), statistic
    ),
    Operation("growth", lambda s: s.has("growth", "change", "period_over_period"), growth),
    Operation("along", lambda s: s.has("running"), propose_along),
    Operation("series", lambda s: s.has("over_time"), propose_series),
    Operation("compare", lambda s: s.has("comparative", "than", "versus", "difference"), propose_compare),
    Operation("existence", lambda s: Parts(s).yes_no, existence),
    Operation("when", lambda s: s.has("when", "first", "last"), propose_when),
    Operation("ranking", lambda s: s.descending is not None, ranking),
    Operation("extreme", lambda s: s.descending is not None, extreme_of_groups),
    Operation("share", lambda s: s.has("share", "as_share"), propose_share),
    Operation("rate", lambda s: bool(s.flags) and s.descending is None, propose_rate),
    Operation("mean of groups", lambda s: bool(s.aggregates) and s.has("count"), average_of_groups),
    Operation("count", lambda s: s.descending is None, propose_count),
    Operation("aggregate", lambda s: s.descending is None, aggregate),
    Operation("per group", lambda s: s.descending is None, per_group),
    Operation("without", lambda s: len(s.schema.tables) > 1 and s.has("not", "no", "missing"), without),
    Operation("around", lambda s: len(s.schema.tables) > 1, around),
    Operation("list", _always, listing),
)
