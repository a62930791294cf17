"""Who is at the page: a session cookie made from the server's token, and the form token that goes with it.

Nothing is stored. A cookie holds a random part and its MAC under the server's token, so that a new token ends every
session; a form carries a MAC of the cookie, which a page of another site can neither read nor make.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


class PageSessions:
    """Makes and checks the cookies and form tokens of one server."""

    def __init__(self, token: str) -> None:
        self._key = token.encode()
        # Cookies do not know ports: two servers on one machine must not overwrite each other's session.
        self.cookie_name = f"averment_{self._mac('name', '')[:8]}"

    def admits(self, token: str) -> bool:
        """Whether that is the server's token."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self._key)

    def begin(self, digest: str = "") -> str:
        """The cookie of a new session: the owner's, or of the user whose token has that digest."""
        nonce = f"{secrets.token_urlsafe(18)}{f'~{digest}' if digest else ''}"
        return f"{nonce}.{self._mac('session', nonce)}"

    def holds(self, cookie: str | None) -> bool:
        """Whether the cookie was made by this server."""
        nonce, _, mac = (cookie or "").partition(".")
        return bool(nonce) and _same(mac, self._mac("session", nonce))

    def digest(self, cookie: str) -> str:
        """The digest of the token a user came in with; empty for the owner."""
        return cookie.partition(".")[0].partition("~")[2]

    def form_token(self, cookie: str) -> str:
        """What the forms of that session carry."""
        return self._mac("form", cookie)

    def is_own_form(self, cookie: str | None, form_token: str) -> bool:
        """Whether a form was made for that session by this server."""
        return cookie is not None and self.holds(cookie) and _same(form_token, self.form_token(cookie))

    def _mac(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"averment page {purpose}:{text}".encode(), hashlib.sha256).hexdigest()


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())
