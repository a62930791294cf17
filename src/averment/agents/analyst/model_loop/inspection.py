"""What a model may look at before it submits: the schema, values, profiles, and what a query or a program gives.

Each look gives an observation as JSON values, under the run's level of privacy. A refusal is an observation too: its
code, a message without what it quotes from the data, and what would help.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.model_loop.cards import ModelView, column_card, table_card
from averment.agents.analyst.model_loop.model_program import check_code
from averment.agents.analyst.model_loop.submission import TRIAL_SECONDS, guarded_sql, run_program
from averment.agents.analyst.model_loop.trial import TrialTask, trial
from averment.errors import AvermentError, InvalidArguments, ToolError

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.agents.analyst.model_loop.forms import Step

SHOWN_ROWS = 20
LOOKED_ROWS = 1_000
MOST_MATCHES = 12
NEAR = 0.72

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”")


def look(view: ModelView, step: Step) -> dict[str, Any]:
    """What the model asked to see.

    Raises:
        AvermentError: what it asked for is refused, fails or is not there.
    """
    match step.tool:
        case "schema":
            return _schema(view, step.table)
        case "profile":
            return _profile(view, step.table, step.column)
        case "look_up_value":
            return _values(view, step.text or "")
        case "try_sql":
            return _query(view, step.sql or "")
        case "try_python":
            return _program(view, step)
        case _:
            raise InvalidArguments(f"{step.tool} is not a tool for inspecting data.")


def refusal(view: ModelView, error: AvermentError) -> dict[str, Any]:
    """An error as a model sees it."""
    said: dict[str, Any] = {"refused": error.code, "message": without_values(error.message, view.names)}
    if view.privacy.permits("values"):
        said["message"] = error.message
    if error.hint:
        said["hint"] = error.hint
    if isinstance(error, ToolError):
        said |= {"suggestion": error.suggestion} if error.suggestion else {}
        said |= {"category": error.category} if error.category else {}
        trace = error.details.get("stderr")
        if isinstance(trace, str) and view.privacy.permits("values"):
            said["traceback"] = trace[-600:]
    return said


def without_values(message: str, names: set[str]) -> str:
    """An error message without what it quotes from the data; names of tables and columns may stay."""
    return _QUOTED.sub(lambda quoted: quoted.group() if quoted.group()[1:-1] in names else "…", message)


def shown_table(
    view: ModelView, table: pa.Table, reads: dict[str, list[tuple[str, str]]], *, truncated: bool = False
) -> dict[str, Any]:
    """A result as a model may see it: its shape, and its first rows where they may be seen."""
    size = table.num_rows
    columns = [
        {"name": field.name, "type": str(field.type)}
        | ({"empty": table.column(field.name).null_count} if table.column(field.name).null_count else {})
        for field in table.schema
    ]
    said: dict[str, Any] = {"row_count": f"more than {size}" if truncated else size, "columns": columns}
    rows = view.privacy.cells(table, reads, SHOWN_ROWS)
    if rows:
        said["rows"] = rows
    return said


def _schema(view: ModelView, table: str | None) -> dict[str, Any]:
    if table is None:
        read = {each.table: [column.name for column in each.columns] for each in view.profiles}
        return {"tables": read | view.unread}
    profile = view.profile(table)
    return table_card(view, profile)


def _profile(view: ModelView, table: str | None, column: str | None) -> dict[str, Any]:
    profile = view.profile(table or (view.profiles[0].table if len(view.profiles) == 1 else ""))
    if column is None:
        return table_card(view, profile)
    found = profile.column(column)
    if found is None:
        names = ", ".join(each.name for each in profile.columns)
        raise InvalidArguments(f"{profile.table} has no column {column}.", hint=f"Columns: {names}.")
    card = column_card(view, profile, found)
    if view.privacy.permits("profiles", profile.table, found.name) and found.quantiles is not None:
        card["quartiles"] = list(found.quantiles)
    if found.values and view.privacy.samples(profile.table, found):
        card["values"] = [[str(value), count] for value, count in found.values[:30]]
        view.privacy.shown.update(str(value) for value, _ in found.values[:30])
    return card


def _values(view: ModelView, text: str) -> dict[str, Any]:
    """Where a text stands in the data: the same, inside, or nearly so; how often only, where values may not be seen."""
    wanted = " ".join(text.casefold().split())
    if not wanted:
        raise InvalidArguments("The search text is empty.", hint="Give text.")
    found: list[tuple[float, str, str, str]] = []
    for table in view.schema.tables.values():
        for column in table.columns:
            if column.kind != "text" or column.expression is not None:
                continue
            for value in column.values:
                near = _nearness(wanted, str(value).casefold())
                if near >= NEAR:
                    found.append((near, table.name, column.name, str(value)))
    found.sort(key=lambda one: (-one[0], one[1], one[2], one[3]))
    matches: list[dict[str, Any]] = []
    for near, table, column, value in found[:MOST_MATCHES]:
        seen = view.may_see(table, column) or value.casefold() == wanted
        if seen:
            view.privacy.shown.add(value)
        matches.append({"column": f"{table}.{column}", "near": round(near, 2)} | ({"value": value} if seen else {}))
    return (
        {"matches": matches} if matches else {"matches": [], "note": "no column of texts holds it or anything near it"}
    )


def _nearness(wanted: str, value: str) -> float:
    if value == wanted:
        return 1.0
    if len(wanted) >= 3 and wanted in value:
        return 0.9
    if len(value) >= 4 and value in wanted:
        return 0.8
    if abs(len(value) - len(wanted)) > max(4, len(wanted) // 2):
        return 0.0
    return difflib.SequenceMatcher(None, wanted, value).ratio()


def _query(view: ModelView, sql: str) -> dict[str, Any]:
    passed = guarded_sql(view.work, sql)
    result = view.work.queries.probe(passed, row_limit=LOOKED_ROWS, timeout=TRIAL_SECONDS)
    return shown_table(view, result.table, view.reads(passed), truncated=result.truncated)


def _program(view: ModelView, step: Step) -> dict[str, Any]:
    names = [each.name for each in step.inputs]
    if not names or step.code is None:
        raise InvalidArguments("A program needs code and at least one input.")
    check_code(step.code, names)
    limits = {"row_limit": view.work.request.constraints.row_limit, "timeout": TRIAL_SECONDS}
    with trial(view.work) as tried:
        for each in step.inputs:
            query = {"query": guarded_sql(view.work, each.sql), **limits}
            tried.run(TrialTask(id=each.name, tool="sql.run", arguments=query))
        table, headings = run_program(view.work, tried, step.code, names)
    reads = [pair for each in step.inputs for pairs in view.reads(each.sql).values() for pair in pairs]
    renamed = table.rename_columns(headings)
    return shown_table(view, renamed, dict.fromkeys(headings, reads))
