"""The glossary: what a person taught about their words is kept, and used whenever a word is said again.

A meaning holds for the schema it was taught over. Over a schema that changed a little since, it is carried over where
its columns are still there or have plainly only changed their names; the reading says so, and says it too where not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from averment.language.tokens import Token, split_words, tokenise
from averment.plans.meaning import Meaning
from averment.plans.plan import Measure, Plan, Value
from averment.reading.lattice.taught_spans import places_of, said_in
from averment.reading.schema.drift import columns_of
from averment.reading.schema.known_words import MOST_MEANINGS, KnownWord, known, known_words, longest_first
from averment.reading.understand import understand
from averment.reading.words import tokens
from averment.records.base import Record
from averment.store.knowledge.corrections import Correction, CorrectionStore
from averment.tables.guard.names import nearest_name

if TYPE_CHECKING:
    from averment.reading.schema.schema_view import Schema
    from averment.runtime.run_context import RunContext
    from averment.tables.profile.profiler import TableProfile


Span = tuple[int, int]
Reads = Callable[[str, str], "Meaning | None"]
"""Reads what a word is said to mean; None where that is no meaning."""

MOST_WORDS = 4
_QUOTE = "[\"'“”‘’`]?"
_WORDS = rf"{_QUOTE}(?P<word>[^\W\d_][\w-]*(?:[ ](?!by\b|I\b|we\b)[\w-]+){{0,{MOST_WORDS - 1}}}){_QUOTE}"
_TAIL = r"(?P<rest>[^;\n]+)"
_MORE = r"stands\s+for|refers\s+to|is\s+defined\s+as|shall\s+mean|should\s+mean|is\s+short\s+for"
_STRONG = (
    re.compile(rf"\b(?:by|with)\s+{_WORDS}\s*,?\s+(?:I|we)\s+(?:always\s+|really\s+)?mean\s+{_TAIL}", re.IGNORECASE),
    re.compile(rf"\bdefine\s+(?:the\s+)?{_WORDS}\s+(?:as|to\s+be|to\s+mean)\s+{_TAIL}", re.IGNORECASE),
    re.compile(rf"\blet\s+(?:the\s+)?{_WORDS}\s+(?:be|mean|stand\s+for)\s+{_TAIL}", re.IGNORECASE),
    re.compile(rf"\b(?:when|if|where)\s+(?:I|we)\s+say\s+{_WORDS}\s*,?\s+(?:I|we)\s+mean\s+{_TAIL}", re.IGNORECASE),
)
_MEANS = re.compile(rf"{_WORDS}\s+(?:means|{_MORE})\s+{_TAIL}", re.IGNORECASE)
_USE = re.compile(
    rf"\b(?:use|take)\s+(?P<rest>[^;\n]+?)\s+(?:for|whenever\s+I\s+say|when\s+I\s+say)\s+{_WORDS}", re.IGNORECASE
)
_LEAD = re.compile(rf"\s*(?:the\s+)?(?:(?:column|field)\s+)?{_QUOTE}", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:$|[,.;:!?)\]]|and\b)", re.IGNORECASE)
_CONNECTING = frozenset("where and with if that but note so because here the as remember please always now on".split())
_COMPUTES = re.compile(r"[-+*/=<>,]|\b(?:minus|plus|times|divided|per|above|over|below|under|before|after|and|or)\b")
_CUTS = re.compile(r"[.,;:!?)\]](?=\s|$)|$")
_AFTER_WORD = frozenset({"by", "in", "per", "for", "over", "when", "where", "and", "to", "of", "from", "please", "now"})
_FILLING = frozenset(
    """
    please ok okay no yes note remember that from now on in future always here so and where with but by the way
    actually hint fyi
    """.split()
)


class NamedColumn(Record):
    """A column that a statement may name."""

    table: str
    column: str
    original: str


class TaughtStatement(Record):
    """A word and what it shall mean; no meaning when what was said cannot be one here."""

    word: str
    said: str
    meaning: Meaning | None
    span: Span


class ParsedStatement(Record):
    """A text with its statements taken out: what is left to answer, and what was told."""

    rest: str
    told: tuple[TaughtStatement, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything is left to answer."""
        return any(word.normal not in _FILLING for word in split_words(self.rest))


