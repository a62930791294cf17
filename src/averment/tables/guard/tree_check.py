"""The allow-list applied to a parsed statement, and to the words of the statement as it will be sent.

The tree is checked node by node; the text written back from it is checked once more for the functions it calls, since
writing back may use other names than the ones that were read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from averment.errors import SqlRefused, SqlSyntax
from averment.tables.catalog import Dialect
from averment.tables.guard.allowed import (
    FUNCTION_NODES,
    FUNCTIONS,
    SESSION_WORDS,
    STRUCTURE,
    TABLE_FUNCTIONS,
    TYPES,
    VOLATILE,
    WORDS_BEFORE_PARENTHESIS,
)
from averment.tables.guard.grammar import split_words
from averment.tables.guard.names import nearest_name

MAX_DEPTH = 300

MAX_NODES = 30_000

_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Pivot)

_TABLE_PARTS = frozenset(
    {"this", "alias", "db", "catalog", "sample", "pivots", "joins", "laterals", "ordinality", "only"}
)

_ROW_MAKING_NODES = (exp.Query, exp.Pivot, exp.Unnest)

_BARE_WORD = re.compile(r"\w[\w ]*")


def check_tree(tree: exp.Expr, dialect: Dialect) -> None:
    """Nothing, when every node of the tree is allowed.

    Raises:
        SqlRefused: the statement is no query, or a part of it is not on the allow-list.
    """
    described = isinstance(tree, exp.Describe | exp.Summarize) and dialect == "duckdb"
    if not (described or isinstance(tree, _ROOTS)):
        raise refuse("Only one SELECT over the opened tables is allowed.", "statement", statement=tree.key)
    pending: list[tuple[exp.Expr, int]] = [(tree, 1)]
    seen = 0
    while pending:
        node, depth = pending.pop()
        seen += 1
        if depth > MAX_DEPTH or seen > MAX_NODES:
            raise refuse("The statement is nested too deeply or too large.", "nesting")
        _check_node(node, dialect)
        pending += [(child, depth + 1) for child in node.iter_expressions()]


def _check_node(node: exp.Expr, dialect: Dialect) -> None:
    kind = type(node).__name__
    if isinstance(node, exp.Anonymous):
        _check_function_name(node, dialect)
    elif kind not in STRUCTURE and kind not in FUNCTION_NODES:
        raise refuse(f"The statement uses {_spoken(node)}, which is not allowed.", "syntax", node=kind)
    if isinstance(node, exp.Describe | exp.Summarize):
        if dialect != "duckdb" or not isinstance(node.this, exp.Table | exp.Select):
            raise refuse("Only a table or a SELECT can be described.", "statement")
    elif isinstance(node, exp.Table):
        _check_table(node, dialect)
    elif isinstance(node, exp.Lateral):
        _check_row_maker(node.this, dialect)
    elif isinstance(node, exp.DataType):
        _check_type(node)
    elif isinstance(node, exp.Placeholder | exp.Parameter):
        _check_parameter(node, dialect)
    elif isinstance(node, exp.Dot):
        if isinstance(node.expression, exp.Func) and dialect != "duckdb":
            raise refuse("A function may not be qualified by a schema.", "function")
    elif isinstance(node, exp.Var) and not _BARE_WORD.fullmatch(node.name):
        raise refuse("The statement contains a token that cannot be parsed.", "syntax")
    elif isinstance(node, exp.Select) and (node.args.get("kind") or node.args.get("operation_modifiers")):
        raise refuse("The statement uses a form of SELECT that is not allowed.", "syntax")


def _spoken(node: exp.Expr) -> str:
    return f"the function {node.sql_name()}" if isinstance(node, exp.Func) else f"the clause {type(node).__name__}"


def _check_table(node: exp.Table, dialect: Dialect) -> None:
    extra = [name for name, value in node.args.items() if value and name not in _TABLE_PARTS]
    if extra:
        raise refuse("A table is read in a way that is not allowed.", "syntax", parts=sorted(extra))
    if isinstance(node.this, exp.Identifier):
        return
    if node.args.get("db") or node.args.get("catalog"):
        raise refuse("A function may not be qualified by a schema.", "function")
    _check_row_maker(node.this, dialect)


def _check_row_maker(node: exp.Expr, dialect: Dialect) -> None:
    if isinstance(node, _ROW_MAKING_NODES):
        return
    name = function_name(node) if isinstance(node, exp.Anonymous) else type(node).__name__
    if not isinstance(node, exp.Anonymous) or name not in TABLE_FUNCTIONS[dialect]:
        raise refuse(f"The function {name} is not allowed in FROM.", "function", function=name)


def function_name(node: exp.Anonymous) -> str:
    """The name of a function the parser has no word for; a quoted name keeps its case."""
    this = node.this
    if isinstance(this, exp.Identifier):
        return this.name if this.args.get("quoted") else this.name.lower()
    return str(this).lower()


def _check_function_name(node: exp.Anonymous, dialect: Dialect) -> None:
    name = function_name(node)
    if name not in FUNCTIONS[dialect]:
        near = nearest_name(name, FUNCTIONS[dialect])
        hint = f"did you mean `{near}`?" if near is not None else None
        raise refuse(f"The function {name} is not allowed.", "function", hint=hint, function=name)


def _check_type(node: exp.DataType) -> None:
    kind = node.this
    if isinstance(kind, exp.Interval | exp.DataType):
        return
    if not isinstance(kind, exp.DType) or kind.name not in TYPES:
        raise refuse("A cast to that type is not allowed.", "type", type=node.sql())


def _check_parameter(node: exp.Expr, dialect: Dialect) -> None:
    name = parameter_name(node)
    if not (re.fullmatch(r"p[0-9]{1,3}", name) if dialect == "sqlite" else re.fullmatch(r"[0-9]{1,3}", name)):
        raise refuse("Only positional parameters (? or $1) are allowed.", "parameter", parameter=name)


def parameter_name(node: exp.Expr) -> str:
    """The number of a parameter as written: ``1`` of ``$1``, ``p1`` of ``:p1``."""
    this = node.args.get("this")
    return this.name if isinstance(this, exp.Expr) else str(this or "")


def normalise_tree(tree: exp.Expr) -> None:
    """Rewrite, in place, what could be read in two ways: raw strings, quoted function names, session words."""
    for node in list(tree.walk()):
        if isinstance(node, exp.RawString | exp.National):
            node.replace(exp.Literal.string(node.name))
        elif isinstance(node, exp.Anonymous):
            node.set("this", function_name(node))
            _split_distinct(node)
        elif isinstance(node, exp.Identifier) and node.name.lower() in SESSION_WORDS:
            node.set("quoted", True)


def _split_distinct(node: exp.Anonymous) -> None:
    """``f(DISTINCT a, b)`` is DISTINCT a, and b: the parser holds both as one, and would write them as a row."""
    first = node.expressions[0] if node.expressions else None
    order = first if isinstance(first, exp.Order) else None
    distinct = order.this if order is not None else first
    if not isinstance(distinct, exp.Distinct) or len(distinct.expressions) < 2:
        return
    head, *middle, last = distinct.expressions
    if order is not None:
        last = exp.Order(this=last, expressions=order.expressions)
    node.set("expressions", [exp.Distinct(expressions=[head]), *middle, last, *node.expressions[1:]])


def check_calls(tokens: list[Token], tree: exp.Expr, dialect: Dialect) -> bool:
    """Whether the written statement gives the same answer each time, after all functions it calls were allowed.

    Raises:
        SqlRefused: it calls a function that is not on the allow-list.
    """
    aliases = {
        alias.name.casefold() for alias in tree.find_all(exp.TableAlias) if alias.this and alias.args.get("columns")
    }
    allowed = FUNCTIONS[dialect] | WORDS_BEFORE_PARENTHESIS
    steady = True
    previous: Token | None = None
    for token in tokens:
        if previous is not None and token.token_type is TokenType.L_PAREN and _BARE_WORD.fullmatch(previous.text):
            quoted = previous.token_type is TokenType.IDENTIFIER
            word = previous.text if quoted else previous.text.split()[-1].lower()
            plain = word.casefold() in aliases or (word in allowed and not quoted) or word.isdigit()
            if not plain and previous.token_type is not TokenType.STRING:
                raise refuse(f"The function {word} is not allowed.", "function", function=word)
            steady = steady and word not in VOLATILE
        if token.token_type not in {TokenType.IDENTIFIER, TokenType.STRING}:
            steady = steady and token.text.lower() not in VOLATILE & SESSION_WORDS
        previous = token
    sampled = any(sample.args.get("seed") is None for sample in tree.find_all(exp.TableSample))
    now = dialect == "sqlite" and any(text.is_string and text.name == "now" for text in tree.find_all(exp.Literal))
    return steady and not sampled and not now


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
