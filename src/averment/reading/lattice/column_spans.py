"""Which words of a question may name a column, and how strongly."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from averment.reading.words import (
    SAID,
    abbreviations,
    cues,
    graded,
    has_happened,
    is_plural,
    kinship,
    lexicon,
    said_of,
    singular,
    vocabulary,
    word_list,
)

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_NEVER_INSIDE = frozenset("most more less each per by than when which what who how".split())
_ASKING = frozenset("how what which who whom whose when where why".split())
_EXTENTS = [[word] for word in "much many long often old far big large high tall heavy deep fast".split()]
_OTHERS = 0.78
"""What a short name is worth as a column of a table that the question does not speak of."""

_COMMON = frozenset("id name title code type date year description details detail status number key".split())
"""Names that nearly every table has a column of."""

_NUMBERS = frozenset("number count num nbr no".split())
_JOINING = frozenset({"between", "from", "to", "and"})


def column_spans(lattice: Lattice, column: Column, schema: Schema) -> None:
    """Hypotheses that some words mean this column."""
    if not column.words:
        return
    words, stop = lattice.words, word_list("stop")
    weights = _weights(column, schema)
    own = set(column.words)
    long = {part for name in column.words for part in _spelled_out(name)}
    numbered = any(word.isdigit() for word in column.words)
    sloping = {"per"} if "/" in column.name else set[str]()  # "price per tonne" for Price/tonne
    unnamed = numbered and column.words[0] in {"column", "field", "unnamed"}
    for start in range(len(words)):
        if (words[start] in stop and words[start] not in own) or words[start] in {"and", "or"}:
            continue
        for end in range(start + 1, min(len(words), start + 7) + 1):
            last = words[end - 1]
            if last in stop and last not in own:
                continue
            inside = words[start:end]
            if any(word in _NEVER_INSIDE and word not in own | long | sloping for word in inside):
                break
            if len(inside) == 1 and inside[0] in graded() and inside[0] not in own:
                continue
            if len(inside) == 1 and inside[0] in _ASKING and (start == 0 or words[end : end + 1] in _EXTENTS):
                continue  # "How much" asks for an amount, whatever a column is called.
            verb = len(inside) == 1 and inside[0] in word_list("event_verb") and column.has("date", "key")
            if verb and inside != list(column.words[:1]):
                continue  # buying is what happened, not when or under which number
            if len(inside) == 1 and inside[0].endswith("ed") and column.has("key") and inside[0] not in own:
                continue  # nor is being invoiced the number of an invoice
            if len(inside) == 1 and column.has("key") and column.words[1:] in {("by",), ("to",)}:
                continue  # who raised it is a person; that it was raised is what happened
            if inside[:2] == ["number", "of"] and (column.kind == "text" or column.has("key")):
                break  # how many flats there are, and not what is written on their doors
            said = [w for w in inside if (w not in stop or w in own) and not (numbered and w in _JOINING)]
            said = [w for w in said if w not in sloping or w in own]
            if len(said) > 1 and said[-1] in {"number", "numbers"} and column.kind == "text":
                said = said[:-1] if not _NUMBERS & own else said  # a phone number is the phone's
            if len(said) < len(column.words) and all(word in stop for word in said):
                continue  # "on" alone is not what listed_on is called
            if unnamed and len(said) < len(column.words):
                continue  # A column that has no name of its own is not meant by "column".
            if len(said) == 1 and said[0] in word_list("money_noun") and said[0] not in own and own & _measure_units():
                continue  # Gross (kg) is no money.
            strength = match(said, column.words, weights)
            if strength >= 0.4:
                strength *= _whose(start, end, column, schema, lattice)
                strength -= 0.02 if column.has("key") else 0.0
                counted_once = start > 0 and words[start - 1] in {"different", "distinct", "unique"}
                rows = is_plural(said[0]) and said[0] in lattice.row_words and not counted_once
                if column.has("key") and len(said) == 1 and rows:
                    strength -= 0.3  # flights are rows, and not their numbers
                if len(said) == 1 and len(column.words) > 1 and column.kind == "number" and is_plural(said[0]):
                    # "patients" are who a patient_age belongs to, not the age.
                    strength -= 0.3 if said[0] in word_list("people") else 0.0
                done = len(said) == 1 and column.has("measure") and not column.additive and has_happened(said[0])
                if done and said[0] not in own and not own & word_list("not_additive"):
                    # What was invested, in all the rows there are, is added up.
                    lattice.add(start, end, "COLUMN", strength, replace(column, additive=True))
                    continue
                lattice.add(start, end, "COLUMN", strength, column)
    _named_like_a_cue(lattice, column)
    if column.kind == "number":
        _per_unit(lattice, column)


@cache
def _measure_units() -> frozenset[str]:
    """Units of what is weighed, measured or timed, as columns' names have them."""
    return word_list("unit_words") - word_list("currency")


