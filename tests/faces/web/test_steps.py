"""What the events say of a plan, and the plan as a picture."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from averment.faces.web.runs.run_view import StepView, draw, follow
from averment.runtime.events import Event

PLAN = {
    "subtasks": [
        {"task_id": "a", "tool_name": "sql.run", "description": "first", "dependencies": []},
        {"task_id": "b", "tool_name": "sql.run", "description": "second", "dependencies": []},
        {"task_id": "c", "tool_name": "plot.render", "description": "third", "dependencies": ["a", "b"]},
    ]
}


def told(*events: tuple[str, dict[str, Any]]) -> list[Event]:
    return [
        Event.model_validate(
            {"run_id": "r", "seq": n, "type": kind, "key": f"{kind}:{n}", "data": data, "at": datetime.now(UTC)}
        )
        for n, (kind, data) in enumerate(events, start=1)
    ]


def test_each_step_stands_where_its_last_event_put_it() -> None:
    progress = follow(
        PLAN,
        told(
            ("call_started", {"task_id": "a", "tool_name": "sql.run", "attempt": 1}),
            ("call_observed", {"task_id": "a", "status": "error", "attempt": 1, "seconds": 0.1, "error": "no"}),
            ("call_started", {"task_id": "a", "tool_name": "sql.run", "attempt": 2}),
            ("call_observed", {"task_id": "a", "status": "success", "attempt": 2, "seconds": 0.2, "row_count": 3}),
            ("call_started", {"task_id": "b", "tool_name": "sql.run", "attempt": 1}),
            ("call_skipped", {"task_id": "c", "missing": ["b"]}),
        ),
    )
    assert [step.state for step in progress.steps] == ["done", "running", "skipped"]
    assert (progress.steps[0].attempt, progress.steps[0].row_count, progress.steps[0].error) == (2, 3, None)
    assert (progress.finished, progress.last) == (2, 6)


def test_a_round_adds_its_steps_and_shows_what_was_learned() -> None:
    progress = follow(
        None,
        told(
            ("round_begun", {"number": 1, "decision": "ANALYZE", "reason": "most plausible", "tasks": ["r1"]}),
            ("call_started", {"task_id": "r1", "tool_name": "python.run", "attempt": 1}),
            (
                "round_taken",
                {
                    "number": 1,
                    "iteration": {"compressed_summary": "It is ruled out.", "code_executed": "x = 1"},
                    "hypotheses": [{"title": "Faults", "status": "RULED_OUT", "causal_story": "Days are missing."}],
                },
            ),
            ("round_begun", {"number": 2, "decision": "PIVOT", "reason": "next", "tasks": []}),
        ),
    )
    assert [step.task_id for step in progress.steps] == ["r1"]
    first, second = progress.rounds
    assert first.taken is not None and (first.taken.summary, first.taken.code) == ("It is ruled out.", "x = 1")
    assert second.taken is None
    assert [(line.title, line.status) for line in progress.board] == [("Faults", "ruled_out")]


def test_a_step_stands_to_the_right_of_what_it_waits_for() -> None:
    graph = draw(follow(PLAN, []).steps)
    places = {box.step.task_id: (box.x, box.y) for box in graph.boxes}
    assert places["a"][0] == places["b"][0] < places["c"][0]
    assert places["a"][1] < places["b"][1]
    assert len(graph.lines) == 2
    assert all(x + graph.box_width <= graph.width and y + graph.box_height <= graph.height for x, y in places.values())


def test_steps_that_wait_in_a_circle_are_shown_all_the_same() -> None:
    steps = [
        StepView("a", "sql.run", "", ("b",)),
        StepView("b", "sql.run", "", ("a",)),
        StepView("c", "sql.run", "", ("gone",)),
    ]
    graph = draw(steps)
    assert {box.step.task_id for box in graph.boxes} == {"a", "b", "c"}
