"""Stamps: what a home wrote into its cache itself, told from what others put there.

A stamp is an HMAC under a secret that lies with the signing key, outside the cache. Who can write to the cache and not
read the secret cannot make one. Where the secret cannot be kept, nothing is stamped and nothing in the cache is
believed: it is built anew each time.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import Any

SECRET_FILE = "cache.key"
SECRET_BYTES = 32


def stamp(folder: Path | None, body: dict[str, Any]) -> str:
    """The stamp of a body under the folder's secret, which is made on first use; empty where there can be none."""
    secret = None if folder is None else _secret(folder, make=True)
    return "" if secret is None else _sign(secret, body)


def stamped(folder: Path | None, body: dict[str, Any], given: object) -> bool:
    """Whether that is the body's stamp; without a folder nothing needs one."""
    if folder is None:
        return True
    secret = _secret(folder, make=False)
    return secret is not None and isinstance(given, str) and hmac.compare_digest(_sign(secret, body), given)


def _sign(secret: bytes, body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def _secret(folder: Path, *, make: bool) -> bytes | None:
    path = folder / SECRET_FILE
    try:
        if make and not path.exists():
            _create(path)
        content = path.read_bytes()
    except OSError:
        return None
    return content if len(content) == SECRET_BYTES else None


def _create(path: Path) -> None:
    """Of several who make the secret at once exactly one wins; it appears whole, and for its owner alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