def listen(text: str, columns: Sequence[NamedColumn], read: Reads) -> ParsedStatement:
    """The text without its statements about words, and those statements; ``read`` says what they mean."""
    told: list[TaughtStatement] = []
    rest = text
    for _ in range(MOST_WORDS):
        found = _statement(rest, columns, read)
        if found is None:
            break
        told.append(found)
        start, end = found.span
        rest = _joined(rest[:start], rest[end:])
    return ParsedStatement(rest=rest, told=tuple(told))


def _joined(before: str, after: str) -> str:
    """What stood around a statement, without the punctuation and the connecting word that held it."""
    left = re.sub(r"[\s,;:(\[–—-]+$", "", before)
    left = re.sub(r"\b(?:where|and|note(?:\s+that)?|here|but|with)\s*$", "", left, flags=re.IGNORECASE).rstrip(" ,;:(")
    right = re.sub(r"^[\s,;:.)\]–—-]+", "", after)
    right = re.sub(r"^(?:and|so|now|then)\b[\s,:]*", "", right, flags=re.IGNORECASE)
    return f"{left} {right}".strip()


def _statement(text: str, columns: Sequence[NamedColumn], read: Reads) -> TaughtStatement | None:
    for pattern in _STRONG:
        match = pattern.search(text)
        if match is not None:
            return _told(text, match, columns, read, strict=False)
    match = _MEANS.search(text)
    if match is not None:
        found = _told(text, match, columns, read, strict=True)
        if found is not None:
            return found
    match = _USE.search(text)
    return None if match is None else _used(text, match, columns, read)


def _told(
    text: str, match: re.Match[str], columns: Sequence[NamedColumn], read: Reads, *, strict: bool
) -> TaughtStatement | None:
    word, start = match["word"], match.start()
    if strict:
        # "revenue means x" may stand behind other words: only those next to "means" are meant.
        word, start = _last_words(match)
        if not word:
            return None
    word, rest, begun = plain(word), match["rest"], match.start("rest")
    for meaning, length in _meanings(word, rest, columns, read):
        return TaughtStatement(word=word, said=rest[:length].strip(), meaning=meaning, span=(start, begun + length))
    said = re.split(r"[,.;:)]", rest)[0].strip().strip("\"'“”‘’`")
    whole = not split_words(text[:start])
    named = len(split_words(rest)) <= MOST_WORDS and re.fullmatch(r"\w+", said)
    if strict and not (whole and (named or (_COMPUTES.search(rest) and find_column(rest, columns)[0] is not None))):
        return None
    return TaughtStatement(word=word, said=said, meaning=None, span=(start, begun + len(said)))


def _meanings(word: str, rest: str, columns: Sequence[NamedColumn], read: Reads) -> Iterator[tuple[Meaning, int]]:
    """What the beginning of a text says a word means, the longest first, and how many characters say it."""
    column, length = find_column(rest, columns)
    if column is not None and not rest[length:].strip(" .!"):
        yield _column(word, column), length
    for cut in sorted({found.start() for found in _CUTS.finditer(rest)}, reverse=True):
        meaning = read(word, rest[:cut])
        if meaning is not None:
            yield meaning, cut
    # "True means the fare column is normal" goes on, and says something else.
    if column is not None and _ENDS.match(rest[length:]):
        yield _column(word, column), length


def _column(word: str, named: NamedColumn) -> Meaning:
    return Meaning(word=word, kind="column", value=Value(table=named.table, column=named.column))


def _last_words(match: re.Match[str]) -> tuple[str, int]:
    tokens = [token for token in tokenise(match["word"]) if token.kind != "symbol"]
    kept: list[Token] = []
    for token in reversed(tokens):
        if token.normal in _CONNECTING:
            break
        kept.insert(0, token)
    if not kept:
        return "", 0
    offset = match.start("word")
    return match["word"][kept[0].start : kept[-1].end], offset + kept[0].start


