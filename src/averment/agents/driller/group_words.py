"""The words around an explanation of why two groups differ: its title, what it means, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.wording import segment_words

if TYPE_CHECKING:
    from averment.agents.driller.cause import Cause
    from averment.agents.driller.reading import Reading
    from averment.records.drilldown import Groups

CLAIMS = (
    "The data show where the groups differ, not why; whether the flag itself did it depends on how it was given out."
)


def groups_said(reading: Reading) -> dict[str, str]:
    """The groups as the words of a claim; nothing where two periods are compared."""
    groups = reading.groups
    return {} if groups is None else {"groups": f"{groups.words('baseline')}\n{groups.words('comparison')}"}


def group_title(cause: Cause, groups: Groups, figure: str, *, lower: bool) -> str:
    """An explanation's title; without numbers of its own."""
    place, test, control = segment_words(cause.segment), groups.words("comparison"), groups.words("baseline")
    match cause.kind:
        case "noise":
            return "The rest of the difference, without a named cause"
        case "mix":
            return f"{place} weighs otherwise in {test} than in {control}"
        case "new_or_gone":
            return f"{place} is there in {test if cause.state == 'new' else control} alone"
        case _:
            where = f"in {place}" if cause.segment else "everywhere"
            return f"{figure.capitalize()} is {'lower' if lower else 'higher'} in {test} {where}"


def group_meaning(cause: Cause, groups: Groups, figure: str, *, lower: bool) -> str:
    """What the data show of a cause, and no more."""
    place, test, control = segment_words(cause.segment), groups.words("comparison"), groups.words("baseline")
    match cause.kind:
        case "noise":
            return "What is left after the named parts. The breakdown shows where it lies."
        case "mix":
            return (
                f"{place} makes up another part of {test} than of {control}. Its level differs from the others', so "
                f"the groups differ even where no level does. {CLAIMS}"
            )
        case "new_or_gone":
            return f"Only one of the groups has rows of {place}. {CLAIMS}"
        case _:
            where = f"In {place}" if cause.segment else "In all segments together"
            direction = "lower" if lower else "higher"
            return f"{where} {figure} is {direction} in {test} by more than its own scatter. {CLAIMS}"


def group_step(cause: Cause, groups: Groups) -> str:
    """What to do about a cause."""
    place, test = segment_words(cause.segment), groups.words("comparison")
    where = f"in {place}" if cause.segment else "everywhere"
    match cause.kind:
        case "noise":
            return "Look at the breakdown for where the rest of the difference lies."
        case "mix":
            return f"Check how rows came into the groups: {place} weighs otherwise in {test}; compare inside it."
        case "new_or_gone":
            return f"Check how rows came into the groups: {place} is missing in one of them."
        case "volume" if not cause.segment:
            return "The groups are of another size: compare a mean or a rate instead of a sum."
        case "volume":
            return f"Check how many rows came into each group {where}, and whether all were recorded."
        case _:
            return f"Find out what {test} does otherwise {where}."
