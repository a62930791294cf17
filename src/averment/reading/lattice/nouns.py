"""Row nouns and plain verbs: what the rows of a table may be called, and verbs that say no more than their object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.lattice.amounts import money_of
from averment.reading.words import cues, graded, is_plural, kinship, lexicon, singular, tokens, vocabulary, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

NAMES_TABLE = 1.08
"""How strongly "in titanic" names the table: nothing else is meant by these words."""

PARTS = {
    "year": "year",
    "years": "year",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
    "month": "month",
    "months": "month",
    "monthly": "month",
    "day": "day",
    "days": "day",
    "daily": "day",
    "date": "day",
    "week": "week",
    "weeks": "week",
    "weekly": "week",
    "weekday": "weekday",
    "weekdays": "weekday",
    "decade": "decade",
    "decades": "decade",
    "quarter": "quarter",
    "quarters": "quarter",
    "quarterly": "quarter",
    "hour": "hour",
    "hours": "hour",
    "hourly": "hour",
}

_COUNTING = frozenset(
    {"count", "which", "top", "bottom", "most", "least", "share", "list", "by", "common", "any", "no"}
)


def plain_verbs(lattice: Lattice) -> None:
    """Verbs that say no more than their object does: "wore a helmet", "how many books did Moe write"."""
    words = lattice.words
    flags = {s.start for s in lattice.spans if s.type == "COLUMN" and s.data.has("flag") and s.strength >= 0.7}
    values = {s.end for s in lattice.spans if s.type == "VALUE" and s.strength >= 0.9}
    for place, word in enumerate(words):
        if not word.isalpha() or (word,) in cues() or word in word_list("stop"):
            continue
        after = place + 1
        while after < len(words) and words[after] in {"a", "an", "the", "their", "his", "her"}:
            after += 1
        asked = (
            place == len(words) - 1
            and place in values
            and not {"did", "does", "do", "has", "have"}.isdisjoint(words)
            and word not in lexicon("words")["dealing"]["said"]  # what it costs is an amount, and asked for
        )
        if (after > place + 1 and after in flags) or asked:
            lattice.add(place, place + 1, "STOP", 0.1)


_GENERIC = frozenset(
    "score scores rating ratings level levels value values amount amounts figure figures size sizes".split()
)


_CLOCK = frozenset(
    "min mins minute minutes sec secs second seconds hour hours hrs days duration ms millis milliseconds".split()
)
_KINDS = frozenset("kind kinds type types sort sorts".split())
_SORTS = _KINDS | frozenset("category categories group groups class classes name names".split())
"""What a column of categories may be called behind its name: "by insurance type"."""
_PLACES = frozenset("station stations airport airports port ports stop stops terminal terminals".split())
"""What a column of places may be called behind its name: "origin stations"."""


def generic_nouns(lattice: Lattice) -> None:
    """Nouns that only say that a column beside them is a number or a kind: "satisfaction score", "kind of decor"."""
    named = {
        s.end
        for s in lattice.spans
        if s.type == "COLUMN" and s.strength >= (0.7 if s.data.has("measure") and not s.data.additive else 0.9)
    }
    clocked = {s.end for s in lattice.spans if s.type == "COLUMN" and s.strength >= 0.7 and _CLOCK & set(s.data.words)}
    opened = {s.start for s in lattice.spans if s.type == "COLUMN" and s.strength >= 0.9}
    for place, word in enumerate(lattice.words[:-2]):
        if word in _KINDS and lattice.words[place + 1] == "of" and place + 2 in opened:
            lattice.add(place, place + 2, "STOP", 0.3)
    sorted_by = {s.end for s in lattice.spans if s.type == "COLUMN" and s.strength >= 0.9 and s.data.has("category")}
    for place, word in enumerate(lattice.words):
        timed = word in {"time", "times"} and place in clocked
        timed = timed or any(s.end == place and s.type == "COLUMN" and _measures(s.data, word) for s in lattice.spans)
        kind = word in _SORTS | _PLACES and place in sorted_by
        if (word in _GENERIC and place in named) or timed or kind:
            lattice.add(place, place + 1, "STOP", 0.1)


def _measures(column: Column, word: str) -> bool:
    """Whether a noun is what a column's unit measures: wind speed, where the wind is in km/h."""
    units = lexicon("words")["dimension"].get(singular(word), "").split()
    return column.has("measure") and not set(column.words).isdisjoint(units)


