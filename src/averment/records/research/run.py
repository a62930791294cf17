"""A research as a run: the contract's question and depth, with what every run is asked with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from averment.records.analysis.request import ALL_DELIVERABLES, Constraints, Policy
from averment.records.base import Record, UtcDatetime, UuidText, new_id, utc_now
from averment.records.refusal import checked
from averment.records.research.request import DepthLevel, DepthLimits, QuestionText, ResearchRequest
from averment.records.run import Deliverable

DAY = r"^\d{4}-\d{2}-\d{2}$"
SITE = r"^[a-z0-9-]+(\.[a-z0-9-]+)+$"
LANGUAGE = r"^[a-z]{2,3}$"
CorpusName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]
SECONDS_BY_DEPTH = {DepthLevel.QUICK: 60, DepthLevel.STANDARD: 180, DepthLevel.COMPREHENSIVE: 300}
"""How long a research may take by its depth, where nothing else is said; the researcher contract names these times."""
MAX_RESEARCH_SECONDS = 3_600


class ResearchConstraints(Constraints):
    """The limits of a research: pages and models take longer than a query does."""

    timeout_seconds: int = Field(default=180, ge=1, le=MAX_RESEARCH_SECONDS, strict=True)


class Narrowing(Record):
    """Which sources of the web are wanted: of these days, of this site, in this language."""

    since: str | None = Field(default=None, pattern=DAY)
    until: str | None = Field(default=None, pattern=DAY)
    site: str | None = Field(default=None, pattern=SITE)
    language: str | None = Field(default=None, pattern=LANGUAGE)


class ResearchRun(Record):
    """What do the sources say about this, asked of these collections and providers.

    ``corpora`` names corpora to search; ``corpus`` names files, folders or pages that are archived first and seen by
    this research; without either it sees the default corpus. ``providers`` names where to search.
    """

    request_id: UuidText = Field(default_factory=new_id)
    intent: QuestionText
    depth_level: DepthLevel = DepthLevel.STANDARD
    corpus: tuple[str, ...] = ()
    corpora: tuple[CorpusName, ...] = ()
    providers: tuple[str, ...] = ("corpus",)
    narrowing: Narrowing = Field(default_factory=Narrowing)
    user_id: str | None = None
    constraints: ResearchConstraints = Field(default_factory=ResearchConstraints)
    deliverables: tuple[Deliverable, ...] = ALL_DELIVERABLES
    policy: Policy = Field(default_factory=Policy)
    timestamp: UtcDatetime = Field(default_factory=utc_now)

    @property
    def limits(self) -> DepthLimits:
        """What its depth level allows."""
        return self.as_seed().limits

    def as_seed(self) -> ResearchRequest:
        """The request as the researcher contract draws it."""
        return ResearchRequest.model_validate(
            {
                "id": self.request_id,
                "query": self.intent,
                "depth_level": self.depth_level,
                "user_id": self.user_id,
                "created_at": self.timestamp,
            }
        )

    @classmethod
    def checked(
        cls,
        *,
        query: Any,
        depth_level: Any = DepthLevel.STANDARD,
        corpus: Iterable[Any] = (),
        corpora: Iterable[Any] = (),
        providers: Iterable[Any] = ("corpus",),
        user_id: str | None = None,
        narrowing: Mapping[str, Any] | None = None,
        timeout_seconds: Any = None,
        deliverables: Iterable[Any] = ALL_DELIVERABLES,
    ) -> ResearchRun:
        """A research from raw values; without a time limit it has that of its depth.

        Raises:
            InvalidRequest: a rule is broken; it says which.
        """
        if timeout_seconds is None:
            known = [depth for depth in DepthLevel if depth == depth_level]
            timeout_seconds = SECONDS_BY_DEPTH[known[0] if known else DepthLevel.STANDARD]
        values: dict[str, Any] = {
            "intent": query,
            "depth_level": depth_level,
            "corpus": [str(place) for place in corpus],
            "corpora": list(dict.fromkeys(corpora)),
            "providers": list(providers),
            "user_id": user_id,
            "narrowing": {name: value for name, value in (narrowing or {}).items() if value is not None},
            "constraints": {"timeout_seconds": timeout_seconds},
            "deliverables": list(deliverables),
        }
        return checked(cls, values, {})