def _per_unit(lattice: Lattice, column: Column) -> None:
    """ "Per square metre" is by what a column measures in square metres."""
    for unit in set(column.words) & set(lexicon("words")["measured_in"]):
        for said in lexicon("words")["measured_in"][unit]:
            wanted = said.split()
            for start in range(1, len(lattice.words) - len(wanted) + 1):
                end = start + len(wanted)
                inside = [singular(word) if word not in wanted else word for word in lattice.words[start:end]]
                if lattice.words[start - 1] == "per" and inside == wanted:
                    lattice.add(start, end, "COLUMN", 0.97, column)


def _weights(column: Column, schema: Schema) -> dict[str, float]:
    """How much of a name each of its words says: words that many columns share say less, units hardly anything."""
    dull = word_list("unit_words")
    if any({"max", "maximum"} & set(c.words) for c in schema.tables[column.table].columns):
        dull = dull - {"min"}  # beside a highest it is the lowest, and no minutes
    heads = [w for w in column.words if w not in dull and w not in word_list("stop") and not w.isdigit()]
    heads = heads or list(column.words)
    if len(schema.tables) > 1:
        # Among customers a customer_name is the name; whose it is, is asked apart.
        heads = [w for w in heads if not _is_owner(w, column, schema)] or heads
    shared: dict[str, float] = {}
    for word in heads:
        same = sum(1 for c in schema.tables[column.table].columns if word in c.words)
        shared[word] = 1.0 / max(1, same)
    return shared


def _whose(start: int, end: int, column: Column, schema: Schema, lattice: Lattice) -> float:
    """How sure it is whose name, id or date is meant, where several tables have one.

    "The id of the trip" and "the trip's id" are a trip's; a table that the question does not speak of gives way to one
    that it does.
    """
    if len(schema.tables) < 2:
        return 1.0
    core = _core(column, schema)
    same = [c for c in schema.columns if c.table != column.table and _core(c, schema) == core]
    if not same and column.table in lattice.named:
        return 1.0
    words, nouns = lattice.words, schema.tables[column.table].nouns
    if any(singular(w) in nouns for w in words[start:end]):
        return 1.0
    if not any(c.table in lattice.named for c in same) and (column.table in lattice.named or core == column.words):
        return 1.0
    if column.table not in lattice.named:
        return _OTHERS if core != column.words or core[-1] in _COMMON else 0.92
    after = next((w for w in words[end : end + 4] if w not in word_list("stop")), "")
    beside = [w for w in (words[start - 1] if start else "", after) if w]
    rivals = {c.table for c in same if c.table in lattice.named}
    if not rivals or any(singular(w) in nouns for w in beside):
        return 1.0
    told = any(singular(w) in schema.tables[name].nouns for w in beside for name in rivals)
    return 0.9 if told else 0.97


def _core(column: Column, schema: Schema) -> tuple[str, ...]:
    """A column's name without whose it is."""
    return tuple(w for w in column.words if not _is_owner(w, column, schema)) or column.words


def _is_owner(word: str, column: Column, schema: Schema) -> bool:
    """Whether a word of a column's name only says whose column it is: a noun of its table, in full or cut short."""
    nouns = schema.tables[column.table].nouns
    if singular(word) in nouns or not {word, *abbreviations().get(word, ())}.isdisjoint(nouns):
        return True
    return len(word) == 1 and len(column.words) > 1 and column.words[0] == word and any(n[0] == word for n in nouns)


