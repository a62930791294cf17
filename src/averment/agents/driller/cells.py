"""Cells of recorded tables as values of claims: each number a reader sees is one of these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from averment.claims.relation import told
from averment.claims.sealed import SealedResult
from averment.evidence.bind import cell
from averment.evidence.formats import write
from averment.evidence.values import Scalar
from averment.records.claim import ClaimValue
from averment.records.run import CellEvidence

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext


def places_of(value: object) -> int | None:
    """How many decimals a reader needs of a number of that size; None where all of them, or where it is no number."""
    if not isinstance(value, float) or math.isnan(value) or abs(value) >= 1e15 or value.is_integer():
        return None
    size = abs(value)
    return 0 if size >= 1_000 else 1 if size >= 100 else 2 if size >= 1 else None


def kind_of(value: Scalar, kind: str = "number") -> str:
    """The kind of a cell: a name where it is text, else a number with the decimals its size needs."""
    if isinstance(value, str):
        return "label"
    places = places_of(value) if kind == "number" else None
    return kind if places is None else f"{kind}:{places}"


MOST_PLACES = 9


def _finer(kind: str) -> Iterator[str]:
    """A kind, and the same with more and more decimals."""
    name, _, places = kind.partition(":")
    yield kind
    yield from (f"{name}:{more}" for more in range(int(places or 1) + 1, MOST_PLACES))


def _are_apart(values: Sequence[Scalar], kind: str) -> bool:
    """Whether values that differ are written differently."""
    known = {value for value in values if value is not None}
    return len({write(value, kind) for value in known}) == len(known)


class Cells:
    """The cells of the table that one task left."""

    def __init__(self, work: RunContext, task: str) -> None:
        self.table: pa.Table = work.table(task)
        call, observation = work.state.answered[task]
        data: dict[str, Any] = observation.data or {}
        self._call_id = call.call_id
        self._observation_id = observation.observation_id
        self._hash = str(data.get("query_hash") or data["table"]["sha256"])

    def value(self, row: int, column: str) -> Any:
        """The plain value of a cell."""
        return self.table.column(column)[row].as_py()

    def has(self, row: int, column: str) -> bool:
        """Whether the cell is there and holds a value."""
        return column in self.table.column_names and row < self.table.num_rows and self.value(row, column) is not None

    def number(self, row: int, column: str) -> float:
        """The cell as a number; zero where it holds none."""
        found = self.value(row, column) if self.has(row, column) else None
        return float(found) if isinstance(found, int | float) else 0.0

    def told(self, role: str, row: int, column: str, kind: str = "") -> ClaimValue:
        """The cell as a value of a claim, rounded as a reader needs it unless its kind says otherwise."""
        evidence = self.evidence(row, column)
        return told(role, evidence, kind or kind_of(evidence.value), heading=column)

    def told_apart(self, row: int, roles: Mapping[str, str], kind: str = "number") -> list[ClaimValue]:
        """Cells of one row, each with its role, written with as many decimals as it takes to tell them apart."""
        found = [(role, self.evidence(row, column)) for role, column in roles.items()]
        kinds = [kind_of(each.value, kind) for _, each in found]
        shared = min(kinds, key=lambda one: (":" not in one, one.partition(":")[2]))
        values = [each.value for _, each in found]
        fits = next((one for one in _finer(shared) if _are_apart(values, one)), shared)
        return [told(role, each, fits, heading=roles[role]) for role, each in found]

    def evidence(self, row: int, column: str) -> CellEvidence:
        """Evidence for a cell."""
        return cell(self.table, row, column, observation_id=self._observation_id, query_hash=self._hash)

    @cached_property
    def sealed(self) -> SealedResult:
        """The table as claims see it."""
        return SealedResult(
            table=self.table, call_id=self._call_id, observation_id=self._observation_id, query_hash=self._hash
        )

    def row_where(self, column: str, value: object) -> int:
        """The first row whose column holds that value; -1 when none does."""
        values = self.table.column(column).to_pylist()
        return values.index(value) if value in values else -1
