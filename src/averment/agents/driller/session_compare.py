"""Two investigations held beside each other: what both found, what only one did, and which values moved otherwise.

Everything that is shown is a title, an effect or a change of the investigations' own sealed results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.records.drilldown.past import ComparedCause, ComparedMover, Comparison
from averment.records.drilldown.results import Explanation, Mover

if TYPE_CHECKING:
    from averment.agents.driller.session_export import Investigation

MOST_MOVERS = 12


def compare(first: Investigation, second: Investigation, numbers: tuple[int, int]) -> Comparison:
    """What two investigations have in common, and what they have not."""
    one, other = ({_key(cause): cause for cause in found.explanations or ()} for found in (first, second))
    shared = [key for key in one if key in other]
    return Comparison(
        first=numbers[0],
        second=numbers[1],
        first_context=first.context,
        second_context=second.context,
        both=tuple(_pair(one[key], other[key]) for key in shared),
        only_first=tuple(_pair(cause, None) for key, cause in one.items() if key not in other),
        only_second=tuple(_pair(None, cause) for key, cause in other.items() if key not in one),
        movers=_movers(first.breakdown, second.breakdown),
    )


def _key(cause: Explanation) -> tuple[object, ...]:
    """Two causes are the same where the same figure of the same place is meant, whichever way it went."""
    return cause.kind, cause.fault, tuple(sorted(cause.segment.items()))


def _pair(one: Explanation | None, other: Explanation | None) -> ComparedCause:
    named = one or other
    return ComparedCause(
        title=named.title if named is not None else "",
        first_effect=None if one is None else one.effect,
        second_effect=None if other is None else other.effect,
        first_share=None if one is None else one.share,
        second_share=None if other is None else other.share,
    )


def _movers(first: tuple[Mover, ...], second: tuple[Mover, ...]) -> tuple[ComparedMover, ...]:
    """The values that both break the change down by, those whose parts differ most first."""
    other = {(mover.dimension, mover.value): mover for mover in second}
    pairs = [
        (mover, other[(mover.dimension, mover.value)]) for mover in first if (mover.dimension, mover.value) in other
    ]
    pairs.sort(key=lambda pair: (-abs(pair[0].change - pair[1].change), pair[0].dimension, pair[0].value))
    return tuple(
        ComparedMover(dimension=one.dimension, value=one.value, first_change=one.change, second_change=two.change)
        for one, two in pairs[:MOST_MOVERS]
    )
