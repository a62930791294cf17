"""Writes docs/reference/ from the code itself, so that no setting, error, event, tool or command can go undocumented.

python scripts/make_reference.py            write the pages
python scripts/make_reference.py --check    exit 1 when a page is not what the code says
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, get_args

import click

from averment import errors
from averment.claims.relation import own_relations
from averment.errors import AvermentError
from averment.faces.cli.app import COMMANDS, app
from averment.llm.provider import OWN
from averment.public_modules import FOR_PLUGINS, FOR_PROGRAMS, TYPES
from averment.runtime.events import EventType
from averment.settings import ENV_PREFIX, Settings
from averment.tools.registry import standard_registry

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
MADE = "<!-- Made by scripts/make_reference.py; change the code, not this page. -->\n\n"


def settings_page() -> str:
    """Every setting with its environment variable, default and meaning."""
    lines = [
        "# Settings",
        "",
        "Later sources override earlier ones: defaults, `averment.toml`, environment variables, flags.",
        "",
    ]
    lines += ["| setting | environment | default | meaning |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = ", ".join(field.default) if isinstance(field.default, tuple) else field.default
        shown = "" if default is None else f"`{default}`"
        lines.append(f"| `{name}` | `{ENV_PREFIX}{name.upper()}` | {shown} | {field.description} |")
    names = [name for own in OWN.values() for name in (own.key_name, own.url_name) if name]
    keys = ", ".join(f"`{name}`" for name in names)
    lines += [
        "",
        f"Model keys keep their vendors' names: {keys}.",
    ]
    return "\n".join(lines) + "\n"


def errors_page() -> str:
    """Every error code with exit code, HTTP status and meaning."""
    lines = [
        "# Errors",
        "",
        "Every error has a stable code, a message and a hint. Check the code, not the message.",
        "",
    ]
    lines += ["| code | exit | HTTP | retryable | category | meaning |", "|---|---:|---:|---|---|---|"]
    kinds = [getattr(errors, name) for name in errors.__all__]
    for kind in sorted(
        (k for k in kinds if isinstance(k, type) and issubclass(k, AvermentError)), key=lambda k: k.code
    ):
        meaning = (kind.__doc__ or "").strip().splitlines()[0]
        lines.append(
            f"| `{kind.code}` | {kind.exit_code} | {kind.http_status} | {'yes' if kind.retryable else 'no'} "
            f"| {kind.category or ''} | {meaning} |"
        )
    return "\n".join(lines) + "\n"


def events_page() -> str:
    """Every event a run can tell."""
    lines = ["# Events", "", "A run records these events in order and streams them over server-sent events (SSE).", ""]
    return "\n".join(lines + [f"- `{name}`" for name in get_args(EventType)]) + "\n"


def tools_page() -> str:
    """Every tool with its arguments."""
    lines = [
        "# Tools",
        "",
        "Agents use these tools inside a run. The [MCP guide](../guides/mcp.md) lists the tools for other programs.",
        "",
    ]
    for tool in standard_registry():
        lines += [f"## `{tool.name}`", "", tool.description, "", "| argument | required | meaning |", "|---|---|---|"]
        for name, field in tool.args.model_fields.items():
            lines.append(f"| `{name}` | {'yes' if field.is_required() else 'no'} | {field.description} |")
        lines.append("")
    return "\n".join(lines)


def commands_page() -> str:
    """The help text of every command."""
    lines = ["# Commands", "", "The help text of every command.", "", "```", _help(app, "averment"), "```", ""]
    with click.Context(app, info_name="averment") as context:
        for name in COMMANDS:
            command = app.get_command(context, name)
            if command is None:
                continue
            lines += [f"## averment {name}", "", "```", _help(command, f"averment {name}"), "```", ""]
            for inner, each in sorted(getattr(command, "commands", {}).items()):
                lines += ["```", _help(each, f"averment {name} {inner}"), "```", ""]
    return "\n".join(lines)


def _help(command: Any, name: str) -> str:
    context = click.Context(command, info_name=name, terminal_width=100, max_content_width=100)
    return command.get_help(context).rstrip()


def sql_page() -> str:
    """Every SQL function that passes the guard, by dialect."""
    from averment.tables.guard.allowed import FUNCTIONS, TABLE_FUNCTIONS

    lines = [
        "# SQL",
        "",
        "A query is one read-only statement over the opened tables. It may use these functions and no others.",
        "",
    ]
    for dialect in sorted(FUNCTIONS):
        lines += [f"## {dialect}", "", ", ".join(f"`{name}`" for name in sorted(FUNCTIONS[dialect])), ""]
        tables = ", ".join(f"`{name}`" for name in sorted(TABLE_FUNCTIONS[dialect]))
        lines += [f"In FROM: {tables}.", ""]
    return "\n".join(lines)


def claims_page() -> str:
    """The page about claims as it is written by hand, with the table of relations as the code has them."""
    page = (FOLDER / "claims.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {relation.promise} |" for name, relation in sorted(own_relations().items())]
    return _with_rows(page, "| relation | what it promises |", rows)


def plan_page() -> str:
    """The page about plans as it is written by hand, with the statistics, figures and windows as the code has them."""
    from averment.plans.plan import Plan
    from averment.plans.registry import AGGREGATES, WINDOWS
    from averment.plans.statistics import OWN as STATISTICS

    schema = Plan.model_json_schema()["$defs"]["Plan"]["properties"]["statistic"]["anyOf"][0]
    bodies = {body["properties"]["kind"]["const"]: body for body in schema["oneOf"]}
    rows = [f"| `{name}` | {kind.promise} {_fields(bodies[name])} |" for name, kind in STATISTICS.items()]
    page = (FOLDER / "plan.md").read_text(encoding="utf-8")
    for heading, field, names in (("Measure", "function", AGGREGATES), ("Window", "kind", WINDOWS)):
        before, head, after = page.partition(f"### {heading}\n")
        row = f"| `{field}` | {_code(tuple(names))} |"
        page = before + head + re.sub(rf"^\| `{field}` \|.*$", row, after, count=1, flags=re.MULTILINE)
    return _with_rows(page, "| kind | what it finds, and its fields |", rows)


def _fields(body: dict[str, Any]) -> str:
    """The fields of a record in words: how many values, which choices, and whether they may be left out."""
    parts: list[str] = []
    for name, field in body["properties"].items():
        choices = [each for option in field.get("anyOf", [field]) for each in option.get("enum", ())]
        least, most = field.get("minItems"), field.get("maxItems")
        about = ", ".join(f"`{each}`" for each in choices) or (
            f"at least {least}" if least and not most else f"{most} values" if least == most and (most or 0) > 1 else ""
        )
        free = "" if name in body["required"] else "optional"
        told = "; ".join(each for each in (free, about) if each)
        parts += [f"`{name}`" + (f" ({told})" if told else "")] if name != "kind" else []
    return f"Fields: {', '.join(parts)}."


def api_page() -> str:
    """The page about the Python interface as it is written by hand, with the public modules as the code lists them."""
    page = (FOLDER / "api.md").read_text(encoding="utf-8")
    programs = [f"| `{module}` | {has} |" for module, has in FOR_PROGRAMS.items()]
    plugins = [f"| {_code(modules)} | {point} |" for point, modules in FOR_PLUGINS.items()]
    types = [f"| {_code(names)} | `{module}` |" for module, names in TYPES.items()]
    page = _with_rows(page, "| module | what it has |", programs)
    page = _with_rows(page, "| module | for which extension point |", plugins)
    return _with_rows(page, "| type | where it is |", types)


def _with_rows(page: str, heading: str, rows: list[str]) -> str:
    """A page with the rows of the one table that has that heading."""
    before, head, after = page.partition(f"{heading}\n|---|---|\n")
    return before + head + "\n".join(rows) + "\n\n" + after.partition("\n\n")[2]


def _code(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


PAGES = {
    "settings.md": settings_page,
    "errors.md": errors_page,
    "events.md": events_page,
    "tools.md": tools_page,
    "commands.md": commands_page,
    "sql.md": sql_page,
}


def main() -> int:
    """Write or check every page."""
    from made_pages import write_or_check

    return write_or_check(
        {FOLDER / name: MADE + make() for name, make in PAGES.items()}
        | {FOLDER / "claims.md": claims_page(), FOLDER / "api.md": api_page(), FOLDER / "plan.md": plan_page()}
    )


if __name__ == "__main__":
    sys.exit(main())
