"""Several candidates: where no reader confirms a model, it is asked anew, and the result that comes up most stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from averment.agents.analyst.model_loop.witness import same_result
from averment.errors import ModelError

if TYPE_CHECKING:
    from averment.agents.analyst.model_loop.loop import LoopOutcome


def vote(run: Callable[[int], LoopOutcome], candidates: int) -> LoopOutcome:
    """How the first loop ended, or where it stands unconfirmed, the result that most of several loops come to.

    As soon as two come to the same result it stands; where none does, the first stands as it is.

    Raises:
        ModelError: the first loop came to nothing.
    """
    first = run(1)
    if first.outcome != "stands" or first.agrees:
        return first
    found = [first]
    for candidate in range(2, candidates + 1):
        try:
            ended = run(candidate)
        except ModelError:
            break  # What stands already stands.
        if ended.outcome != "stands":
            continue
        if ended.agrees:
            return ended
        same = next((other for other in found if _same(other, ended)), None)
        if same is not None:
            return same
        found.append(ended)
    return first


def _same(one: LoopOutcome, other: LoopOutcome) -> bool:
    if one.checked is None or other.checked is None or one.checked.rows is None or other.checked.rows is None:
        return False
    return same_result(one.checked.rows, other.checked.rows)
