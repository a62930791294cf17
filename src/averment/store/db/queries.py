"""One query or one change in a transaction of its own, which is what most of the stores' methods are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, Executable, RowMapping


class Queries(ABC):
    """What can be asked where transactions can be had: ``read`` and ``write`` are its own."""

    @abstractmethod
    def read(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one state of the database and changes nothing."""

    @abstractmethod
    def write(self) -> AbstractContextManager[Connection]:
        """A transaction whose changes are all kept, or none of them when the block raises."""

    def first(self, query: Executable) -> RowMapping | None:
        """The first row, by the names of its columns; None where there is none."""
        with self.read() as connection:
            return connection.execute(query).mappings().first()

    def rows(self, query: Executable) -> Sequence[RowMapping]:
        """Every row, by the names of its columns."""
        with self.read() as connection:
            return connection.execute(query).mappings().all()

    def tuples(self, query: Executable) -> Sequence[Any]:
        """Every row, by the order of its columns."""
        with self.read() as connection:
            return connection.execute(query).all()

    def scalars(self, query: Executable) -> Sequence[Any]:
        """The first column of every row."""
        with self.read() as connection:
            return connection.execute(query).scalars().all()

    def value(self, query: Executable) -> Any:
        """The first column of the first row; None where there is none."""
        with self.read() as connection:
            return connection.execute(query).scalar()

    def change(self, statement: Executable) -> int:
        """Carry out a change; how many rows it was about."""
        with self.write() as connection:
            return connection.execute(statement).rowcount
