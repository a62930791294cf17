"""Blocked patterns: personal data found by the names of columns and by their values, a whole column at a time.

A pattern is one of the named ones (email, phone, ssn, credit_card, iban, ip_address) or a regular expression in RE2
syntax. RE2 takes time linear in the text whatever the expression, so none can make a scan explode; one that RE2 does
not take (look-around, back-references, counts that grow without measure) is refused. Card numbers and IBANs must also
pass their check digits. Text columns are scanned, whole numbers as their digits, and what lists and structs hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as _compute
from numpy.typing import NDArray

from averment.errors import InvalidRequest
from averment.tables.engines.backend import ArrowTable
from averment.tables.guard.names import name_parts

Truths = NDArray[np.bool_]


def _characters(texts: NDArray[Any]) -> NDArray[np.uint32]:
    """Code points, one row a text, zeros behind its end."""
    width = max(texts.dtype.itemsize // 4, 1)
    return np.ascontiguousarray(texts, dtype=f"U{width}").view(np.uint32).reshape(len(texts), width)


def luhn_holds(texts: NDArray[Any]) -> Truths:
    """Which texts are 13 to 19 digits whose last is the right check digit."""
    if len(texts) == 0:
        return np.zeros(0, dtype=np.bool_)
    codes = _characters(texts)
    used = codes != 0
    lengths = used.sum(axis=1)
    digits = codes.astype(np.int64) - ord("0")
    numeric = (((digits >= 0) & (digits <= 9)) | ~used).all(axis=1)
    from_right = lengths[:, None] - 1 - np.arange(codes.shape[1])[None, :]
    doubled = np.where(from_right % 2 == 1, digits * 2, digits)
    doubled = np.where(doubled > 9, doubled - 9, doubled)
    total = np.where(used, doubled, 0).sum(axis=1)
    return numeric & (lengths >= 13) & (lengths <= 19) & (total % 10 == 0)


def iban_holds(texts: NDArray[Any]) -> Truths:
    """Which texts are IBANs of 15 to 34 characters whose two check digits are right."""
    if len(texts) == 0:
        return np.zeros(0, dtype=np.bool_)
    upper = np.char.upper(texts)
    rotated = np.char.add(_slice(upper, 4, None), _slice(upper, 0, 4))
    codes = _characters(rotated).astype(np.int64)
    used = codes != 0
    lengths = used.sum(axis=1)
    is_digit = (codes >= ord("0")) & (codes <= ord("9"))
    is_letter = (codes >= ord("A")) & (codes <= ord("Z"))
    value = np.where(is_digit, codes - ord("0"), codes - ord("A") + 10)
    remainder = np.zeros(len(texts), dtype=np.int64)
    for position in range(codes.shape[1]):
        step = (remainder * np.where(is_digit[:, position], 10, 100) + value[:, position]) % 97
        remainder = np.where(used[:, position], step, remainder)
    plain = (is_digit | is_letter | ~used).all(axis=1)
    return plain & (lengths >= 15) & (lengths <= 34) & (remainder == 1)


def _slice(texts: NDArray[Any], start: int, stop: int | None) -> NDArray[Any]:
    codes = _characters(texts)[:, start:stop]
    if codes.shape[1] == 0:
        return np.full(len(texts), "", dtype="U1")
    return np.ascontiguousarray(codes).view(f"U{codes.shape[1]}").reshape(len(texts))


# Arrow makes its compute functions while it is imported, where no type checker sees them.
pc: Any = _compute

NamedPattern = Literal["email", "phone", "ssn", "credit_card", "iban", "ip_address"]

MAX_PATTERN_LENGTH = 500

_MOST_FINDS_IN_A_CELL = 8

_NAMED: frozenset[str] = frozenset(get_args(NamedPattern))

_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"

_VALUES: dict[str, str] = {
    "email": r"(?i)\b[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\b",
    "phone": r"(?:\+[0-9]{1,3}[ .()-]{0,2}(?:[0-9][ .()-]{0,2}){6,13}[0-9]\b)"
    r"|(?:(?:\b|\()[0-9]{3}\)?[ .-][0-9]{3}[ .-][0-9]{4}\b)|(?:^0[1-9][0-9]{1,4}[ /-][0-9]{3,8}(?:[ -][0-9]{2,6})?$)",
    "ssn": r"\b(?:00[1-9]|0[1-9][0-9]|[1-578][0-9]{2}|6[0-57-9][0-9]|66[0-57-9])-(?:0[1-9]|[1-9][0-9])-"
    r"(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)\b",
    "credit_card": r"\b[2-6][0-9]{3}[ -]?(?:[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{1,7}|[0-9]{6}[ -]?[0-9]{5})\b",
    "iban": r"\b[A-Za-z]{2}[0-9]{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b",
    "ip_address": rf"\b{_OCTET}(?:\.{_OCTET}){{3}}\b|(?i:\b(?:[0-9a-f]{{1,4}}:){{7}}[0-9a-f]{{1,4}}\b)"
    r"|(?i:\b(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}\b)",
}

_IN_NUMBERS: frozenset[str] = frozenset({"credit_card"})

"""The named patterns that bare digits can fulfil; an integer is no formatted phone number."""

_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "email": (("email",), ("mail",), ("e", "mail"), ("emailaddress",)),
    "phone": (("phone",), ("telephone",), ("tel",), ("mobile",), ("cell",), ("fax",), ("phonenumber",)),
    "ssn": (("ssn",), ("social", "security"), ("socialsecurity",), ("tax", "id"), ("taxid",), ("national", "id")),
    "credit_card": (
        ("credit", "card"),
        ("creditcard",),
        ("card", "number"),
        ("cardnumber",),
        ("cc", "number"),
        ("pan",),
    ),
    "iban": (("iban",), ("bank", "account"), ("account", "number")),
    "ip_address": (("ip",), ("ipaddress",), ("ipv4",), ("ipv6",), ("ip", "address")),
}


@dataclass(frozen=True)
class _Column:
    """The texts of one column, and whether they are digits of a number."""

    name: str
    texts: Any
    numeric: bool


def match_names(patterns: Sequence[str], names: Iterable[str]) -> list[tuple[str, str]]:
    """The (name, pattern) pairs where a column's name says that it holds what the pattern blocks.

    A named pattern knows the words such columns are called by; a regular expression is searched in the name, letter
    case ignored.

    Raises:
        InvalidRequest: a pattern cannot be used.
    """
    known = list(names)
    found: list[tuple[str, str]] = []
    for pattern in patterns:
        expression = _expression(pattern)
        if pattern in _NAMED:
            hits = [_says(name, pattern) for name in known]
        else:
            hits = pc.match_substring_regex(pa.array(known, pa.string()), expression, ignore_case=True).to_pylist()
        found += [(name, pattern) for name, hit in zip(known, hits, strict=True) if hit]
    return found


def match_values(patterns: Sequence[str], table: ArrowTable) -> list[tuple[str, str, int]]:
    """The (column, pattern, count) triples where ``count`` cells of the column, one or more, hold what is blocked.

    Raises:
        InvalidRequest: a pattern cannot be used.
    """
    columns = [column for name in table.column_names for column in _columns(name, table.column(name))]
    found: dict[tuple[str, str], int] = {}
    for pattern in patterns:
        expression = _expression(pattern)
        for column in columns:
            if column.numeric and pattern in _NAMED and pattern not in _IN_NUMBERS:
                continue
            count = _count(pattern, expression, column.texts)
            if count:
                key = (column.name, pattern)
                found[key] = found.get(key, 0) + count
    return [(name, pattern, count) for (name, pattern), count in found.items()]


def _expression(pattern: str) -> str:
    if pattern in _NAMED:
        return _VALUES[pattern]
    if not pattern.strip() or len(pattern) > MAX_PATTERN_LENGTH:
        raise InvalidRequest(
            f"A blocked pattern must have 1 to {MAX_PATTERN_LENGTH} characters.",
            hint=f"Name one of {', '.join(sorted(_NAMED))}, or give a regular expression.",
        )
    try:
        pc.match_substring_regex(pa.array([""]), pattern)
    except (pa.ArrowInvalid, UnicodeError) as error:
        raise InvalidRequest(
            f"The blocked pattern {pattern[:80]!r} is not a supported regular expression.",
            hint="RE2 syntax: no look-around, no back-references, counts up to 1000.",
            details={"pattern": pattern[:200]},
        ) from error
    return pattern


def _says(name: str, pattern: str) -> bool:
    parts = name_parts(name)
    return any(parts[start : start + len(words)] == words for words in _NAMES[pattern] for start in range(len(parts)))


def _columns(name: str, column: Any) -> Iterator[_Column]:
    """The texts of a column; what is nested is looked into, kinds that cannot hold a text are left out."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        yield from _columns(name, pc.cast(column, kind.value_type))
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        yield _Column(name, pc.cast(column, pa.large_string()), numeric=False)
    elif pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0):
        yield _Column(name, pc.cast(column, pa.string()), numeric=True)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        yield from _columns(name, pc.list_flatten(column))
    elif pa.types.is_map(kind):
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            yield from _columns(name, chunk.keys)
            yield from _columns(name, chunk.items)
    elif pa.types.is_struct(kind):
        for number in range(kind.num_fields):
            yield from _columns(name, pc.struct_field(column, [number]))


def _count(pattern: str, expression: str, texts: Any) -> int:
    hits = pc.fill_null(pc.match_substring_regex(texts, expression), False)
    if pattern not in {"credit_card", "iban"}:
        return int(pc.sum(hits).as_py() or 0)
    holds = luhn_holds if pattern == "credit_card" else iban_holds
    left = pc.filter(texts, hits)
    count = 0
    for _ in range(_MOST_FINDS_IN_A_CELL):
        if len(left) == 0:
            break
        # The first find of each cell is checked; a cell whose find fails its digits is searched on behind it.
        first = pc.struct_field(pc.extract_regex(left, rf"(?P<find>{expression})"), "find")
        good = holds(
            np.asarray(pc.replace_substring_regex(first, r"[ -]", "").to_numpy(zero_copy_only=False), dtype=str)
        )
        count += int(good.sum())
        rest = pc.filter(left, pa.array(~good))
        rest = pc.replace_substring_regex(rest, expression, "~", max_replacements=1)
        left = pc.filter(rest, pc.match_substring_regex(rest, expression))
    return count
