"""What a person tells about their words: "by revenue I mean net_amount".

A statement of that kind may be the whole text or a part of a question. It is taken out, checked against the columns
there are, and from then on the word stands for the column wherever it is said over that schema.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from averment.language.tokens import Token, split_words, tokenise
from averment.records.base import Record
from averment.tables.names import nearest_name

Span = tuple[int, int]

MOST_WORDS = 4
_QUOTE = "[\"'“”‘’`]?"
_WORDS = rf"{_QUOTE}(?P<word>[^\W\d_][\w-]*(?:[ ](?!by\b|I\b|we\b)[\w-]+){{0,{MOST_WORDS - 1}}}){_QUOTE}"
_TAIL = r"(?P<rest>[^;\n]+)"
_STRONG = (
    re.compile(rf"\b(?:by|with)\s+{_WORDS}\s*,?\s+(?:I|we)\s+(?:always\s+|really\s+)?mean\s+{_TAIL}", re.IGNORECASE),
    re.compile(rf"\b(?:when|if|where)\s+(?:I|we)\s+say\s+{_WORDS}\s*,?\s+(?:I|we)\s+mean\s+{_TAIL}", re.IGNORECASE),
)
_MEANS = re.compile(rf"{_WORDS}\s+(?:means|stands\s+for|refers\s+to)\s+{_TAIL}", re.IGNORECASE)
_USE = re.compile(
    rf"\b(?:use|take)\s+(?P<rest>[^;\n]+?)\s+(?:for|whenever\s+I\s+say|when\s+I\s+say)\s+{_WORDS}", re.IGNORECASE
)
_LEAD = re.compile(rf"\s*(?:the\s+)?(?:(?:column|field)\s+)?{_QUOTE}", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:$|[,.;:!?)\]]|and\b)", re.IGNORECASE)
_CONNECTING = frozenset({"where", "and", "with", "if", "that", "but", "note", "so", "because", "here", "the", "as"})
_AFTER_WORD = frozenset({"by", "in", "per", "for", "over", "when", "where", "and", "to", "of", "from", "please", "now"})
_FILLING = frozenset(
    """
    please ok okay no yes note remember that from now on in future always here so and where with but by the way
    actually hint fyi
    """.split()
)


class Named(Record):
    """A column that a statement may name."""

    table: str
    column: str
    original: str


class Statement(Record):
    """A word and the column it shall stand for; the column is None when there is none of that name."""

    word: str
    said: str
    column: Named | None
    span: Span


class Heard(Record):
    """A text with its statements taken out: what is left to answer, and what was told."""

    rest: str
    told: tuple[Statement, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether anything is left to answer."""
        return any(word.normal not in _FILLING for word in split_words(self.rest))


def listen(text: str, columns: Sequence[Named]) -> Heard:
    """The text without its statements about words, and those statements."""
    told: list[Statement] = []
    rest = text
    for _ in range(MOST_WORDS):
        found = _statement(rest, columns)
        if found is None:
            break
        told.append(found)
        start, end = found.span
        rest = _joined(rest[:start], rest[end:])
    return Heard(rest=rest, told=tuple(told))


def _joined(before: str, after: str) -> str:
    """What stood around a statement, without the punctuation and the connecting word that held it."""
    left = re.sub(r"[\s,;:(\[–—-]+$", "", before)
    left = re.sub(r"\b(?:where|and|note(?:\s+that)?|here|but|with)\s*$", "", left, flags=re.IGNORECASE).rstrip(" ,;:(")
    right = re.sub(r"^[\s,;:.)\]–—-]+", "", after)
    right = re.sub(r"^(?:and|so|now|then)\b[\s,:]*", "", right, flags=re.IGNORECASE)
    return f"{left} {right}".strip()


def _statement(text: str, columns: Sequence[Named]) -> Statement | None:
    for pattern in _STRONG:
        match = pattern.search(text)
        if match is not None:
            return _told(text, match, columns, strict=False)
    match = _MEANS.search(text)
    if match is not None:
        found = _told(text, match, columns, strict=True)
        if found is not None:
            return found
    match = _USE.search(text)
    return None if match is None else _used(text, match, columns)


