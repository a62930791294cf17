"""Amounts that no column is named by: money where one column holds money, "how many kilos" where one is in kilos."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from averment.reading.words import COUNTING_ENDS, abbreviations, is_plural, lexicon, singular, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_NAMED = 0.9
"""From this strength on a word names a column by itself."""

_MONEY, _DEALING, _MANY = 0.82, 0.72, 1.02
_ASKING = (["how", "much"], *(["what", word] for word in ("did", "do", "does", "have", "has")))


def amount_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean the one amount of a table: of money, or of what is measured in a unit."""
    taken = {s.start for s in lattice.spans if s.type in {"COLUMN", "VALUE", "TEST"} and s.strength >= _NAMED}
    named = any(s.type == "COLUMN" and s.strength >= _NAMED and s.data.has("measure") for s in lattice.spans)
    pointed = {one.right for one in schema.relations}
    for table in schema.tables.values():
        # A price that others point at is none that was paid.
        money = money_of(table) if table.name not in pointed else None
        if money is not None:
            _money(lattice, money, taken)
            _deals(lattice, money, taken)
            if not named:
                _dealings(lattice, money, taken)
        _units(lattice, table)
        _measured(lattice, table)


def money_of(table: Table) -> Column | None:
    """The one column of a table that holds money; None where there are several, or none.

    Where a row has a price and how many, its money is both together.
    """
    names = word_list("money_name") | word_list("currency")
    plain = [c for c in table.measures if c.expression is None and not {"per", "rate"} & set(c.words)]
    found = [c for c in plain if _spelled_out(c) & names or _CURRENCIES & set(c.name)]
    whole = [c for c in found if "total" in c.words]
    money = found[0] if len(found) == 1 else whole[0] if len(whole) == 1 else None
    made = [c for c in table.columns if c.words == ("revenue",) and money is not None and money.name in _of(c)]
    return made[0] if made else money


_CURRENCIES = frozenset("$€£¥")


def _spelled_out(column: Column) -> set[str]:
    """The words of a column's name, and what they are short for."""
    return {each for word in column.words for each in (word, *abbreviations().get(word, ()))}


def _of(made: Column) -> list[str]:
    """The columns that a formula is made of."""
    return [name for _, name in made.expression.columns()] if made.expression is not None else []


def added_up(column: Column) -> Column:
    """A column as an amount: what many rows have of it is added up."""
    return replace(column, additive=True, words=("amount",))


def _money(lattice: Lattice, money: Column, taken: set[int]) -> None:
    words, amount = lattice.words, added_up(money)
    costs = bool(_COSTS & set(money.words))
    for place, word in enumerate(words):
        counted = words[max(0, place - 2) : place] in (["how", "many"], ["number", "of"])
        if word in word_list("money_noun") and place not in taken and not counted:
            # An income is no bill: whether it is meant is asked.
            lattice.add(place, place + 1, "COLUMN", _MONEY, amount, guessed=costs and word in _INCOMES)


def _deals(lattice: Lattice, money: Column, taken: set[int]) -> None:
    """ "The average gift", "the largest order": what one row is worth, where rows are deals."""
    for place in range(1, len(lattice.words)):
        near = place - 1 if lattice.words[place - 1] in {"single", "one", "individual"} else place
        before = [s for s in lattice.spans if s.end == near and s.type in {"CUE", "GRADE"}]
        counted = is_plural(lattice.words[place]) and any(s.text in COUNTING_ENDS for s in before)
        sized = any(s.cue("mean", "median", "most", "least", "min", "max") or s.type == "GRADE" for s in before)
        sized = sized and not counted  # The most orders are many, and not much.
        if sized and place not in taken and lattice.words[place] in word_list("deal_noun"):
            lattice.add(place, place + 1, "COLUMN", _MONEY, money)


_COSTS = frozenset("cost costs expense expenses expenditure bill bills fine fines tax".split())
_INCOMES = frozenset("income revenue revenues takings turnover earnings proceeds sales".split())
_GAINING = frozenset("make makes made take takes took earn earns earned bring brings brought gross grossed".split())
"""What comes in is no cost."""


def _dealings(lattice: Lattice, money: Column, taken: set[int]) -> None:
    """ "How much did Oslo bring in", "what did each vet bill": verbs of earning and spending say what is added up."""
    words = lattice.words
    pairs = [words[place : place + 2] for place in range(len(words) - 1)]
    if not any(pair in pairs for pair in _ASKING):
        return
    costs = bool(_COSTS & set(money.words))
    for place in range(1, len(words)):
        if place in taken:
            continue
        for end in (place + 2, place + 1):
            said = " ".join(words[place:end]) if end <= len(words) else ""
            if said in lexicon("words")["dealing"]["said"] and not (costs and words[place] in _GAINING):
                lattice.add(place, end, "COLUMN", _DEALING, added_up(money))
                break


_LEADS = (["how", "many"], ["number", "of"], ["total", "number"], ["total", "number", "of"], ["total"])
_RATES = frozenset({"per", "rate", "price", "cost", "fee"})


def _units(lattice: Lattice, table: Table) -> None:
    """ "How many kilos", "total litres of milk", "tonnes per hectare": the number measured so, and what it is of."""
    words = lattice.words
    plain = [c for c in table.measures if c.expression is None and not _RATES & set(c.words)]
    for place in range(len(words)):
        lead = next((len(said) for said in _LEADS if words[place : place + len(said)] == said), 0)
        for unit, said in lexicon("words")["measured_in"].items():
            able = [c for c in plain if unit in c.words]
            size = next((len(s.split()) for s in said if _stands(words, place + lead, s)), 0)
            end = place + lead + size
            start = place if lead > 1 else place + lead  # A bare "total" asks for a sum by itself.
            if not able or not size or not (lead or words[end : end + 1] == ["per"]):
                continue
            named = [s for s in lattice.spans if s.type == "COLUMN" and s.data in able and s.strength >= 0.7]
            for span in named:
                if words[end : end + 1] == ["of"] and span.start in {end + 1, end + 2}:
                    lattice.add(start, span.end, "COLUMN", _MANY, added_up(span.data))
            if len(able) == 1:
                lattice.add(start, end, "COLUMN", _MANY, added_up(able[0]))


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
