"""What a run recorded, as its notebook needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from averment.records.run import Finding, Observation, ToolCall
from averment.reports.seal import Seal


@dataclass(frozen=True)
class Source:
    """A table source: what it is called, and the hash of its content where it has one."""

    name: str
    sha256: str | None


class CitedTexts:
    """The archived texts that findings quote."""

    @staticmethod
    def digests(findings: Iterable[Finding]) -> tuple[str, ...]:
        """Their hashes, each once, in the order they are quoted."""
        spans = (slot.evidence for finding in findings for slot in finding.slots.values())
        return tuple(dict.fromkeys(one.snapshot_sha256 for one in spans if one.kind == "span"))


@dataclass(frozen=True, kw_only=True)
class Recording:
    """All that a run recorded and that its notebook needs."""

    title: str
    answer: str
    kind: str
    seal: Seal
    sources: tuple[Source, ...]
    read: Mapping[str, Any] | None
    calls: tuple[tuple[ToolCall, Observation], ...]
    findings: Sequence[Finding]
    texts: Mapping[str, str]
