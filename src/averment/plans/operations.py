"""Operations of the plan language that plugins add: a statistic of a plan, from its values to its sentences.

The operations that Averment has itself are compiled, read back and told where their kind is matched; one that is added
brings all of it in one record. Its result is told by claims like every other, so what it says is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from averment import plugins
from averment.errors import InvalidArguments
from averment.plans.statistic_kinds import BuiltInStatistic

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


def added_operations() -> dict[str, Operation]:
    """Every operation that plugins add and that can be used, by name."""
    return plugins.additions("operations", Operation, get_args(BuiltInStatistic))


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
    return plugins.load("operations", kind, Operation, get_args(BuiltInStatistic))


def compile_added(plan: Plan) -> CompiledPlan:
    """The query of a plan whose operation a plugin adds.

    Raises:
        InvalidArguments: the plan has too few values for it.
        PluginFailed: no plugin adds it.
    """
    assert plan.statistic is not None  # only plans with a statistic come here
    operation = added_operation(plan.statistic.kind)
    if len(plan.statistic.of) < operation.least:
        raise InvalidArguments(f"A {operation.name} needs at least {operation.least} values.")
    return operation.compile(plan)
