"""The lattice: the question cut once into spans, each with typed hypotheses, their strengths and where they stand.

A beam over the spans gives whole tilings: every word is covered by exactly one hypothesis, or stays visibly unplaced
as ``UNKNOWN``, and the judge sees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from averment.language.periods import PeriodMatch, find_periods
from averment.plans.meaning import Meaning
from averment.plans.names import value_name
from averment.plans.plan import Test, Value
from averment.reading.lattice.against_spans import against_spans
from averment.reading.lattice.amounts import amount_spans, money_of
from averment.reading.lattice.column_series import dated_spans, series_spans
from averment.reading.lattice.column_spans import column_spans
from averment.reading.lattice.compounds import compound_spans, done_spans
from averment.reading.lattice.difference_spans import difference_spans
from averment.reading.lattice.framing import framing_spans
from averment.reading.lattice.gaps import gap_spans
from averment.reading.lattice.learned_links import link_spans
from averment.reading.lattice.linking import linking_spans
from averment.reading.lattice.nouns import NAMES_TABLE, PARTS, generic_nouns, plain_verbs, row_nouns
from averment.reading.lattice.number_words import SMALL, number_spans, ordinal_spans
from averment.reading.lattice.phrases import phrase_spans, phrase_words
from averment.reading.lattice.presence_spans import presence_spans
from averment.reading.lattice.rivals import EXACT, trim
from averment.reading.lattice.spans import Lattice
from averment.reading.lattice.sum_spans import sum_spans
from averment.reading.lattice.tails import standing_spans, tail_spans
from averment.reading.lattice.taught_spans import taught_spans, taught_words
from averment.reading.lattice.unnamed_kinds import kind_spans
from averment.reading.lattice.value_spans import value_spans
from averment.reading.schema.annotations import described_spans
from averment.reading.schema.schema_view import computed
from averment.reading.slots.formulas import formula_spans
from averment.reading.times.clock import clock_spans, weekday_spans
from averment.reading.times.deviations import deviation_spans
from averment.reading.times.durations import duration_spans
from averment.reading.times.fiscal import SAYS_FISCAL, fiscal_start
from averment.reading.times.indirect_durations import indirect_duration_spans
from averment.reading.times.spoken_durations import said_duration_spans
from averment.reading.told_units import unit_spans
from averment.reading.words import (
    DAYS,
    DERIVED,
    FAMILY,
    MONTHS,
    adjectives,
    cues,
    edits,
    graded,
    is_plural,
    kinship,
    lexicon,
    opposites,
    singular,
    tokens,
    vocabulary,
    word_list,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.reading.lattice.learned_links import Link
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table


_RATIO_SPANS_NAMED, _RATIO_SPANS_WHOLE, _UNIT = 0.8, 1.02, 0.9
_APART, _DIVISOR = 0.05, 0.9


def ratio_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean one number divided by another, and that a unit names the number that is in it."""
    for table in schema.tables.values():
        _units(lattice, table)
        for place, word in enumerate(lattice.words):
            if word == "per":
                for start, above in _before(lattice, table, place):
                    for end, below in _behind(lattice, table, place + 1):
                        if above is not below and above.value != below.value:
                            lattice.add(start, end, "COLUMN", _RATIO_SPANS_WHOLE, _ratio(table, above, below))


def _ratio(table: Table, above: Column, below: Column) -> Column:
    value = Value(kind="arithmetic", operation="/", operands=(above.value, below.value))
    filled = min(above.filled, below.filled)
    of = (above, below)
    return computed(table.name, value_name(value), value, of, rows=table.rows, filled=filled, additive=False, words=())


def _before(lattice: Lattice, table: Table, place: int) -> Iterator[tuple[int, Column]]:
    """What is divided: a number that is named right before "per", or money where a verb speaks of it."""
    named = [span for span in lattice.spans if span.end == place and _names_number(span, table)]
    found = bool(named)
    yield from ((span.start, span.data) for span in _surest(named))
    money = money_of(table)
    word = lattice.words[place - 1] if place else ""
    spoken = word in word_list("money_noun") or word in lexicon("words")["dealing"]["said"] or word in {"cost", "costs"}
    if not found and money is not None and spoken:
        yield place - 1, money


