"""One guarded connection: the name is resolved once, every answer is checked, and exactly that address is dialled.

A name that resolves to something inside is refused, whatever else it resolves to: a second look-up can then not lead
elsewhere. All reading and writing shares one deadline, so that a server that drips bytes cannot hold it open.
"""

from __future__ import annotations

import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2

from averment.corpus.web.addresses import WebAddress, check_ip
from averment.errors import SourceUnreachable

Resolve = Callable[[str, int], list[str]]

_LOOK_UP_SECONDS = 5.0


def resolve(host: str, port: int) -> list[str]:
    """The IP addresses of a host by the machine's resolver.

    Raises:
        SourceUnreachable: it has none, or the resolver does not answer.
    """
    answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            found = []
        answers.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))

    # The system's resolver knows no deadline of ours, so it is waited for and no longer.
    threading.Thread(target=ask, name="averment-resolve", daemon=True).start()
    try:
        numbers = answers.get(timeout=_LOOK_UP_SECONDS)
    except queue.Empty:
        numbers = []
    if not numbers:
        raise SourceUnreachable(f"The host {host} was not found.")
    return numbers


def pin(address: WebAddress, allowed: frozenset[str], look_up: Resolve) -> str:
    """The one IP address that will be dialled for an address.

    Raises:
        AddressRefused: any of the host's addresses is not public, and the origin was not permitted by a person.
        SourceUnreachable: the host has no address.
    """
    numbers = look_up(address.host, address.port)
    if not numbers:
        raise SourceUnreachable(f"The host {address.host} has no address.")
    if address.origin not in allowed:
        for number in numbers:
            check_ip(ipaddress.ip_address(number), address.text)
    return numbers[0]


class _Stream(httpcore2.NetworkStream):
    """A stream on which every step ends with the deadline."""

    def __init__(self, inner: httpcore2.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the deadline has passed")
        return left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, self._left()), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class PinnedBackend(httpcore2.NetworkBackend):
    """Dials one IP address whatever host it is asked for; the host is still what TLS is checked against."""

    def __init__(self, number: str, deadline: float) -> None:
        self._number = number
        self._deadline = deadline
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection to the pinned address."""
        left = max(0.01, self._deadline - time.monotonic())
        return _Stream(self._inner.connect_tcp(self._number, port, timeout=left), self._deadline)
