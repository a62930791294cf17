"""The words around a claim's values: who is meant, when, under which conditions; lists as a writer sets them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from averment.evidence.bind import literal
from averment.evidence.bind import value_of as read_from
from averment.evidence.values import as_decimal
from averment.records.claim import Claim, ClaimValue

IN_TIME = {
    "year": "in",
    "decade": "in",
    "quarter": "in",
    "month": "in",
    "week": "in",
    "date": "on",
    "hour": "at",
}
"""Kinds of keys that are times, and the word before them."""


def listed(parts: Sequence[str], *, between: str = ", ", last: str = " and ") -> str:
    """Parts as a list in a sentence."""
    if len(parts) < 2:
        return "".join(parts)
    return between.join(parts[:-1]) + last + parts[-1]


def place_of(claim: Claim, role: str, subject: int | None = None) -> int:
    """The place of the one value with that role.

    Raises:
        LookupError: the claim has no such value.
    """
    for place, value in enumerate(claim.values):
        if value.role == role and (subject is None or value.subject == subject):
            return place
    raise LookupError(role)


def value_of(claim: Claim, role: str, subject: int | None = None) -> ClaimValue:
    """The one value with that role.

    Raises:
        LookupError: the claim has no such value.
    """
    return claim.values[place_of(claim, role, subject)]


def has(claim: Claim, role: str) -> bool:
    """Whether the claim has a value with that role."""
    return any(value.role == role for value in claim.values)


def slot(claim: Claim, role: str, subject: int | None = None) -> str:
    """The slot of the one value with that role, as the template names it."""
    return f"{{v{place_of(claim, role, subject)}}}"


def keys_of(claim: Claim, subject: int, *, without: Sequence[str] = ()) -> list[tuple[str, ClaimValue]]:
    """The keys of a subject, each with its slot."""
    return [
        (f"{{v{place}}}", value)
        for place, value in enumerate(claim.values)
        if value.role == "key" and value.subject == subject and value.heading not in without
    ]


def kind_of(value: ClaimValue) -> str:
    """The kind of a value without its decimals."""
    return value.kind.removeprefix("abs ").partition(":")[0]


def who(claim: Claim, subject: int, *, without: Sequence[str] = ()) -> str:
    """A subject with its whole key: a bare name where one name says it, else each heading with its value."""
    keys = keys_of(claim, subject, without=without)
    if len(keys) == 1:
        shown, value = keys[0]
        told = read_from(value.evidence)
        if told is None:
            return f"rows with {shown} for {literal(value.heading)}"
        is_name = isinstance(told, str) and any(character.isalpha() for character in told)
        return shown if is_name or kind_of(value) in IN_TIME else _headed(shown, value)
    return listed([_headed(shown, value) for shown, value in keys])


def _headed(shown: str, value: ClaimValue) -> str:
    heading = literal(value.heading)
    if read_from(value.evidence) is None:
        return f"{shown} for {heading}"
    # "July 2015" says what it is; a bare 1960 does so only with its heading.
    spoken = kind_of(value) in IN_TIME and (kind_of(value) != "year" or " of " in value.heading)
    return shown if spoken or kind_of(value) == "model label" else f"{heading} {shown}"


def for_whom(claim: Claim, subject: int, *, without: Sequence[str] = ()) -> str:
    """A subject after a figure: for Sunday, in 1960."""
    keys = keys_of(claim, subject, without=without)
    if len(keys) == 1 and kind_of(keys[0][1]) in IN_TIME and keys[0][1].text != "no value":
        return f"{IN_TIME[kind_of(keys[0][1])]} {keys[0][0]}"
    return f"for {who(claim, subject, without=without)}"


def is_in_time(claim: Claim, subject: int = 0) -> bool:
    """Whether a subject is one moment or period."""
    keys = keys_of(claim, subject)
    return len(keys) == 1 and kind_of(keys[0][1]) in IN_TIME


def scope_after(claim: Claim, *, comma: bool = False) -> str:
    """The conditions at the end of a sentence."""
    if not claim.scope:
        return ""
    return f"{'' if claim.scope.startswith('where ') and not comma else ','} {literal(claim.scope)}"


def scope_before(claim: Claim, rest: str) -> str:
    """A sentence that begins with its conditions, for those too long to end with them."""
    if not claim.scope:
        return capital(rest)
    return f"{capital(literal(claim.scope))}, {rest}"


def capital(text: str) -> str:
    """The text with a capital at its beginning; what a slot holds stays as it is."""
    return text[:1].upper() + text[1:]


def is_unsigned(value: ClaimValue) -> bool:
    """Whether a number is written without its sign, where a word beside it says the sign."""
    return not value.text.startswith("-")


def number_of(claim: Claim, role: str) -> Decimal | None:
    """The one value with that role as a number; nothing where it is none.

    Raises:
        LookupError: the claim has no such value.
    """
    return as_decimal(read_from(value_of(claim, role).evidence))
