"""One entry as bytes: its canonical line, its seal and its hash, and the platform contract's view of it.

A line is the contract's entry written by ``json.dumps(sort_keys=True)``; ``hash`` is the contract's hash over four of
its fields. The ``_seal`` inside ``event_data`` covers the others and, since ``event_data`` is hashed, so does ``hash``.
Nothing here touches a file.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

EventType = Literal[
    "request_submitted",
    "plan_created",
    "tool_called",
    "observation_recorded",
    "artifact_generated",
    "policy_decision",
]
"""What an entry may record: the six events of the analyst contract."""

Actor = Literal["planner", "actor", "safety", "system"]
"""Who an entry may come from: the three components of the analyst contract and the ``system`` of its sample."""

EVENT_TYPES: frozenset[str] = frozenset(get_args(EventType))
ACTORS: frozenset[str] = frozenset(get_args(Actor))
FIELDS: frozenset[str] = frozenset(
    {
        "actor",
        "entry_id",
        "event_data",
        "event_type",
        "hash",
        "parent_hash",
        "request_id",
        "sequence_number",
        "timestamp",
    }
)

GENESIS = "0" * 64
"""The parent hash of the first entry."""

SEAL = "_seal"
"""The key inside ``event_data`` that the ledger writes itself."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""The longest line written or read; larger results are artifacts, named by their hash."""

LineReason = Literal[
    "line_too_long",
    "not_ascii",
    "not_json",
    "duplicate_key",
    "not_a_number",
    "unknown_field",
    "missing_field",
    "bad_field",
    "not_canonical",
    "seal",
    "hash",
]
"""Why a line, taken alone, is not an entry."""

UUID_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""An id as it stands in a line."""

_UUID = UUID_PATTERN.pattern
_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z"
# The canonical line as one pattern: only event_data is left to a JSON parser, which makes checking much faster.
_LINE = re.compile(
    rf'\{{"actor": "({"|".join(sorted(ACTORS))})", "entry_id": "({_UUID})", "event_data": (\{{.*\}}), '
    rf'"event_type": "({"|".join(sorted(EVENT_TYPES))})", "hash": "([0-9a-f]{{64}})", '
    rf'"parent_hash": "([0-9a-f]{{64}})", "request_id": "({_UUID})", '
    rf'"sequence_number": ([1-9][0-9]{{0,17}}), "timestamp": "({_TIME})"\}}'
)
_ENCODE: Callable[[object], str] = json.JSONEncoder(sort_keys=True, allow_nan=False).encode


class BadLine(ValueError):
    """A line that is not an entry; ``reason`` is the stable word for why."""

    def __init__(self, reason: LineReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: LineReason = reason
        self.detail = detail


class DuplicateKey(ValueError):
    """A JSON object names a key twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One entry with the analyst contract's fields; ``event_data`` holds the ``_seal`` too."""

    entry_id: str
    request_id: str
    sequence_number: int
    parent_hash: str
    timestamp: str
    event_type: EventType
    event_data: dict[str, Any]
    actor: Actor
    hash: str

    def as_dict(self) -> dict[str, Any]:
        """The entry as the JSON object that its line holds."""
        return {name: getattr(self, name) for name in sorted(FIELDS)}

    def line(self) -> bytes:
        """The canonical line, without its line feed."""
        return canonical(self.as_dict()).encode("ascii")


class CheckedLine(NamedTuple):
    """A line that holds by itself: fields, seal and hash agree. Its place in the chain is not checked yet."""

    actor: str
    entry_id: str
    event_data: dict[str, Any]
    event_type: str
    hash: str
    parent_hash: str
    request_id: str
    sequence_number: int
    timestamp: str

    def entry(self) -> LedgerEntry:
        """The same as a record."""
        return LedgerEntry(**self._asdict())


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, ASCII, the analyst contract's spacing.

    Raises:
        ValueError: the value holds NaN or an infinity.
        TypeError: the value is not JSON.
    """
    return _ENCODE(value)


def parse_strictly(text: str) -> Any:
    """A JSON value whose objects name no key twice and whose numbers are finite.

    Raises:
        DuplicateKey: an object names a key twice.
        ValueError: not JSON, or NaN or an infinity.
    """
    return _STRICT.decode(text)


def seal_of(entry_id: str, request_id: str, sequence_number: int, actor: str, timestamp: str, event_type: str) -> str:
    """SHA-256 of the JSON list of the six fields that the analyst contract's hash leaves out or runs together.

    The fields are an entry's, so none of them holds a character that JSON would escape.
    """
    parts = f'["{entry_id}", "{request_id}", {sequence_number}, "{actor}", "{timestamp}", "{event_type}"]'
    return hashlib.sha256(parts.encode("ascii")).hexdigest()


def hash_of(*, parent_hash: str, timestamp: str, event_type: str, data_text: str) -> str:
    """The analyst contract's hash; ``data_text`` is the canonical text of ``event_data``, seal included."""
    return hashlib.sha256(f"{parent_hash}{timestamp}{event_type}{data_text}".encode()).hexdigest()


