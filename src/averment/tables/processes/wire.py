"""The words between the engine and its query process: length-prefixed JSON, and bound values in it."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from averment.errors import InvalidArguments

MAX_FRAME = 64 * 1024 * 1024
_HEADER = struct.Struct("!I")


def pack_frame(message: dict[str, Any]) -> bytes:
    """A message as bytes, its length before it."""
    body = json.dumps(message, separators=(",", ":")).encode("utf-8")
    return _HEADER.pack(len(body)) + body


def receive_frame(channel: socket.socket) -> dict[str, Any] | None:
    """The next message, or None when the other side is gone."""
    header = _receive(channel, _HEADER.size)
    if header is None:
        return None
    (size,) = _HEADER.unpack(header)
    body = _receive(channel, size) if size <= MAX_FRAME else None
    return None if body is None else json.loads(body)


def _receive(channel: socket.socket, size: int) -> bytes | None:
    pieces = bytearray()
    while len(pieces) < size:
        try:
            piece = channel.recv(min(size - len(pieces), 1 << 20))
        except ConnectionError:
            return None
        if not piece:
            return None
        pieces += piece
    return bytes(pieces)


def encode_value(value: object) -> object:
    """A value to bind, in JSON; every kind that is not JSON's own carries its name.

    Raises:
        InvalidArguments: values of that kind cannot be bound.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, date | time):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    raise InvalidArguments(f"A value of type {type(value).__name__} cannot be bound to a query.")


def decode_value(value: Any) -> object:
    """The value that ``encode_value`` wrote."""
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    if kind not in _READ:
        raise ValueError(f"unknown kind of value {kind!r}")
    return _READ[kind](text)


_READ: dict[str, Callable[[str], object]] = {
    "float": float.fromhex,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "bytes": bytes.fromhex,
}