def _behind(lattice: Lattice, table: Table, place: int) -> Iterator[tuple[int, Column]]:
    """What it is divided by, and where its name ends: "litre", "litre of diesel", "mile driven"."""
    words = lattice.words
    # "Per sale" is for each row, and not by the revenue that the word is kin to.
    named = [span for span in lattice.spans if span.start == place and span.strength >= _DIVISOR]
    best = _surest([s for s in named if _names_number(s, table) and s.text not in lattice.row_words])
    for span in best:
        end = span.end
        if words[end : end + 1] == ["of"] and end + 1 < len(words):
            own = any(kinship(words[end + 1], name) >= DERIVED for name in span.data.words)
            end = end + 2 if own else end
        if words[end : end + 1] and words[end] in {"driven", "travelled", "traveled", "used", "sold", "bought"}:
            yield end + 1, span.data
        yield end, span.data


def _names_number(span: Span, table: Table) -> bool:
    return span.type == "COLUMN" and span.strength >= _RATIO_SPANS_NAMED and _is_number(span.data, table)


def _surest(spans: list[Span]) -> list[Span]:
    """The spans that name a number as surely as any: an amount is no quantity where there is one called amount."""
    top = max((span.strength for span in spans), default=0.0)
    return [span for span in spans if span.strength >= top - _APART]


def _is_number(column: Column, table: Table) -> bool:
    divides = column.expression is not None and column.expression.operation == "/"
    return column.table == table.name and column.has("measure") and not column.has("flag", "key") and not divides


def _units(lattice: Lattice, table: Table) -> None:
    """ "Total litres": the one number that is in litres."""
    for unit, said in lexicon("words")["measured_in"].items():
        able = [c for c in table.measures if c.expression is None and unit in c.words]
        if len(able) != 1:
            continue
        for place, word in enumerate(lattice.words):
            if (word in said or singular(word) in said) and len(word) > 2 and word not in able[0].words:
                lattice.add(place, place + 1, "COLUMN", _UNIT, able[0])


_ASIDES_NAMED = 0.7
"""From this strength on a word names the column that is to play no part."""

_ASIDE, _WHOLE, _BOTH = 0.97, 0.95, 0.8
_EVERY = frozenset("all every everyone everybody everything any anyone each".split())
_FILLER = frozenset("the any all a an our their its".split())
_OVER = frozenset("across over of for in from at between".split())
_ALL = (["all"], ["all", "the"], ["all", "of", "the"], ["all", "our"], ["all", "my"], ["all", "of", "our"])


def aside_spans(lattice: Lattice) -> None:
    """A column that the question sets aside: the plan must do without it, and no row is left out for it."""
    words = lattice.words
    phrases = [phrase.split() for phrase in lexicon("words")["aside"]["said"]]
    deductions = set(lexicon("words")["aside"]["before"].split())
    for place, word in enumerate(words):
        able = [phrase for phrase in phrases if words[place : place + len(phrase)] == phrase]
        size = max(map(len, able), default=int(word == "before"))
        if not size:
            continue
        at = place + size
        while at < len(words) and words[at] in _FILLER:
            at += 1
        for span in [s for s in lattice.spans if s.type == "COLUMN" and s.start == at and s.strength >= _ASIDES_NAMED]:
            if able or deductions & set(words[at : span.end]):
                lattice.add(place, span.end, "ASIDE", _ASIDE, span.data)
    for span in [s for s in lattice.spans if s.type == "COLUMN" and s.strength >= _ASIDES_NAMED]:
        if words[span.end : span.end + 1] == ["aside"]:
            lattice.add(span.start, span.end + 1, "ASIDE", _ASIDE, span.data)


def except_spans(lattice: Lattice) -> None:
    """ "All regions but the north": after all there is, "but" leaves something out."""
    for place, word in enumerate(lattice.words):
        if word == "but" and _EVERY & set(lattice.words[max(0, place - 3) : place]):
            lattice.add(place, place + 1, "CUE", _ASIDE, ("not",))


