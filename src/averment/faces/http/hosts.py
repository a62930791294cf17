"""Who may be asked for: the names this server answers to, and the pages that may call it.

A page of another site can make a browser send requests here, either straight (it then has a foreign Origin) or by
pointing its own name at this machine (it then has a foreign Host). Both are refused before anything else is looked at.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from averment.errors import HostRefused, OriginRefused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def check_host(hosts: list[str], configured: str, names: Collection[str] = ()) -> str:
    """The Host header, if it names a loopback address, the configured host or one of the further names.

    A server that listens on every address also answers to any address given as a number: only a name can be made to
    point somewhere else.

    Raises:
        HostRefused: it does not, or there is not exactly one.
    """
    if len(hosts) == 1:
        name = _name(hosts[0])
        address = _address(name)
        if name == "localhost" or (name and name == configured.lower().strip("[]")):
            return hosts[0]
        if name and name in {known.lower() for known in names}:
            return hosts[0]
        if address is not None and (address.is_loopback or _is_any(configured)):
            return hosts[0]
    raise HostRefused("This server does not serve that host name.")


def check_origin(origins: list[str], host: str) -> None:
    """Refuse a request that a browser sent for a page of another origin.

    Raises:
        OriginRefused: there is an Origin, and it is not this server.
    """
    for origin in origins:
        try:
            parts = urlsplit(origin)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in {"http", "https"} or parts.netloc.lower() != host.lower():
            raise OriginRefused("The request comes from a page of another origin.")


def url_host(host: str) -> str:
    """A host as it stands in a URL that this machine can open."""
    if _is_any(host):
        return "127.0.0.1"
    return f"[{host.strip('[]')}]" if ":" in host else host


def is_local(host: str) -> bool:
    """Whether only this machine can reach the host."""
    address = _address(host.strip("[]"))
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def _name(host: str) -> str:
    """The host without its port, in lower case; empty when it is no host at all."""
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return ""
    return "" if parts.netloc != host or "@" in host else (parts.hostname or "")


def _address(name: str) -> Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_any(configured: str) -> bool:
    address = _address(configured.strip("[]"))
    return address is not None and address.is_unspecified
