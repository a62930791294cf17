"""Amounts that no column is named by: money where one column holds money, "how many kilos" where one is in kilos."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from averment.reading.words import lexicon, singular, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_NAMED = 0.9
"""From this strength on a word names a column by itself."""

_MONEY, _DEALING, _MANY = 0.82, 0.72, 1.02
_ASKING = (["how", "much"], ["what", "did"], ["what", "does"])


def amount_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean the one amount of a table: of money, or of what is measured in a unit."""
    taken = {s.start for s in lattice.spans if s.type in {"COLUMN", "VALUE", "TEST"} and s.strength >= _NAMED}
    named = any(s.type == "COLUMN" and s.strength >= _NAMED and s.data.has("measure") for s in lattice.spans)
    pointed = {one.right for one in schema.relations}
    for table in schema.tables.values():
        # A price that others point at is none that was paid.
        money = money_of(table) if table.name not in pointed else None
        if money is not None:
            amount = added_up(money)
            _money(lattice, amount, taken)
            _deals(lattice, money, taken)
            if not named:
                _dealings(lattice, amount, taken)
        _units(lattice, table)
        _measured(lattice, table)


def money_of(table: Table) -> Column | None:
    """The one column of a table that holds money; None where there are several, or none."""
    names = word_list("money_name") | word_list("currency")
    plain = [c for c in table.measures if c.expression is None and not {"per", "rate"} & set(c.words)]
    found = [c for c in plain if set(c.words) & names]
    whole = [c for c in found if "total" in c.words]
    return found[0] if len(found) == 1 else whole[0] if len(whole) == 1 else None


def added_up(column: Column) -> Column:
    """A column as an amount: what many rows have of it is added up."""
    return replace(column, additive=True, words=("amount",))


def _money(lattice: Lattice, amount: Column, taken: set[int]) -> None:
    words = lattice.words
    for place, word in enumerate(words):
        counted = words[max(0, place - 2) : place] in (["how", "many"], ["number", "of"])
        if word in word_list("money_noun") and place not in taken and not counted:
            lattice.add(place, place + 1, "COLUMN", _MONEY, amount)


def _deals(lattice: Lattice, money: Column, taken: set[int]) -> None:
    """ "The average gift", "the largest order": what one row is worth, where rows are deals."""
    for place in range(1, len(lattice.words)):
        near = place - 1 if lattice.words[place - 1] in {"single", "one", "individual"} else place
        before = [s for s in lattice.spans if s.end == near and s.type in {"CUE", "GRADE"}]
        sized = any(s.cue("mean", "median", "most", "least", "min", "max") or s.type == "GRADE" for s in before)
        if sized and place not in taken and lattice.words[place] in word_list("deal_noun"):
            lattice.add(place, place + 1, "COLUMN", _MONEY, money)


def _dealings(lattice: Lattice, amount: Column, taken: set[int]) -> None:
    """ "How much did Oslo bring in", "what did each vet bill": verbs of earning and spending say what is added up."""
    words = lattice.words
    pairs = [words[place : place + 2] for place in range(len(words) - 1)]
    if not any(pair in pairs for pair in _ASKING):
        return
    for place in range(1, len(words)):
        if place in taken:
            continue
        for end in (place + 2, place + 1):
            if end <= len(words) and " ".join(words[place:end]) in lexicon("words")["dealing"]["said"]:
                lattice.add(place, end, "COLUMN", _DEALING, amount)
                break


def _units(lattice: Lattice, table: Table) -> None:
    """ "How many kilos", "how many litres of milk": the number that is measured so, and what it is of."""
    words = lattice.words
    for place in range(len(words) - 2):
        if words[place : place + 2] not in (["how", "many"], ["number", "of"], ["total", "number"]):
            continue
        for unit, said in lexicon("words")["measured_in"].items():
            able = [c for c in table.measures if c.expression is None and unit in c.words]
            size = next((len(s.split()) for s in said if _stands(words, place + 2, s)), 0)
            if not able or not size:
                continue
            end = place + 2 + size
            named = [s for s in lattice.spans if s.type == "COLUMN" and s.data in able and s.strength >= 0.7]
            for span in named:
                if words[end : end + 1] == ["of"] and span.start in {end + 1, end + 2}:
                    lattice.add(place, span.end, "COLUMN", _MANY, added_up(span.data))
            if len(able) == 1:
                lattice.add(place, end, "COLUMN", _MANY, added_up(able[0]))


def _measured(lattice: Lattice, table: Table) -> None:
    """ "Never weighed": the one number that a verb of measuring gives, by its unit."""
    for place, word in enumerate(lattice.words):
        units = lexicon("words")["measuring"].get(word)
        able = [c for c in table.measures if units and c.expression is None and set(units.split()) & set(c.words)]
        if len(able) == 1:
            lattice.add(place, place + 1, "COLUMN", _DEALING, able[0])


def _stands(words: list[str], place: int, said: str) -> bool:
    wanted = said.split()
    found = words[place : place + len(wanted)]
    return len(found) == len(wanted) and all(a == b or singular(a) == b for a, b in zip(found, wanted, strict=True))
