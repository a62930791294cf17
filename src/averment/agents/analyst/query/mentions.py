"""Mentions: which stretches of a question name tables, columns, values and amounts, none of them twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from averment.agents.analyst.query.vocabulary import Place, Vocabulary, place_of
from averment.agents.analyst.query.words import AGGREGATES, NEUTRAL, SUPERLATIVES
from averment.language.numbers import Comparison, find_comparisons, find_quantities
from averment.language.tokens import STOP_WORDS, Token, quoted_spans, split_identifier, split_words

if TYPE_CHECKING:
    from averment.language.linking import Link, ValueMatch

Kind = Literal["table", "column", "value", "comparison", "number", "text"]

_JOINED = frozenset("of the and or a an for in s , by to".split())
_SURE_VALUES = frozenset({"exact", "case", "stem", "alias"})
_LITERAL = frozenset({"exact", "stem", "subset"})
_LIKE = 0.15
_LEAST = 0.6
_COMMANDS = frozenset("show list find give name report display state count return".split())
_LITTLE = frozenset(
    "more most all other each own same no how what when who where which by for in on to at of is".split()
)
_PAST = frozenset("made taken given held done gone sent paid bought sold won lost written born".split())
_ASKED = frozenset("number count total average list order sum".split())
_CALLS = frozenset("please and also then".split())


@dataclass(frozen=True)
class Choice:
    """One thing a mention may stand for; ``value`` is set for values of the column."""

    table: str
    column: str
    score: float
    value: str | None = None

    @property
    def place(self) -> Place:
        """The column meant."""
        return Place(self.table, self.column)


@dataclass
class Mention:
    """Words from ``first`` to ``last`` (both in) that name something; ``choices`` best first."""

    kind: Kind
    first: int
    last: int
    words: tuple[int, ...]
    choices: list[Choice] = field(default_factory=list[Choice])
    comparison: Comparison | None = None
    number: float | None = None
    text: str = ""
    implied: bool = False

    def tables(self) -> list[Choice]:
        """What it may be among tables."""
        return [choice for choice in self.choices if not choice.column]

    def columns(self) -> list[Choice]:
        """What it may be among columns."""
        return [choice for choice in self.choices if choice.column]


@dataclass
class Marked:
    """A question with its words and mentions in order."""

    text: str
    tokens: list[Token]
    mentions: list[Mention]
    breaks: frozenset[int]
    """Words that begin a new sentence."""

    def normal(self, place: int) -> str:
        """A word's normal form, empty outside the question."""
        return self.tokens[place].normal if 0 <= place < len(self.tokens) else ""

    def at(self, place: int) -> Mention | None:
        """The mention that holds a word."""
        return next((m for m in self.mentions if place in m.words or m.first <= place <= m.last), None)


_DIGITS: dict[str, int] = dict(
    zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)
)
_WRITTEN = "|".join(_DIGITS)
_SPELLED = (
    (re.compile(r"\b(than) a single\b", re.IGNORECASE), r"\1 one"),
    (re.compile(r"\ba hundred thousand\b", re.IGNORECASE), "100000"),
    (re.compile(r"\ba (hundred|thousand|million)\b", re.IGNORECASE), r"one \1"),
)


def plain_numbers(text: str) -> str:
    """The question with small numbers of a range in digits, as amounts are read."""
    for pattern, instead in _SPELLED:
        text = pattern.sub(instead, text)
    return re.sub(
        rf"\bbetween ({_WRITTEN}) and ({_WRITTEN})\b",
        lambda found: f"between {_DIGITS[found[1].lower()]} and {_DIGITS[found[2].lower()]}",
        text,
        flags=re.IGNORECASE,
    )


def mark(text: str, vocabulary: Vocabulary) -> Marked:
    """The mentions of a question."""
    text = plain_numbers(text)
    tokens = split_words(text)
    taken: set[int] = set()
    links = vocabulary.linker.link(tokens, minimum=_LEAST)
    # "male" only implies a column of genders: there it is a value.
    named = {link.words for link in links if link.score >= 0.7 and link.how != "implied"}
    mentions = _values(text, tokens, vocabulary, named, taken)
    mentions += _comparisons(text, tokens, taken)
    mentions += _names(tokens, links, taken, text)
    mentions += _loose(text, tokens, taken)
    mentions.sort(key=lambda mention: (mention.first, mention.last))
    breaks = {
        place
        for place in range(1, len(tokens))
        if any(mark in text[tokens[place - 1].end : tokens[place].start] for mark in "?!;")
        or ". " in text[tokens[place - 1].end : tokens[place].start]
    }
    return Marked(text, tokens, mentions, frozenset(breaks))


def _inside(tokens: Sequence[Token], start: int, end: int) -> list[int]:
    return [place for place, token in enumerate(tokens) if start <= token.start and token.end <= end]


