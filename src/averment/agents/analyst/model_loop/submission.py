"""What a model submits, and how it is checked: a plan, a query, a program over queries, or tasks that hang together.

A submission passes the guard, the policy and the checks of origin, is tried once, and becomes a body that the run's
plan is made of. Names that a model gave its results, its tasks and its columns do not survive it. A tool of a plugin
says what a table is for it by ``input``, the task that left it, or ``inputs``, several of them, as our own do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast, get_args

from pydantic import Field, ValidationError, WithJsonSchema

from averment.agents.analyst.meaning import checked_plan
from averment.agents.analyst.model_loop.readings import same_result
from averment.agents.analyst.model_loop.trials import (
    Trial,
    TrialTask,
    check_code,
    check_given,
    check_result,
    honest_headings,
    trial,
    whole_program,
)
from averment.agents.analyst.repair import passes, quoted_ways, ways
from averment.agents.analyst.skill import QUERY
from averment.charts.added import added_kinds
from averment.charts.kinds import OWN_KINDS
from averment.charts.spec import ChartType
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
from averment.llm.toolsets import Form, ToolCall
from averment.plans.compile import compile_plan
from averment.plans.describe_query import call_columns, describe_sql
from averment.plans.lift import lift_sql
from averment.plans.plan import Plan
from averment.plans.readback import read_back
from averment.plans.registry import AGGREGATES
from averment.plugins import OneOf
from averment.reading.schema.result_values import plain_rows
from averment.records.run import BuiltInTool, Observation
from averment.runtime.act import askers_words, refuse_made_up
from averment.runtime.built_in import built_in
from averment.tables.engines.rewrite_query import quoted_texts
from averment.tools.result_store import StoredTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from averment.plans.query import ComposedQuery
    from averment.runtime.run_context import RunContext
    from averment.tools.registry import Registry
    from averment.tools.tool import Tool

TASK_TOOLS = ("sql.run", "python.run", "df.transform", "profiler.analyze", "plot.render")
TaskTool = Annotated[str, OneOf("tools", TASK_TOOLS, others=get_args(BuiltInTool))]
"""A tool that a submitted task may use: some of our own, none of which leaves the machine, and those of plugins."""

MOST_TASKS = 8
MOST_CHOICES = 4


class ProposedChart(Form, frozen=True):
    """How a result could be drawn: the fields of a chart's specification that a model may fill in."""

    type: ChartType
    x_col: str
    y_col: str | None = None
    series_col: str | None = None
    box_cols: list[str] | None = Field(default=None, min_length=4, max_length=4)

    def over(self, names: Collection[str], renamed: Mapping[str, str]) -> dict[str, Any] | None:
        """The chart as arguments of ``plot.render`` over columns of those names; None where one is not there.

        ``renamed`` are the columns' new names by those that the model wrote.
        """
        columns = self.model_dump(exclude={"type"}, exclude_none=True)
        drawn = with_names(columns, renamed)
        named = {name for value in drawn.values() for name in ([value] if isinstance(value, str) else value)}
        return {"type": self.type, **drawn} if named <= set(names) else None


def with_names(value: Any, renamed: Mapping[str, str]) -> Any:
    """A value of arguments with the new names of columns in the place of those that the model wrote."""
    if isinstance(value, str):
        return renamed.get(value, value)
    if isinstance(value, list):
        return [with_names(each, renamed) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: with_names(each, renamed) for key, each in cast("dict[str, Any]", value).items()}
    return value


class Input(Form, frozen=True):
    """A table for a program: its name there, and the query that gives it."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    sql: str = Field(max_length=20_000)


class Task(Form, frozen=True):
    """One task of a submitted plan of several."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    tool: TaskTool
    arguments: dict[str, Any] = Field(default_factory=dict)
    after: list[str] = Field(default_factory=list)


class Choice(Form, frozen=True):
    """A reading for the person to choose: a plan or a query."""

    sql: str | None = Field(default=None, max_length=20_000)
    plan: dict[str, Any] | None = None


class Submit(ToolCall, frozen=True):
    """Submit the answer: a plan where one can say what is asked, else sql, else code with inputs, or several tasks."""

    OWN: ClassVar[tuple[str, ...]] = ("sql", "plan", "code", "tasks")

    tool: Literal["submit"] = "submit"
    sql: str | None = Field(default=None, max_length=20_000)
    plan: dict[str, Any] | None = None
    code: str | None = Field(default=None, max_length=50_000)
    inputs: list[Input] = Field(default_factory=list[Input], max_length=6)
    tasks: list[Task] = Field(default_factory=list[Task], max_length=MOST_TASKS)
    main: str | None = Field(default=None, description="The task whose table answers.")
    chart: Annotated[ProposedChart, WithJsonSchema({"type": "object"})] | None = None

    @property
    def key(self) -> str:
        """The same for the same submission."""
        return json.dumps(self.given(), sort_keys=True, ensure_ascii=False)


