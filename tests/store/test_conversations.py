"""Conversations and questions: one turn a message, one answer a question, thirty days."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from averment.errors import ConversationNotFound, MessageReused, QuestionClosed
from averment.records.base import utc_now
from averment.records.chat import ConversationMetadata, Message, ToolCall
from averment.store.chat.conversations import ConversationStore
from averment.store.chat.questions import PendingQuestion, QuestionStore
from averment.store.db.database import Database


@pytest.fixture
def talks(database: Database) -> ConversationStore:
    return ConversationStore(database)


@pytest.fixture
def questions(database: Database) -> QuestionStore:
    return QuestionStore(database)


def said(content: str, **more: Any) -> Message:
    return Message(role="user", content=content, **more)


def test_a_turn_keeps_message_decision_answer_and_metadata(talks: ConversationStore) -> None:
    talk = talks.open()
    turn = talks.begin_turn(talk.id, said("add milk", id="m1"))
    assert (turn.decision, turn.response, turn.key) == (None, None, f"{talk.id}/m1")
    decided = talks.decide(turn, {"tool": "add_task"})
    assert talks.decide(decided, {"tool": "delete_task"}).decision == {"tool": "add_task"}
    call = ToolCall(tool_name="add_task", parameters={"title": "milk"}, result={"id": 1})
    metadata = ConversationMetadata(task_references={"1": 1}, referenced_at=utc_now(), last_tool_used="add_task")
    reply = Message(id="r1", role="assistant", content="Added.", tool_calls=(call,))
    ended = talks.end_turn(decided, reply, {"response": "Added."}, metadata)
    assert ended.response == {"response": "Added."}
    kept = talks.get(talk.id)
    assert [(message.role, message.content) for message in kept.messages] == [
        ("user", "add milk"),
        ("assistant", "Added."),
    ]
    assert kept.messages[1].tool_calls == (call,)
    assert kept.metadata == metadata


def test_the_same_message_again_finds_its_turn(talks: ConversationStore) -> None:
    talk = talks.open()
    turn = talks.begin_turn(talk.id, said("add milk", id="m1"))
    talks.end_turn(turn, Message(role="assistant", content="Added."), {"response": "Added."}, None)
    again = talks.begin_turn(talk.id, said("add milk", id="m1"))
    assert again.response == {"response": "Added."}
    later = talks.end_turn(again, Message(role="assistant", content="Twice."), {"response": "Twice."}, None)
    assert later.response == {"response": "Added."}
    assert len(talks.get(talk.id).messages) == 2


def test_a_message_id_with_other_words_is_refused(talks: ConversationStore) -> None:
    talk = talks.open()
    talks.begin_turn(talk.id, said("add milk", id="m1"))
    with pytest.raises(MessageReused):
        talks.begin_turn(talk.id, said("delete all", id="m1"))


def test_a_turn_without_an_answer_is_found_after_a_crash(talks: ConversationStore) -> None:
    talk = talks.open()
    turn = talks.begin_turn(talk.id, said("add milk"))
    assert list(talks.unfinished()) == [turn]


def test_anothers_conversation_is_not_there(talks: ConversationStore) -> None:
    talk = talks.open()
    with pytest.raises(ConversationNotFound):
        talks.open(talk.id, user_id="mallory")
    with pytest.raises(ConversationNotFound):
        talks.get(talk.id, user_id="mallory")
    with pytest.raises(ConversationNotFound):
        talks.begin_turn(talk.id, said("hello"), user_id="mallory")


@pytest.mark.seed("D-037")
def test_a_conversation_is_deleted_after_thirty_silent_days(talks: ConversationStore, questions: QuestionStore) -> None:
    old = talks.open()
    talks.begin_turn(old.id, said("hello"))
    questions.ask("q", old.id, "confirm", {})
    assert talks.delete_expired(utc_now() + timedelta(days=29)) == 0
    assert talks.delete_expired(utc_now() + timedelta(days=31)) == 1
    with pytest.raises(ConversationNotFound):
        talks.get(old.id)
    assert questions.pending_question(old.id) is None
    assert list(talks.unfinished()) == []


def test_a_conversation_stays_as_long_as_the_setting_says(database: Database) -> None:
    talks = ConversationStore(database, kept_days=1)
    talks.open()
    assert talks.delete_expired(utc_now() + timedelta(hours=23)) == 0
    assert talks.delete_expired(utc_now() + timedelta(days=2)) == 1


def test_events_are_numbered_without_gaps(talks: ConversationStore) -> None:
    talk = talks.open()
    threads = [threading.Thread(target=lambda: talks.tell(talk.id, "X", {"a": 1})) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.seq for event in talks.events(talk.id)] == list(range(1, 13))
    assert [event.seq for event in talks.events(talk.id, after=10)] == [11, 12]


def test_a_question_takes_one_answer(talks: ConversationStore, questions: QuestionStore) -> None:
    talk = talks.open()
    questions.ask("q", talk.id, "confirm", {"delete": [1]})
    asked = questions.pending_question(talk.id)
    assert asked is not None
    assert asked.body == {"delete": [1]}
    taken: list[PendingQuestion] = []
    refused: list[QuestionClosed] = []

    def answer(by: str) -> None:
        try:
            taken.append(questions.answer("q", talk.id, True, by=by))
        except QuestionClosed as error:
            refused.append(error)

    threads = [threading.Thread(target=answer, args=(f"m{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), len(refused)) == (1, 7)
    assert questions.answer("q", talk.id, True, by=str(taken[0].answered_by)) == taken[0]
    assert questions.pending_question(talk.id) is None


def test_a_forged_late_or_misplaced_answer_changes_nothing(talks: ConversationStore, questions: QuestionStore) -> None:
    talk, other = talks.open(), talks.open()
    questions.ask("q", talk.id, "confirm", {})
    for question_id, conversation_id, later in (
        ("forged", talk.id, timedelta()),
        ("q", other.id, timedelta()),
        ("q", talk.id, timedelta(minutes=31)),
    ):
        with pytest.raises(QuestionClosed):
            questions.answer(question_id, conversation_id, True, by="m", now=utc_now() + later)
    assert questions.pending_question(talk.id) is not None


def test_a_new_question_closes_the_one_before(talks: ConversationStore, questions: QuestionStore) -> None:
    talk = talks.open()
    questions.ask("q1", talk.id, "confirm", {})
    questions.ask("q2", talk.id, "choose", {})
    waiting = questions.pending_question(talk.id)
    assert waiting is not None
    assert waiting.question_id == "q2"
    with pytest.raises(QuestionClosed):
        questions.answer("q1", talk.id, True, by="m")
