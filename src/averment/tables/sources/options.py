"""How a source is to be read, where the reader should not decide alone."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

HeaderChoice = Literal["auto", "present", "none"]
TypeChoice = Literal["infer", "text"]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The reader's choices; ``None`` and "auto" leave them to the reader.

    ``header``: "present" takes the first full row as names, "none" generates ``column_1`` … and notes it.
    ``types``: "text" keeps every cell as it was written, with no value read as null but missing cells.
    ``day_first``: settles 01/02/2021 when the column does not. ``decimal``: settles 1,234 likewise.
    ``marks``: "text" keeps a column text in which a few marks such as TBD stand among numbers or dates.
    ``measures``: columns, by ``measure_key``, of which every text that is no number counts as missing.
    ``allow_no_rows``: a table with a header and no row is opened instead of refused.
    """

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: HeaderChoice = "auto"
    types: TypeChoice = "infer"
    day_first: bool | None = None
    decimal: Literal[".", ","] | None = None
    null_words: tuple[str, ...] | None = None
    marks: Literal["missing", "text"] = "missing"
    measures: tuple[str, ...] = ()
    allow_no_rows: bool = False

    @staticmethod
    def measure_key(source: str, table: str, column: str) -> str:
        """How a column is named that is to be read as numbers: its source's label, its table there, its name."""
        return f"{source}:{table}.{column}"

    def digest(self, null_words: tuple[str, ...]) -> str:
        """A short hash of every choice, with the null words that apply when the options name none."""
        body: dict[str, Any] = asdict(self)
        body["null_words"] = list(self.null_words if self.null_words is not None else null_words)
        text = json.dumps(body, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the process that reads."""
        return asdict(self)

    @classmethod
    def from_dict(cls, body: dict[str, Any]) -> ReadOptions:
        """The options that ``to_dict`` wrote."""
        words = body.get("null_words")
        fields: dict[str, Any] = {**body, "null_words": None if words is None else tuple(words)}
        fields["measures"] = tuple(body.get("measures", ()))
        return cls(**fields)