def _values(
    text: str, tokens: list[Token], vocabulary: Vocabulary, named: set[tuple[int, ...]], taken: set[int]
) -> list[Mention]:
    quoted = quoted_spans(text)
    found = [one for one in vocabulary.values.find(text) if _may_be_value(one, text, quoted)]
    spans = sorted({one.span for one in found}, key=lambda span: (span[0] - span[1], span))
    mentions: list[Mention] = []
    # Where the writer uses capitals, small letters seldom spell a name.
    cased = any(char.isupper() for char in text[1:])
    for span in spans:
        places = _inside(tokens, *span)
        if not places or taken & set(places):
            continue
        matches = sorted((one for one in found if one.span == span), key=lambda one: -one.score)
        in_quotes = any(start <= span[0] and span[1] <= end for start, end in quoted)
        written = text[span[0] : span[1]]
        if not in_quotes and written.islower() and _is_plain(tokens, places, named):
            continue
        if not in_quotes and all(tokens[place].kind == "number" for place in places):
            continue
        if cased and not in_quotes and written.islower():
            matches = [one for one in matches if _is_few(vocabulary, one) or one.value.islower()]
            if not matches:
                continue
        best = matches[0].score
        choices = [Choice(*place_of(one.column), one.score, one.value) for one in matches if one.score >= best - 0.1]
        mentions.append(Mention("value", places[0], places[-1], tuple(places), choices[:12], text=written))
        taken.update(places)
    mentions += _genders(tokens, vocabulary, taken)
    for start, end in quoted:
        places = _inside(tokens, start, end)
        if places and not taken & set(places):
            mentions.append(Mention("text", places[0], places[-1], tuple(places), text=text[start:end].strip()))
            taken.update(places)
    return mentions


_SEXES = {
    **dict.fromkeys(("female", "females", "women", "woman", "girls", "girl"), "f"),
    **dict.fromkeys(("male", "males", "men", "man", "boys", "boy"), "m"),
}


def _genders(tokens: list[Token], vocabulary: Vocabulary, taken: set[int]) -> list[Mention]:
    """ "female students": the letter by which a column of sexes writes them."""
    found: list[Mention] = []
    columns = [
        (place, {value.casefold(): value for value in values})
        for place, values in vocabulary.texts.items()
        if set(split_identifier(place[1])) & {"sex", "gender"} and len(values) <= 4
    ]
    for at, token in enumerate(tokens):
        letter = _SEXES.get(token.normal)
        if letter is None or at in taken:
            continue
        choices = [Choice(table, name, 0.9, known[letter]) for (table, name), known in columns if letter in known]
        if choices:
            found.append(Mention("value", at, at, (at,), choices, text=token.text))
            taken.add(at)
    return found


def _may_be_value(one: ValueMatch, text: str, quoted: Sequence[tuple[int, int]]) -> bool:
    if any(start <= one.span[0] and one.span[1] <= end for start, end in quoted):
        return one.how != "fuzzy" or one.score >= 0.75
    written = text[one.span[0] : one.span[1]]
    capital = written[:1].isupper() and one.span[0] > 0
    if one.how in _SURE_VALUES:
        return True
    if text.islower():
        # A question all in small letters: a part of a name is as good as its capital.
        return (one.how == "subset" and one.score >= 0.58) or (one.how == "fuzzy" and one.score >= 0.74)
    return capital and one.how == "subset" and one.score >= 0.62


def _is_few(vocabulary: Vocabulary, one: ValueMatch) -> bool:
    """Whether a column has few values, so that a chance likeness is unlikely."""
    return vocabulary.column(Place(*place_of(one.column))).cardinality <= 30


def _is_plain(tokens: list[Token], places: list[int], named: set[tuple[int, ...]]) -> bool:
    """Whether small letters spell a name of the schema or an everyday word rather than a value."""
    if tuple(places) in named:
        return True
    words = [tokens[place].normal for place in places]
    return all(word in NEUTRAL or word in AGGREGATES or word in SUPERLATIVES or word in STOP_WORDS for word in words)


def _comparisons(text: str, tokens: list[Token], taken: set[int]) -> list[Mention]:
    mentions: list[Mention] = []
    for one in find_comparisons(text):
        places = _inside(tokens, *one.span)
        if places and not taken & set(places):
            mentions.append(Mention("comparison", places[0], places[-1], tuple(places), comparison=one, text=one.text))
            taken.update(places)
    return mentions


