"""What sort of thing a name names, told by its likeness to examples: a person, a place, an organisation, or a thing.

The examples are common and of our own choice; none is taken from a set that is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from averment.language.claims.vectors import Similarity

EXAMPLES: dict[str, tuple[str, ...]] = {
    sort: tuple(names.replace("\n", " ").split("|"))
    for sort, names in {
        "person": "Maria Garcia|John Smith|Ahmed Hassan|Li Wei|Anna Kowalski|James Brown|Elena Petrova|Kenji Tanaka|"
        "David O'Connor|Fatima Khan|Pierre Dubois|Sofia Rossi|Carlos Mendes|Ingrid Larsson|Robert Lee|William Johnson|"
        "Sir Thomas More|Queen Victoria|Nguyen Van An|Petersen",
        "place": "Chicago|Kentucky|Brazil|Vermont|Tokyo|Northern Ireland|Lyon|Bavaria|Lake Superior|Springfield|"
        "South Korea|Ohio River|Cairo|Andalusia|Hokkaido|Baltimore County|Perth|Havana|Mount Etna",
        "organisation": "Microsoft|General Electric|Harvard University|Labour Party|Manchester United|"
        "Bank of England|Supreme Court|Toyota|New York Yankees|World Health Organization|Sony Music|Ministry of Health|"
        "Boston Symphony Orchestra|Reuters|Boeing|National Assembly|Red Cross|Warner Records|The Rolling Stones",
        "thing": "Nobel Prize|Grand Slam|World Cup|Academy Award|Championships|Super Bowl|Best Picture|World War|"
        "Leaderboard|Home Page|Privacy Policy|Season Premiere|Tour|Release Date|Hall of Fame|Players|Round|Final|"
        "Chronology|Biography",
    }.items()
}
_SHARPNESS = 15.0


def sort_names(names: Sequence[str], likeness: Similarity) -> list[dict[str, float]]:
    """For each name how much it is like each sort, summing to 1; nothing without an embedder."""
    if not likeness.is_there:
        return [{} for _ in names]
    near = {sort: likeness.to_all(examples, names) for sort, examples in EXAMPLES.items()}
    found: list[dict[str, float]] = []
    for place in range(len(names)):
        parts = {sort: math.exp(_SHARPNESS * rows[place]) for sort, rows in near.items()}
        total = sum(parts.values())
        found.append({f"like a {sort}": part / total for sort, part in parts.items()})
    return found
