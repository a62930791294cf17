"""Questions about a finished drill and their answers, each with references that lead to what it was taken from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from markupsafe import Markup

from averment.faces.web.drill.report import linked
from averment.records.drilldown.results import ChatMessage
from averment.records.run import Finding

_HYPOTHESIS = re.compile(r"analysis/hypotheses/(hyp_([0-9]+))\.json")
_ITERATION = re.compile(r"analysis/iterations/iter_([0-9]+)\.json")
_ARTIFACT = re.compile(r"artifacts/[a-z]+/([0-9a-f-]{36})/")
_EXPLANATION = re.compile(r"^Explanation ([0-9]+) \(", re.MULTILINE)
_PLACES = {
    "report.md": ("The report", "#report"),
    "context.json": ("What was asked", "#asked"),
    "analysis/schema.json": ("Data model", "#report-data-model"),
    "analysis/plan.json": ("Analysis performed", "#report-analysis-performed"),
    "analysis/findings_ledger.json": ("All rounds", "#rounds"),
    "results/explanations.json": ("The explanations", "#explanations"),
}
STARTERS = ("Why did it change?", "What was ruled out?", "When did it start?", "Are the data at fault?")


class PageReference(NamedTuple):
    """A place to jump to."""

    words: str
    place: str


@dataclass(frozen=True)
class ShownMessage:
    """One message, ready to be shown."""

    role: str
    lines: tuple[Markup, ...]
    references: tuple[PageReference, ...]
    at: datetime


def tell_messages(
    messages: Sequence[ChatMessage], findings: Sequence[Finding], run_id: str
) -> tuple[ShownMessage, ...]:
    """The messages with their numbers linked and their references named."""
    return tuple(
        ShownMessage(
            message.role,
            tuple(linked(line, findings, run_id) for line in message.content.splitlines() if line.strip()),
            references_of(message) if message.role == "assistant" else (),
            message.timestamp,
        )
        for message in messages
    )


def references_of(message: ChatMessage) -> tuple[PageReference, ...]:
    """Where the answer was taken from, each place once."""
    found: dict[str, PageReference] = {}
    for artifact in message.artifacts_referenced:
        for reference in _references(artifact, message.content):
            found.setdefault(reference.place, reference)
    return tuple(found.values())


def _references(artifact: str, content: str) -> list[PageReference]:
    if match := _HYPOTHESIS.fullmatch(artifact):
        return [PageReference(f"Hypothesis {int(match.group(2))}", f"#{match.group(1)}")]
    if match := _ITERATION.fullmatch(artifact):
        return [PageReference(f"Round {int(match.group(1))}", f"#round-{int(match.group(1))}")]
    if match := _ARTIFACT.match(artifact):
        return [PageReference("The new query with its proof", f"/runs/{match.group(1)}")]
    ranks = _EXPLANATION.findall(content) if artifact == "results/explanations.json" else []
    if ranks:
        return [PageReference(f"Explanation {rank}", f"#explanation-{rank}") for rank in ranks]
    known = _PLACES.get(artifact)
    return [] if known is None else [PageReference(*known)]