def whole_spans(lattice: Lattice, schema: Schema) -> None:
    """A number that is how many there are: "all three sites" are the sites, "across all three" is everywhere."""
    words = lattice.words
    numbers = [s for s in lattice.spans if s.type == "NUMBER" and not s.data[1]]
    for span in list(lattice.spans):
        if span.type not in {"COLUMN", "ROW"} or span.strength < _ASIDES_NAMED or not is_plural(words[span.end - 1]):
            continue
        if span.start and words[span.start - 1] == "both" and span.type == "COLUMN" and span.data.distinct == 2:
            lattice.add(span.start - 1, span.end, "CUE", _BOTH, ("any",))  # both there are, put together
        table = schema.tables.get(span.data or "") if span.type == "ROW" else None
        many = span.data.distinct if span.type == "COLUMN" else table.rows if table is not None else None
        for number in numbers:
            if number.end != span.start or number.data[0] != many:
                continue
            lattice.add(number.start, number.end, "STOP", 0.3)
            said = next((len(s) for s in _ALL if words[max(0, number.start - len(s)) : number.start] == s), 0)
            start = number.start - said
            if said and start and words[start - 1] in _OVER:
                lattice.add(start - 1, span.end, "CUE", _WHOLE, ("any",))


_PLACING_SPANS_SAID, _NAMED = 1.05, 0.7
_OBJECTS = frozenset("in at on for during against with and or most least".split())
"""What stands after "won" where no prize is named that was won."""