def _used(text: str, match: re.Match[str], columns: Sequence[NamedColumn], read: Reads) -> TaughtStatement | None:
    """ "Use net_amount for revenue": what it means stands first."""
    words: list[Token] = []
    for token in tokenise(match["word"]):
        if token.normal in _AFTER_WORD:
            break
        words.append(token)
    if not words:
        return None
    word = match["word"][words[0].start : words[-1].end]
    end = match.start("word") + words[-1].end
    said = match["rest"].strip().strip("\"'“”‘’`")
    around = f"{text[: match.start()]} {text[end:]}"
    busy = any(each.normal not in _FILLING for each in split_words(around))
    if busy and not places_of(word, [each for each, _, _ in tokens(around)]):
        # "Use age for prediction" in a longer text says what to do, not what a word means.
        return None
    column, length = find_column(match["rest"], columns)
    complete = column is not None and not match["rest"][length:].strip(" \"'“”‘’`.,")
    meaning = _column(plain(word), column) if complete and column is not None else read(plain(word), match["rest"])
    if meaning is None:
        whole = not [each for each in split_words(text[: match.start()]) if each.normal not in _FILLING]
        if not (whole and end >= len(text.rstrip(" .!")) and re.fullmatch(r"\w+_\w+", said)):
            return None
    return TaughtStatement(word=plain(word), said=said, meaning=meaning, span=(match.start(), end))


def plain(word: str) -> str:
    """A word as it is kept: in small letters, with single spaces."""
    return " ".join(word.casefold().split())


def find_column(text: str, columns: Sequence[NamedColumn]) -> tuple[NamedColumn | None, int]:
    """The column that a text begins with, the longest name first, and how many characters name it."""
    lead = _LEAD.match(text)
    skipped = lead.end() if lead else 0
    body = text[skipped:]
    words = split_words(body)
    best: tuple[int, NamedColumn] | None = None
    for named in columns:
        for name in (named.column, named.original, f"{named.table}.{named.column}"):
            wanted = [word.normal for word in split_words(name)]
            if not wanted or [word.normal for word in words[: len(wanted)]] != wanted:
                continue
            end = words[len(wanted) - 1].end
            if best is None or end > best[0]:
                best = (end, named)
    if best is None:
        return None, 0
    end = skipped + best[0]
    closing = re.match(_QUOTE, text[end:])
    return best[1], end + (closing.end() if closing else 0)


def refusal(statement: TaughtStatement, columns: Sequence[NamedColumn]) -> str:
    """What to answer when what a statement says cannot be read over these columns."""
    names = list(dict.fromkeys(named.column for named in columns))
    near = nearest_name(statement.said, names)
    if not re.fullmatch(r"\w+", statement.said):
        kinds = "a column, a formula, a condition or a list of values"
        return (
            f"I could not read “{statement.said}” as {kinds}, so nothing was kept for “{statement.word}”. "
            f"There is: {', '.join(names)}."
        )
    hint = f"Did you mean {near}?" if near is not None else f"There is: {', '.join(names)}."
    return f"There is no column {statement.said}, so nothing was kept for “{statement.word}”. {hint}"


