"""The one registry: which tools there are, and the only way arguments become valid ones."""

from __future__ import annotations

import difflib
from typing import Any

from averment import plugins
from averment.errors import InvalidArguments, UnknownTool
from averment.tools.tool import Args, Tool, validated


class Registry:
    """Tools by name; the same object serves the executor, HTTP and MCP."""

    def __init__(self, tools: tuple[Tool[Any, Any], ...] = ()) -> None:
        self._tools: dict[str, Tool[Any, Any]] = {}
        self._own: set[str] = set()
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool[Any, Any]) -> None:
        """Add a tool; a name can be taken once."""
        if tool.name in self._tools:
            raise InvalidArguments(f"A tool named {tool.name} is already registered.")
        self._tools[tool.name] = tool
        self._own.add(tool.name)

    @property
    def names(self) -> frozenset[str]:
        """The names of all registered tools and of those that plugins add."""
        return frozenset(self._tools).union(plugins.names("tools", self._own))

    def __iter__(self) -> Any:
        added = plugins.additions("tools", Tool, self._own)
        return iter(sorted((self._tools | added).values(), key=lambda tool: tool.name))

    def get(self, name: str) -> Tool[Any, Any]:
        """The tool of that name.

        Raises:
            UnknownTool: there is none.
            PluginFailed: a plugin adds it, and cannot be loaded.
        """
        if name not in self._tools and name in plugins.names("tools", self._own):
            self._tools[name] = plugins.load("tools", name, Tool, self._own)
        if name not in self._tools:
            near = difflib.get_close_matches(name, self._tools, n=1)
            hint = f"Did you mean `{near[0]}`?" if near else f"Tools: {', '.join(sorted(self._tools))}."
            raise UnknownTool(f"There is no tool named {name}.", hint=hint)
        return self._tools[name]

    def validate(self, name: str, arguments: dict[str, Any]) -> Args:
        """The arguments as the tool's own record, checked before anything runs.

        Raises:
            UnknownTool: there is no such tool.
            InvalidArguments: a field is missing, unknown or outside its range.
        """
        return validated(name, self.get(name).args, arguments)


def standard_registry() -> Registry:
    """The tools every agent may use."""
    from averment.tools.df_transform import DF_TRANSFORM
    from averment.tools.document_answer import DOCUMENT_ANSWER
    from averment.tools.metric_attribute import METRIC_ATTRIBUTE
    from averment.tools.metric_breakdown import METRIC_BREAKDOWN
    from averment.tools.page_read import PAGE_READ
    from averment.tools.plot_render import PLOT_RENDER
    from averment.tools.profiler_analyze import PROFILER_ANALYZE
    from averment.tools.python_run import PYTHON_RUN
    from averment.tools.search_corpus import SEARCH_CORPUS
    from averment.tools.search_web import SEARCH_WEB
    from averment.tools.sql_run import SQL_RUN

    over_tables = (SQL_RUN, DF_TRANSFORM, PLOT_RENDER, PROFILER_ANALYZE, PYTHON_RUN, METRIC_ATTRIBUTE, METRIC_BREAKDOWN)
    return Registry((*over_tables, SEARCH_CORPUS, DOCUMENT_ANSWER, SEARCH_WEB, PAGE_READ))
