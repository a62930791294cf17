"""A sealed result as claims see it: its cells, which headings are keys, and whether all rows are there."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from averment.evidence.bind import cell, result
from averment.evidence.values import Scalar, as_decimal, scalar
from averment.records.run import CellEvidence, Observation, ResultEvidence, ToolCall

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class RankingCut:
    """How a result was cut: only the first few rows by a figure were kept, with whoever shares the last place."""

    by: str
    descending: bool
    limit: int
    skip: int = 0
    within: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SealedResult:
    """A result with what is needed to say something about all of it.

    ``keys`` are the headings that together name a row; ``whole`` is false where the result was cut at a row limit.
    """

    table: pa.Table
    call_id: str
    observation_id: str
    query_hash: str
    keys: tuple[str, ...] = ()
    whole: bool = True
    ranked: RankingCut | None = None
    _columns: dict[str, list[Scalar]] = field(default_factory=dict[str, list[Scalar]], repr=False)

    @classmethod
    def of(
        cls,
        answered: tuple[ToolCall, Observation],
        table: pa.Table,
        *,
        keys: tuple[str, ...],
        ranked: RankingCut | None,
    ) -> SealedResult:
        """The table that a call gave, or the columns of it that are told."""
        call, observation = answered
        data = observation.data or {}
        return cls(
            table=table,
            call_id=call.call_id,
            observation_id=observation.observation_id,
            query_hash=str(data.get("query_hash") or data["table"]["sha256"]),
            keys=keys,
            whole=not data.get("truncated", False),
            ranked=ranked,
        )

    @property
    def size(self) -> int:
        """How many rows the result has."""
        return self.table.num_rows

    @property
    def uncut(self) -> bool:
        """Whether all rows of the query are there: none fell to a row limit or to a ranking."""
        return self.whole and self.ranked is None

    def column(self, name: str) -> list[Scalar]:
        """Every value of a column, as evidence keeps it."""
        if name not in self._columns:
            self._columns[name] = [scalar(value) for value in self.table.column(name).to_pylist()]
        return self._columns[name]

    def key(self, row: int) -> tuple[tuple[str, Scalar], ...]:
        """The whole key of a row."""
        return tuple((name, self.column(name)[row]) for name in self.keys)

    @cached_property
    def named(self) -> tuple[int, ...]:
        """The rows whose every key is known."""
        return tuple(row for row in range(self.size) if all(value is not None for _, value in self.key(row)))

    def cell(self, row: int, column: str) -> CellEvidence:
        """Evidence for a cell."""
        return cell(self.table, row, column, observation_id=self.observation_id, query_hash=self.query_hash)

    def row_count(self) -> ResultEvidence:
        """Evidence for how many rows the result has."""
        return result(self.call_id, "table.row_count", self.size)

    def best(self, column: str, *, highest: bool) -> tuple[int, ...]:
        """The rows with the highest (or lowest) value among those that are named and have one; equals are all there."""
        rows = [(row, order) for row in self.named if (order := orderly(self.column(column)[row])) is not None]
        if not rows or len({type(order) for _, order in rows}) > 1:
            return ()
        orders = [order for _, order in rows]
        wanted = max(orders) if highest else min(orders)  # pyright: ignore[reportArgumentType] - all of one type
        return tuple(row for row, order in rows if order == wanted)

    def may_rank(self, column: str, *, highest: bool) -> bool:
        """Whether the result can say what is highest (or lowest) of all: it is whole, or was cut at the other end."""
        if not self.whole:
            return False
        cut = self.ranked
        return cut is None or (cut.by == column and cut.descending == highest and not cut.skip and not cut.within)


def orderly(value: Scalar) -> Decimal | str | None:
    """A value as something that can be compared: a number, or a text such as a date; nothing for what has no order."""
    number = as_decimal(value)
    if number is not None:
        return number
    return value if isinstance(value, str) and value not in {"nan", "inf", "-inf"} else None