TABLES = ("input", "inputs")
"""The arguments that name tasks whose tables a tool reads."""


def offered(registry: Registry) -> dict[str, Any]:
    """What a model may use beside the tools that it is always told of, every kind of chart, and every figure."""
    own = built_in("tools")
    tools = [
        {"tool": tool.name, "does": tool.description, "arguments": tool.args.model_json_schema()["properties"]}
        for tool in registry
        if tool.name not in own and _only_reads(tool)
    ]
    return {"tools": tools, "charts": [*OWN_KINDS, *added_kinds()], "functions": list(AGGREGATES)}


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


def check_submission(work: RunContext, step: Submit) -> CheckedSubmission:
    """The submission, if it may be run.

    Raises:
        AvermentError: it is refused or fails; the error says why, for the model to correct it.
    """
    if step.plan is not None:
        return _check_plan(work, step.plan)
    if step.tasks:
        return check_tasks(work, step)
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


def _check_program(work: RunContext, step: Submit) -> CheckedSubmission:
    assert step.code is not None
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


_READ_SOURCES = frozenset({"sql.run", "profiler.analyze"})
"""Tools that read no table of another task."""


def check_tasks(work: RunContext, step: Submit) -> CheckedSubmission:
    """The tasks, if each may be run and one of them leaves the answer.

    Raises:
        AvermentError: a task is refused or fails.
    """
    tasks = {task.id: task for task in step.tasks}
    if len(tasks) != len(step.tasks):
        raise InvalidArguments("Two tasks have the same id.")
    registry = work.services.tools.registry
    tabled = [task.id for task in step.tasks if leaves_table(registry, task.tool)]
    main = step.main or next(reversed(tabled), None)
    if main not in tabled:
        raise InvalidArguments("No task produces the answer table.", hint="Name it in main.")
    order = _ordered(tasks)
    made: list[dict[str, Any]] = []
    said: dict[str, str] = {}
    read: set[str] = set()
    chart: dict[str, Any] | None = None
    names: dict[str, dict[str, str]] = {}
    programs = {name for task in step.tasks if task.tool == "python.run" for name in _reads(task)}
    with trial(work) as tried:
        for task in order:
            if task.tool == "plot.render":
                chart = _picture(tried, task, main, names.get(main, {}))
                continue
            if task.tool == "sql.run":
                arguments, names[task.id] = _query_of(work, task, as_written=task.id in programs)
                said[task.id] = _try_query(work, tried, task.id, arguments, read)
            else:
                renamed = {old: new for name in sorted(_reads(task)) for old, new in names.get(name, {}).items()}
                arguments, said[task.id] = _checked(work, tried, task, said, renamed)
            name = QUERY if task.id == main else task.id
            made.append({"id": name, "tool": task.tool, "arguments": arguments, "after": _needs(task, arguments, main)})
        table = tried.table(main)
    last = next(each for each in made if each["id"] == QUERY)
    body = renamed_tasks(
        {
            "kind": "query" if last["tool"] == "sql.run" else "program",
            "said": said[main],
            "tables": sorted(read),
            "limited": last["tool"] != "sql.run" or is_limited(str(last["arguments"]["query"])),
            "tasks": made,
            "chart": chart,
        }
    )
    return CheckedSubmission(
        body=body,
        said=said[main],
        columns=tuple(table.column_names),
        rows=plain_rows(table),
        table=table,
        tables=tuple(sorted(read)),
    )


def _ordered(tasks: dict[str, Task]) -> list[Task]:
    found: list[Task] = []
    waiting = dict(tasks)
    while waiting:
        done = {each.id for each in found}
        ready = [task for task in waiting.values() if _reads(task) <= done]
        if not ready:
            raise InvalidArguments("The tasks depend on each other in a cycle, or on a task that does not exist.")
        found += ready
        waiting = {name: task for name, task in waiting.items() if task not in ready}
    return found


def _reads(task: Task) -> set[str]:
    given = {} if task.tool in _READ_SOURCES else task.arguments
    one, several = (given.get(key) for key in TABLES)
    return ({str(one)} if one else set[str]()) | set(task.after) | {str(each) for each in several or ()}


