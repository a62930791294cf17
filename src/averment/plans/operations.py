"""Operations of the plan language that plugins add: a statistic of a plan, from its values to its sentences.

It brings all of it in one record, as each of Averment's own does in ``plans.statistics``. Its result is told by claims
like every other, so what it says is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.plans.compiled import CompiledPlan
    from averment.plans.plan import Plan
    from averment.records.claim import Claim

CUE = "added "
"""How the cues of added operations begin in a reading, with the operation's name behind."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A statistic that a plan may ask for by its name.

    ``compile`` gives the query, its keys and figures, and the tool that computes of the query's rows, if one does.
    ``say`` reads the plan back in words. ``tell`` makes claims of the result; it gets the analyst's scene (plan, sealed
    result, ``value``, ``claim``).
    ``least`` is how many values the operation needs, ``grouped`` whether it needs a group (the statistic's ``by``);
    ``phrases`` are the words, in lower case, by which a question asks for it.
    """

    name: str
    promise: str
    compile: Callable[[Plan], CompiledPlan]
    say: Callable[[Plan], str]
    tell: Callable[[Any], Iterable[Claim | None]]
    least: int = 1
    phrases: tuple[str, ...] = ()
    grouped: bool = False
