"""Mentions: what the words of a question may stand for, each with a strength, found by the words of the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from averment.language.numbers import NumberComparison, find_comparisons, find_quantities
from averment.language.periods import find_periods
from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.grammar.cues import LONGEST, grades, is_light, measures, parts, phrases, plain
from averment.reading.grammar.index import SchemaIndex, index_of
from averment.reading.schema.schema_view import computed
from averment.reading.words import MISSPELT, PLURAL, edits, kinship, singular, tokens, vocabulary

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

MentionType = Literal[
    "COLUMN", "VALUE", "TEST", "ROW", "NUMBER", "BAR", "TIME", "PART", "CUE", "GRADE", "STOP", "UNKNOWN"
]

LONGEST_NAME = 4
MOST_COLUMNS = 5
"""The most columns that the same words may name."""
NEAR = 0.4
"""How much weaker than the best a column may be named and still be meant."""
WEAKEST = 0.42
GUESSED = 0.5
"""How surely a noun that nothing names stands for the rows, where it stands for what is counted or asked about."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Some words of a question with what they may stand for.

    ``data`` is a column, a column with its values, the name of a table (none for rows as such), a number, a comparison,
    a period, a step of time, the names of a cue, or the degree and the measures of an adjective.
    """

    start: int
    end: int
    type: MentionType
    strength: float
    data: Any = None
    text: str = ""
    guessed: bool = False
    probability: float = 1.0

    def cue(self, *names: str) -> bool:
        """Whether the mention asks for one of these."""
        return self.type == "CUE" and not set(names).isdisjoint(self.data)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a question with where they stand in it."""

    question: str
    words: tuple[str, ...]
    places: tuple[tuple[int, int], ...]

    def within(self, span: tuple[int, int]) -> tuple[int, int] | None:
        """The words that lie in a stretch of the question."""
        inside = [n for n, (start, end) in enumerate(self.places) if start < span[1] and span[0] < end]
        return (inside[0], inside[-1] + 1) if inside else None

    def comma_before(self, at: int) -> bool:
        """Whether a comma stands right before a word."""
        return at > 0 and "," in self.question[self.places[at - 1][1] : self.places[at][0]]


def words_of(question: str) -> Words:
    """A question in words, numbers without the commas of their thousands."""
    plain_text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", question.replace("’", "'"))
    plain_text = re.sub(r"(?<=\w)n['’]t\b", " not", plain_text.replace("can't", "can not"))
    plain_text = re.sub(r"\bnon-(?=\w)", "non ", plain_text, flags=re.IGNORECASE)
    found = tokens(plain_text)
    return Words(plain_text, tuple(word for word, _, _ in found), tuple((start, end) for _, start, end in found))


def find_mentions(words: Words, schema: Schema) -> list[Mention]:
    """Every mention in a question."""
    index = index_of(schema)
    times = list(_times(words, schema))
    found = [*times, *_numbers(words, [m for m in times if m.strength > 0.6]), *_cues(words)]
    found += [
        *_taught(words, schema),
        *_columns(words, index),
        *_denials(words, index),
        *_values(words, index),
        *_rows(words, index, schema),
    ]
    found += list(_misspelt_cues(words, found))
    found += list(_guessed_rows(words, found))
    return [replace(each, text=" ".join(words.words[each.start : each.end])) for each in found]


def _times(words: Words, schema: Schema) -> Iterator[Mention]:
    for match in find_periods(words.question, anchor=schema.anchor):
        place = words.within(match.span)
        if place is not None:
            yield Mention(*place, "TIME", 1.0 if match.certain else 0.6, match)


def _numbers(words: Words, times: list[Mention]) -> Iterator[Mention]:
    skip = [each.data.span for each in times]
    for bar in find_comparisons(words.question, skip=skip):
        place = words.within(bar.span)
        if place is not None and bar.unit != "rank":
            yield Mention(*place, "BAR", 1.0, bar)
    for one in find_quantities(words.question, skip=skip):
        place = words.within(one.span)
        if place is not None and one.kind not in {"ordinal", "fraction"}:
            exact = NumberComparison("eq", one.value, one.value, one.unit, one.text, one.span)
            yield Mention(*place, "NUMBER", 0.9 if any(c.isdigit() for c in one.text) else 0.8, exact)


