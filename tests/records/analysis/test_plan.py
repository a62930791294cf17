from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from averment.errors import PlanCycle, PlanInvalid, PlanTooCostly
from averment.records.analysis import Plan, Subtask, execution_order, validate_plan
from averment.records.base import new_id
from averment.records.run import BuiltInTool, ToolName

TOOLS = frozenset(get_args(BuiltInTool))


def task(task_id: str, *dependencies: str, cost: float = 1.0, tool: ToolName = "sql.run") -> Subtask:
    return Subtask(
        task_id=task_id,
        description=f"do {task_id}",
        tool_name=tool,
        dependencies=dependencies,
        estimated_cost_seconds=cost,
    )


def plan(*subtasks: Subtask) -> Plan:
    return Plan.of(request_id=new_id(), subtasks=subtasks, reasoning="because")


def names(waves: tuple[tuple[Subtask, ...], ...]) -> list[list[str]]:
    return [[step.task_id for step in wave] for wave in waves]


@st.composite
def acyclic(draw: st.DrawFn) -> Plan:
    """A plan of up to 12 tasks, each waiting for some of the earlier ones, then shuffled."""
    count = draw(st.integers(1, 12))
    tasks = [
        task(f"t{number}", *(f"t{earlier}" for earlier in range(number) if draw(st.booleans())), cost=0.25)
        for number in range(count)
    ]
    return plan(*draw(st.permutations(tasks)))


@pytest.mark.seed("A-020")
def test_a_plan_has_its_fields_and_reads_back_unchanged():
    assert set(Plan.model_fields) == {
        "plan_id",
        "request_id",
        "subtasks",
        "total_estimated_seconds",
        "created_at",
        "reasoning",
    }
    made = plan(task("load"), task("sum", "load"))
    assert Plan.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("A-021")
def test_a_subtask_has_the_seeds_fields_and_its_arguments():
    assert set(Subtask.model_fields) == {
        "task_id",
        "description",
        "tool_name",
        "dependencies",
        "invariants",
        "estimated_cost_seconds",
        "arguments",
    }
    assert task("load").arguments == {}


@pytest.mark.seed("A-021")
@pytest.mark.parametrize("values", [{"task_id": ""}, {"estimated_cost_seconds": -1}, {"tool_name": "shell.run"}])
def test_a_subtask_outside_its_contract_is_refused(values: dict[str, Any]):
    given_values = {"task_id": "a", "description": "d", "tool_name": "sql.run", "estimated_cost_seconds": 1, **values}
    with pytest.raises(ValidationError):
        Subtask.model_validate(given_values)


@pytest.mark.seed("A-023")
def test_a_total_that_is_not_the_sum_is_refused():
    made = plan(task("a", cost=2.5), task("b", cost=0.5), task("c", cost=1.0))
    assert made.total_estimated_seconds == 4.0
    with pytest.raises(ValidationError):
        made.changed(total_estimated_seconds=3.9)


@pytest.mark.seed("A-024")
@pytest.mark.parametrize(
    "subtasks",
    [
        (task("a", "a"),),
        (task("a", "b"), task("b", "a")),
        (task("start"), task("a", "start", "c"), task("b", "a"), task("c", "b")),
    ],
)
def test_a_circle_of_subtasks_is_refused(subtasks: tuple[Subtask, ...]):
    with pytest.raises(PlanCycle):
        execution_order(plan(*subtasks))
    with pytest.raises(PlanCycle):
        validate_plan(plan(*subtasks), timeout_seconds=100, known_tools=TOOLS)


@pytest.mark.seed("A-025")
@pytest.mark.parametrize("subtasks", [(task("a"), task("a")), (task("a", "missing"),)])
def test_a_repeated_task_or_an_unknown_dependency_is_refused(subtasks: tuple[Subtask, ...]):
    with pytest.raises(PlanInvalid):
        validate_plan(plan(*subtasks), timeout_seconds=100, known_tools=TOOLS)


def test_a_plan_without_subtasks_is_refused():
    with pytest.raises(PlanInvalid):
        validate_plan(plan(), timeout_seconds=100, known_tools=TOOLS)


@pytest.mark.seed("A-026")
def test_a_plan_may_take_all_of_the_time_and_no_more():
    exact = plan(*(task(f"t{number}", cost=0.1) for number in range(10)))
    assert validate_plan(exact, timeout_seconds=1, known_tools=TOOLS) is exact
    with pytest.raises(PlanTooCostly):
        validate_plan(plan(task("a", cost=1.0), task("b", cost=0.01)), timeout_seconds=1, known_tools=TOOLS)


@pytest.mark.seed("A-027")
def test_a_tool_that_is_not_registered_is_refused():
    with pytest.raises(PlanInvalid):
        validate_plan(plan(task("a", tool="python.run")), timeout_seconds=9, known_tools=TOOLS - {"python.run"})


@pytest.mark.seed("A-029")
def test_independent_subtasks_share_a_wave_in_the_plans_order():
    made = plan(
        task("plot", "sum"), task("load"), task("profile"), task("sum", "load"), task("report", "sum", "profile")
    )
    assert names(execution_order(made)) == [["load", "profile"], ["sum"], ["plot", "report"]]


@pytest.mark.seed("A-029", "A-024")
@given(acyclic())
def test_every_subtask_runs_once_and_after_its_dependencies(made: Plan):
    waves = execution_order(made)
    done: set[str] = set()
    for wave in waves:
        assert wave
        assert all(done.issuperset(step.dependencies) for step in wave)
        done.update(step.task_id for step in wave)
    assert sorted(step.task_id for wave in waves for step in wave) == sorted(step.task_id for step in made.subtasks)
    assert execution_order(made) == waves


@pytest.mark.seed("A-024")
@given(acyclic(), st.data())
def test_closing_any_chain_into_a_circle_is_refused(made: Plan, data: st.DataObject):
    first = data.draw(st.sampled_from(made.subtasks))
    last = task("last", first.task_id)
    closed = [
        step.changed(dependencies=(*step.dependencies, "last")) if step is first else step for step in made.subtasks
    ]
    with pytest.raises(PlanCycle):
        execution_order(plan(*closed, last))
