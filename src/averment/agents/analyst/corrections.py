"""What a person tells about their words: "by revenue I mean net_amount", "margin means revenue minus cost".

A statement of that kind may be the whole text or a part of a question. It is taken out, what it says is read over the
columns there are, and from then on the word means that wherever it is said over that schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from averment.language.tokens import Token, split_words, tokenise
from averment.plans.meaning import Meaning
from averment.plans.plan import Value
from averment.reading.lattice.taught_spans import places_of
from averment.reading.words import tokens
from averment.records.base import Record
from averment.tables.guard.names import nearest_name

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