def placing_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words say which place somebody had, where one column tells places."""
    placing = lexicon("words")["placing"]
    places = [c for c in schema.columns if _says_place(c, placing["column"].split())]
    if len(places) != 1:
        return
    for place, phrases in enumerate((placing["first"], placing["second"], placing["third"]), start=1):
        for start in range(len(lattice.words)):
            sizes = [len(p.split()) for p in phrases if lattice.words[start : start + len(p.split())] == p.split()]
            if sizes and not _is_other(lattice, start, start + max(sizes), places[0]):
                _placed(lattice, start, start + max(sizes), places[0], place)


def _says_place(column: Column, names: list[str]) -> bool:
    return column.kind == "number" and column.whole and column.low == 1 and bool(set(names) & set(column.words))


def _is_other(lattice: Lattice, start: int, end: int, place: Column) -> bool:
    """Whether another column or a value is called so, or what was won is a prize and no contest."""
    inside = [s for s in lattice.spans if s.start < end and start < s.end and s.strength >= _NAMED]
    if any(s.type in {"VALUE", "DENY"} or (s.type == "COLUMN" and s.data is not place) for s in inside):
        return True
    after = lattice.words[end] if end < len(lattice.words) else ""
    asked = any(s.cue("which", "list", "count", "mean", "median", "sum", "share", "much") for s in lattice.spans)
    if not asked:
        return True  # Of "the champion of 2020" nothing says what is wanted.
    if after in {"by", "per", "each"}:
        return True  # "The champions by year" are told, and not counted.
    named = end + (after == "the")
    known = any(s.start == named and s.type in {"VALUE", "TIME", "CUE"} for s in lattice.spans)
    return lattice.words[end - 1] in {"won", "win"} and bool(after) and after not in _OBJECTS and not known


def _placed(lattice: Lattice, start: int, end: int, column: Column, place: int) -> None:
    test = Test(value=column.value, to=(place,))
    word = " ".join(lattice.words[start:end])[:100]
    lattice.spans = [s for s in lattice.spans if not (start <= s.start < s.end <= end)]
    lattice.add(start, end, "TEST", _PLACING_SPANS_SAID, Meaning(word=word, kind="condition", where=(test,)))


_KNOWN = 0.7
"""From this strength on a word has a meaning of its own, and is not told by what stands in brackets."""

_SAID = {"VALUE": 0.9, "TIME": 0.66, "COLUMN": 0.9}
"""How surely what stands in brackets must be a value, a period or a column."""

_BRACKETS = re.compile(r"(?<=\w)\s*\(([^()]+)\)")


def gloss_spans(lattice: Lattice) -> None:
    """A word that nothing names, and a value or a period in brackets behind it: the word is called so in the data."""
    for match in _BRACKETS.finditer(lattice.question):
        inside = [n for n, (start, end) in enumerate(lattice.places) if match.start(1) <= start and end <= match.end(1)]
        if not inside or not inside[0]:
            continue
        before, first, last = inside[0] - 1, inside[0], inside[-1] + 1
        named = any(
            s.start <= before < s.end and s.type not in {"STOP", "UNKNOWN", "ROW"} and s.strength >= _KNOWN
            for s in lattice.spans
        )
        start = before
        while not named and start and _is_proper(lattice, start - 1):
            start -= 1  # "Chicago O'Hare (ORD)"
        for span in [s for s in lattice.spans if (s.start, s.end) == (first, last) and not named]:
            if span.strength >= _SAID.get(span.type, 2.0):
                lattice.add(start if span.type == "VALUE" else before, last, span.type, span.strength, span.data)


def _is_proper(lattice: Lattice, place: int) -> bool:
    """Whether a word is part of a proper name that nothing in the tables is called by."""
    start, end = lattice.places[place]
    written = lattice.question[start:end]
    known = any(s.start <= place < s.end and s.strength >= _KNOWN for s in lattice.spans)
    return start > 0 and written[:1].isupper() and not known


Add = Callable[..., None]


_FEW = 30
"""Of how many different values a code may be the first word."""
ADVERBS = frozenset({"yearly", "annual", "annually", "monthly", "daily", "weekly", "quarterly", "hourly"})
_PART_PHRASES: dict[tuple[str, ...], str] = {
    ("day", "of", "week"): "weekday",
    ("day", "of", "the", "week"): "weekday",
    ("days", "of", "the", "week"): "weekday",
    ("hour", "of", "day"): "hour",
    ("hour", "of", "the", "day"): "hour",
    ("time", "of", "day"): "hour",
    ("time", "of", "the", "day"): "hour",
    ("month", "of", "year"): "month_of_year",
    ("month", "of", "the", "year"): "month_of_year",
    ("calendar", "month"): "month_of_year",
    ("month", "name"): "month_of_year",
    ("name", "of", "the", "month"): "month_of_year",
    ("day", "of", "month"): "day_of_month",
    ("day", "of", "the", "month"): "day_of_month",
}


def cut(question: str, schema: Schema, link: Link | None = None) -> Lattice:
    """Every hypothesis for every span of the question; with ``link`` also for words that nothing names."""
    plain = _with_months(_plain(question), schema)
    found = tokens(plain)
    taught = taught_words(schema)
    words = [word if word in taught else _spelt(word, schema) for word, _, _ in found]
    capital = frozenset(word.lower() for word in re.findall(r"(?<!^)\b[A-Z][\w.]*", plain)) | frozenset(
        word.lower() for word in re.findall(r"\b[A-Z]{2,}\b", plain)
    )
    nouns = {noun for table in schema.tables.values() for noun in table.nouns}
    called = frozenset(word for word in words if singular(word) in nouns)
    places = [(start, end) for _, start, end in found]
    lattice = Lattice(plain, words, places, capital=capital, row_words=called, named=_named(words, schema))
    for place in range(len(words)):
        _cues(lattice, place)
        number_spans(lattice, place)
        _parts(lattice, place)
    phrase_spans(lattice)
    _periods(lattice, schema)
    weekday_spans(lattice)
    clock_spans(lattice, schema)
    _bare_years(lattice, schema)
    for column in schema.columns:
        column_spans(lattice, column, schema)
        if column.words == ("time",):  # "time of day" where the day's times have names
            for place in range(len(words) - 2):
                if words[place : place + 3] == ["time", "of", "day"]:
                    lattice.add(place, place + 3, "COLUMN", 0.98, column)
        value_spans(lattice, column)
        ordinal_spans(lattice, column)
        if column.has("flag"):
            for place, word in enumerate(words):
                if opposites().get(word, frozenset()) & set(column.words) or _denies(word, column):
                    lattice.add(place, place + 1, "DENY", 0.9, column)
    _codes(lattice, schema)
    compound_spans(lattice, schema)
    taught_spans(lattice, schema)
    duration_spans(lattice, schema)
    said_duration_spans(lattice, schema)
    indirect_duration_spans(lattice, schema)
    deviation_spans(lattice, schema)
    unit_spans(lattice, schema)
    dated_spans(lattice, schema)
    difference_spans(lattice, schema)
    against_spans(lattice, schema)
    series_spans(lattice, schema)
    tail_spans(lattice)
    standing_spans(lattice)
    kind_spans(lattice, schema)
    amount_spans(lattice, schema)
    ratio_spans(lattice, schema)
    sum_spans(lattice, schema)
    formula_spans(lattice, schema)
    aside_spans(lattice)
    except_spans(lattice)
    gap_spans(lattice)
    gloss_spans(lattice)
    whole_spans(lattice, schema)
    _quotes(lattice)
    _written(lattice, schema)
    plain_verbs(lattice)
    generic_nouns(lattice)
    row_nouns(lattice, schema)
    presence_spans(lattice, schema)
    placing_spans(lattice, schema)
    done_spans(lattice, schema)
    described_spans(lattice, schema)
    linking_spans(lattice, schema)
    framing_spans(lattice)
    if link is not None:
        link_spans(lattice, schema, link)
    trim(lattice, schema)
    taught_spans(lattice, schema)
    return lattice


def _codes(lattice: Lattice, schema: Schema) -> None:
    """A code that one value begins with is that value, and no percentile: "P2" where a priority is "P2 - High"."""
    for place, word in enumerate(lattice.words):
        if not re.fullmatch(r"[a-z]+\d+", word):
            continue
        for column in schema.columns:
            held = [v for v in column.values if column.kind == "text" and str(v).casefold().split()[:1] == [word]]
            if len(held) == 1 and column.distinct <= _FEW:
                lattice.spans = [s for s in lattice.spans if not (s.start == place and s.type == "CUE")]
                lattice.add(place, place + 1, "VALUE", 0.95, (column, held[0]))


def _denies(word: str, column: Column) -> bool:
    """Whether a word is the name of a flag turned into its opposite: unfurnished, nonsmoker."""
    for turned in ("un", "non", "in"):
        rest = word.removeprefix(turned)
        if rest != word and len(rest) > 3 and any(kinship(rest, name) >= DERIVED for name in column.words):
            return not any(kinship(word, name) >= DERIVED for name in column.words)
    return False


def _named(words: list[str], schema: Schema) -> frozenset[str]:
    """The tables whose own noun is among the words."""
    said = [word for word in words if word not in word_list("stop")]
    heads = {table.nouns[-1] for table in schema.tables.values() if table.nouns}

    def names(table: Table) -> bool:
        # A noun that heads no other table's name names this one too: festivals, where there is festival_detail.
        able = [table.nouns[-1], *(noun for noun in table.nouns[:-1] if noun not in heads)]
        return any(kinship(word, noun) >= FAMILY for word in said for noun in able)

    return frozenset(table.name for table in schema.tables.values() if table.nouns and names(table))


def _written(lattice: Lattice, schema: Schema) -> None:
    """A column written with its table, "customers.name", is that column."""
    question = lattice.question.lower()
    for column in schema.columns:
        name = f"{column.table}.{column.name}".lower()
        at = question.find(name)
        while at >= 0:
            end = at + len(name)
            inside = [n for n, (start, stop) in enumerate(lattice.places) if start < end and at < stop]
            whole = inside and lattice.places[inside[0]][0] == at and lattice.places[inside[-1]][1] == end
            if whole:
                lattice.add(inside[0], inside[-1] + 1, "COLUMN", NAMES_TABLE, column)
            at = question.find(name, end)


def _plain(question: str) -> str:
    plain = question.replace("’", "'").replace("‘", "'").replace("–", "-").replace("—", "-")
    plain = re.sub(r"\bnon-", "non ", plain, flags=re.IGNORECASE)
    plain = _UNMARKED.sub(lambda found: f"{found[1]}n't" if found[1] else f"{found[2]}'t", plain)
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", plain)


def _with_months(plain: str, schema: Schema) -> str:
    """The question with misspelt months and days put right, for periods are read from its text."""
    for word, start, end in reversed(tokens(plain)):
        meant = _spelt(word, schema) if word.isalpha() and len(word) == end - start else word
        if meant != word and meant in (*MONTHS, *DAYS):
            plain = f"{plain[:start]}{meant.capitalize()}{plain[end:]}"
    return plain


_UNMARKED = re.compile(
    r"\b(?:(do|does|did|is|are|was|were|has|have|had|could|would|should)nt|(can|won)t)\b", re.IGNORECASE
)
"""Denials as people type them who leave out the apostrophe."""

_PLACED = frozenset("under over above below".split())
_BARS = frozenset("the a an average mean median its their half what that than".split())


def _is_placed(words: list[str], after: int) -> bool:
    """Whether no number or figure follows a preposition of place: "not under warranty"."""
    following = words[after] if after < len(words) else ""
    return (
        bool(following)
        and following not in _BARS
        and not any(c.isdigit() for c in following)
        and following not in SMALL
    )


def _cues(lattice: Lattice, place: int) -> None:
    words = lattice.words
    known, forms = cues(), graded()
    for end in range(place + 1, min(len(words), place + 8) + 1):
        phrase = tuple(words[place:end])
        bare = phrase[-1] in _PLACED and _is_placed(words, end)
        if bare and len(phrase) == 1:
            lattice.add(place, end, "STOP", 0.5)  # under warranty, over budget: no bar follows
        denied = bare and phrase[0] == "not"
        if phrase in known and not denied and not _compares_anew(known[phrase], words, end):
            lattice.add(place, end, "CUE", 0.88 + 0.02 * (end - place), known[phrase])
        joined = " ".join(phrase)
        if joined in forms:
            lattice.add(place, end, "GRADE", 0.93, forms[joined])
    word = words[place]
    if word in adjectives() and len(word) > 3:
        lattice.add(place, place + 1, "GRADE", 0.5, (word, "plain"))
    if word in {"and", "or", "but", "nor", "&"}:
        lattice.add(place, place + 1, "AND", 0.6, word)
    elif word in word_list("stop") or (word == "when" and place > 1):
        lattice.add(place, place + 1, "STOP", 0.3)
    elif word in word_list("light"):
        lattice.add(place, place + 1, "STOP", 0.1)


def _compares_anew(names: Sequence[str], words: list[str], end: int) -> bool:
    """Whether "or lower" goes on with "than 190", so that it is a second comparison and no "or less"."""
    after = words[end] if end < len(words) else ""
    return bool({"or_more", "or_less"} & set(names)) and (after == "than" or after[:1].isdigit())


def _parts(lattice: Lattice, place: int) -> None:
    words = lattice.words
    for size in (4, 3, 2):
        phrase = tuple(words[place : place + size])
        if len(phrase) == size and phrase in _PART_PHRASES:
            lattice.add(place, place + size, "PART", 0.95, _PART_PHRASES[phrase])
    if words[place] in PARTS:
        lattice.add(place, place + 1, "PART", 0.8, PARTS[words[place]])


def _periods(lattice: Lattice, schema: Schema) -> None:
    """Periods in words; a bare number is one only where it could be a year of the data."""
    begins, said = fiscal_start(lattice)
    for match in find_periods(lattice.question, anchor=schema.anchor, fiscal_start_month=begins or 1):
        if begins is None and SAYS_FISCAL.search(lattice.question[match.span[0] : match.span[1]]):
            continue  # Which months a fiscal year has, only the asker knows.
        if (
            said is not None
            and match.span[0] < said[1]
            and said[0] < match.span[1]
            and not SAYS_FISCAL.search(match.text)
        ):
            continue
        if (match.period is None and match.recurring is None) or not _possible(match, schema):
            continue
        inside = [n for n, (start, end) in enumerate(lattice.places) if start < match.span[1] and match.span[0] < end]
        if not inside:
            continue
        first, last = inside[0], inside[-1] + 1
        # A preposition of time belongs to its period and means nothing else there.
        if (
            first
            and not match.excluded
            and lattice.words[first - 1] in {"in", "during", "on", "for", "throughout", "of", "at"}
        ):
            lattice.add(first - 1, last, "TIME", 0.97 if match.certain else 0.7, match)
        lattice.add(first, last, "TIME", 0.95 if match.certain else 0.66, match)


def _bare_years(lattice: Lattice, schema: Schema) -> None:
    """A bare number that is a year of the data may be one: "what about 2022"."""
    for place, word in enumerate(lattice.words):
        if not re.fullmatch(r"(1[5-9]|20|21)\d\d", word):
            continue
        if any(s.type == "TIME" and s.start <= place < s.end for s in lattice.spans):
            continue
        for match in find_periods(f"in {word}", anchor=schema.anchor):
            if match.period is not None and _possible(match, schema):
                lattice.add(place, place + 1, "TIME", 0.72, match)


def _possible(match: PeriodMatch, schema: Schema) -> bool:
    """Whether some table could say when, and the years are not far from all of the data's."""
    ranges = [(str(c.low)[:4], str(c.high)[:4]) for c in schema.columns if c.has("date", "year")]
    if not ranges:
        return match.recurring is not None and any(c.has("month", "weekday") for c in schema.columns)
    bounds = [day.year for day in (match.start, match.end) if day is not None]
    if match.recurring is not None or not bounds or match.grain not in {"year", "decade"}:
        return True
    known = [(int(low), int(high)) for low, high in ranges if low.isdigit() and high.isdigit() and int(high) > 100]
    short = any(
        low.strip("0.").isdigit() and int(float(high)) < 100 for low, high in ranges if high.replace(".", "").isdigit()
    )
    return short or any(low - 60 <= year <= high + 60 for year in bounds for low, high in known)


