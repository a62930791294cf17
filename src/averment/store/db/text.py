"""How values become database text: JSON for structures, checked strings for the rest.

Both databases hold the same text, byte for byte. A value that one of them would refuse or change (a NaN, a NUL inside a
plain column) is refused for both, before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import RowMapping

from averment.errors import InvalidRequest, VerificationFailed

T = TypeVar("T")


def to_json(value: Any) -> str:
    """A value as JSON text that reads back as the same value.

    Raises:
        InvalidRequest: the value holds something JSON cannot carry, such as NaN.
    """
    return _dump(value, sort_keys=False)


def from_json(text: str | None) -> Any:
    """The value a JSON text holds; None for no text.

    Raises:
        VerificationFailed: what is stored is not JSON, so somebody else wrote it.
    """
    try:
        return None if text is None else json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(f"it is not JSON: {error}") from error


def from_row(kind: type[T], row: RowMapping, *, texts: str = "", times: str = "", **read: Any) -> T:
    """A record whose fields are columns of a row, with those of ``texts`` and ``times`` read as JSON and as times.

    ``read`` gives the fields that are no column as it stands.
    """
    names: Iterable[str] = getattr(kind, "model_fields", None) or getattr(kind, "__dataclass_fields__", ())
    found = {name: row[name] for name in names if name in row and name not in read}
    found |= {name: from_json(row[name]) for name in texts.split()}
    found |= {name: datetime.fromisoformat(row[name]) for name in times.split()}
    return kind(**found, **read)


def damaged(why: str) -> VerificationFailed:
    """The error for a stored row that cannot be what Averment stored."""
    return VerificationFailed(
        f"A stored row cannot be read; {why}.", hint="`averment verify` lists what was changed; restore a backup."
    )


def same_json(text: str, value: Any) -> bool:
    """Whether a stored text and a value are the same JSON, whatever the order of their keys."""
    return _dump(json.loads(text), sort_keys=True) == _dump(value, sort_keys=True)


def is_plain(text: str) -> bool:
    """Whether both databases can hold the text in a plain column."""
    return "\0" not in text and _is_unicode(text)


def plain(text: str, what: str) -> str:
    """The text itself, if both databases can hold it.

    Raises:
        InvalidRequest: it holds a NUL character or half of a surrogate pair.
    """
    if not is_plain(text):
        raise InvalidRequest(f"The {what} contains a character that cannot be stored.", hint="Remove it and try again.")
    return text


def _dump(value: Any, *, sort_keys: bool) -> str:
    try:
        # Sorting needs text keys; the first dump turns numbers into text as JSON does.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if sort_keys:
            text = json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(
            f"A record cannot be stored as JSON: {error}.", hint="Give finite numbers, text, lists and objects only."
        ) from error
    # Half a surrogate pair has no UTF-8 form, but it has an escape.
    return text if _is_unicode(text) else json.dumps(value, sort_keys=sort_keys)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
