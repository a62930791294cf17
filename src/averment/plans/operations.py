"""Operations of the plan language that plugins add: a statistic of a plan, from its values to its sentences.

It brings all of it in one record, as each of Averment's own does in ``plans.statistics``. Its result is told by claims
like every other, so what it says is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from averment import plugins
from averment.errors import InvalidArguments
from averment.plans.plan import Plan, Statistic, Value
from averment.plans.steps import Period

if TYPE_CHECKING:
    from averment.plans.compile import CompiledPlan
    from averment.records.claim import Claim

Bins = Annotated[int, Field(ge=2, le=100)]
Reach = Annotated[float, Field(gt=0)]

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


class AddedStatistic(Statistic):
    """A statistic that a plugin adds, with every field that its operation may use."""

    of: tuple[Value, ...] = ()
    by: Value | None = None
    against: Value | None = None
    within: tuple[Value, ...] = ()
    bins: Bins = 10
    reach: Reach | None = None
    step: Period | None = None
    span: tuple[str, str] | None = None
    method: str | None = None

    def compile(self, plan: Plan) -> CompiledPlan:
        """What the plugin computes."""
        operation = added_operation(self.kind)
        if len(self.of) < operation.least:
            raise InvalidArguments(f"A {operation.name} needs at least {operation.least} values.")
        return operation.compile(plan)

    def say(self, plan: Plan, *, qualified: bool = False) -> str:
        """What the plugin says."""
        return added_operation(self.kind).say(plan)


@cache
def added_kind(name: str) -> type[AddedStatistic]:
    """The class of the statistic that a plugin adds under that name, whether it is installed or not."""
    return type("AddedStatistic", (AddedStatistic,), {"kind": name, "__doc__": AddedStatistic.__doc__})


def added_operations() -> dict[str, Operation]:
    """Every operation that plugins add and that can be used, by name."""
    return plugins.additions("operations", Operation, _own())


def added_phrases() -> Iterator[tuple[tuple[str, ...], str]]:
    """Every phrase that asks for an added operation, in words, with the name of its cue."""
    for name, operation in added_operations().items():
        for phrase in operation.phrases:
            yield tuple(phrase.split()), f"{CUE}{name}"


def added_operation(kind: str) -> Operation:
    """The operation that a plugin adds under that name.

    Raises:
        PluginFailed: no plugin adds it, or it cannot be loaded.
    """
    return plugins.load("operations", kind, Operation, _own())


def _own() -> Collection[str]:
    from averment.plans.statistics import OWN

    return OWN
