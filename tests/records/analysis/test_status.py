from typing import get_args

import pytest

from averment.errors import IllegalTransition
from averment.records.analysis import ENDED, PLAN_STATES, REQUEST_STATES, RUN_STATES, PlanState, RequestState, RunStatus
from averment.records.base import StateMachine


def taken(machine: StateMachine[str]) -> set[tuple[str, str]]:
    """Every step the machine takes, tried one by one."""
    found: set[tuple[str, str]] = set()
    for current in machine.states:
        for following in machine.states:
            try:
                machine.step(current, following)
            except IllegalTransition:
                continue
            found.add((current, following))
    return found


@pytest.mark.seed("A-015")
def test_a_request_takes_the_seeds_steps_alone():
    assert REQUEST_STATES.states == set(get_args(RequestState))
    assert taken(REQUEST_STATES) == {
        ("submitted", "planning"),
        ("planning", "executing"),
        ("executing", "completed"),
        ("executing", "failed"),
        ("executing", "partial_success"),
    }


@pytest.mark.seed("A-028")
def test_a_plan_takes_the_seeds_steps_alone():
    assert PLAN_STATES.states == set(get_args(PlanState))
    assert taken(PLAN_STATES) == {
        ("draft", "validated"),
        ("validated", "executing"),
        ("executing", "completed"),
        ("executing", "abandoned"),
    }


def test_a_run_knows_every_step_of_a_request():
    assert RUN_STATES.states == set(get_args(RunStatus))
    assert taken(REQUEST_STATES) <= taken(RUN_STATES)


def test_an_answered_run_never_moves_again():
    for status in ("completed", "partial_success", "abstained", "clarification_needed"):
        assert not RUN_STATES.steps[status]


def test_only_a_failed_or_cancelled_run_is_resumed_and_never_submitted_anew():
    resumed = {(current, following) for current, following in taken(RUN_STATES) if current in ENDED}
    assert {current for current, _ in resumed} == {"failed", "cancelled"}
    assert {following for _, following in resumed} == {"planning", "executing"}
    assert all(following != "submitted" for _, following in taken(RUN_STATES))


def test_a_run_can_be_cancelled_until_it_has_ended():
    assert {current for current, following in taken(RUN_STATES) if following == "cancelled"} == (
        set(get_args(RunStatus)) - ENDED
    )
