"""A submitted plan of several tasks: checked one by one, tried in order, and given names of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from averment.agents.analyst.meaning import checked_plan
from averment.agents.analyst.model_loop.added_tools import TABLES, called, check_allowed, leaves_table, written
from averment.agents.analyst.model_loop.forms import ProposedChart
from averment.agents.analyst.model_loop.model_program import check_code, check_given, whole_program
from averment.agents.analyst.model_loop.submission import (
    TRIAL_SECONDS,
    CheckedSubmission,
    called_sql,
    guarded_sql,
    is_limited,
    plan_query,
    renamed_tasks,
    run_program,
)
from averment.agents.analyst.model_loop.trial import Trial, TrialTask, trial
from averment.agents.analyst.skill import QUERY
from averment.errors import InvalidArguments, PlanInvalid
from averment.reading.schema.result_values import plain_rows

if TYPE_CHECKING:
    from averment.agents.analyst.model_loop.forms import Step, Task
    from averment.runtime.run_context import RunContext

_READ_SOURCES = frozenset({"sql.run", "profiler.analyze"})
"""Tools that read no table of another task."""


def check_tasks(work: RunContext, step: Step) -> CheckedSubmission:
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
    from averment.plans.describe_query import describe_sql

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