def _cues(words: Words) -> Iterator[Mention]:
    said = words.words
    for start in range(len(said)):
        for size in range(1, min(LONGEST, len(said) - start) + 1):
            window = said[start : start + size]
            if window in phrases():
                yield Mention(start, start + size, "CUE", 0.92, phrases()[window])
            if window in parts():
                grouped = start > 0 and said[start - 1] in {"per", "by", "each", "every"}
                yield Mention(
                    start,
                    start + size,
                    "PART",
                    1.1 if grouped else 0.5 if window[0].startswith("hour") and size == 1 else 0.9,
                    parts()[window],
                )
            if window in grades() and (size > 1 or grades()[window][0] != "plain" or not is_light(window[0])):
                degree = grades()[window][0]
                yield Mention(start, start + size, "GRADE", 0.9 if degree != "plain" else 0.5, grades()[window])
        if re.fullmatch(r"\d+(st|nd|rd|th)", said[start]) and said[start + 1 : start + 2] == ("percentile",):
            yield Mention(start, start + 2, "CUE", 1.0, ("quantile", re.sub(r"\D", "", said[start])))
        if said[start] == "how" and start + 1 < len(said) and said[start + 1 : start + 2] in grades():
            yield Mention(start, start + 2, "GRADE", 0.93, ("how", grades()[said[start + 1 : start + 2]][1]))


def _misspelt_cues(words: Words, found: list[Mention]) -> Iterator[Mention]:
    """Cues with a slip of the pen, where nothing else is found."""
    taken = {n for each in found for n in range(each.start, each.end) if each.strength > MISSPELT}
    for at, word in enumerate(words.words):
        if at in taken or len(word) < 5 or is_light(word) or not word.isalpha() or word in vocabulary():
            continue
        lists: tuple[tuple[MentionType, Any], ...] = (("CUE", phrases()), ("PART", parts()), ("GRADE", grades()))
        for kind, listed in lists:
            for phrase, data in listed.items():
                if len(phrase) == 1 and len(phrase[0]) > 4 and edits(word, phrase[0]) == 1:
                    yield Mention(at, at + 1, kind, 0.7, data)


def _taught(words: Words, schema: Schema) -> Iterator[Mention]:
    """Words that a person taught the meaning of."""
    said = [singular(word) for word in words.words]
    for meaning in (*schema.taught, *schema.labels):
        wanted = [singular(word) for word, _, _ in tokens(meaning.word)]
        for start in range(len(said) - len(wanted) + 1):
            if wanted and said[start : start + len(wanted)] == wanted:
                data = meaning if meaning.where else _taught_column(meaning, schema)
                yield Mention(start, start + len(wanted), "TEST" if meaning.where else "COLUMN", 1.6, data)


def _taught_column(meaning: Meaning, schema: Schema) -> Column:
    named = [column for table, name in meaning.columns() if (column := schema.column(table, name)) is not None]
    if meaning.kind == "column" and named:
        return named[0]
    table = schema.tables[meaning.table]
    made = computed(
        table.name,
        meaning.word,
        meaning.value,
        named or table.columns[:1],
        rows=table.rows,
        filled=min((column.filled for column in named), default=table.rows),
        additive=bool(named) and all(column.additive for column in named),
        words=tuple(word for word, _, _ in tokens(meaning.word)),
    )
    made.figure = meaning.measure
    return made


def _columns(words: Words, index: SchemaIndex) -> Iterator[Mention]:
    said = words.words
    for start in range(len(said)):
        for size in range(1, min(LONGEST_NAME, len(said) - start) + 1):
            window = said[start : start + size]
            content = tuple(word for word in window if not _is_joint(word)) if size > 1 else window
            if not content or _is_joint(window[0]) or _is_joint(window[-1]):
                continue
            if size == 1 and (window[0].isdigit() or len(window[0]) < 2):
                continue
            light = all(is_light(word) for word in content)
            fits = [(named.fit(content), named.column) for named in index.columns]
            if size == 1 and light and not measures(window[0]):
                fits = [(fit if fit >= PLURAL else 0.0, column) for fit, column in fits]
            best = max((fit for fit, _ in fits), default=0.0)
            near = sorted((each for each in fits if each[0] >= max(WEAKEST, best - NEAR)), key=lambda each: -each[0])
            for fit, column in near[:MOST_COLUMNS]:
                yield Mention(start, start + size, "COLUMN", fit, column)