def match(said: list[str], names: tuple[str, ...], weights: dict[str, float]) -> float:
    """How well words say a name: each must find its own part, and the more parts are said the better."""
    if not said:
        return 0.0
    long = tuple(part for name in names for part in _spelled_out(name))
    if long != names and not set(said) & set(names) - set(long):
        names = long
        weights = {part: weight for name, weight in weights.items() for part in _spelled_out(name)}
    joined, whole = "".join(said).replace(".", ""), "".join(names)
    if joined == whole or singular(joined) == singular(whole):
        return 1.0
    if len(said) == 1 and (meant := _said_whole(said[0], names)):
        return meant
    left, got, found = list(names), [], set[str]()
    for word in said:
        best, part = 0.0, ""
        for name in left:
            strength = _part(word, name)
            if strength > best:
                best, part = strength, name
        if not part:
            return 0.0
        left.remove(part)
        got.append(best)
        found.add(part)
    cover = sum(weight for word, weight in weights.items() if word in found) / sum(weights.values())
    quality = sum(got) / len(got)
    named = sum(word in found for word in weights) / len(weights)
    if not cover or (named < 0.45 and quality < 0.9):
        return 0.0
    whole_name = cover > 0.99
    return (
        quality
        * min(0.55 + 0.45 * cover, 1.0 if whole_name else 0.82)
        * (0.97 if any(n.isdigit() for n in left) else 1)
    )


def _said_whole(word: str, names: tuple[str, ...]) -> float:
    """How well a word says several parts of a name together: who owes something owes an amount_due."""
    for size in range(len(names), 1, -1):
        for start in range(len(names) - size + 1):
            if word in said_of().get("_".join(names[start : start + size]), ()):
                return SAID if size == len(names) else SAID - 0.06
    return 0.0


def _spelled_out(name: str) -> tuple[str, ...]:
    """A part of a name that stands for two words, as those words."""
    long = abbreviations().get(name, ())
    if len(long) > 1:
        return long
    return _run_together(name) if len(name) > 4 and name not in vocabulary() else (name,)


@cache
def _run_together(name: str) -> tuple[str, ...]:
    """A name and what is cut short behind it, without a gap: brainwt, orderqty."""
    for short, long in abbreviations().items():
        first = name.removesuffix(short)
        if first != name and len(first) > 2 and first in vocabulary():
            return (first, *long)
    return (name,)


def _part(word: str, name: str) -> float:
    strength = kinship(word, name)
    if strength:
        return strength
    if word in {"number", "count"} and name in _NUMBERS:
        return 0.95
    if word.isdigit() and name.isdigit():
        return 1.0 if word == name or (len(name) == 2 and int(name) == int(word) % 100) else 0.0
    if word.isdigit() or len(word) < 3 or len(name) < len(word) + 3:
        return 0.0
    # A name run together: "winpercent", "bodymass".
    base = singular(word)
    if (word,) in cues() and name not in vocabulary() and name.startswith(base):
        return 0.0  # The mean of something is no "meangbt".
    if name.startswith(base) or name.endswith(base):
        rest = name[len(base) :] if name.startswith(base) else name[: -len(base)]
        return 0.82 if rest in vocabulary() or len(rest) <= 3 else 0.5
    if len(word) > 5 and any(
        kinship(word, name[:n]) >= 0.8 for n in range(3, len(word) + 1) if name[:n] in vocabulary()
    ):
        return 0.7
    return 0.0


def _named_like_a_cue(lattice: Lattice, column: Column) -> None:
    """A column whose whole name is an operation's word: "median salary" where only Median is there."""
    words = lattice.words
    if len(column.words) != 1 or (column.words[0],) not in cues() or column.kind != "number":
        return
    for place, word in enumerate(words[:-1]):
        after = words[place + 1]
        if word != column.words[0] or not after.isalpha() or after in word_list("stop") or (after,) in cues():
            continue
        known = any(
            s.type in {"COLUMN", "VALUE", "PART", "GRADE"} and s.start == place + 1 and s.strength >= 0.55
            for s in lattice.spans
        )
        if not known:
            lattice.add(place, place + 2, "COLUMN", 0.85, column)
