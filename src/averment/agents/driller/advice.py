"""A model as adviser: it may point to segments worth testing and tell the causes' stories, never compute or decide.

What it names must be a dimension and a value that exist, and is tested like any other hypothesis. What it tells holds
no number and passes the same checker as every text; both are kept with the run, so that no model is needed to verify
it. When it fails, the rules' words stand, and the ledger says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.driller.conclude import confirmed_causes
from averment.agents.driller.findings import own_words, round_finding
from averment.agents.driller.reading import Mention, Reading
from averment.agents.driller.recall import recall
from averment.agents.driller.wording import segment_words
from averment.errors import EvidenceError, ModelNonsense
from averment.evidence.check import check_text
from averment.llm import Proposer, render, tell_calls, with_fallback

if TYPE_CHECKING:
    from averment.records.drilldown import DrillRequest
    from averment.spine.work import Work

LONGEST_STORY = 380
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


class ProposedStories(BaseModel):
    """One story a cause, in their order."""

    model_config = ConfigDict(extra="forbid")

    stories: list[str] = Field(max_length=10)


class ModelAdviser:
    """Points to segments and tells stories; ``samples`` says whether it may see values of the data."""

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

    def stories(self, work: Work) -> dict[str, str]:
        """A story for each confirmed cause by its rank; none where the model has none that passes."""
        nothing: dict[str, str] = {}
        if not confirmed_causes(work, recall(work)):
            return nothing
        return with_fallback(lambda: self._stories(work), lambda: nothing, work.tell_fallback, purpose="story")

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
                raise ModelNonsense(f"The model named {one.dimension} = {one.value}, which it was not shown.")
            if not any((m.dimension, m.value) == (one.dimension, one.value) for m in found):
                found.append(Mention(dimension=one.dimension, value=one.value, word=one.value, asked=True))
        return reading.changed(mentions=tuple(found))

    def _stories(self, work: Work) -> dict[str, str]:
        memory = recall(work)
        causes = confirmed_causes(work, memory)
        findings = {str(r.state["task"]): round_finding(work, r, memory) for r in memory.rounds}
        told: list[dict[str, Any]] = []
        for cause, sources in causes:
            about = [
                found.template
                for r in memory.rounds
                if {r.state.get("hypothesis"), r.state.get("about")} & set(sources)
                and (found := findings[str(r.state["task"])]) is not None
            ]
            segment = segment_words(cause.segment) if self._samples else "the segment"
            told.append({"segment": segment, "kind": cause.verdict, "found": about})
        prompt = render("tell_causes", question=work.request.intent, causes=told)
        proposed = tell_calls(self._proposer, work.keep_call).propose(
            ProposedStories, purpose="story", system=prompt.system, prompt=prompt.prompt
        )
        if len(proposed.stories) != len(causes):
            raise ModelNonsense("The model told another number of stories than there are causes.")
        stories: dict[str, str] = {}
        for (cause, _), story in zip(causes, proposed.stories, strict=True):
            plain = " ".join(story.split())
            if not plain or len(plain) > LONGEST_STORY:
                raise ModelNonsense("The model told a story that is empty or too long.")
            try:
                check_text(plain, covered=[segment_words(cause.segment)], own_words=own_words(work))
            except EvidenceError as error:
                raise ModelNonsense(f"The model's story was refused: {error.message}") from error
            stories[str(cause.rank)] = plain
        return stories


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