def build_entry(
    *,
    entry_id: str,
    request_id: str,
    sequence_number: int,
    parent_hash: str,
    timestamp: str,
    event_type: EventType,
    event_data: dict[str, Any],
    actor: Actor,
) -> tuple[LedgerEntry, bytes]:
    """The sealed, hashed entry and its canonical line without the line feed; ``event_data`` comes without a seal."""
    seal = seal_of(entry_id, request_id, sequence_number, actor, timestamp, event_type)
    sealed = {**event_data, SEAL: seal}
    data_text = _ENCODE(sealed)
    digest = hash_of(parent_hash=parent_hash, timestamp=timestamp, event_type=event_type, data_text=data_text)
    line = (
        f'{{"actor": "{actor}", "entry_id": "{entry_id}", "event_data": {data_text}, "event_type": "{event_type}", '
        f'"hash": "{digest}", "parent_hash": "{parent_hash}", "request_id": "{request_id}", '
        f'"sequence_number": {sequence_number}, "timestamp": "{timestamp}"}}'
    )
    entry = LedgerEntry(
        entry_id=entry_id,
        request_id=request_id,
        sequence_number=sequence_number,
        parent_hash=parent_hash,
        timestamp=timestamp,
        event_type=event_type,
        event_data=sealed,
        actor=actor,
        hash=digest,
    )
    return entry, line.encode("ascii")


def check_line(raw: bytes) -> CheckedLine:
    """The fields of a line that is canonical, sealed and rightly hashed.

    Raises:
        BadLine: it is not; the reason says why.
    """
    if len(raw) > MAX_LINE_BYTES:
        raise BadLine("line_too_long", f"The line has more than {MAX_LINE_BYTES} bytes.")
    try:
        found = _LINE.fullmatch(raw.decode("ascii"))
    except UnicodeDecodeError as error:
        raise BadLine("not_ascii", "The line contains bytes outside ASCII.") from error
    if found is None:
        raise _explain(raw)
    actor, entry_id, data_text, event_type, digest, parent_hash, request_id, number, timestamp = found.groups()
    sequence_number = int(number)
    try:
        data = json.loads(data_text)
        same = _ENCODE(data) == data_text
    except (ValueError, RecursionError):
        raise _explain(raw) from None
    if not same:
        raise _explain(raw)
    seal = seal_of(entry_id, request_id, sequence_number, actor, timestamp, event_type)
    if data.get(SEAL) != seal:
        raise BadLine(
            "seal", "The seal does not match entry_id, request_id, sequence, actor, timestamp and event_type."
        )
    if digest != hash_of(parent_hash=parent_hash, timestamp=timestamp, event_type=event_type, data_text=data_text):
        raise BadLine("hash", "The hash does not match parent_hash, timestamp, event_type and event_data.")
    return CheckedLine(actor, entry_id, data, event_type, digest, parent_hash, request_id, sequence_number, timestamp)


def project_004(entry: LedgerEntry, parent_hash: str) -> tuple[str, str]:
    """The platform contract's line of an entry, chained to ``parent_hash`` by the hash of the whole entry, and that
    hash.

    The live chain's two hashes stay inside as ``chain_000_hash`` and ``chain_000_parent_hash`` and are hashed too, so
    that a projected line still names the line it came from.
    """
    fields = entry.as_dict()
    fields["chain_000_hash"] = fields.pop("hash")
    fields["chain_000_parent_hash"] = fields["parent_hash"]
    fields["parent_hash"] = parent_hash
    digest = hashlib.sha256(_ENCODE(fields).encode("ascii")).hexdigest()
    return _ENCODE({**fields, "hash": digest}), digest


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise DuplicateKey(key)
        found[key] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise _NotANumber(name)


class _NotANumber(ValueError):
    pass


_STRICT = json.JSONDecoder(object_pairs_hook=_object_without_duplicates, parse_constant=_refuse_constant)


def _explain(raw: bytes) -> BadLine:
    """The most telling reason why a line did not match the canonical form."""
    try:
        fields = parse_strictly(raw.decode("ascii"))
        text = canonical(fields)
    except DuplicateKey as error:
        return BadLine("duplicate_key", f"The key {error.args[0]!r} appears twice in one object.")
    except _NotANumber as error:
        return BadLine("not_a_number", f"{error.args[0]} is not JSON.")
    except (json.JSONDecodeError, RecursionError):
        return BadLine("not_json", "The line is not JSON.")
    except ValueError:
        return BadLine("not_a_number", "A number is outside the range of JSON.")
    if not isinstance(fields, dict):
        return BadLine("not_json", "The line is not a JSON object.")
    if unknown := sorted(fields.keys() - FIELDS):
        return BadLine("unknown_field", f"The field {unknown[0]!r} does not belong to an entry.")
    if missing := sorted(FIELDS - fields.keys()):
        return BadLine("missing_field", f"The field {missing[0]!r} is missing.")
    if text.encode("ascii") != raw:
        return BadLine("not_canonical", "The same content is written in other bytes than the ledger's own.")
    return BadLine("bad_field", "A field has a value that no entry can have.")
