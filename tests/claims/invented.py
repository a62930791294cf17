"""Small invented results, and what is said of them: the sentence of a claim, or nothing where it is refused."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import pyarrow as pa

from averment.claims.relation import make, relations, told
from averment.claims.sealed import SealedResult
from averment.errors import UntrueClaim
from averment.evidence.bind import result
from averment.evidence.derive import derived
from averment.records.claim import Claim, ClaimValue
from averment.records.run import CellEvidence, Evidence, SpanEvidence

CALL = "7b3f6d5e-1c52-4d43-9a70-2f1f6f1f0a01"
OBSERVATION = "7b3f6d5e-1c52-4d43-9a70-2f1f6f1f0a02"
SHA = "0" * 64
ELSEWHERE = "7b3f6d5e-1c52-4d43-9a70-2f1f6f1f0a03"


class Invented:
    """A result by its columns, its keys and the kinds of its columns; its table is made when it is first looked at."""

    def __init__(
        self, columns: Mapping[str, Any], *keys: str, kinds: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        self.columns = {name: _of_one_type(list(values)) for name, values in columns.items()}
        self.keys = keys
        self.kinds = {name: "label" if name in keys else "number" for name in columns} | dict(kinds or {})
        self._more = more

    @cached_property
    def sealed(self) -> SealedResult:
        """The result as claims see it."""
        return SealedResult(
            table=pa.table(self.columns),
            call_id=CALL,
            observation_id=OBSERVATION,
            query_hash=SHA,
            keys=self.keys,
            **self._more,
        )

    def cell(self, row: int, column: str) -> CellEvidence:
        """Evidence for a cell."""
        value = self.columns[column][row]
        return CellEvidence(observation_id=OBSERVATION, query_hash=SHA, row=row, column=column, value=value)

    def tell(self, role: str, row: int, column: str, subject: int | None = None, kind: str | None = None) -> ClaimValue:
        """A cell as a value of a claim."""
        kind = self.kinds[column] if kind is None else kind
        return told(role, self.cell(row, column), kind, subject=subject, heading=column)

    def keyed(self, rows: Iterable[int]) -> list[ClaimValue]:
        """The whole keys of some rows, each row a subject."""
        return [self.tell("key", row, name, subject=place) for place, row in enumerate(rows) for name in self.keys]

    def count(self) -> ClaimValue:
        """How many rows there are."""
        return told("count", result(CALL, "table.row_count", len(next(iter(self.columns.values())))), "count")

    def derive(self, role: str, function: str, *cells: tuple[int, str], kind: str = "number") -> ClaimValue:
        """What a function makes of cells."""
        return told(role, derived(function, *(self.cell(*cell) for cell in cells)), kind)

    def say(
        self,
        relation: str,
        *values: ClaimValue,
        rows: Iterable[int] = (),
        words: Mapping[str, str] | None = None,
        figure: str = "tip",
        scope: str = "",
    ) -> str | None:
        """The sentence over rows with their whole keys."""
        rows = list(rows)
        keys = [self.sealed.key(row) for row in rows]
        values = (*self.keyed(rows), *values)
        return say(relation, *values, sealed=self.sealed, subjects=keys, words=words, figure=figure, scope=scope)


def _of_one_type(values: list[Any]) -> list[Any]:
    """A column has whole numbers or fractions, and never both."""
    mixed = any(isinstance(value, float) for value in values)
    return [float(value) if mixed and type(value) is int else value for value in values]


def say(relation: str, *values: ClaimValue, sealed: SealedResult | None = None, **more: Any) -> str | None:
    """The sentence of a claim, or nothing where it is refused; its relation says yes or no, and nothing between."""
    with suppress(LookupError, ValueError):
        draft = Claim(claim_id="c", relation=relation, values=values, **more)
        assert relations()[relation].holds(draft, sealed) in (True, False)
    try:
        return make(relation, claim_id="c", values=values, sealed=sealed, **more).text
    except UntrueClaim:
        return None


def given(role: str, value: Any, kind: str = "number", subject: int | None = None) -> ClaimValue:
    """A value that a call left, as a value of a claim."""
    return told(role, result(CALL, role, value), kind, subject=subject)


def span(text: str, source: str = "a", start: int = 0) -> SpanEvidence:
    """A sentence of an archived source."""
    return SpanEvidence(source_id=source, snapshot_sha256=source * 64, start=start, end=start + len(text), quote=text)


def quoted(role: str, text: str, source: str = "a", start: int = 0, **more: Any) -> ClaimValue:
    """A sentence of an archived source as a value of a claim."""
    evidence: Evidence = span(text, source, start)
    return told(role, evidence, "quote", **more)
