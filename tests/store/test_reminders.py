"""Reminders come, each time once, on both kinds of database, over restarts and however many look at the clock."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from averment.errors import TaskNotFound
from averment.records.chat import Task
from averment.runtime.services import Services
from averment.settings import Settings
from averment.store.chat.reminders import ReminderStore
from averment.store.chat.tasks import TaskStore
from averment.store.db.database import Database
from averment.workbench.reminding import Reminders

NOW = datetime(2030, 5, 6, 12, 0, tzinfo=UTC)
"""Later than any task of these tests was made."""


def wall(moment: datetime) -> str:
    return moment.astimezone().replace(tzinfo=None).isoformat(timespec="minutes")


def store_of(database: Database) -> ReminderStore:
    return ReminderStore(database, day_begins="09:00")


def add(database: Database, title: str, user_id: str = "local", **fields: Any) -> int:
    acted = TaskStore(database).add([Task(title=title, **fields)], key=f"{title}/{user_id}", user_id=user_id)
    return int(acted.tasks[0].task.id or 0)


def test_a_task_rings_once_when_its_time_has_come(database: Database) -> None:
    add(database, "call John", due=wall(NOW))
    store = store_of(database)
    assert store.ring(NOW - timedelta(minutes=1)) == []
    assert [one.title for one in store.ring(NOW)] == ["call John"]
    assert store.ring(NOW + timedelta(hours=1)) == []
    assert [one.title for one in store.waiting()] == ["call John"]


def test_many_that_look_at_once_ring_once(database: Database) -> None:
    for at in range(20):
        add(database, f"task {at}", due=wall(NOW))
    with ThreadPoolExecutor(8) as pool:
        rung = list(pool.map(lambda _: store_of(database).ring(NOW), range(8)))
    assert sorted(one.title for some in rung for one in some) == sorted(f"task {at}" for at in range(20))


def test_a_restart_rings_what_came_meanwhile_and_nothing_again(settings: Settings) -> None:
    first = Database.open(settings)
    add(first, "before", due=wall(NOW))
    add(first, "meanwhile", due=wall(NOW + timedelta(minutes=30)))
    assert [one.title for one in store_of(first).ring(NOW)] == ["before"]
    first.close()
    second = Database.open(settings)
    assert [one.title for one in store_of(second).ring(NOW + timedelta(hours=2))] == ["meanwhile"]
    assert [one.title for one in store_of(second).waiting()] == ["before", "meanwhile"]
    second.close()


def test_a_day_without_a_time_rings_in_the_morning(database: Database) -> None:
    day = NOW.astimezone().date()
    add(database, "pay rent", due=day.isoformat())
    morning = datetime.combine(day, datetime.min.time()).astimezone() + timedelta(hours=9)
    assert store_of(database).ring(morning - timedelta(minutes=1)) == []
    assert len(store_of(database).ring(morning)) == 1


def test_what_is_done_deleted_or_moved_does_not_ring(database: Database) -> None:
    tasks = TaskStore(database)
    done, gone, moved = (add(database, title, due=wall(NOW)) for title in ("done", "gone", "moved"))
    tasks.complete([done], key="1")
    tasks.delete([gone], key="2")
    tasks.change(moved, key="3", due=wall(NOW + timedelta(hours=1)))
    assert store_of(database).ring(NOW) == []
    tasks.undo("2", key="4")
    assert [one.title for one in store_of(database).ring(NOW)] == ["gone"]
    assert [one.title for one in store_of(database).ring(NOW + timedelta(hours=1))] == ["moved"]


def test_a_task_that_repeats_rings_at_each_of_its_times(database: Database) -> None:
    add(database, "pills", due=wall(NOW), repeat="daily")
    store = store_of(database)
    assert [one.at for one in store.ring(NOW)] == [wall(NOW)]
    assert store.ring(NOW + timedelta(hours=23)) == []
    assert [one.at for one in store.ring(NOW + timedelta(days=1))] == [wall(NOW + timedelta(days=1))]
    # Nobody looked for three days: the last of them rings, and not all.
    assert [one.at for one in store.ring(NOW + timedelta(days=4))] == [wall(NOW + timedelta(days=4))]


def test_a_reminder_that_was_seen_waits_no_longer_and_only_its_user_sees_it(database: Database) -> None:
    add(database, "mine", due=wall(NOW))
    add(database, "hers", "anna", due=wall(NOW))
    store = store_of(database)
    store.ring(NOW)
    [mine], [hers] = store.waiting(), store.waiting(user_id="anna")
    with pytest.raises(TaskNotFound):
        store.seen(hers.id, NOW)
    store.seen(mine.id, NOW)
    store.seen(mine.id, NOW)
    assert store.waiting() == []
    assert [one.title for one in store.waiting(user_id="anna")] == ["hers"]


class Hook(HTTPServer):
    """A webhook on loopback that keeps what it gets, and refuses as often as it is told to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.refuses = 0


class _Handler(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = self.server.refuses > 0
        self.server.refuses -= refused
        if not refused:
            self.server.got.append((self.headers["Idempotency-Key"], body))
        self.send_response(503 if refused else 204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        _ = (format, args)


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_webhook_gets_each_reminder_once_and_after_a_refusal_again(settings: Settings, hook: Hook) -> None:
    address = f"http://127.0.0.1:{hook.server_port}/ring"
    with_hook = settings.model_copy(update={"reminder_webhook": address})
    clock = {"now": NOW}
    database = Database.open(settings)
    add(database, "call John", due=wall(NOW))
    database.close()
    hook.refuses = 1
    with closing(Services(with_hook)) as services:
        reminders = Reminders(services, clock=lambda: clock["now"])
        assert len(reminders.ring()) == 1
        assert hook.got == []
        reminders.ring()
        assert hook.got == []  # It is tried again, but not at once.
        clock["now"] += timedelta(minutes=5)
        reminders.ring()
        reminders.ring()
        [waiting] = reminders.waiting()
    [(key, body)] = hook.got
    assert key == waiting.id == body["id"]
    assert body["title"] == "call John"
    assert body["at"] == wall(NOW)
    with closing(Services(with_hook)) as services:
        clock["now"] += timedelta(days=1)
        Reminders(services, clock=lambda: clock["now"]).ring()
    assert len(hook.got) == 1


def test_a_message_that_somebody_died_over_is_sent_by_the_next(database: Database) -> None:
    add(database, "call John", due=wall(NOW))
    store = store_of(database)
    store.ring(NOW)
    assert len(store.lease(NOW)) == 1
    assert store.lease(NOW + timedelta(seconds=30)) == []
    [again] = store.lease(NOW + timedelta(seconds=90))
    store.sent(again.id, NOW)
    assert store.lease(NOW + timedelta(days=1)) == []
