"""Which modules are public, and which types of private modules they name; the rest may change or go in any version.

docs/reference/api.md is made from these tables. A test holds the docs, the examples, the benchmarks and the signatures
of the public modules to them.
"""

from __future__ import annotations

FOR_PROGRAMS: dict[str, str] = {
    "averment": (
        "`Workbench`, `Run`, `Settings`, `AvermentError`, and for notebooks `ask`, `ask_async`, `choose`, `verify`"
    ),
    "averment.errors": "every error with its code: [the list](errors.md)",
    "averment.settings": "`Settings`, `load`: [every setting](settings.md)",
    "averment.workbench": "`Workbench`, and `ALL_DELIVERABLES`",
}
"""What each module for programs has."""

FOR_PLUGINS: dict[str, tuple[str, ...]] = {
    "tools": ("averment.tools.tool", "averment.tools.result_store"),
    "agents": (
        "averment.runtime.agent",
        "averment.runtime.decisions",
        "averment.runtime.run_json",
        "averment.runtime.run_context",
        "averment.runtime.run_state",
        "averment.runtime.services",
    ),
    "kinds of sources": ("averment.tables.sources.source_kinds",),
    "engines": ("averment.tables.engines.engine_kinds", "averment.tables.engines.backend", "averment.tables.catalog"),
    "readers of documents": ("averment.corpus.readers.reading",),
    "search providers": ("averment.corpus.providers.protocol", "averment.corpus.web.fetch"),
    "jails": ("averment.sandbox.choose", "averment.sandbox.protocol"),
    "kinds of charts": ("averment.charts.added", "averment.charts.encode"),
    "operations of plans": (
        "averment.plans.operations",
        "averment.plans.plan",
        "averment.plans.columns",
        "averment.plans.compile",
        "averment.plans.expressions",
        "averment.plans.names",
        "averment.plans.query",
        "averment.plans.registry",
        "averment.plans.steps",
    ),
    "relations of claims": (
        "averment.claims.relation",
        "averment.claims.sealed",
        "averment.claims.speech",
        "averment.evidence.bind",
    ),
    "export formats": ("averment.reports.export", "averment.reports.document", "averment.reports.markdown"),
    "model providers": ("averment.llm.provider",),
    "what all of them are given and give back": (
        "averment.records.base",
        "averment.records.run",
        "averment.records.claim",
        "averment.records.analysis",
    ),
    "marking what will go, in a plugin's own interface too": ("averment.deprecation",),
}
"""The modules for each extension point."""

TYPES: dict[str, tuple[str, ...]] = {
    "averment.agents.assistant.agent": ("Assistant",),
    "averment.agents.driller.sessions": ("Sessions",),
    "averment.charts.spec": ("ChartSpec",),
    "averment.corpus.corpus": ("Corpus",),
    "averment.corpus.web.cache": ("PageCache",),
    "averment.corpus.web.client": ("HttpResponse", "WebLimits"),
    "averment.corpus.web.connection": ("Resolve",),
    "averment.evidence.values": ("Scalar",),
    "averment.plugins": ("OneOf", "Plugin"),
    "averment.records.asked": ("RunRequest",),
    "averment.records.chat": ("AgentResponse",),
    "averment.records.dataset": ("DatasetWords",),
    "averment.reports.seal": ("Seal",),
    "averment.runtime.events": ("Listener",),
    "averment.runtime.execution.cancel": ("CancelToken",),
    "averment.runtime.execution.durable": ("Role",),
    "averment.runtime.journal": ("Journal",),
    "averment.runtime.verification.verdict": ("Verification",),
    "averment.store.runs.run_rows": ("RunRow",),
    "averment.store.storage.base": ("Files",),
    "averment.tables.engines.engine": ("Engine",),
    "averment.tables.read.staging": ("StagedTable",),
    "averment.workbench.datasets": ("Datasets",),
    "averment.workbench.given": ("Sources",),
}
"""The types of private modules that signatures of public modules name; of those modules nothing else is public."""

PUBLIC: tuple[str, ...] = tuple(sorted({*FOR_PROGRAMS, *(one for each in FOR_PLUGINS.values() for one in each)}))
"""Every public module."""
