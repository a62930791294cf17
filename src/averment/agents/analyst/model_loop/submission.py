"""What a model submits, checked: a plan, a query, a program over queries, or several tasks that hang together.

A submission passes the guard, the policy and the checks of origin, is tried once, and becomes a body that the run's
plan is made of. Names that a model gave its results, its tasks and its columns do not survive it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from averment.agents.analyst.meaning import checked_plan
from averment.agents.analyst.model_loop.model_program import check_code, check_result, honest_headings, whole_program
from averment.agents.analyst.model_loop.trial import Trial, TrialTask, trial
from averment.agents.analyst.model_loop.witness import same_result
from averment.agents.analyst.repair import passes, quoted_ways, ways
from averment.agents.analyst.skill import QUERY
from averment.errors import (
    AvermentError,
    InvalidArguments,
    MissingColumn,
    PlanInvalid,
    PolicyError,
    ResourceExhausted,
    SqlSyntax,
    ToolError,
)
from averment.plans.compile import compile_plan
from averment.plans.plan import Plan
from averment.plans.readback import read_back
from averment.reading.schema.result_values import plain_rows
from averment.records.run import Observation
from averment.runtime.act import askers_words, refuse_made_up

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.agents.analyst.model_loop.forms import ProposedChart, Step
    from averment.runtime.run_context import RunContext
    from averment.tables.compose.composed_query import ComposedQuery

TRIAL_SECONDS = 20
TRIAL_ROWS = 2_000


@dataclass(kw_only=True)
class CheckedSubmission:
    """A submission that may become the run's plan, with what a trial of it gave."""

    body: dict[str, Any]
    said: str
    plan: Plan | None = None
    columns: tuple[str, ...] = ()
    rows: list[list[Any]] | None = None
    table: pa.Table | None = None
    truncated: bool = False
    tables: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list[str])


def check_submission(work: RunContext, step: Step) -> CheckedSubmission:
    """The submission, if it may be run.

    Raises:
        AvermentError: it is refused or fails; the error says why, for the model to correct it.
    """
    if step.plan is not None:
        return _check_plan(work, step.plan)
    if step.tasks:
        return _check_tasks(work, step)
    if step.code is not None:
        return _check_program(work, step)
    if step.sql is not None:
        return _check_query(work, step.sql, step.chart)
    raise InvalidArguments("The submission is empty.", hint="Give sql, plan, code or tasks.")


def guarded_sql(work: RunContext, sql: str) -> str:
    """The query if guard, policy and the check of origins let it pass, with quotes where those were all it lacked.

    Raises:
        AvermentError: it is refused.
    """
    try:
        guarded = work.queries.engine().check(sql)
    except SqlSyntax:
        repaired = next((way for way in quoted_ways(work, sql) if passes(work, way)), None)
        if repaired is None:
            raise
        guarded = work.queries.engine().check(repaired)
    except MissingColumn:
        plain = _plain_texts(work, sql)
        if plain is None or not passes(work, plain):
            raise
        guarded = work.queries.engine().check(plain)
    work.gate.check_columns(guarded.columns)
    guarded.check_provable(PlanInvalid)
    refuse_made_up(work, guarded.sql)
    return guarded.sql


def _plain_texts(work: RunContext, sql: str) -> str | None:
    """The query with texts in double quotes made plain texts, where the dialect reads them so."""
    from averment.tables.engines.rewrite_query import quoted_texts

    if work.catalog.dialect != "sqlite":
        return None
    return quoted_texts(
        sql, [n for table in work.catalog.tables for n in (table.name, *(c.name for c in table.columns))]
    )


def called_sql(work: RunContext, sql: str) -> tuple[str, dict[str, str]]:
    """The query with its result columns called by what they are, and their new names by the old ones.

    Raises:
        AvermentError: it is refused.
    """
    from averment.plans.describe_query import call_columns

    passed = guarded_sql(work, sql)
    before = work.queries.engine().check(passed).outputs
    called = call_columns(passed, work.catalog.dialect, outputs=[name for name, _ in before], own=askers_words(work))
    after = work.queries.engine().check(called).outputs
    return called, {old: new for (old, _), (new, _) in zip(before, after, strict=False)}


def plan_query(work: RunContext, plan: Plan) -> ComposedQuery:
    """The query of a model's plan, if it makes nothing up.

    Raises:
        PlanInvalid: it does.
    """
    composed = compile_plan(plan).compose(work.catalog.dialect)
    refuse_made_up(work, composed.sql, composed.params)
    return composed


