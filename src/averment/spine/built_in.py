"""What Averment has itself at each extension point: the names that no plugin may take."""

from __future__ import annotations

from typing import get_args


def built_in(point: str) -> frozenset[str]:
    """The names at that point that are Averment's own."""
    match point:
        case "tools":
            from averment.records.run import BuiltInTool

            return frozenset(get_args(BuiltInTool))
        case "sources":
            from averment.tables.magic import BUILT_IN

            return BUILT_IN
        case "operations":
            from averment.plans.statistic_kinds import BuiltInStatistic

            return frozenset(get_args(BuiltInStatistic))
        case "claims":
            from averment.claims.relation import own_relations

            return frozenset(own_relations())
        case _:
            return frozenset()
