"""Where sources are: paths and URLs, and how a password is kept out of everything that is written down.

A Postgres URL is split when it is opened: the part without a password goes into labels, catalogs and fingerprints; the
whole stays in this process's memory and is found again by the part without.
"""

from __future__ import annotations

import threading
from urllib.parse import parse_qsl, urlencode, urlsplit

from averment.errors import UnsupportedSource

POSTGRES_SCHEMES = frozenset({"postgresql", "postgres"})
SPARK_SCHEMES = frozenset({"sc", "spark"})
_SECRET_WORDS = ("password", "passfile", "sslpassword", "sslkey", "secret", "token", "passwd")
_known: dict[str, str] = {}
_lock = threading.Lock()


def is_url(text: str) -> bool:
    """Whether the text is a URL and not a path."""
    scheme, mark, _ = text.partition("://")
    return bool(mark) and scheme.replace("+", "").replace("-", "").isalnum()


def is_postgres(text: str) -> bool:
    """Whether the text is a Postgres URL, a driver name after the scheme allowed."""
    return is_url(text) and text.partition("://")[0].lower().partition("+")[0] in POSTGRES_SCHEMES


def is_spark(text: str) -> bool:
    """Whether the text names a Spark cluster or a Spark Connect server."""
    return is_url(text) and text.partition("://")[0].lower() in SPARK_SCHEMES


def remember_url(url: str, engine: str | None = None) -> str:
    """The URL without password or driver name; the whole is kept in memory for ``full_url``.

    ``engine`` is the scheme of an engine that a plugin adds.

    Raises:
        UnsupportedSource: the URL cannot be taken apart.
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError as error:
        raise UnsupportedSource(
            "The database URL cannot be read.", hint="Write postgresql://user@host/database."
        ) from error
    user = f"{parts.username}@" if parts.username else ""
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    options = parse_qsl(parts.query, keep_blank_values=True)
    public = [(name, value) for name, value in options if not any(word in name.lower() for word in _SECRET_WORDS)]
    scheme = engine or (parts.scheme if parts.scheme in SPARK_SCHEMES else "postgresql")
    # A Spark Connect URL carries its token after a semicolon in the path.
    path = parts.path.partition(";")[0] if scheme in SPARK_SCHEMES else parts.path
    query = urlencode(public)
    safe = f"{scheme}://{user}{host}{port}{path}{f'?{query}' if query else ''}"
    whole = f"{scheme}://{parts.netloc}{parts.path}{f'?{parts.query}' if parts.query else ''}"
    with _lock:
        # A later mention without a password must not push out the one that has it.
        if whole != safe or safe not in _known:
            _known[safe] = whole
    return safe


def full_url(location: str) -> str:
    """The URL with its password if this process has seen it, else as it is (the server's own rules then apply)."""
    with _lock:
        return _known.get(location, location)
