"""The first message of a conversation, sent twice by a client that heard no answer."""

from __future__ import annotations

from averment.settings import Settings
from averment.workbench import Workbench


def test_a_first_message_sent_twice_begins_one_conversation_and_adds_one_task(settings: Settings) -> None:
    with Workbench(settings=settings) as bench:
        replies = [bench.chat("add a task to water the plants", message_id="m-1") for _ in range(2)]
        assert replies[0].conversation_id == replies[1].conversation_id
        assert len(bench.home.tasks.list()) == 1
        assert bench.chat("add a task to water the plants").conversation_id != replies[0].conversation_id
