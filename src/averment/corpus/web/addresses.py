"""Which addresses may be spoken to: public web hosts by name or number, and nothing that leads inside.

An address is read once, by one parser, and taken apart; what is connected to later are these parts and never the text
again, so no second parser can see another host in it. Numbers that only some programs take for an IP address (octal,
hexadecimal, one long integer) are refused in every form.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlsplit

from averment.errors import AddressRefused

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address

_PORTS = {"http": 80, "https": 443}
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_INSIDE = (
    "localhost",
    "local",
    "internal",
    "localdomain",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "home.arpa",
    "arpa",
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = ipaddress.IPv6Network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.IPv6Network("::/96")
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A checked address in its parts: what is connected to, and what is asked for there."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    target: str

    @property
    def origin(self) -> str:
        """Host and port as one text, the unit of permission and of robots.txt."""
        return f"{self.host}:{self.port}"

    @property
    def text(self) -> str:
        """The address written out again from its parts."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.target}"


def check_address(text: str, allowed: frozenset[str] = frozenset()) -> WebAddress:
    """The parts of an address, if it may be spoken to; ``allowed`` names origins (``host:port``) a person permitted.

    Raises:
        AddressRefused: it is not http or https, names a user, a port or host that is not public, or is malformed.
    """
    if len(text) > _LONGEST or any(char.isspace() or not char.isprintable() or char == "\\" for char in text):
        raise _refused(text, "it contains characters that are not allowed in a URL")
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname or ""
    except ValueError as error:
        raise _refused(text, "it is malformed") from error
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https"):
        raise _refused(text, "only http and https are fetched")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise _refused(text, "it contains a user name")
    host = _host(text, host)
    port = _PORTS[scheme] if port is None else port
    target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
        f"?{quote(parts.query, safe='/%:@!$&()*+,;=~-._?')}" if parts.query else ""
    )
    address = WebAddress("https" if scheme == "https" else "http", host, port, target)
    if address.origin in allowed:
        return address
    if port not in _PORTS.values():
        raise _refused(text, f"port {port} is not a web port")
    number = literal(host)
    if number is not None:
        check_ip(number, text)
    elif _looks_like_number(host) or "." not in host or host.endswith(tuple(f".{name}" for name in _INSIDE)):
        raise _refused(text, "its host is not a public host name")
    return address


def check_ip(number: Ip, text: str) -> None:
    """Nothing, if the IP address is public, also as what it may be translated to on the way.

    Raises:
        AddressRefused: it is private, local, reserved, multicast, or carries such an address inside.
    """
    if not is_public(number):
        raise _refused(text, "it leads to a private or reserved network")


def is_public(number: Ip) -> bool:
    """Whether an IP address belongs to the public internet in every reading of it."""
    if number.is_multicast or not number.is_global or number.is_reserved or number.is_unspecified:
        return False
    if isinstance(number, ipaddress.IPv4Address):
        return True
    if number.scope_id is not None or number in _NAT64_LOCAL:
        return False
    inner = [number.ipv4_mapped, number.sixtofour, *(number.teredo or ())]
    if number in _NAT64 or number in _COMPATIBLE:
        inner.append(ipaddress.IPv4Address(int(number) & 0xFFFFFFFF))
    return all(one is None or is_public(one) for one in inner)


def literal(host: str) -> Ip | None:
    """The IP address a host is written as in its one canonical form, or None."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _host(text: str, host: str) -> str:
    """The host in plain ASCII: full-width and circled forms folded first, so that they cannot hide a number."""
    host = unicodedata.normalize("NFKC", host).lower().rstrip(".")
    if ":" in host:
        if "%" in host or literal(host) is None:
            raise _refused(text, "its host is not a plain IPv6 address")
        return str(ipaddress.IPv6Address(host))
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError as error:
            raise _refused(text, "its host is not a valid name") from error
    if not host or len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise _refused(text, "its host is not a valid name")
    return host


def _looks_like_number(host: str) -> bool:
    return bool(_NUMBER.fullmatch(host.rpartition(".")[2]))


def _refused(text: str, reason: str) -> AddressRefused:
    return AddressRefused(f"{text[:200]!a} is not fetched: {reason}.")