def _check_plan(work: RunContext, body: dict[str, Any]) -> CheckedSubmission:
    plan = checked_plan(work, body)
    composed = plan_query(work, plan)
    result = work.queries.probe(composed.sql, composed.params, row_limit=TRIAL_ROWS, timeout=TRIAL_SECONDS)
    return CheckedSubmission(
        body={"plan": plan.to_json()},
        said=read_back(plan),
        plan=plan,
        columns=tuple(result.table.column_names),
        rows=plain_rows(result.table),
        table=result.table,
        truncated=result.truncated,
        tables=tuple(sorted(plan.tables())),
    )


def _check_query(work: RunContext, sql: str, chart: ProposedChart | None) -> CheckedSubmission:
    from averment.plans.describe_query import describe_sql

    called, renamed = called_sql(work, sql)
    guarded = work.queries.engine().check(called)
    said = describe_sql(called, work.catalog.dialect)
    after = [name for name, _ in guarded.outputs]
    body: dict[str, Any] = {
        "kind": "query",
        "said": said,
        "tables": sorted(guarded.tables),
        "limited": is_limited(called),
        "tasks": [{"id": QUERY, "tool": "sql.run", "arguments": {"query": called, "params": []}, "after": []}],
        "chart": None if chart is None else chart.over(after, renamed),
    }
    checked = CheckedSubmission(body=body, said=said, columns=tuple(after), tables=tuple(sorted(guarded.tables)))
    try:
        result = work.queries.probe(called, row_limit=TRIAL_ROWS, timeout=TRIAL_SECONDS)
    except ResourceExhausted:
        checked.notes.append("it takes long, so it was not tried")
        return checked
    except ToolError as error:
        if _is_repairable(work, called, error):
            return checked
        raise
    checked.rows, checked.table, checked.truncated = plain_rows(result.table), result.table, result.truncated
    checked.columns = tuple(result.table.column_names)
    return checked


def lifted(work: RunContext, checked: CheckedSubmission) -> CheckedSubmission:
    """The submission as a plan, where it is a query of the common shape and the plan gives the very same rows.

    A plan is read back in words, followed up and corrected; any other query stays as it is.
    """
    from averment.plans.lift import lift_sql

    body = checked.body
    if body.get("kind") != "query" or body["chart"] is not None or checked.rows is None or checked.truncated:
        return checked
    query = str(body["tasks"][0]["arguments"]["query"])
    plan = lift_sql(query, work.catalog, work.catalog.dialect)
    if plan is None:
        return checked
    try:
        found = _check_plan(work, plan)
    except AvermentError:
        return checked
    if found.rows is None or len(found.columns) < len(checked.columns) or found.truncated or found.plan is None:
        return checked
    if found.plan.asks == "any" and checked.rows in ([[bool(found.rows)]], [[int(bool(found.rows))]]):
        return found
    if not same_result(found.rows, checked.rows):
        return checked
    # An order that was asked for stays as it is, also among equals.
    in_order = all(same_result([one], [other]) for one, other in zip(found.rows, checked.rows, strict=True))
    return found if in_order or not re.search(r"\border\s+by\b", query, re.IGNORECASE) else checked


def is_limited(sql: str) -> bool:
    """Whether a query may have left rows out by their order."""
    return re.search(r"\b(limit|fetch|qualify|row_number|rank|offset)\b", sql, re.IGNORECASE) is not None


def _is_repairable(work: RunContext, sql: str, error: ToolError) -> bool:
    """Whether the run's own repair would make the query run, with a caveat that says so."""
    seen = Observation(
        observation_id="00000000-0000-0000-0000-000000000000",
        call_id="00000000-0000-0000-0000-000000000000",
        status="error",
        data={"suggestion": error.suggestion},
        error_message=error.message,
        error_category=error.category or "type_mismatch",
        execution_time_seconds=0.001,
    )
    if seen.error_category == "missing_column":
        return False
    for way in ways(work, sql, seen):
        try:
            work.queries.probe(way, row_limit=1, timeout=TRIAL_SECONDS)
        except (ToolError, PolicyError):
            continue
        return True
    return False


