"""The process that reads documents: it takes one at a time over its socket and answers with text or a reason.

It is started by ``readers.process`` with its memory capped; when a document makes it crash, hang or swell, only this
process is lost. It opens no file and no connection.
"""

from __future__ import annotations

import json
import resource
import socket
import struct
import sys
from dataclasses import asdict
from typing import Any

from averment import plugins
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.own_kinds import OWN_KINDS, read_own
from averment.corpus.readers.reading import DocumentKind, Reading, Unreadable
from averment.errors import PluginFailed

HEADER = struct.Struct("!IQ")


def read(kind: str, content: bytes, limits: DocumentLimits, charset: str | None) -> Reading:
    """What the reader of that kind makes of the bytes."""
    if kind in OWN_KINDS:
        return read_own(OWN_KINDS[kind], content, limits, charset)
    try:
        return plugins.load("readers", kind, DocumentKind, OWN_KINDS).read(content)
    except PluginFailed as error:
        raise Unreadable("UNSUPPORTED_SOURCE", f"there is no reader for {kind}: {error.message}") from error


def answer(request: dict[str, Any], content: bytes) -> dict[str, Any]:
    """The reading of one request as a plain dictionary, or its refusal."""
    try:
        reading = read(request["kind"], content, DocumentLimits(**request["limits"]), request.get("charset"))
    except Unreadable as refusal:
        return {"refused": refusal.code, "reason": refusal.reason}
    except MemoryError:
        return {"refused": "FILE_TOO_LARGE", "reason": "it takes more memory than a document may"}
    except Exception as error:  # noqa: BLE001  # a hostile file may raise anything in a parser; the caller gets a reason
        return {"refused": "SOURCE_UNREADABLE", "reason": f"its reader failed ({type(error).__name__})"}
    return asdict(reading)


def receive(channel: socket.socket) -> tuple[dict[str, Any], bytes] | None:
    """One frame: a small dictionary and bytes; None when the other side is gone."""
    header = _exactly(channel, HEADER.size)
    if header is None:
        return None
    small, large = HEADER.unpack(header)
    body, content = _exactly(channel, small), _exactly(channel, large)
    return None if body is None or content is None else (json.loads(body), content)


def send(channel: socket.socket, message: dict[str, Any], content: bytes = b"") -> None:
    """Send one frame."""
    body = json.dumps(message).encode()
    channel.sendall(HEADER.pack(len(body), len(content)) + body)
    channel.sendall(content)


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = channel.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def main() -> None:
    """Serve one socket until it is closed."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    memory = int(sys.argv[2]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while (frame := receive(channel)) is not None:
        send(channel, answer(*frame))


if __name__ == "__main__":
    main()
