"""kill -9 anywhere in a turn: after a restart the confirmation still works, and the task is changed once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment.records.chat import Task
from averment.settings import Settings
from averment.store.chat.conversations import ConversationStore
from averment.store.chat.tasks import TaskStore
from averment.store.db.database import Database
from averment.workbench import Workbench
from warm import run_script

pytestmark = [pytest.mark.thorough]

VICTIM = Path(__file__).parent / "chat_victim.py"
POINTS = ("taken", "decided", "acted", "replied")


class Home:
    """One home, used by one process after the other."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database.open(settings)
        self.tasks = TaskStore(self.database)
        self.conversations = ConversationStore(self.database)

    def say(self, words: str, message_id: str, *, point: str = "none") -> str:
        """What the assistant answers, in a process of its own; empty where it was killed."""
        url = self.settings.database_url
        environment = {"VICTIM_DATABASE_URL": url} if url else {}
        done = run_script(VICTIM, [self.settings.home, point, message_id, words], environment=environment)
        expected = 0 if point in {"none", "recover"} else -signal.SIGKILL
        assert done.returncode == expected, done.stderr
        return done.stdout.strip()

    def state(self) -> list[tuple[str, str, int]]:
        return [(kept.task.title, kept.task.status, kept.version) for kept in self.tasks.list()]

    def types(self) -> list[str]:
        return [event.type for event in self.conversations.events("talk")]


@pytest.fixture
def embedded(home: Settings) -> Iterator[Home]:
    """A home with its own database."""
    opened = Home(home)
    yield opened
    opened.database.close()


@pytest.fixture
def on_each(settings: Settings) -> Iterator[Home]:
    """A home, once on each kind of database."""
    opened = Home(settings)
    yield opened
    opened.database.close()


@pytest.mark.parametrize("point", POINTS)
def test_a_message_that_is_sent_again_after_a_kill_is_done_once(on_each: Home, point: str) -> None:
    on_each.say("remind me to buy milk", "m1", point=point)
    assert on_each.say("remind me to buy milk", "m1").startswith("success I've added 'buy milk'")
    assert on_each.state() == [("buy milk", "pending", 1)]
    assert on_each.types().count("RUN_STARTED") == on_each.types().count("RUN_FINISHED") == 1


@pytest.mark.parametrize("point", ["taken", "acted"])
def test_a_message_that_nobody_sends_again_is_answered_after_the_restart(on_each: Home, point: str) -> None:
    on_each.say("remind me to buy milk", "m1", point=point)
    assert on_each.say("", "-", point="recover") == "1"
    assert on_each.state() == [("buy milk", "pending", 1)]
    assert on_each.say("", "-", point="recover") == "0"
    assert [message.role for message in on_each.conversations.get("talk").messages] == ["user", "assistant"]


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_the_question_the_confirmation_still_works(embedded: Home, point: str) -> None:
    embedded.tasks.add([Task(title="milk"), Task(title="eggs")], key="given")
    embedded.say("show my tasks", "m1")
    embedded.say("delete task 1", "m2", point="replied" if point == "acted" else point)
    assert embedded.say("", "-", point="recover") == ("0" if point in {"acted", "replied"} else "1")
    assert embedded.say("yes", "m3").startswith("success")
    assert embedded.state() == [("eggs", "pending", 1)]


@pytest.mark.parametrize("point", ["taken", "answered", "decided", "acted", "replied"])
def test_killed_at_the_answer_the_task_goes_once(embedded: Home, point: str) -> None:
    embedded.tasks.add([Task(title="milk"), Task(title="eggs")], key="given")
    embedded.say("show my tasks", "m1")
    embedded.say("delete task 1", "m2")
    embedded.say("yes", "m3", point=point)
    assert embedded.say("yes", "m3").startswith("success I've deleted 'milk'")
    assert embedded.state() == [("eggs", "pending", 1)]
    # The question is used up: a second yes reaches nothing.
    embedded.say("yes", "m4")
    assert embedded.state() == [("eggs", "pending", 1)]


def test_a_yes_that_was_left_lying_does_not_confirm_a_later_question(embedded: Home) -> None:
    embedded.tasks.add([Task(title="milk"), Task(title="eggs")], key="given")
    embedded.say("show my tasks", "m1")
    embedded.say("yes", "m2", point="taken")
    embedded.say("delete task 2", "m3")
    assert embedded.say("", "-", point="recover") == "1"
    assert embedded.state() == [("milk", "pending", 1), ("eggs", "pending", 1)]


@pytest.mark.parametrize("point", ["decided", "acted"])
def test_an_undo_that_was_killed_takes_one_turn_back_and_no_more(on_each: Home, point: str) -> None:
    on_each.say("remind me to buy milk", "m1")
    on_each.say("add eggs and ham to my list", "m2")
    on_each.say("undo", "m3", point=point)
    on_each.say("undo", "m3")
    assert on_each.state() == [("buy milk", "pending", 1)]


def test_a_run_that_a_killed_turn_had_begun_is_gone_on_with_and_not_begun_again(embedded: Home) -> None:
    sales = Path(__file__).parents[2] / "examples" / "sales.csv"
    with Workbench(settings=embedded.settings) as workbench:
        workbench.assistant.attach([str(sales)], conversation_id="talk")
    embedded.say("total amount by region in 2024", "m1", point="acted")
    assert embedded.say("total amount by region in 2024", "m1").startswith("success")
    with Workbench(settings=embedded.settings) as workbench:
        assert [run.status for run in workbench.runs.list()] == ["completed"]
