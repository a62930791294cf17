"""When a model cannot help, the rules answer, and a note says why."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from averment.errors import ModelError
from averment.records.base import Record

T = TypeVar("T")


class FallbackNote(Record):
    """Why the rules answered in a model's place."""

    code: str
    purpose: str
    reason: str


def with_fallback(
    attempt: Callable[[], T], rules: Callable[[], T], record: Callable[[FallbackNote], None], *, purpose: str = ""
) -> T:
    """The attempt's answer or, whatever ModelError it raises, the rules' answer after a note of why.

    A caller whose own checks refuse a well-formed answer (a column that is not there, a number without evidence) raises
    ``ModelNonsense`` inside the attempt. Errors of any other kind are not a model's and pass through.
    """
    try:
        return attempt()
    except ModelError as error:
        named = error.details.get("purpose")
        note = FallbackNote(code=error.code, purpose=named if isinstance(named, str) else purpose, reason=error.message)
    record(note)
    return rules()
