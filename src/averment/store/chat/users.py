"""The users of a home: a token for each, kept as its hash alone, and what belongs to whom.

Whoever has the server's own token is the home's owner and needs none of this. Users of a group are one to the home:
what one of them keeps, the others see.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update

from averment.errors import InvalidRequest
from averment.records.base import iso_z, utc_now
from averment.store.chat.tasks import LOCAL_USER
from averment.store.db.database import Database
from averment.store.schema.chat_tables import OWNERS, USER_TOKENS

TOKEN_BYTES = 32
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True)
class User:
    """A user with a token, as a list shows it."""

    user_id: str
    group: str | None
    created_at: datetime
    revoked_at: datetime | None = None


class UserStore:
    """All users of a home."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user_id: str, *, group: str | None = None) -> str:
        """A new token for a user, shown this once; an older one of theirs stays good until it is revoked.

        Raises:
            InvalidRequest: the name cannot be one.
        """
        for name in (user_id, *(() if group is None else (group,))):
            if not _NAME.fullmatch(name) or name == LOCAL_USER:
                raise InvalidRequest(
                    f"'{name}' is not a valid user name.",
                    hint="Use lowercase letters, digits, dots and dashes; 'local' is reserved for the owner.",
                )
        token = secrets.token_urlsafe(TOKEN_BYTES)
        values = {"token_sha256": digest_of(token), "user_id": user_id, "groups": group or ""}
        self._database.change(insert(USER_TOKENS).values({**values, "created_at": iso_z(utc_now())}))
        return token

    def list(self) -> Sequence[User]:
        """Every token that was given, the oldest first."""
        query = select(USER_TOKENS).order_by(USER_TOKENS.c.created_at, USER_TOKENS.c.user_id)
        rows = self._database.rows(query)
        return [
            User(
                row["user_id"],
                row["groups"] or None,
                datetime.fromisoformat(row["created_at"]),
                None if row["revoked_at"] is None else datetime.fromisoformat(row["revoked_at"]),
            )
            for row in rows
        ]

    def revoke(self, user_id: str) -> int:
        """End every token of a user, at once; how many there were. What they keep stays."""
        now = iso_z(utc_now())
        mine = (USER_TOKENS.c.user_id == user_id) & USER_TOKENS.c.revoked_at.is_(None)
        return int(self._database.change(update(USER_TOKENS).where(mine).values(revoked_at=now)))

    def user_of(self, token: str) -> str | None:
        """Under which name whoever has that token keeps things, or None: the group's where there is one."""
        return self.user_by_digest(digest_of(token))

    def holder_of(self, token: str) -> User | None:
        """Whose token that is, with their group; None for nobody's."""
        query = select(USER_TOKENS).where(
            USER_TOKENS.c.token_sha256 == digest_of(token), USER_TOKENS.c.revoked_at.is_(None)
        )
        row = self._database.first(query)
        if row is None:
            return None
        return User(str(row["user_id"]), row["groups"] or None, datetime.fromisoformat(row["created_at"]))

    def user_by_digest(self, digest: str) -> str | None:
        """As ``user_of``, by the hash of the token, which a page's session keeps in its place."""
        query = select(USER_TOKENS).where(USER_TOKENS.c.token_sha256 == digest, USER_TOKENS.c.revoked_at.is_(None))
        row = self._database.first(query)
        if row is None:
            return None
        return f"group:{row['groups']}" if row["groups"] else str(row["user_id"])

    def claim(self, kind: str, thing: str, user_id: str) -> bool:
        """Note that a thing is a user's; false where it is somebody else's already."""
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.owners.{kind}.{thing}")
            there = _owner(kind, thing)
            found = connection.execute(there).scalar()
            if found is None:
                values = {"kind": kind, "id": thing, "user_id": user_id, "created_at": iso_z(utc_now())}
                connection.execute(insert(OWNERS).values(values))
            return found in {None, user_id}

    def owner(self, kind: str, thing: str) -> str:
        """Whose a thing is; the home's owner's where nobody claimed it."""
        return str(self._database.value(_owner(kind, thing)) or LOCAL_USER)

    def things(self, kind: str, user_id: str, *, limit: int = 50, offset: int = 0) -> Sequence[str]:
        """The ids of a user's things, the newest first."""
        query = (
            select(OWNERS.c.id)
            .where(OWNERS.c.user_id == user_id, OWNERS.c.kind == kind)
            .order_by(OWNERS.c.created_at.desc(), OWNERS.c.id)
            .limit(limit)
            .offset(offset)
        )
        return [str(one) for one in self._database.scalars(query)]


def _owner(kind: str, thing: str) -> Any:
    return select(OWNERS.c.user_id).where(OWNERS.c.kind == kind, OWNERS.c.id == thing)


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