def row_nouns(lattice: Lattice, schema: Schema) -> None:
    """What a row may be called: its table's name, a plain word for rows, or a plural no name holds."""
    words = lattice.words
    generic, people = word_list("row"), word_list("person")
    plain_names = {table.nouns for table in schema.tables.values() if len(table.nouns) == 1}
    keyed = {singular(c.words[0]) for c in schema.columns if c.has("key") and len(c.words) > 1}
    written = {name: [word for word, _, _ in tokens(name)] for name in schema.tables}
    listed = _people(schema)
    deals = {singular(noun) for noun in word_list("deal_noun")}
    taken = {noun for table in schema.tables.values() for noun in (*table.nouns, *table.called)}
    taken |= {singular(w) for column in schema.columns for w in column.words}
    for start, end, table in _led(words, schema):
        lattice.add(start, end, "ROW", _MEMBER, table)
    for place, word in enumerate(words):
        for table in schema.tables.values():
            nouns = table.nouns
            if not nouns:
                continue
            best = 0.0
            size = 1
            if len(nouns) > 1 and tuple(singular(w) for w in words[place : place + len(nouns)]) == nouns:
                best, size = 1.02, len(nouns)
            elif word not in word_list("stop"):
                head = kinship(word, nouns[len(nouns) - 1])
                best = max(head, *(0.92 * kinship(word, noun) for noun in nouns[:-1]), 0.0) if len(nouns) > 1 else head
                best *= 0.95 if best >= 0.85 else 0.85
                if best < 0.95 and singular(word) in nouns[:-1] and singular(word) in keyed:
                    best *= 0.6  # "each sensor" of the sensor readings is a sensor, and no reading
                if len(nouns) > 1 and (singular(word),) in plain_names:
                    best *= 0.85  # "people" are the people, and not those at a debate
                if best < 0.9 and not is_plural(word):
                    best *= 0.8
                joined = "".join(nouns)
                if best < _KIND and any(is_kind_of(noun, singular(word)) for noun in nouns):
                    best = _KIND
                if best < 0.7 and len(word) > 3 and (singular(word) == joined or singular(word) == singular(joined)):
                    best = 0.95
            if best < _MEMBER and singular(word) in _member_names(nouns):
                best, size = _MEMBER, 1
            for noun in table.called:
                pair = "".join(words[place : place + 2])
                if singular(word) == noun and best < 0.95:
                    best, size = 0.95, 1
                elif len(pair) > len(word) > 1 and singular(pair) == noun:
                    best, size = 1.0, 2  # "check-ins"
            whole = written[table.name]
            if place and words[place - 1] == "in" and words[place : place + len(whole)] == whole:
                best, size = NAMES_TABLE, len(whole)  # "in titanic" names the table and nothing else
            if best >= 0.6:
                lattice.add(place, place + size, "ROW", best, table.name)
        for table in schema.tables.values():
            if singular(word) in deals and singular(word) not in taken and money_of(table) is not None:
                lattice.add(place, place + 1, "ROW", 0.72, table.name)  # a purchase, where each row has its price
        if listed is not None and singular(word) not in taken and word in word_list("people"):
            lattice.add(place, place + 1, "ROW", 0.78, listed)  # a client, where the table of people is the owners
        if word in generic or word in people:
            lattice.add(place, place + 1, "ROW", 0.55, None)
        elif _is_noun(lattice, place) and word not in word_list("stop") and word not in word_list("light"):
            if any(s.type == "ROW" and s.data and s.strength >= 0.9 and s.start == place for s in lattice.spans):
                continue  # It names a table.
            if any(s.start == place and s.end == place + 1 and s.cue(*_STATISTICS) for s in lattice.spans):
                continue  # The highest skewness is no row.
            if all(table.called for table in schema.tables.values()) and word not in word_list("people"):
                continue  # Where keys say what rows are, orders say, refunds are something else.
            called = [s for s in lattice.spans if s.type == "COLUMN" and (s.start, s.end) == (place, place + 1)]
            if any(s.strength >= _CALLED and s.data.kind == "text" for s in called):
                continue  # Where a column names the buyers or the shops, they are its values.
            if word in word_list("some_people") and not any(singular(word) in t.nouns for t in schema.tables.values()):
                continue  # Women are some of those who applied, and nothing here tells which.
            asks = _follows_counting(lattice, place)
            strength = 0.5 if asks and is_plural(word) else 0.34 if is_plural(word) else 0.0
            if any(s.end == place and s.type == "GRADE" and s.data[1] != "more" for s in lattice.spans):
                strength = max(strength, 0.46)  # "the quickest dish": what is quick is a row
            valued = any(s.end == place and s.type == "VALUE" and s.strength >= 0.9 for s in lattice.spans)
            if valued and any(s.type == "GRADE" and s.data[1] != "more" and s.end < place for s in lattice.spans):
                strength = max(strength, 0.46)  # "the longest fantasy novel"
            if strength and (word in word_list("people") or strength >= 0.34):
                # Customers are no rows of a bakery's sales, unless somebody says so.
                strange = word in word_list("people") and word not in people and not _has_people(schema)
                lattice.add(place, place + 1, "ROW", strength, None, guessed=strange)


