"""The id that a tool call's run has: derived from the call, so that the same call finds the run it began."""

from __future__ import annotations

from typing import Any

from averment.records.base import derived_id
from averment.tools.tool import Args

NAMESPACE = "c0a6a3de-0c52-4a53-9a55-8f0f0a6f1d11"
"""Under which the ids of runs are derived from the keys of the calls that begin them."""

LATER = frozenset({"agent"})
"""Arguments that tools have taken only since 0.3.0."""


def run_id_for(args: Args, user_id: str, key: str) -> str:
    """The id of the run that a call with these arguments begins under its key."""
    # A field that came later is left out where nothing is said in it: a call keeps its id over versions.
    later = {name for name in LATER if getattr(args, name, None) is None}
    return derived_id(NAMESPACE, "run", user_id, key, args.model_dump_json(exclude=later))


def run_of_call(tool_name: str, parameters: dict[str, Any], user_id: str, key: str) -> str | None:
    """The id of the run that a planned call begins; None for a tool that begins none."""
    from averment.agents.assistant.plan_tools import Choose
    from averment.agents.assistant.run_tools import Analyze, Drill, Research

    kinds: dict[str, type[Args]] = {"analyze": Analyze, "drill": Drill, "research": Research, "choose": Choose}
    kind = kinds.get(tool_name)
    return None if kind is None else run_id_for(kind.model_validate(parameters), user_id, key)