def _check_program(work: RunContext, step: Step) -> CheckedSubmission:
    assert step.code is not None
    from averment.plans.describe_query import describe_sql

    names = [each.name for each in step.inputs]
    if not names or len(set(names)) != len(names):
        raise InvalidArguments(
            "A program needs at least one input, each with its own name.",
            hint='inputs: [{"name": "t", "sql": "SELECT …"}]',
        )
    check_code(step.code, names)
    # The program reads its tables by the names their queries gave them; nobody else does.
    queries = {each.name: guarded_sql(work, each.sql) for each in step.inputs}
    tasks = [
        TrialTask(id=name, tool="sql.run", arguments={"query": sql, **_limits(work)}) for name, sql in queries.items()
    ]
    with trial(work) as tried:
        tried.run_all(tasks)
        _refuse_cut(tried, names)
        table, headings = run_program(work, tried, step.code, names)
    said = f"a program over {'; '.join(describe_sql(sql, work.catalog.dialect) for sql in queries.values())}"
    body: dict[str, Any] = {
        "kind": "program",
        "said": said,
        "tables": sorted({table for sql in queries.values() for table in work.queries.engine().check(sql).tables}),
        "limited": True,
        "tasks": [
            *(
                {"id": task.id, "tool": task.tool, "arguments": {"query": queries[task.id], "params": []}, "after": []}
                for task in tasks
            ),
            {
                "id": QUERY,
                "tool": "python.run",
                "arguments": {"code": whole_program(step.code, names, headings), "inputs": names},
                "after": names,
            },
        ],
        "chart": None,
    }
    return CheckedSubmission(
        body=renamed_tasks(body),
        said=said,
        columns=tuple(headings),
        rows=plain_rows(table),
        table=table,
        tables=tuple(body["tables"]),
    )


def _refuse_cut(tried: Trial, names: list[str]) -> None:
    for name in names:
        if tried.outputs[name].get("truncated"):
            raise PlanInvalid(
                f"The table {name} was cut at the row limit, so a program over it would compute something else.",
                hint="Aggregate in the query, or read fewer rows.",
            )


def run_program(work: RunContext, tried: Trial, code: str, names: list[str]) -> tuple[pa.Table, list[str]]:
    """What a program gives over tables that were tried, and the headings it may have.

    Raises:
        AvermentError: it fails, leaves no table, or its result is made up.
    """
    arguments = {"code": whole_program(code, names), "inputs": names, "timeout": TRIAL_SECONDS}
    tried.run(TrialTask(id="program", tool="python.run", arguments=arguments, after=tuple(names)))
    if tried.outputs["program"].get("table") is None:
        raise PlanInvalid("The program produced no table.")
    table, inputs = tried.table("program"), {name: tried.table(name) for name in names}
    known = [work.request.intent, *(column.name for each in work.catalog.tables for column in each.columns)]
    headings = honest_headings(table.column_names, known)
    empty: pa.Table | None = None
    try:
        for name in names:
            tried.keep(f"{name}", inputs[name].slice(0, 0))
        tried.run(TrialTask(id="over_nothing", tool="python.run", arguments=arguments, after=tuple(names)))
        empty = tried.table("over_nothing")
    except AvermentError:
        empty = None  # Most programs need a row; one that fails without any has looked at them.
    check_result(table, code, inputs, work.request.intent, over_nothing=empty)
    return table, headings


def _check_tasks(work: RunContext, step: Step) -> CheckedSubmission:
    """Several tasks: queries or plans, transformations, programs, profiles and a picture."""
    from averment.agents.analyst.model_loop.task_graph import check_tasks

    return check_tasks(work, step)


def _limits(work: RunContext) -> dict[str, int]:
    limits = work.request.constraints
    return {"timeout": min(TRIAL_SECONDS, limits.timeout_seconds), "row_limit": limits.row_limit}


def renamed_tasks(body: dict[str, Any]) -> dict[str, Any]:
    """The body with names of our own for its tasks; what a model called them is said nowhere."""
    names = {QUERY: QUERY}
    for task in body["tasks"]:
        names.setdefault(task["id"], f"part{len(names)}")
    made: list[dict[str, Any]] = []
    for task in body["tasks"]:
        arguments: dict[str, Any] = dict(task["arguments"])
        if task["tool"] == "python.run":
            # The program reads its tables by the names it knows; the files carry ours.
            reads = {name: names[name] for name in arguments["inputs"]}
            for name, ours in reads.items():
                arguments["code"] = arguments["code"].replace(f"_load({name!r})", f"_load({ours!r})")
            arguments["inputs"] = list(reads.values())
        else:
            if isinstance(one := arguments.get("input"), str):
                arguments["input"] = names.get(one, one)
            if isinstance(several := arguments.get("inputs"), list):
                arguments["inputs"] = [names.get(str(each), each) for each in cast("list[Any]", several)]
        after = [names[each] for each in task["after"]]
        made.append({**task, "id": names[task["id"]], "arguments": arguments, "after": after})
    return {**body, "tasks": made}


def submission_key(step: Step) -> str:
    """The same for the same submission."""
    return json.dumps(step.submitted(), sort_keys=True, ensure_ascii=False)