def _names(tokens: list[Token], links: list[Link], taken: set[int], text: str) -> list[Mention]:
    tables = {tokens[link.words[0]].stem for link in links if link.target.endswith("\x1f") and len(link.words) == 1}
    usable = [
        link
        for link in links
        if not _is_two(tokens, link, tables)
        and _is_whole(tokens, link, text)
        and not _is_noise(tokens, link)
        and not _is_count(tokens, link, tables)
    ]
    groups: dict[tuple[int, ...], list[Link]] = {}
    said = {(link.words, place_of(link.target)[0]) for link in usable if link.how in _LITERAL}
    for link in usable:
        if (link.words, place_of(link.target)[0]) in said and link.how not in _LITERAL:
            # Where a name holds the very word, another of its table with a word like it is the weaker guess.
            link = replace(link, score=link.score - _LIKE)
        groups.setdefault(link.words, []).append(link)

    def weight(words: tuple[int, ...]) -> tuple[float, ...]:
        best = max(link.score for link in groups[words])
        tight = words[-1] - words[0] == len(words) - 1
        return (-(best * len(words) * (1.0 if tight else 0.8)), words[0])

    mentions: list[Mention] = []
    heads: set[int] = set()
    for words in sorted(groups, key=weight):
        free = [place for place in words if place not in taken]
        first, last = words[0], words[-1]
        # "first, middle and last name": a head noun may close several names.
        shared = len(words) > 1 and words[-1] in heads and free == list(words[:-1])
        best = max(link.score for link in groups[words])
        if len(free) < len(words) and not (shared and best >= 0.84):
            continue
        choices = [
            Choice(*place_of(link.target), link.score)
            for link in sorted(groups[words], key=lambda link: -link.score)
            if link.score >= max(_LEAST, best - 0.3)
        ]
        implied = all(link.how == "implied" for link in groups[words]) or _is_verb(tokens, groups[words])
        kind: Kind = "table" if not choices[0].column else "column"
        mentions.append(Mention(kind, first, first if shared else last, words, choices, implied=implied))
        taken.update(words)
        if len(words) > 1:
            heads.add(words[-1])
    return mentions


def _is_verb(tokens: list[Token], links: list[Link]) -> bool:
    """Whether one word is a verb whose noun names the column: "founded" for ``Year_of_Founded``, "registered"."""
    if len(links[0].words) != 1 or not links[0].target or max(link.score for link in links) >= 0.99:
        return False
    word = tokens[links[0].words[0]].normal
    return word.endswith(("ed", "ing")) and all(not link.target.endswith("\x1f") for link in links)


def _is_whole(tokens: list[Token], link: Link, text: str) -> bool:
    """Whether the words of a link stand together but for little words."""
    for before, after in zip(link.words, link.words[1:], strict=False):
        gap = tokens[before + 1 : after]
        if len(gap) > 4 or any(mark in text[tokens[before].end : tokens[after].start] for mark in "?!;."):
            return False
        if link.coverage < 0.99 and gap and not all(token.normal in _JOINED for token in gap):
            return False
    return True


def _is_two(tokens: list[Token], link: Link, tables: set[str]) -> bool:
    """Whether words said apart name two tables rather than one column: "airlines with flights"."""
    if len(link.words) != 2 or link.words[1] - link.words[0] < 2 or not place_of(link.target)[1]:
        return False
    return all(tokens[place].stem in tables for place in link.words)


def _is_count(tokens: list[Token], link: Link, tables: set[str]) -> bool:
    """Whether "number of matches" counts a table's rows rather than name the column ``match_num``."""
    words = [tokens[place] for place in link.words]
    if words[0].normal != "number" or len(words) != 2 or link.score >= 0.98:
        return False
    return words[1].stem in tables


def _is_noise(tokens: list[Token], link: Link) -> bool:
    words = [tokens[place].normal for place in link.words]
    if link.how == "implied" and len(words) > 1 and link.words[-1] - link.words[0] > len(words):
        return True
    if link.how == "implied":
        return any(word in STOP_WORDS or word in {"who", "whose", "where", "when"} for word in words)
    if link.how == "typo" and len(words) == 1:
        return len(words[0]) < 6
    if all(word in STOP_WORDS for word in words):
        return link.score < 1 or words[0] in _LITTLE
    if len(words) == 1 and words[0] in _PAST and link.how != "exact":
        return True
    if len(words) == 1 and words[0] in {"ratio", "percentage", "proportion", "difference"}:
        return link.how != "exact"
    after = link.words[-1] + 1
    if words == ["number"] and after < len(tokens) and tokens[after].normal == "of":
        return True
    if (
        words == ["make"]
        and link.words[0]
        and tokens[link.words[0] - 1].kind == "word"
        and tokens[link.words[0] - 1].normal not in _CALLS | {"the", "car", "of", "by", "each"}
    ):
        return True
    if len(words) == 1 and words[0] in {"first", "last", "second", "third", "middle", "next", "full"}:
        return link.coverage < 0.99
    if len(words) == 1 and words[0] in _COMMANDS and (link.words[0] == 0 or tokens[link.words[0] - 1].normal in _CALLS):
        # "and name the …" commands, "id and name" lists.
        return link.words[0] == 0 or after >= len(tokens) or tokens[after].normal in {"the", "all", "a", "each", "me"}
    if words in (["times"], ["time"]) and link.words[0] and tokens[link.words[0] - 1].normal in {"many", "of", "most"}:
        return link.score < 0.99
    if len(words) == 1 and (words[0] in _ASKED or words[0] in AGGREGATES):
        return link.coverage < 0.99 or link.how not in {"exact", "stem"}
    return False


def _loose(text: str, tokens: list[Token], taken: set[int]) -> list[Mention]:
    mentions: list[Mention] = []
    for one in find_quantities(text):
        places = _inside(tokens, *one.span)
        if places and not taken & set(places) and tokens[places[0]].normal not in {"a", "an", "single"}:
            mentions.append(
                Mention("number", places[0], places[-1], tuple(places), number=float(one.value), text=one.text)
            )
            taken.update(places)
    return mentions
