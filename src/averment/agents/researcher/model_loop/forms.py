"""The form of one step that a model takes in a research.

``ask``: further questions, searched like any other. ``point``: sentences of passages that are facts. ``reject``: facts
that do not belong. ``outline``: the order of sections, of facts in them, and which come first. ``write``: a fact told
in other words, or several facts in one sentence. ``done``: nothing more. One flat form serves every model.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from averment.llm.forms import Form, ToolForm

Tool = Literal["ask", "point", "reject", "outline", "write", "done"]
Why = Literal["other_subject", "other_time", "no_answer", "repeats"]


class PickedSentence(Form):
    """A sentence a model points to, with the number of its passage."""

    passage: int
    sentence: str = Field(max_length=1_000)


class OutlinedSection(Form):
    """A section: the number of its question, and its facts in their order."""

    question: int = Field(ge=1)
    facts: list[str] = Field(default_factory=list[str], max_length=40)


class WrittenClaim(Form):
    """A fact told in other words that say the same, or a sentence that sets several facts side by side."""

    fact: str = ""
    facts: list[str] = Field(default_factory=list[str], max_length=8)
    text: str = Field(max_length=600)

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The ids of its facts, each once."""
        return tuple(dict.fromkeys(name for name in (self.fact, *self.facts) if name))


class ResearchStep(ToolForm):
    """What a model does next."""

    HOLDS: ClassVar[dict[str, str]] = {
        "questions": "ask",
        "sentences": "point",
        "facts": "reject",
        "claims": "write",
        "sections": "outline",
        "summary": "outline",
    }
    ELSE: ClassVar[str] = "done"

    tool: Tool = Field(description="What to do now.")
    questions: list[str] = Field(default_factory=list[str], max_length=3, description="For ask.")
    sentences: list[PickedSentence] = Field(
        default_factory=list[PickedSentence], max_length=20, description="For point: copied letter by letter."
    )
    facts: list[str] = Field(default_factory=list[str], max_length=20, description="For reject: ids of facts.")
    why: Why = Field(default="no_answer", description="For reject: why they do not belong.")
    summary: list[str] = Field(
        default_factory=list[str], max_length=40, description="For outline: facts that come first."
    )
    sections: list[OutlinedSection] = Field(
        default_factory=list[OutlinedSection], max_length=10, description="For outline: sections in their order."
    )
    claims: list[WrittenClaim] = Field(
        default_factory=list[WrittenClaim],
        max_length=20,
        description="For write: facts in other words, or several facts in one.",
    )

    def said(self) -> dict[str, Any]:
        """The step without its thoughts, for the record and for the model's next turn."""
        kept = self.model_dump(mode="json", exclude={"thoughts"})
        return {name: value for name, value in kept.items() if value not in (None, [], {})}
