"""How near two spellings are."""

from __future__ import annotations


def distance(one: str, two: str, limit: int) -> int:
    """How many letters must be put in, left out, changed or swapped with their neighbour; limit + 1 when more."""
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(two) + 1))
    for place, char in enumerate(one, 1):
        fresh = [place]
        for other, target in enumerate(two, 1):
            cost = min(row[other] + 1, fresh[other - 1] + 1, row[other - 1] + (char != target))
            if before and other > 1 and char == two[other - 2] and one[place - 2] == target:
                cost = min(cost, before[other - 2] + 1)
            fresh.append(cost)
        if min(fresh) > limit and (not before or min(row) > limit):
            return limit + 1
        before, row = row, fresh
    return min(row[-1], limit + 1)
