"""A model as adviser: it may point to segments worth testing; it computes, decides and tells nothing.

What it names must be a dimension and a value that exist, and is tested like any other hypothesis. It is kept with the
run, so that no model is needed to verify it. When it fails, the rules go on alone, and the ledger says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.driller.reading import Mention, Reading
from averment.errors import ModelNonsense
from averment.llm import Proposer, render, tell_calls, with_fallback

if TYPE_CHECKING:
    from averment.records.drilldown import DrillRequest
    from averment.spine.work import Work

PERSONAL = ("email", "phone", "ssn", "credit_card", "iban", "ip_address")
"""Values of these kinds never leave this machine."""


class ProposedSegment(BaseModel):
    """One segment that a person's words point to."""

    model_config = ConfigDict(extra="forbid")

    dimension: str
    value: str


class ProposedSegments(BaseModel):
    """The segments a model sees in a person's words."""

    model_config = ConfigDict(extra="forbid")

    segments: list[ProposedSegment] = Field(default_factory=list, max_length=3)


class ModelAdviser:
    """Points to segments; ``samples`` says whether it may see values of the data."""

    def __init__(self, proposer: Proposer, *, samples: bool = True) -> None:
        self._proposer = proposer
        self._samples = samples

    def point(self, work: Work, request: DrillRequest, reading: Reading) -> Reading:
        """The reading with the segments that the user's words point to; as it is where nothing was said."""
        said = [request.context.investigation_prompt, request.context.business_context]
        if not any(said) or not self._samples or request.policy.blocked_patterns:
            return reading
        return with_fallback(
            lambda: self._point(work, request, reading), lambda: reading, work.tell_fallback, purpose="suspect"
        )

    def _point(self, work: Work, request: DrillRequest, reading: Reading) -> Reading:
        known = {
            dimension.name: _shown(dimension.column, _samples(reading, dimension.table, dimension.column))
            for dimension in reading.dimensions
            if dimension.kind == "plain"
        }
        context = request.context
        said = {"prompt": context.investigation_prompt, "background": context.business_context}
        prompt = render("suspect_segments", said=said, dimensions=known)
        proposed = tell_calls(self._proposer, work.keep_call).propose(
            ProposedSegments, purpose="suspect", system=prompt.system, prompt=prompt.prompt
        )
        found = list(reading.mentions)
        for one in proposed.segments:
            if one.value not in known.get(one.dimension, []):
                # Not in its own words: the page shows why the rules stood in.
                raise ModelNonsense("The model named a segment that it was not shown.")
            if not any((m.dimension, m.value) == (one.dimension, one.value) for m in found):
                found.append(Mention(dimension=one.dimension, value=one.value, word=one.value, asked=True))
        return reading.changed(mentions=tuple(found))


def _samples(reading: Reading, table: str, column: str) -> tuple[str, ...]:
    for one in reading.tables:
        if one.name == table:
            return next((each.sample_values for each in one.columns if each.name == column), ())
    return ()


def _shown(name: str, values: tuple[str, ...]) -> list[str]:
    """Values that may leave this machine: nothing that looks personal."""
    import pyarrow as pa

    from averment.tables.patterns import match_names, match_values

    if match_names(PERSONAL, [name]) or match_values(PERSONAL, pa.table({name: list(values)})):
        return []
    return list(values)
