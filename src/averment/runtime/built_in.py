"""What Averment has itself at each extension point: the names that no plugin may take."""

from __future__ import annotations

from typing import get_args


def built_in(point: str) -> frozenset[str]:
    """The names at that point that are Averment's own."""
    match point:
        case "tools":
            from averment.records.run import BuiltInTool

            return frozenset(get_args(BuiltInTool))
        case "sources":
            from averment.tables.sources.source_kinds import BUILT_IN

            return BUILT_IN
        case "operations":
            from averment.plans.statistics import OWN

            return frozenset(OWN)
        case "claims":
            from averment.claims.relation import own_relations

            return frozenset(own_relations())
        case "engines":
            from averment.tables.engines.engine_kinds import OWN as SCHEMES

            return SCHEMES
        case "readers":
            from averment.corpus.readers.own_kinds import OWN_KINDS

            return frozenset(OWN_KINDS)
        case "charts":
            from averment.charts.kinds import OWN_KINDS

            return frozenset(OWN_KINDS)
        case "agents":
            from averment.runtime.agent import OWN

            return frozenset(OWN)
        case "providers":
            from averment.settings import WEB_PROVIDERS

            return frozenset({"corpus", *WEB_PROVIDERS})
        case "jails":
            from averment.settings import BuiltInJail

            return frozenset({"auto", "none", *get_args(BuiltInJail)})
        case "exports":
            from averment.records.export_formats import MEDIA_TYPES

            return frozenset(MEDIA_TYPES)
        case "models":
            from averment.settings import BuiltInModels

            return frozenset({"auto", "none", *get_args(BuiltInModels)})
        case _:
            return frozenset()
