"""What a caller wants recorded, checked before it waits for the ledger's lock."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from averment.errors import InvalidRequest
from averment.ledger.entry import (
    ACTORS,
    EVENT_TYPES,
    MAX_LINE_BYTES,
    SEAL,
    UUID_PATTERN,
    Actor,
    DuplicateKey,
    EventType,
    canonical,
    parse_strictly,
)
from averment.ledger.keychain import SYSTEM_REQUEST_ID

RESERVED_RULE_PREFIX = "LEDGER-"
"""Policy rules that only the ledger may write, so that no run can feign a change of keys."""

MAX_DEPTH = 64
_OPENING = re.compile(r"[\[{]")
_FRAME_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDraft:
    """One entry to be.

    With an ``entry_id`` the append is idempotent: if the request has an entry of that id, that entry is the answer.
    ``since_sequence`` says that no earlier entry can be of this request, which saves reading the log from its start.
    """

    request_id: str
    event_type: EventType
    event_data: Mapping[str, Any]
    actor: Actor
    entry_id: str | None = None
    since_sequence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDraft:
    """A draft whose every value can be written; ``event_data`` is plain JSON of its own."""

    request_id: str
    event_type: EventType
    event_data: dict[str, Any]
    actor: Actor
    entry_id: str
    idempotent: bool
    since_sequence: int


def prepare(draft: EntryDraft) -> PreparedDraft:
    """The draft with canonical ids and plain JSON data.

    Raises:
        InvalidRequest: a field cannot be written; the details name it.
    """
    if draft.event_type not in EVENT_TYPES:
        raise _refuse("event_type", f"{draft.event_type!r} is not one of {', '.join(sorted(EVENT_TYPES))}")
    if draft.actor not in ACTORS:
        raise _refuse("actor", f"{draft.actor!r} is not one of {', '.join(sorted(ACTORS))}")
    data = _plain(draft.event_data)
    if SEAL in data:
        raise _refuse("event_data", f"the key {SEAL} may only be written by the ledger")
    if str(data.get("rule", "")).startswith(RESERVED_RULE_PREFIX):
        raise _refuse("event_data", f"rules that begin with {RESERVED_RULE_PREFIX} may only be written by the ledger")
    return PreparedDraft(
        request_id=_uuid("request_id", draft.request_id),
        event_type=draft.event_type,
        event_data=data,
        actor=draft.actor,
        entry_id=str(uuid.uuid4()) if draft.entry_id is None else _uuid("entry_id", draft.entry_id),
        idempotent=draft.entry_id is not None,
        since_sequence=max(1, draft.since_sequence or 1),
    )


def system_draft(*, decision: str, rule: str, reason: str, **details: str | int) -> PreparedDraft:
    """A policy decision of the ledger about itself; the rule has the reserved prefix."""
    return PreparedDraft(
        request_id=SYSTEM_REQUEST_ID,
        event_type="policy_decision",
        event_data={"decision": decision, "rule": rule, "reason": reason, **details},
        actor="system",
        entry_id=str(uuid.uuid4()),
        idempotent=False,
        since_sequence=1,
    )


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """The value as JSON reads it back, so that what is returned is what is kept."""
    try:
        text = canonical(dict(value))
        plain = parse_strictly(text)
    except DuplicateKey as error:
        raise _refuse("event_data", f"two keys are both written as {error.args[0]!r}") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise _refuse("event_data", f"it is not JSON ({error})") from error
    if len(text) > MAX_LINE_BYTES - _FRAME_BYTES:
        raise _refuse(
            "event_data", f"it has more than {MAX_LINE_BYTES - _FRAME_BYTES} bytes; save it as an artifact instead"
        )
    # Counting brackets is enough for almost every entry; only a bracket-rich one is walked.
    if len(_OPENING.findall(text)) > MAX_DEPTH and _depth(plain) > MAX_DEPTH:
        raise _refuse("event_data", f"it is nested more than {MAX_DEPTH} levels deep")
    return plain


def _depth(value: object) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        children: list[object] = []
        for item in level:
            if isinstance(item, dict):
                children.extend(cast("dict[str, object]", item).values())
            elif isinstance(item, list):
                children.extend(cast("list[object]", item))
        level = [child for child in children if isinstance(child, dict | list)]
    return deepest


def _uuid(field: str, text: str) -> str:
    try:
        return text if UUID_PATTERN.fullmatch(text) else str(uuid.UUID(text))
    except (ValueError, AttributeError, TypeError) as error:
        raise _refuse(field, f"{text!r} is not a UUID") from error


def _refuse(field: str, reason: str) -> InvalidRequest:
    return InvalidRequest(
        f"The ledger cannot record this entry: {field}: {reason}.",
        hint="Correct the entry's field and append it again.",
        details={"field": field},
    )