def _told(text: str, match: re.Match[str], columns: Sequence[Named], *, strict: bool) -> Statement | None:
    word, start = match["word"], match.start()
    if strict:
        # "revenue means x" may stand behind other words: only those next to "means" are meant.
        word, start = _last_words(match)
        if not word:
            return None
    column, length = find_column(match["rest"], columns)
    end = match.start("rest") + length
    said = match["rest"][:length].strip()
    if strict and column is not None and not _ENDS.match(match["rest"][length:]):
        # "True means the fare column is normal" goes on, and says something else.
        return None
    if column is None:
        said = re.split(r"[,.;:)]", match["rest"])[0].strip().strip("\"'“”‘’`")
        whole = not split_words(text[:start]) and len(split_words(match["rest"])) <= MOST_WORDS
        if strict and not (whole and re.fullmatch(r"\w+", said)):
            return None
        end = match.start("rest") + len(said)
    return Statement(word=_plain(word), said=said, column=column, span=(start, end))


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


def _used(text: str, match: re.Match[str], columns: Sequence[Named]) -> Statement | None:
    """ "Use net_amount for revenue": the column stands first, and must be one."""
    words: list[Token] = []
    for token in tokenise(match["word"]):
        if token.normal in _AFTER_WORD:
            break
        words.append(token)
    if not words:
        return None
    word = match["word"][words[0].start : words[-1].end]
    end = match.start("word") + words[-1].end
    column, length = find_column(match["rest"], columns)
    said = match["rest"].strip().strip("\"'“”‘’`")
    complete = column is not None and not match["rest"][length:].strip(" \"'“”‘’`.,")
    around = f"{text[: match.start()]} {text[end:]}"
    if any(each.normal not in _FILLING for each in split_words(around)) and not apply(around, [(word, "")], ())[1]:
        # "Use age for prediction" in a longer text says what to do, not what a word means.
        return None
    if not complete:
        whole = not [each for each in split_words(text[: match.start()]) if each.normal not in _FILLING]
        if not (whole and end >= len(text.rstrip(" .!")) and re.fullmatch(r"\w+_\w+", said)):
            return None
        column = None
    return Statement(word=_plain(word), said=said, column=column, span=(match.start(), end))


def _plain(word: str) -> str:
    return " ".join(word.casefold().split())


def find_column(text: str, columns: Sequence[Named]) -> tuple[Named | None, int]:
    """The column that a text begins with, the longest name first, and how many characters name it."""
    lead = _LEAD.match(text)
    skipped = lead.end() if lead else 0
    body = text[skipped:]
    words = split_words(body)
    best: tuple[int, Named] | None = None
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


def refusal(statement: Statement, columns: Sequence[Named]) -> str:
    """What to answer when a statement names a column that is not there."""
    names = list(dict.fromkeys(named.column for named in columns))
    near = nearest_name(statement.said, names)
    hint = f"Did you mean {near}?" if near is not None else f"There is: {', '.join(names)}."
    return f"There is no column {statement.said}, so nothing was kept for “{statement.word}”. {hint}"


def apply(text: str, meanings: Sequence[tuple[str, str]], names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The text with each told word replaced by its column, and the words that were replaced.

    A word inside a longer column name is left alone: who has said "net revenue" means that column.
    """
    used: list[str] = []
    for word, column in meanings:
        wanted = [token.stem for token in split_words(word)]
        taken = _spans_of_names(text, names, longer_than=len(wanted))
        tokens = [token for token in tokenise(text) if token.kind != "symbol"]
        places = [
            (tokens[start].start, tokens[start + len(wanted) - 1].end)
            for start in range(len(tokens) - len(wanted) + 1)
            if [token.stem for token in tokens[start : start + len(wanted)]] == wanted
        ]
        places = [place for place in places if not any(a < place[1] and place[0] < b for a, b in taken)]
        for start, end in reversed(places):
            text = f"{text[:start]}{column}{text[end:]}"
        if places:
            used.append(word)
    return text, tuple(used)


def _spans_of_names(text: str, names: Sequence[str], *, longer_than: int) -> list[Span]:
    words = split_words(text)
    found: list[Span] = []
    for name in names:
        wanted = [word.normal for word in split_words(name)]
        if len(wanted) <= longer_than:
            continue
        found += [
            (words[start].start, words[start + len(wanted) - 1].end)
            for start in range(len(words) - len(wanted) + 1)
            if [word.normal for word in words[start : start + len(wanted)]] == wanted
        ]
    return found
