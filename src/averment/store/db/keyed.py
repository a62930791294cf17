"""Stores of one table whose rows are found by an id: look at one, list them, forget one or all."""

from __future__ import annotations

from typing import Any, Generic, TypeAlias, TypeVar

from sqlalchemy import Column, ColumnElement, RowMapping, Table, select

from averment.store.db.engine import DatabaseLink
from averment.store.db.text import plain

Item = TypeVar("Item")
ItemList: TypeAlias = list[Item]


class KeyedStore(Generic[Item]):
    """What a table keeps; how a row is read is the store's own."""

    def __init__(self, link: DatabaseLink, table: Table, *, key: Column[Any], newest: Column[Any]) -> None:
        self._link = link
        self._table, self._key, self._newest = table, key, newest

    def _kept(self, row: RowMapping) -> Item:
        raise NotImplementedError

    def _is(self, key: str) -> ColumnElement[bool]:
        return self._key == plain(key, self._key.name.replace("_", " "))

    def get(self, key: str) -> Item | None:
        """The one of that id, or None."""
        row = self._link.first(select(self._table).where(self._is(key)))
        return None if row is None else self._kept(row)

    def list(self, limit: int = 50, offset: int = 0) -> ItemList[Item]:
        """Some of them, the newest first."""
        query = select(self._table).order_by(self._newest.desc(), self._key).limit(limit).offset(offset)
        return [self._kept(row) for row in self._link.rows(query)]

    def forget(self, key: str) -> bool:
        """Delete one; whether there was one."""
        return bool(self._link.change(self._table.delete().where(self._is(key))))

    def forget_all(self) -> int:
        """Delete every one; how many there were."""
        return self._link.change(self._table.delete())
