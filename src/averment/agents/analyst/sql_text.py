"""A query that a person wrote: nothing is read into it, nothing of it is mended, and its rows are told as they are.

It passes the guard, the policy and the limits like any other query, and each value that is told is bound to its cell.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.recipes import General
from averment.agents.analyst.skill import QUERY, Narrative, own_words, query_cell
from averment.agents.analyst.tasks import QUERY_BASE_SECONDS, query_cost
from averment.errors import InvalidArguments, MissingColumn, MissingTable, SqlRefused, SqlSyntax
from averment.evidence.bind import bind, literal, result, slot
from averment.records.analysis import Plan, Subtask
from averment.records.base import derived_id
from averment.records.run import Finding, Slot
from averment.runtime.decisions import Planned

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptReading
    from averment.tables.guard.statement import GuardedQuery

NAME = "sql_text"
SHORT = 12
"""A result of so many rows is told row by row."""
TOLD_CELLS = 8
METHOD = "the query as it was given"

_QUERY = re.compile(r"(?:select|with)\b.*\bfrom\b", re.IGNORECASE | re.DOTALL)
_MARKS = frozenset("=<>*(")
"""Signs that stand in queries and hardly in questions."""


def typed_query(work: RunContext) -> str | None:
    """The question where it is itself a query over these sources; None where it is a question.

    Words such as "select the best athletes" are a question: nothing in them is written as only queries are.

    Raises:
        SqlRefused, MissingTable, MissingColumn: it is written as only queries are, and cannot be run.
    """
    text = work.request.intent.strip()
    if not _QUERY.match(text) or {"plan", "teach"} & work.state.meaning.keys():
        return None
    try:
        _guarded(work, text)
    except SqlSyntax:
        return None
    except (SqlRefused, MissingTable, MissingColumn):
        if _MARKS.isdisjoint(text):
            return None
        raise
    return text


def plan_sql(work: RunContext, sql: str, *, grade: str = "sql") -> Planned:
    """One task that runs the query, if the guard lets it pass and its result can be proved again.

    Raises:
        SqlRefused, SqlSyntax, MissingTable, MissingColumn: what the guard says.
        InvalidArguments: it has placeholders or two columns of one name, or asks for the time or for chance.
    """
    from averment.plans.describe_query import describe_sql
    from averment.tables.guard.statement import SPOKEN

    guarded, written_for = _guarded(work, sql)
    sql = sql if written_for is None else guarded.sql
    names = [name for name, _ in guarded.outputs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidArguments(
            f"Two columns of the result have the same name: {', '.join(twice)}.",
            hint="Give each its own name: AS …",
        )
    guarded.check_provable(InvalidArguments)
    skill = SqlTextSkill()
    body = {"sql": sql, "tables": sorted(guarded.tables)}
    # A person knows the query that he wrote; one that he chose is told by what it computes.
    chosen = grade == "chosen"
    words = describe_sql(guarded.sql, work.catalog.dialect) if chosen else "the query as it is written"
    if written_for is not None:
        words += f", put from the SQL of {written_for} into that of {SPOKEN[work.catalog.dialect]}"
    reading: KeptReading = {
        "general": General(template="", slots={}).model_dump(mode="json"),
        "recipe": None,
        "skill": NAME,
        "in_words": words,
        "read_as": words,
        "told": [],
        "unread": [],
        "alternatives": [],
        "grade": grade,
        "reading": body,
        "foreseen": {},
    }
    plan = Plan.of(
        plan_id=derived_id(work.run_id, "plan"),
        request_id=work.run_id,
        subtasks=skill.tasks(work, body),
        reasoning=f"Read as: {words}." if chosen else "A query was given; it is run as it is written.",
    )
    return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"))


def _guarded(work: RunContext, sql: str) -> tuple[GuardedQuery, str | None]:
    """The query as the guard lets it pass, and whose SQL it is where it is not that of the source."""
    from averment.tables.guard.statement import translations

    engine = work.queries.engine()
    try:
        return engine.check(sql), None
    except (SqlSyntax, SqlRefused, MissingColumn) as error:
        if isinstance(error, SqlRefused) and error.details.get("reason") != "function":
            raise
        for name, text in translations(sql, work.catalog.dialect):
            with suppress(SqlSyntax, SqlRefused, MissingTable, MissingColumn):
                return engine.check(text), name
        raise


class SqlTextSkill:
    """Runs a query that was given and tells its rows."""

    name = NAME

    def tasks(self, work: RunContext, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query, with all the time the request has: no other attempt follows it."""
        limits = work.request.constraints
        known = {table.name for table in work.catalog.tables}
        cost = sum(query_cost(work, table) for table in reading["tables"] if table in known)
        task = Subtask(
            task_id=QUERY,
            description="Run the query that was given",
            tool_name="sql.run",
            estimated_cost_seconds=cost or QUERY_BASE_SECONDS,
            arguments={
                "query": reading["sql"],
                "params": [],
                "timeout": limits.timeout_seconds,
                "row_limit": limits.row_limit,
            },
        )
        return (task,)

    def conclude(self, work: RunContext, reading: dict[str, Any]) -> Narrative:
        """Each row of a short result; of a longer one how many there are, the first and the last."""
        table = work.table(QUERY)
        if table.num_rows == 1:
            findings = (_row(work, table, 0, "The result is"),)
        elif table.num_rows <= SHORT:
            findings = (_count(work, table), *(_row(work, table, row) for row in range(table.num_rows)))
        else:
            last = table.num_rows - 1
            findings = (
                _count(work, table),
                _row(work, table, 0, "The first is"),
                _row(work, table, last, "The last is"),
            )
        return Narrative(findings=findings, answer=" ".join(finding.text for finding in findings))


def _row(work: RunContext, table: pa.Table, row: int, lead: str = "") -> Finding:
    names = table.column_names[:TOLD_CELLS]
    slots: dict[str, Slot] = {f"c{at}": query_cell(work, QUERY, table, row, name) for at, name in enumerate(names)}
    told = ", ".join(f"{literal(name)} {{c{at}}}" for at, name in enumerate(names))
    template = f"{lead}: {told}." if lead else f"{told}."
    return bind(finding_id=f"row{row}", template=template, slots=slots, method=METHOD, own_words=own_words(work))


def _count(work: RunContext, table: pa.Table) -> Finding:
    call, observation = work.state.answered[QUERY]
    cut = bool((observation.data or {}).get("truncated"))
    return bind(
        finding_id="rows",
        template="The result was cut at {count} rows." if cut else "The result has {count} rows.",
        slots={"count": slot(result(call.call_id, "table.row_count", table.num_rows))},
        method=METHOD,
        own_words=own_words(work),
    )
