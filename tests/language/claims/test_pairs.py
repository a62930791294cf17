"""Pairs of sentences, written for this test: which cannot both hold, and which only look so."""

from __future__ import annotations

import pytest

from averment.language.claims.claims import clash, read_claims
from averment.language.claims.stance import read_stance

CONFLICTS = [
    ("Norvik Bridge is 412 metres long.", "Norvik Bridge is 530 metres long."),
    ("Norvik Bridge is 2 miles long.", "Norvik Bridge is 5 kilometres long."),
    ("Halden Foods had revenue of $4.2 billion in 2021.", "Halden Foods had revenue of $3.1 billion in 2021."),
    ("Halden Foods employed 12,400 people in 2020.", "In 2020, Halden Foods employed 9,800 people."),
    ("The Lindholm Museum was founded in 1923.", "The Lindholm Museum was founded in 1932."),
    ("The Lindholm Museum opened on 4 May 1931.", "The Lindholm Museum opened on 9 June 1931."),
    ("Mount Sarren is 2,310 metres high.", "Mount Sarren is 2,810 metres high."),
    ("Sarren Valley has 14 villages.", "Sarren Valley has 19 villages."),
    ("Anna Berg was born in 1904.", "Anna Berg was born in 1909."),
    ("Anna Berg died on 3 March 1978.", "Anna Berg died on 3 March 1987."),
    ("The Ostrava Canal costs 40 million euros a year.", "The Ostrava Canal costs 65 million euros a year."),
    ("The Arden Dam harms local salmon stocks.", "The Arden Dam does not harm local salmon stocks."),
    ("Vitamin Plus cures the common cold in adults.", "Vitamin Plus does not cure the common cold in adults."),
    ("Lake Mirren holds drinkable water all year.", "Lake Mirren never holds drinkable water all year."),
    ("According to the Water Board, Lake Mirren is 48 metres deep.", "Lake Mirren is 61 metres deep."),
]

TRAPS = {
    "another year": (
        "Halden Foods had revenue of $4.2 billion in 2021.",
        "Halden Foods had revenue of $3.1 billion in 2019.",
    ),
    "another quarter": (
        "Halden Foods sold 310 tonnes of rye in the first quarter of 2021.",
        "Halden Foods sold 540 tonnes of rye in the third quarter of 2021.",
    ),
    "another thing": ("Norvik Bridge is 412 metres long.", "Arden Bridge is 530 metres long."),
    "another attribute": ("Norvik Bridge is 412 metres long.", "Norvik Bridge is 18 metres wide."),
    "the same in another unit": ("Norvik Bridge is 5 kilometres long.", "Norvik Bridge is 5,000 metres long."),
    "the same in other words": ("Halden Foods paid $180B.", "Halden Foods paid 180 billion dollars."),
    "a part of the whole": (
        "Halden Foods employed 12,400 people in 2020.",
        "Halden Foods employed 3,100 people in Norway in 2020.",
    ),
    "a share of the whole": (
        "In 2020, Halden Foods employed 12,400 people.",
        "In 2020, Halden Foods employed 40 percent of the people in Norvik.",
    ),
    "a rounded value": ("Sarren County has 1,284,000 inhabitants.", "Sarren County has 1.3 million inhabitants."),
    "about": ("Sarren County has about 12,000 inhabitants.", "Sarren County has 12,480 inhabitants."),
    "at least": ("Sarren County has more than 12,000 inhabitants.", "Sarren County has 13,900 inhabitants."),
    "a forecast and what came": (
        "Halden Foods was expected to sell 900 tonnes of rye in 2021.",
        "Halden Foods sold 640 tonnes of rye in 2021.",
    ),
    "an older figure quoted": (
        "Halden Foods has 12,400 employees, up from 9,800 a decade ago.",
        "Halden Foods has 9,800 employees.",
    ),
    "a hedge": ("The Arden Dam may harm local salmon stocks.", "The Arden Dam does not harm local salmon stocks."),
    "a year inside a period": (
        "The Lindholm Museum was built between 1921 and 1925.",
        "The Lindholm Museum was built in 1923.",
    ),
    "two events": ("The Lindholm Museum was founded in 1923.", "The Lindholm Museum was renovated in 1998."),
    "kin": ("Anna Berg was born in 1904.", "Erik Berg was born in 1931."),
    "a total and what was added": (
        "Halden Foods hired 800 people in 2020.",
        "Halden Foods employed 12,400 people in 2020.",
    ),
}


def clashes(one: str, other: str) -> bool:
    """Whether some claim of the one sentence cannot hold together with one of the other."""
    return any(clash(a, b) for a in read_claims(one) for b in read_claims(other))


@pytest.mark.parametrize("place", range(len(CONFLICTS)))
def test_sentences_that_cannot_both_hold_are_found_either_way_round(place: int) -> None:
    one, other = CONFLICTS[place]
    assert clashes(one, other)
    assert clashes(other, one)


@pytest.mark.parametrize("trap", TRAPS)
def test_what_only_looks_like_a_conflict_is_none(trap: str) -> None:
    one, other = TRAPS[trap]
    assert not clashes(one, other)
    assert not clashes(other, one)


def test_whom_a_sentence_quotes_and_its_reserve_are_kept_with_the_claim() -> None:
    (claim,) = read_claims("According to the Water Board, Lake Mirren is 48 metres deep.")
    assert claim.stance.attribution == "the Water Board"
    assert read_stance("Lake Mirren is reportedly 48 metres deep.").hedged
