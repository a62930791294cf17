"""What an investigation leaves: ranked explanations, the report, the memory for questions, and the questions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from averment.records.base import Record, UtcDatetime, UuidText, new_id, utc_now
from averment.records.run import Evidence

Likelihood = Literal["Most Likely", "Likely", "Possible", "Less Likely"]

ExplanationKind = Literal[
    "segment",
    "mix",
    "rate",
    "volume",
    "seasonal",
    "calendar",
    "trend",
    "noise",
    "data_fault",
    "new_or_gone",
    "outlier",
]
"""What an explanation says: a place whose figure moved, what was to be expected, or a fault of the data."""

REPORT_HEADINGS = ("Data Model", "Analysis Performed", "Explanations", "Recommended Next Steps")
"""The second-level headings of a report, between its title and its footer."""


def likelihood_of(rank: int) -> Likelihood:
    """The likelihood that goes with a rank: 1, then 2 and 3, then 4 and 5, then the rest.

    Raises:
        ValueError: ranks must begin at 1.
    """
    if rank < 1:
        raise ValueError("ranks must begin at 1")
    if rank == 1:
        return "Most Likely"
    if rank <= 3:
        return "Likely"
    if rank <= 5:
        return "Possible"
    return "Less Likely"


class Explanation(Record):
    """One ranked explanation with its evidence."""

    rank: int = Field(ge=1)
    title: str = Field(max_length=100)
    likelihood: Likelihood
    evidence: tuple[Evidence, ...]
    reasoning: str = Field(max_length=1000)
    causal_story: str = Field(max_length=500)
    source_hypotheses: tuple[str, ...]
    kind: ExplanationKind | None = None
    fault: str | None = None
    """The fault of the data it is, for a data_fault or an outlier."""
    segment: dict[str, str] = Field(default_factory=dict)
    """Column to value; empty for the whole."""
    effect: float | None = None
    """Its part of the change in the metric's own unit; None where it has no size."""
    share: float | None = None
    """Its part of the change as a share; 1 is all of it."""

    @model_validator(mode="after")
    def _likelihood_goes_with_the_rank(self) -> Explanation:
        expected = likelihood_of(self.rank)
        if self.likelihood != expected:
            raise ValueError(f"rank {self.rank} is {expected}")
        return self


class Mover(Record):
    """One value of one dimension in a breakdown: its figures in both periods and its part of the change.

    The parts by rows, by value and by mix sum to ``change``; ``low`` and ``high`` are the ends of a 95 % interval, and
    ``verdict`` says whether the part is beyond the value's own noise.
    """

    dimension: str
    value: str
    before: float | None
    after: float | None
    change: float
    share: float | None
    low: float | None = None
    high: float | None = None
    rows_before: float = 0.0
    rows_after: float = 0.0
    rows_part: float = 0.0
    value_part: float = 0.0
    mix_part: float = 0.0
    verdict: Literal["noise", "beyond noise"]


def missing_sections(content: str) -> tuple[str, ...]:
    """Which of a report's six parts a Markdown text lacks.

    The header is a first line ``# …``, the footer a last line that begins with ``Generated``; the four parts between
    are headings ``## …`` by their names.
    """
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    headings = {line[3:].strip() for line in lines if line.startswith("## ")}
    missing = [] if lines and lines[0].startswith("# ") else ["Header"]
    missing += [heading for heading in REPORT_HEADINGS if heading not in headings]
    if not lines or not lines[-1].lstrip("*_ ").startswith("Generated"):
        missing.append("Footer")
    return tuple(missing)


class Report(Record):
    """The report in Markdown, with all of its six parts, also when nothing was found."""

    session_id: UuidText
    content: str
    generated_at: UtcDatetime = Field(default_factory=utc_now)
    status: Literal["completed", "no_findings"]

    @field_validator("content")
    @classmethod
    def _has_every_section(cls, content: str) -> str:
        missing = missing_sections(content)
        if missing:
            raise ValueError(f"the report lacks {', '.join(missing)}")
        return content


class MemoryDocument(Record):
    """The whole memory of an investigation as one text with its vector, for questions afterwards.

    The vector has as many dimensions as the embedder that made it.
    """

    document_id: UuidText = Field(default_factory=new_id)
    session_id: UuidText
    content: str
    embedding: tuple[Annotated[float, Field(allow_inf_nan=False)], ...] = Field(min_length=1)
    created_at: UtcDatetime = Field(default_factory=utc_now)


class ChatMessage(Record):
    """A question about a finished investigation, or its answer."""

    message_id: UuidText = Field(default_factory=new_id)
    session_id: UuidText
    role: Literal["user", "assistant"]
    content: str = Field(max_length=5000)
    timestamp: UtcDatetime = Field(default_factory=utc_now)
    artifacts_referenced: tuple[str, ...] = ()
