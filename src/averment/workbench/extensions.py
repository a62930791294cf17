"""What plugins add, over all extension points: the type that each point takes, and the names that are taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from averment.plugins import Addition, overview
from averment.process_pool.children import child_path
from averment.runtime.built_in import built_in


def extensions() -> tuple[Addition, ...]:
    """Everything that installed plugins add, each tried once; what cannot be used says why."""
    return overview(_points(), child_path)


def _points() -> dict[str, tuple[type[Any], Iterable[str]]]:
    from averment.charts.added import ChartKind
    from averment.claims.relation import Relation
    from averment.corpus.providers.protocol import SearchService
    from averment.corpus.readers.reading import DocumentKind
    from averment.llm.provider import ModelProvider
    from averment.plans.operations import Operation
    from averment.reports.export import ExportFormat
    from averment.runtime.agent import AddedAgent
    from averment.sandbox.choose import AddedJail
    from averment.tables.engines.engine_kinds import EngineKind
    from averment.tables.sources.source_kinds import SourceKind
    from averment.tools.tool import Tool

    kinds: dict[str, type[Any]] = {
        "tools": Tool,
        "agents": AddedAgent,
        "sources": SourceKind,
        "engines": EngineKind,
        "readers": DocumentKind,
        "providers": SearchService,
        "jails": AddedJail,
        "charts": ChartKind,
        "operations": Operation,
        "claims": Relation,
        "exports": ExportFormat,
        "models": ModelProvider,
    }
    return {point: (kind, built_in(point)) for point, kind in kinds.items()}