_STATISTICS = ("+shape", "+normal", "+iqr", "correlation", "outliers", "variance", "stddev")
"""What is computed of many rows and is none of them."""

_CALLED = 0.97
"""From this strength on a word is a column's own name."""

_KIND = 0.8
"""How surely a planet is one of the exoplanets."""

_MEMBER = 0.9
"""How surely a singer is one of the members of a choir."""

_LONG = 4
"""The fewest letters of a word that another may end in and still be a kind of it."""


def is_kind_of(word: str, noun: str) -> bool:
    """Whether a compound ends in a noun: an exoplanet is a planet, a videogame a game."""
    return len(noun) >= _LONG and len(word) > len(noun) + 1 and word.endswith(noun)


def _led(words: list[str], schema: Schema) -> Iterator[tuple[int, int, str]]:
    """Where those are spoken of whom somebody leads, and the one table that names a leader in each of its rows."""
    leaders = set(lexicon("words")["led"]["by"].split())
    tables = {c.table for c in schema.columns if leaders & {singular(word) for word in c.words}}
    for said in (phrase.split() for phrase in lexicon("words")["led"]["said"]) if len(tables) == 1 else ():
        for start in range(len(words) - len(said) + 1):
            if words[start : start + len(said)] == said:
                yield start, start + len(said), next(iter(tables))


_LISTED = frozenset("member people person register roster roll list".split())


def _member_names(nouns: tuple[str, ...]) -> frozenset[str]:
    """What those are called whom a table lists as the members of a group: singers, of the choir members."""
    listed = len(nouns) == 2 and nouns[-1] in _LISTED
    names = lexicon("words")["member_of"].get(nouns[0], "") if listed else ""
    return frozenset(names.split())


def _people(schema: Schema) -> str | None:
    """The one table among several that lists people; None where there are more, or none."""
    people = {singular(word) for word in word_list("people")}
    found = [table.name for table in schema.tables.values() if table.nouns and table.nouns[-1] in people]
    return found[0] if len(found) == 1 and len(schema.tables) > 1 else None


_PERSONAL = frozenset(
    "name surname firstname lastname age sex gender birth born birthday dob married height email".split()
)


def _has_people(schema: Schema) -> bool:
    """Whether some column tells what people have: a name, an age, a sex; or names who they are."""
    people = {singular(word) for word in word_list("people")} | word_list("party")
    return any(_PERSONAL & set(c.words) or singular(c.words[-1]) in people for c in schema.columns if c.words)


def _is_noun(lattice: Lattice, place: int) -> bool:
    word = lattice.words[place]
    return word.isalpha() and len(word) > 2 and (word,) not in cues() and word not in graded() and word not in PARTS


def _follows_counting(lattice: Lattice, place: int) -> bool:
    """Whether a word stands where the thing that is counted stands: after how many, which, top five, number of."""
    for span in lattice.spans:
        if span.end in {place, place - 1} and span.type in {"CUE", "NUMBER", "GRADE"}:
            if span.end == place - 1 and lattice.words[place - 1] not in word_list("stop") and span.type != "NUMBER":
                between = lattice.words[place - 1]
                if not (
                    between in word_list("light")
                    or any(
                        s.start == place - 1 and s.type in {"VALUE", "NUMBER", "COLUMN", "DENY"} for s in lattice.spans
                    )
                ):
                    continue
            if span.type != "CUE" or not _COUNTING.isdisjoint(span.data):
                return True
    return place == 0 and singular(lattice.words[place]) in vocabulary()
