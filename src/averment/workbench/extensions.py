"""What plugins add, over all extension points: the type that each point takes, and the names that are taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from averment.plugins import Addition, overview
from averment.spine.built_in import built_in


def extensions() -> tuple[Addition, ...]:
    """Everything that installed plugins add, each tried once; what cannot be used says why."""
    return overview(_points())


def _points() -> dict[str, tuple[type[Any], Iterable[str]]]:
    from averment.claims.relation import Relation
    from averment.plans.operations import Operation
    from averment.tables.source_kinds import SourceKind
    from averment.tools.tool import Tool

    kinds: dict[str, type[Any]] = {"tools": Tool, "sources": SourceKind, "operations": Operation, "claims": Relation}
    return {point: (kind, built_in(point)) for point, kind in kinds.items()}
