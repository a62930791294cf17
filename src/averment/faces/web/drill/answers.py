"""Questions about a finished drill and their answers, each with references that lead to what it was taken from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from averment.faces.web.drill.report import linked
from averment.records.drilldown import ChatMessage
from averment.records.run import Finding

_HYPOTHESIS = re.compile(r"analysis/hypotheses/(hyp_([0-9]+))\.json")
_ITERATION = re.compile(r"analysis/iterations/iter_([0-9]+)\.json")
_ARTIFACT = re.compile(r"artifacts/[a-z]+/([0-9a-f-]{36})/")
_EXPLANATION = re.compile(r"^Explanation ([0-9]+) \(", re.MULTILINE)
_PLACES = {
    "report.md": {"#report": "The report"},
    "context.json": {"#asked": "What was asked"},
    "analysis/schema.json": {"#report-data-model": "Data model"},
    "analysis/plan.json": {"#report-analysis-performed": "Analysis performed"},
    "analysis/findings_ledger.json": {"#rounds": "All rounds"},
    "results/explanations.json": {"#explanations": "The explanations"},
}
STARTERS = ("Why did it change?", "What was ruled out?", "When did it start?", "Are the data at fault?")


@dataclass(frozen=True)
class ShownMessage:
    """One message, ready to be shown."""

    role: str
    lines: tuple[Markup, ...]
    references: Mapping[str, str]
    """Where it was taken from: the places to jump to, each with its name."""
    at: datetime


def tell_messages(
    messages: Sequence[ChatMessage], findings: Sequence[Finding], run_id: str
) -> tuple[ShownMessage, ...]:
    """The messages with their numbers linked and their references named."""
    return tuple(
        ShownMessage(
            message.role,
            tuple(linked(line, findings, run_id) for line in message.content.splitlines() if line.strip()),
            references_of(message) if message.role == "assistant" else {},
            message.timestamp,
        )
        for message in messages
    )


def references_of(message: ChatMessage) -> dict[str, str]:
    """Where the answer was taken from, each place once, with its name."""
    found: dict[str, str] = {}
    for artifact in message.artifacts_referenced:
        found |= {place: name for place, name in _references(artifact, message.content).items() if place not in found}
    return found


def _references(artifact: str, content: str) -> dict[str, str]:
    if match := _HYPOTHESIS.fullmatch(artifact):
        return {f"#{match.group(1)}": f"Hypothesis {int(match.group(2))}"}
    if match := _ITERATION.fullmatch(artifact):
        return {f"#round-{int(match.group(1))}": f"Round {int(match.group(1))}"}
    if match := _ARTIFACT.match(artifact):
        return {f"/runs/{match.group(1)}": "The new query with its proof"}
    ranks = _EXPLANATION.findall(content) if artifact == "results/explanations.json" else []
    if ranks:
        return {f"#explanation-{rank}": f"Explanation {rank}" for rank in ranks}
    return _PLACES.get(artifact, {})
