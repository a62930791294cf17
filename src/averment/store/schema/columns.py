"""How the columns of a table are declared, in the tables the stores speak of and in the migrations that build them.

Migrations of released versions use these too: what a function here gives for its arguments never changes.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKey, Text
from sqlalchemy.types import TypeEngine

Kind = type[TypeEngine[Any]]


def keys(*names: str, kind: Kind = Text) -> list[Column[Any]]:
    """Columns of the primary key."""
    return [Column(name, kind, primary_key=True) for name in names]


def required(*names: str, kind: Kind = Text) -> list[Column[Any]]:
    """Columns that every row fills."""
    return [Column(name, kind, nullable=False) for name in names]


def optional(*names: str, kind: Kind = Text) -> list[Column[Any]]:
    """Columns that may be empty."""
    return [Column(name, kind) for name in names]


def owner_key(name: str, owner: str) -> Column[Any]:
    """A part of the primary key that names a row of another table; when that row goes, this one does."""
    return Column(name, Text, ForeignKey(owner, ondelete="CASCADE"), primary_key=True)


def owner(name: str, owner: str, *, unique: bool | None = None) -> Column[Any]:
    """A column that names a row of another table; when that row goes, this one does."""
    return Column(name, Text, ForeignKey(owner, ondelete="CASCADE"), nullable=False, unique=unique)
