"""What the judge weighs and gives: readings that were run, and the verdict over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from averment.errors import AvermentError

if TYPE_CHECKING:
    from averment.plans.compile import CompiledPlan
    from averment.reading.reader import Candidate


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate that was run: its result, and the odds that it is what was meant."""

    candidate: Candidate
    compiled: CompiledPlan
    columns: tuple[str, ...]
    rows: list[list[Any]]
    odds: float = 0.0
    tried: bool = True


@dataclass(slots=True)
class Verdict:
    """What was decided, and why."""

    kind: Literal["answer", "offer", "decline"]
    best: Reading | None = None
    offers: list[Reading] = field(default_factory=list[Reading])
    rivals: list[Reading] = field(default_factory=list[Reading])
    """What could be meant as well where one reading is answered, the likeliest first."""
    left: tuple[str, ...] = ()
    agreeing: int = 1
    confirmed: bool = False
    """Whether a second reader, which knows nothing of the first, comes to the same result."""
    is_plain: bool = False
    """Whether nothing was left to guess."""
    blocked: AvermentError | None = None
    record: dict[str, Any] = field(default_factory=dict[str, Any])
