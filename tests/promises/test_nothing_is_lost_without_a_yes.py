"""What would be lost is named and asked for; a yes is used up, an undo brings back, and everything happens once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from talking import Program

from averment import Workbench
from golden import TALK, TASK, GoldenHome, Server


@pytest.fixture
def server(golden_home: GoldenHome) -> Iterator[Server]:
    with golden_home.serve() as opened:
        yield opened


def titles(workbench: Workbench) -> list[str]:
    return [kept.task.title for kept in workbench.home.tasks.list()]


def test_a_chat_asks_by_name_and_deletes_on_yes_alone(golden_home: GoldenHome) -> None:
    with golden_home.open() as workbench:
        question = workbench.assistant.question(TALK)
        assert question is not None and TASK in str(question)
        workbench.chat("what is the weather like?", conversation_id=TALK)
        assert titles(workbench) == [TASK]
        asked = workbench.chat(f"delete {TASK}", conversation_id=TALK)
        assert asked.status == "confirmation_required" and TASK in asked.response
        workbench.chat("no", conversation_id=TALK)
        assert titles(workbench) == [TASK]
        workbench.chat(f"delete {TASK}", conversation_id=TALK)
        assert workbench.chat("yes", conversation_id=TALK).status == "success"
        assert titles(workbench) == []


def test_a_question_survives_the_end_of_the_program_and_its_yes_counts_once(golden_home: GoldenHome) -> None:
    said = golden_home.cli("chat", "yes", "--conversation", TALK, "--message-id", "the-yes", "--json")
    assert (said.code, said.document["status"]) == (0, "success")
    with golden_home.open() as workbench:
        assert titles(workbench) == []
        workbench.chat(f"remind me to {TASK}", conversation_id=TALK)
    again = golden_home.cli("chat", "yes", "--conversation", TALK, "--message-id", "the-yes", "--json")
    assert again.document["response"] == said.document["response"]
    golden_home.cli("chat", "yes", "--conversation", TALK)
    with golden_home.open() as workbench:
        assert titles(workbench) == [TASK]


def test_an_undo_in_a_chat_takes_the_last_turn_back_and_no_more(golden_home: GoldenHome) -> None:
    with golden_home.open() as workbench:
        workbench.chat("yes", conversation_id=TALK)
        workbench.chat("remind me to trim the wick", conversation_id=TALK)
        assert titles(workbench) == ["trim the wick"]
        workbench.chat("undo", conversation_id=TALK, message_id="the-undo")
        workbench.chat("undo", conversation_id=TALK, message_id="the-undo")
        assert titles(workbench) == []


def test_a_message_that_is_sent_twice_is_done_once(server: Server) -> None:
    sent = {"message": "remind me to trim the wick", "conversation_id": TALK, "message_id": "once"}
    first, second = (server.client.post("/v1/chat", json=sent).json() for _ in range(2))
    assert first["response"] == second["response"]
    assert sorted(titles(server.workbench)) == [TASK, "trim the wick"]


def test_a_request_with_the_same_key_is_one_run_and_with_another_question_is_refused(
    server: Server, golden_home: GoldenHome
) -> None:
    def ask(intent: str) -> tuple[int, dict[str, object]]:
        files = [("files", ("orders.csv", golden_home.golden.orders.read_bytes()))]
        headers = {"Idempotency-Key": "the-key"}
        made = server.client.post("/v1/analyses", data={"intent": intent}, files=files, headers=headers)
        return made.status_code, made.json()

    before = len(server.workbench.runs.list(limit=100))
    (_, first), (_, second) = ask("how many orders are there"), ask("how many orders are there")
    assert first["id"] == second["id"]
    server.workbench.runs.wait(str(first["id"]))
    assert len(server.workbench.runs.list(limit=100)) == before + 1
    status, refused = ask("total amount by product")
    assert (status, refused["error"]["code"]) == (409, "MESSAGE_REUSED")  # type: ignore[index]


def test_over_mcp_a_deletion_waits_for_a_yes_that_names_the_task(server: Server) -> None:
    refusing, agreeing = Program(server, yes=False), Program(server)
    (task,) = refusing.call("list_tasks")["data"]
    assert "error" in refusing.call("delete_task", task_id=task["id"])
    assert titles(server.workbench) == [TASK]
    assert "error" not in agreeing.call("delete_task", task_id=task["id"])
    assert titles(server.workbench) == []
    assert len(refusing.asked) == len(agreeing.asked) == 1
    assert TASK in refusing.asked[0] and TASK in agreeing.asked[0]


def test_over_mcp_a_deletion_is_undone_once(server: Server) -> None:
    program = Program(server)
    (task,) = program.call("list_tasks")["data"]
    deleted = program.call("delete_task", task_id=task["id"])
    back = program.call("undo", key=deleted["key"])
    assert "error" not in back
    assert titles(server.workbench) == [TASK]
    assert "error" in program.call("undo", key=deleted["key"])
    assert titles(server.workbench) == [TASK]


def test_the_command_line_deletes_a_run_on_yes_alone_and_names_it(golden_home: GoldenHome) -> None:
    run = golden_home.runs["analysis"]
    asked = golden_home.cli("forget", run)
    assert asked.code == 130 and run in asked.out and "total amount by region" in asked.out
    assert golden_home.cli("show", run).code == 0
    assert golden_home.cli("forget", run, "--yes").code == 0
    assert golden_home.cli("show", run).code == 2
