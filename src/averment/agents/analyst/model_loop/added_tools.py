"""Tools of plugins in a submitted plan: which a model may use, what it is told of them, and what is passed to them.

A tool says what a table is for it by ``input``, the task that left it, or ``inputs``, several of them, as our own do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

from averment.agents.analyst.model_loop.forms import with_names
from averment.charts.added import added_kinds
from averment.charts.kinds import OWN_KINDS
from averment.errors import PolicyError
from averment.runtime.built_in import built_in
from averment.tools.result_store import StoredTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from averment.tools.registry import Registry
    from averment.tools.tool import Tool

TABLES = ("input", "inputs")
"""The arguments that name tasks whose tables a tool reads."""


def offered(registry: Registry) -> dict[str, Any]:
    """What a model may use beside the tools that it is always told of, and every kind of chart there is."""
    own = built_in("tools")
    tools = [
        {"tool": tool.name, "does": tool.description, "arguments": tool.args.model_json_schema()["properties"]}
        for tool in registry
        if tool.name not in own and _only_reads(tool)
    ]
    return {"tools": tools, "charts": [*OWN_KINDS, *added_kinds()]}


def check_allowed(registry: Registry, name: str) -> None:
    """Pass a tool that only reads; what changes something is for a person to start.

    Raises:
        PolicyError: it may change something.
        AvermentError: there is no such tool, or it cannot be loaded.
    """
    if not _only_reads(registry.get(name)):
        raise PolicyError(f"The tool {name} may change something, so a model cannot use it.", hint="Use another tool.")


def leaves_table(registry: Registry, name: str) -> bool:
    """Whether a tool's output holds a kept table.

    Raises:
        AvermentError: there is no such tool, or it cannot be loaded.
    """
    field = registry.get(name).output.model_fields.get("table")
    return field is not None and StoredTable in (field.annotation, *get_args(field.annotation))


def called(arguments: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """The arguments with the new names of columns in the place of those that the model wrote."""
    return {key: value if key in TABLES else with_names(value, renamed) for key, value in arguments.items()}


def written(registry: Registry, name: str, arguments: Mapping[str, Any]) -> Iterator[Any]:
    """Every text and number that a model was free to write in a tool's arguments: no task, no choice among a few."""
    fields = registry.get(name).args.model_json_schema()["properties"]
    for key, value in arguments.items():
        if key not in TABLES and "enum" not in fields.get(key, {}):
            yield from _leaves(value)


def _only_reads(tool: Tool[Any, Any]) -> bool:
    return tool.annotations.read_only and not tool.annotations.destructive


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = [*cast("dict[str, Any]", value), *cast("dict[str, Any]", value).values()]
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _leaves(each)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield value