def _quotes(lattice: Lattice) -> None:
    """What stands in quotation marks is a text to look for."""
    for match in re.finditer(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)", lattice.question):
        inside = [n for n, (start, end) in enumerate(lattice.places) if match.start() <= start and end <= match.end()]
        if not inside:
            continue
        start, end = inside[0], inside[-1] + 1
        part = any(s.cue("contains", "starts", "ends") and s.end in {start, start - 1} for s in lattice.spans)
        held = any(
            s.type == "VALUE" and (s.start, s.end) == (start, end) and s.strength >= EXACT for s in lattice.spans
        )
        lattice.spans = [s for s in lattice.spans if s.type != "STOP" or not start <= s.start < s.end <= end]
        if part or not held:  # A value that is there is that value.
            lattice.add(start, end, "QUOTE", 0.9, next(g for g in match.groups() if g))


def _spelt(word: str, schema: Schema) -> str:
    """A misspelt cue put right; words that English, a name or a value knows stay as they are."""
    known = vocabulary()
    if len(word) < 5 or not word.isalpha() or not known or word in known or singular(word) in known:
        return word
    if word in _cue_words() or word.startswith(("percentil", "quantil", "quartil")):
        return word
    if any(kinship(word, part) >= 0.7 for column in schema.columns for part in column.words):
        return word
    if any(word in str(v).lower() for c in schema.columns if c.kind == "text" for v in c.values[:2000]):
        return word
    reach = 1 if len(word) < 7 else 2
    near = sorted((edits(word, other), other) for other in _cue_words() if other[0] == word[0])
    return near[0][1] if near and near[0][0] <= reach else word


_CUE_WORDS: list[str] = []


def _cue_words() -> list[str]:
    if not _CUE_WORDS:
        found = {word for phrase in cues() for word in phrase if len(word) >= 4}
        found |= {word for form in graded() for word in form.split() if len(word) >= 5}
        found |= {word for word in phrase_words() if len(word) >= 5}
        found |= {*MONTHS, *DAYS, *(word for word in PARTS if len(word) >= 4), *word_list("people")}
        _CUE_WORDS.extend(sorted(found))
    return _CUE_WORDS