def _needs(task: Task, arguments: dict[str, Any], main: str) -> list[str]:
    _ = arguments
    return [QUERY if name == main else name for name in sorted(_reads(task))]


def _try_query(work: RunContext, tried: Trial, name: str, arguments: dict[str, Any], read: set[str]) -> str:
    """Try a query; what it does in words."""
    guarded = work.queries.engine().check(str(arguments["query"]))
    read |= guarded.tables
    limits = {"row_limit": work.request.constraints.row_limit, "timeout": TRIAL_SECONDS}
    tried.run(TrialTask(id=name, tool="sql.run", arguments={**arguments, **limits}))
    return describe_sql(guarded.sql, work.catalog.dialect)


def _checked(
    work: RunContext, tried: Trial, task: Task, said: dict[str, str], renamed: dict[str, str]
) -> tuple[dict[str, Any], str]:
    """A task's arguments as they will be run, and what it does in words."""
    if task.tool == "df.transform":
        arguments = {**task.arguments}
        arguments["columns"] = [renamed.get(str(each), each) for each in arguments.get("columns") or ()]
        value = arguments.get("value_column")
        arguments["value_column"] = renamed.get(str(value), value)
        tried.run(TrialTask(id=task.id, tool="df.transform", arguments=arguments))
        parts = [arguments.get("operation"), arguments.get("aggregation"), value and arguments["value_column"]]
        done = " ".join([*(str(part) for part in parts if part), *(["by"] if arguments["columns"] else [])])
        columns = ", ".join(map(str, arguments["columns"]))
        return arguments, f"{done} {columns} of [{said[str(arguments['input'])]}]"
    if task.tool == "profiler.analyze":
        tried.run(TrialTask(id=task.id, tool="profiler.analyze", arguments=task.arguments))
        return dict(task.arguments), "a profile"
    if task.tool != "python.run":
        return _use_added(work, tried, task, said, renamed)
    code, names = str(task.arguments.get("code", "")), [str(each) for each in task.arguments.get("inputs") or ()]
    if not names:
        raise PlanInvalid("A program needs at least one input.")
    check_code(code, names)
    table, headings = run_program(work, tried, code, names)
    tried.keep(task.id, table.rename_columns(headings))
    arguments = {"code": whole_program(code, names, headings), "inputs": names, "timeout": TRIAL_SECONDS}
    return arguments, f"a program over {'; '.join(said[name] for name in names)}"


def _use_added(
    work: RunContext, tried: Trial, task: Task, said: dict[str, str], renamed: dict[str, str]
) -> tuple[dict[str, Any], str]:
    """Try a tool that a plugin adds; its arguments as they will be run, and what it does in words."""
    registry = work.services.tools.registry
    check_allowed(registry, task.tool)
    arguments = called(task.arguments, renamed)
    tried.run(TrialTask(id=task.id, tool=task.tool, arguments=arguments))
    inputs, free = tried.tables(sorted(_reads(task))), list(written(registry, task.tool, arguments))
    for left in tried.tables([task.id]).values():
        check_given(left, free, inputs, work.request.intent)
    columns = {name for table in inputs.values() for name in table.column_names}
    of = ", ".join(str(each) for each in free if each in columns)
    done = " of ".join(part for part in (task.tool, of) if part)
    return arguments, f"{done} over [{'; '.join(said[name] for name in inputs)}]" if inputs else done


def _query_of(work: RunContext, task: Task, *, as_written: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """A query's arguments, and the new names of its columns by those it was written with."""
    plan = task.arguments.get("plan")
    if isinstance(plan, dict):
        composed = plan_query(work, checked_plan(work, plan))
        return {"query": composed.sql, "params": list(composed.params)}, {}
    written = str(task.arguments.get("query") or task.arguments.get("sql") or "")
    if as_written:
        return {"query": guarded_sql(work, written), "params": []}, {}
    called, renamed = called_sql(work, written)
    return {"query": called, "params": []}, renamed


def _picture(tried: Trial, task: Task, main: str, renamed: dict[str, str]) -> dict[str, Any] | None:
    """The picture of the main result; others, and those over columns that are not there, are left out.

    Raises:
        InvalidArguments: it is no chart, or of a kind that there is not.
    """
    if task.arguments.get("input") != main:
        return None
    try:
        chart = ProposedChart.model_validate(task.arguments)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise InvalidArguments(f"The chart of {task.id} cannot be drawn: {problems}.") from error
    return chart.over(tried.table(main).column_names, renamed)
