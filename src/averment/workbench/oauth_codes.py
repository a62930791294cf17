"""What OAuth's clients carry: client ids and codes that hold what they stand for, sealed with the server's key.

Nothing is kept for them. A code is good for two minutes and once, and gives a token of the user who allowed it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from averment.errors import InvalidRequest

if TYPE_CHECKING:
    from averment.store.chat.users import User, UserStore

CODE_SECONDS = 120
MOST_ADDRESSES = 8
CODE = "oauth_code"
LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


class OAuthCodes:
    """Seals and opens client ids and codes of one server."""

    def __init__(self, token: str) -> None:
        self._key = hashlib.sha256(f"averment oauth {token}".encode()).digest()

    def register(self, name: str, addresses: list[str]) -> str:
        """The id of a client that is answered at those addresses alone.

        Raises:
            InvalidRequest: a code may not be sent to one of them: it is neither over TLS nor on the user's machine.
        """
        if not addresses or len(addresses) > MOST_ADDRESSES or not all(map(_may_be_sent_to, addresses)):
            raise InvalidRequest("A registration may only name https addresses or addresses on the user's own machine.")
        return self._sealed({"name": name, "to": addresses})

    def client(self, client_id: str, redirect_uri: str) -> str:
        """What the client calls itself.

        Raises:
            InvalidRequest: the id was not given here, or not for that address.
        """
        found = self._opened(client_id)
        if found is None or redirect_uri not in found.get("to", ()):
            raise InvalidRequest("No client with that id is registered for that address.")
        return str(found["name"])

    def code(self, user: User, *, client_id: str, redirect_uri: str, challenge: str) -> str:
        """A code by which that client gets a token of that user."""
        until, once = int(time.time()) + CODE_SECONDS, secrets.token_urlsafe(12)
        who = {"user": user.user_id, "group": user.group, "client": client_id, "to": redirect_uri}
        return self._sealed({**who, "challenge": challenge, "until": until, "once": once})

    def exchange(self, users: UserStore, code: str, *, client_id: str, redirect_uri: str, verifier: str) -> str | None:
        """A token for a code that fits; None for one that does not, is too old or was used."""
        found = self._opened(code)
        hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        if (
            found is None
            or found.get("until", 0) < time.time()
            or found.get("client") != client_id
            or found.get("to") != redirect_uri
            or not hmac.compare_digest(str(found.get("challenge")), hashed)
        ):
            return None
        # A claim is the first one's alone, and nobody comes twice under the same name.
        if not users.claim(CODE, str(found["once"]), secrets.token_urlsafe(12)):
            return None
        return users.add(str(found["user"]), group=found["group"])

    def _sealed(self, body: dict[str, Any]) -> str:
        text = base64.urlsafe_b64encode(json.dumps(body, sort_keys=True).encode()).rstrip(b"=").decode()
        return f"{text}.{self._mac(text)}"

    def _opened(self, given: str) -> dict[str, Any] | None:
        text, _, mac = given.partition(".")
        if not text or not hmac.compare_digest(mac.encode("utf-8", "replace"), self._mac(text).encode()):
            return None
        found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return found

    def _mac(self, text: str) -> str:
        return hmac.new(self._key, f"averment oauth:{text}".encode(), hashlib.sha256).hexdigest()


def _may_be_sent_to(given: str) -> bool:
    try:
        parts = urlsplit(given)
    except ValueError:
        return False
    over_tls = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)
    return over_tls and bool(parts.hostname) and not parts.fragment