def _denials(words: Words, index: SchemaIndex) -> Iterator[Mention]:
    """Words that say no to what a column says: unpaid, unsolved."""
    for at, word in enumerate(words.words):
        if not word.startswith("un") or len(word) < 6:
            continue
        for named in index.columns:
            column, fit = named.column, named.fit((word[2:],))
            happens = column.kind == "date" and column.filled < column.rows
            if fit < 0.6 or not (happens or (column.has("flag") and column.false_value is not None)):
                continue
            test = Test(value=column.value, operator="null")
            if not happens:
                test = Test(value=column.value, to=(column.false_value,))
            yield Mention(at, at + 1, "TEST", fit, Meaning(word=word, kind="condition", where=(test,)))


def _is_joint(word: str) -> bool:
    return word in {"of", "the", "in", "a", "an", "for", "and", "or", "to", "by", "per", "with", "on", "is", "are"}


def _values(words: Words, index: SchemaIndex) -> Iterator[Mention]:
    subsets: dict[tuple[int, int, str], list[str]] = {}
    for match in index.texts.find(words.question):
        place = words.within(match.span)
        column = index.columns_of_texts[match.column]
        single = place is not None and place[1] - place[0] == 1
        if place is None or (single and is_light(words.words[place[0]]) and match.how not in {"exact", "case"}):
            continue
        if match.how == "subset":
            subsets.setdefault((*place, match.column), []).append(match.value)
            continue
        strength = {"exact": 1.03, "case": 1.0, "stem": 0.93, "alias": 0.9}.get(match.how, match.score * 0.85)
        if single and (is_light(words.words[place[0]]) or words.words[place[0]] in plain("rows")):
            strength *= 0.55
        yield Mention(*place, "VALUE", strength, (column, (match.value,)))
    for (start, end, name), values in subsets.items():
        column = index.columns_of_texts[name]
        first = words.places[start]
        proper = (first[0] > 0 and words.question[first[0]].isupper()) or end - start > 1
        if len(values) == 1 or (len(values) <= 6 and column.has("category")):
            strength = 0.62 + 0.2 * proper - 0.1 * (len(values) > 1)
            yield Mention(start, end, "VALUE", strength, (column, tuple(values)))
    for at, word in enumerate(words.words):
        if not is_light(word):
            for strength, column, value in index.relatives(word):
                yield Mention(at, at + 1, "VALUE", strength * 0.95, (column, (value,)))


def _rows(words: Words, index: SchemaIndex, schema: Schema) -> Iterator[Mention]:
    single = [singular(word) for word in words.words]
    for at, word in enumerate(words.words):
        if word in plain("rows"):
            yield Mention(at, at + 1, "ROW", 0.55)
        for noun, tables in index.nouns.items():
            strength = 1.0 if single[at] == noun else kinship(word, noun)
            if strength < MISSPELT or (strength < PLURAL and (is_light(word) or measures(word))):
                continue
            for name in tables:
                table = schema.tables[name]
                head = noun in table.nouns[-1:] or noun not in table.nouns
                yield Mention(at, at + 1, "ROW", strength * (0.98 if head else 0.6), name)
    for name, table in schema.tables.items():
        size = len(table.nouns)
        for start in range(len(single) - size + 1):
            if size > 1 and tuple(single[start : start + size]) == table.nouns:
                yield Mention(start, start + size, "ROW", 1.0, name)


def _guessed_rows(words: Words, found: list[Mention]) -> Iterator[Mention]:
    """A noun that nothing names, where a question says what it counts or lists: "how many passengers"."""
    named = {
        n for each in found for n in range(each.start, each.end) if each.type != "ROW" and each.strength >= MISSPELT
    }
    opens = {each.end for each in found if each.cue("count", "which", "list", "share", "distinct", "top")} | {0}
    for at, word in enumerate(words.words):
        if at in named or is_light(word) or not word.isalpha():
            continue
        if at in opens or (at - 1 in opens and words.words[at - 1] in {"of", "the", "our", "all"}):
            yield Mention(at, at + 1, "ROW", GUESSED, None, guessed=True)