class GlossaryReading(Record):
    """A question without what was taught in it, and the taught words that it says."""

    text: str
    asks: bool = True
    told: tuple[TaughtStatement, ...] = ()
    said: tuple[KnownWord, ...] = ()
    refused: str | None = None

    @property
    def meanings(self) -> tuple[Meaning, ...]:
        """What the words of the question were taught to mean, the longest first."""
        return tuple(known.meaning for known in self.said if known.meaning is not None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say of every taught word of the question."""
        return tuple(known.note for known in self.said)

    def used_in(self, plan: Plan) -> tuple[KnownWord, ...]:
        """The taught words that a plan speaks of."""
        return tuple(known for known in self.said if known.meaning is not None and known.meaning.stands_in(plan))


class Glossary:
    """The meanings of one home, as the analyst uses them."""

    def __init__(self, store: CorrectionStore) -> None:
        self._store = store

    def read(self, work: RunContext, profiles: Sequence[TableProfile], schema: Callable[[], Schema]) -> GlossaryReading:
        """The request's question as it is meant, over the permitted columns; ``schema`` is asked for when needed."""
        columns = permitted_columns(work, profiles)
        before = self._known(work, columns)

        def read(word: str, said: str) -> Meaning | None:
            tables = schema()
            # What a word means may lean on words taught before, but not on itself.
            tables.taught = tuple(each.meaning for each in before if each.meaning is not None and each.word != word)
            return understand(word, said, tables)

        heard = self._heard(work, columns, read)
        unknown = next((each for each in heard.told if each.meaning is None), None)
        if unknown is not None:
            return GlossaryReading(text=heard.rest, told=heard.told, refused=refusal(unknown, columns))
        now = [known(each.meaning) for each in heard.told if each.meaning is not None]
        words = {each.word for each in now}
        said = [
            each for each in longest_first([*now, *(k for k in before if k.word not in words)]) if _is_said(each, heard)
        ]
        lost = next((each for each in said if each.meaning is None), None)
        if lost is not None:
            # Another column that sounds alike would be a guess against what was taught.
            return GlossaryReading(
                text=heard.rest, told=heard.told, refused=_which(lost, [named.column for named in columns])
            )
        return GlossaryReading(text=heard.rest, asks=heard.asks, told=heard.told, said=tuple(said))

    def tables(self) -> set[str]:
        """The tables of which words were taught in this home."""
        return {each.table for each in self._store.list(limit=MOST_MEANINGS)}

    def keep(self, work: RunContext, meant: GlossaryReading) -> None:
        """Keep what was taught, and write it down; teaching the same again changes nothing."""
        for statement in meant.told:
            meaning = statement.meaning
            if meaning is None:
                continue
            self._store.save(
                Correction(
                    schema_fingerprint=work.catalog.fingerprint,
                    word=statement.word,
                    kind=meaning.kind,
                    table=meaning.table,
                    column=(meaning.value.column or "") if meaning.kind == "column" and meaning.value else "",
                    meaning=meaning.to_json(),
                    in_words=meaning.in_words(),
                    schema_columns=columns_of(work.catalog),
                )
            )
            work.journal.decide(
                f"correction/{statement.word}",
                decision="kept",
                rule="CORRECTION",
                reason=f"{statement.word} means {meaning.in_words()} over this schema",
            )

    def _heard(
        self, work: RunContext, columns: Sequence[NamedColumn], read: Callable[[str, str], Meaning | None]
    ) -> ParsedStatement:
        """What the request teaches: outright, or in the words of its question."""
        taught = work.state.meaning.get("teach")
        if taught is None:
            return listen(work.request.intent, columns, read)
        word, said = plain(str(taught["word"])), str(taught["means"]).strip()
        named = listen(f"by {word} I mean {said}", columns, read).told if len(word.split()) <= 4 else ()
        exact = next((each.meaning for each in named if each.word == word and each.said == said), None)
        statement = TaughtStatement(word=word, said=said, meaning=exact or read(word, said), span=(0, 0))
        return ParsedStatement(rest="", told=(statement,))

    def _known(self, work: RunContext, columns: Sequence[NamedColumn]) -> list[KnownWord]:
        """Every word that was taught before: those of this schema, then those of its kin."""
        permitted = {(named.table, named.column) for named in columns}
        # What was taught with the dataset stands before what was taught over any table like it.
        taught = (work.state.meaning.get("dataset") or {}).get("meanings") or ()
        meant = [Meaning.model_validate(each) for each in taught]
        own = {each.word: known(each) for each in meant if set(each.columns()) <= permitted}
        others = known_words(self._store.list(limit=MOST_MEANINGS), work.catalog, permitted)
        return longest_first({**{each.word: each for each in others}, **own}.values())


def _is_said(known: KnownWord, heard: ParsedStatement) -> bool:
    return said_in(known.word, heard.rest)


def _which(known: KnownWord, names: Sequence[str]) -> str:
    said = known.note[:1].upper() + known.note[1:]
    return f"{said}. What is {known.word} now? There are: {', '.join(dict.fromkeys(names))}."


def permitted_columns(work: RunContext, profiles: Sequence[TableProfile]) -> list[NamedColumn]:
    """The columns a person may name: those the policy permits."""
    found: list[NamedColumn] = []
    for profile in profiles:
        originals = {column.name: column.original_name for column in work.catalog.table(profile.table).columns}
        found += [
            NamedColumn(table=profile.table, column=column.name, original=originals.get(column.name) or column.name)
            for column in profile.columns
        ]
    return found


def shown_by(meaning: Meaning, schema: Schema) -> Plan:
    """What shows a person what they taught: the figure, how many rows meet it, or how far the values reach."""
    table = meaning.table
    if meaning.where:
        return Plan(table=table, where=meaning.where, measures=(Measure(function="rows"),), expects="figure")
    if meaning.measure is not None:
        return Plan(table=table, measures=(meaning.measure,), expects="figure")
    column = schema.column(table, meaning.value.column or "") if meaning.value is not None else None
    several = ("count", "distinct") if column is not None and column.kind == "text" else ("min", "max")
    return Plan(table=table, measures=tuple(Measure(function=each, of=meaning.value) for each in several))
