"""Tasks: kept once under their key, undone once, never confused."""

from __future__ import annotations

import threading

import pytest

from averment.errors import InvalidRequest, StoreConflict, TaskNotFound
from averment.records.chat import Task
from averment.store.chat.tasks import ActResult, TaskStore
from averment.store.db.database import Database


@pytest.fixture
def tasks(database: Database) -> TaskStore:
    return TaskStore(database)


def added(tasks: TaskStore, *titles: str, key: str = "a") -> list[int]:
    acted = tasks.add([Task(title=title) for title in titles], key=key)
    return [kept.task.id for kept in acted.tasks if kept.task.id is not None]


def test_a_task_is_pending_until_it_is_completed(tasks: TaskStore) -> None:
    milk, eggs = added(tasks, "milk", "eggs")
    tasks.complete([milk], key="b")
    assert [kept.task.title for kept in tasks.list("pending")] == ["eggs"]
    done = tasks.get(milk).task
    assert done.status == "completed"
    assert done.completed_at is not None
    assert tasks.get(eggs).task.status == "pending"


def test_the_same_key_acts_once_and_tells_the_same(tasks: TaskStore) -> None:
    first = tasks.add([Task(title="milk")], key="a")
    again = tasks.add([Task(title="milk")], key="a")
    assert again.repeated
    assert again.tasks == first.tasks
    assert len(tasks.list()) == 1


def test_fifty_deliveries_at_once_make_one_task(tasks: TaskStore) -> None:
    results: list[ActResult] = []
    threads = [
        threading.Thread(target=lambda: results.append(tasks.add([Task(title="milk")], key="a"))) for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 50
    assert sum(not acted.repeated for acted in results) == 1
    assert len(tasks.list()) == 1


def test_one_key_cannot_name_two_acts(tasks: TaskStore) -> None:
    added(tasks, "milk")
    with pytest.raises(StoreConflict):
        tasks.add([Task(title="eggs")], key="a")


def test_a_missing_task_changes_nothing_of_the_others(tasks: TaskStore) -> None:
    (milk,) = added(tasks, "milk")
    for act in (tasks.complete, tasks.delete):
        with pytest.raises(TaskNotFound):
            act([milk, 999], key="b")
    assert tasks.get(milk).version == 1


def test_another_users_task_is_not_there(tasks: TaskStore) -> None:
    (milk,) = added(tasks, "milk")
    with pytest.raises(TaskNotFound):
        tasks.delete([milk], key="b", user_id="mallory")
    assert tasks.list(user_id="mallory") == []


def test_undo_takes_each_kind_of_act_back_once(tasks: TaskStore) -> None:
    milk, eggs = added(tasks, "milk", "eggs")
    before = tasks.list()
    tasks.change(milk, key="b", title="oat milk", description="two")
    tasks.undo("b", key="u1")
    tasks.complete([milk, eggs], key="c")
    tasks.undo("c", key="u2")
    tasks.delete([milk, eggs], key="d")
    tasks.undo("d", key="u3")
    assert [kept.task for kept in tasks.list()] == [kept.task for kept in before]
    with pytest.raises(InvalidRequest):
        tasks.undo("d", key="u4")


def test_undo_of_adding_removes_what_was_added(tasks: TaskStore) -> None:
    added(tasks, "milk")
    tasks.undo("a", key="u")
    assert tasks.list() == []
    assert added(tasks, "eggs", key="b") == [2]


def test_undo_after_a_later_change_is_refused_and_changes_nothing(tasks: TaskStore) -> None:
    (milk,) = added(tasks, "milk")
    tasks.complete([milk], key="b")
    tasks.change(milk, key="c", title="oat milk")
    with pytest.raises(StoreConflict):
        tasks.undo("b", key="u")
    assert tasks.get(milk).task.title == "oat milk"
    assert tasks.get(milk).task.status == "completed"


def test_the_last_act_is_the_newest_not_undone(tasks: TaskStore) -> None:
    (milk,) = added(tasks, "milk", key="talk/1")
    tasks.complete([milk], key="talk/2")
    tasks.add([Task(title="eggs")], key="other/1")
    assert tasks.last_act(prefix="talk/") == "talk/2"
    tasks.undo("talk/2", key="talk/3")
    assert tasks.last_act(prefix="talk/") == "talk/1"
