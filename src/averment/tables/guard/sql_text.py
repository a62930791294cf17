"""SQL as text, before it is parsed: bounds on its size, characters that hide, escapes made plain, and its first word.

Nothing here decides whether a statement is allowed; it only refuses what no parser should be fed with, and hands on a
text that means the same to the parser and to the engine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sqlglot.tokenizer_core import Token, TokenType

from averment.errors import SqlRefused, SqlSyntax
from averment.tables.catalog import Dialect
from averment.tables.guard.grammar import split_words

MAX_CHARACTERS = 50_000
MAX_TOKENS = 12_000
MAX_NESTING = 64
MAX_PREFIXES = 24

StatementKind = Literal["query", "explain", "describe", "summarize"]

# Control characters, separators that are no plain space, and marks without width or that turn the writing direction.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U000e0000-\U000e0fff]"
)
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
_PREFIXES = frozenset({TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE})
_LIMIT_ENDS = frozenset({TokenType.OFFSET, TokenType.COMMA, TokenType.SEMICOLON})
# After one of these, Postgres reads ``?`` as an operator on JSON.
_OPERANDS = frozenset(
    {
        TokenType.VAR,
        TokenType.IDENTIFIER,
        TokenType.STRING,
        TokenType.NUMBER,
        TokenType.R_PAREN,
        TokenType.R_BRACKET,
    }
)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class SqlStatement:
    """A text that is safe to parse, and how it asks to be run."""

    prefix: str
    body: str


def refuse(message: str, reason: str, *, hint: str | None = None, **details: object) -> SqlRefused:
    """The refusal of a statement, with a machine-readable reason."""
    return SqlRefused(message, hint=hint, details={"reason": reason, **details})


def read_statement(sql: str, dialect: Dialect) -> SqlStatement:
    """The statement with hidden characters and excesses refused, string escapes decoded, and EXPLAIN split off.

    Raises:
        SqlRefused: it is too long, too deep, or holds characters that hide text.
        SqlSyntax: it cannot be split into words, or is empty.
    """
    if len(sql) > MAX_CHARACTERS:
        raise refuse(f"The statement has more than {MAX_CHARACTERS:,} characters.", "size")
    text = sql.replace("\r\n", "\n")
    hidden = _HIDDEN.search(text)
    if hidden is not None or "\r" in text:
        where = hidden.start() if hidden is not None else text.index("\r")
        raise refuse(
            "The statement contains a control or invisible character.",
            "character",
            hint="Write it with plain spaces and line feeds; give unusual text as a parameter.",
            position=where,
        )
    tokens = split_words(text, dialect)
    prefix, statement = _split_prefix(text, tokens[0], dialect)
    if statement != text:
        text, tokens = statement, split_words(statement, dialect)
    if dialect != "duckdb" and (wrapped := _wrap_limits(text, tokens)) != text:
        text, tokens = wrapped, split_words(wrapped, dialect)
    _check_bounds(tokens)
    return SqlStatement(prefix, _plain_text(text, tokens, dialect))


def _check_bounds(tokens: list[Token]) -> None:
    if len(tokens) > MAX_TOKENS:
        raise refuse(f"The statement has more than {MAX_TOKENS:,} words.", "size")
    depth = run = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        run = run + 1 if kind in _PREFIXES else 0
        if depth > MAX_NESTING or run > MAX_PREFIXES:
            raise refuse("The statement is nested too deeply.", "nesting")


def _plain_text(text: str, tokens: list[Token], dialect: Dialect) -> str:
    """The text with ``E'…'`` strings and ``?`` parameters in the one form that survives being written back.

    The parser loses the escapes of such strings, and may move a clause and with it a parameter that has no number.
    """
    pieces: list[str] = []
    done = number = 0
    previous: Token | None = None
    for token in tokens:
        written = text[token.start : token.end + 1]
        plain: str | None = None
        if token.token_type is TokenType.BYTE_STRING and written[:2].lower() == "e'" and dialect != "sqlite":
            plain = "'" + _decode_escapes(written[2:-1]).replace("'", "''") + "'"
        elif token.token_type is TokenType.PLACEHOLDER and not (previous and previous.token_type in _OPERANDS):
            number += 1
            plain = f":p{number}" if dialect == "sqlite" else f"${number}"
        elif written == "?::":
            number += 1
            plain = f"${number}::"
        if plain is not None:
            pieces += [text[done : token.start], plain]
            done = token.end + 1
        previous = token
    return "".join([*pieces, text[done:]])


def _wrap_limits(text: str, tokens: list[Token]) -> str:
    """``LIMIT 2 - n % 2`` with its expression in parentheses: the parser would read ``%`` as a percentage."""
    edits: list[tuple[int, str]] = []
    for start, token in enumerate(tokens):
        if token.token_type is not TokenType.LIMIT:
            continue
        end, depth, modulo = start + 1, 0, False
        while end < len(tokens):
            kind = tokens[end].token_type
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth < 0 or (depth == 0 and kind in _LIMIT_ENDS):
                break
            modulo = modulo or (depth == 0 and kind is TokenType.MOD)
            end += 1
        if modulo:
            edits += [(token.end + 1, " ("), (tokens[end - 1].end + 1, ")")]
    for position, mark in sorted(edits, reverse=True):
        text = text[:position] + mark + text[position:]
    return text


def _decode_escapes(raw: str) -> str:
    def plain(match: re.Match[str]) -> str:
        octal, hexadecimal, short, long, other = match.groups()
        if other is not None:
            return _SIMPLE.get(other, other)
        code = int(octal, 8) if octal else int(hexadecimal or short or long, 16)
        if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
            raise refuse("A string contains an invalid escape sequence.", "character")
        return chr(code)

    return _ESCAPE.sub(plain, raw.replace("''", "\\'"))


def _split_prefix(text: str, first: Token, dialect: Dialect) -> tuple[str, str]:
    """EXPLAIN apart from what it explains, and ``TABLE t`` written as the SELECT it stands for."""
    rest = text[first.end + 1 :]
    if first.text.upper() == "TABLE":
        return "", "SELECT * FROM" + rest
    if first.text.upper() != "EXPLAIN":
        return "", text
    words = split_words(rest, dialect)
    prefix, skip = "EXPLAIN ", 0
    if dialect == "sqlite" and [word.text.upper() for word in words[:2]] == ["QUERY", "PLAN"]:
        prefix, skip = "EXPLAIN QUERY PLAN ", 2
    if len(words) <= skip:
        raise SqlSyntax("EXPLAIN has no query after it.", suggestion="write EXPLAIN SELECT …")
    if words[skip].text.upper() in {"ANALYZE", "ANALYSE", "VERBOSE", "(", "EXPLAIN"}:
        raise refuse("EXPLAIN with options is not allowed: it may run the statement.", "statement")
    return prefix, rest[words[skip].start :]
