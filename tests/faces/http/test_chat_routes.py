"""The three routes from chat, by HTTP alone: progress streams in, the reply names its run, and its report is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = [pytest.mark.slow]

HARBOUR = (
    b"# Lindholm Harbour\n\nLindholm Harbour was deepened in 1961 because larger ships could not enter the basin. "
    b"Anna Berg led the deepening of Lindholm Harbour.\n"
)


def table() -> bytes:
    """Two months in which the north sells less tea in the second."""
    lines = ["order_date,region,product,amount"]
    for month, days in ((1, 31), (2, 29)):
        for day in range(1, days + 1):
            for region in ("north", "south"):
                for product in ("tea", "coffee"):
                    fewer = month == 2 and region == "north" and product == "tea"
                    lines += [f"2024-{month:02d}-{day:02d},{region},{product},{20 + day % 3}"] * (2 if fewer else 6)
    return ("\n".join(lines) + "\n").encode()


class Talk:
    """One conversation over AG-UI, with what every tab can see of it."""

    def __init__(self, service: Any, thread: str) -> None:
        self.client = service.client
        self.id = thread
        self.said = 0

    def say(self, words: str) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
        """The reply, the result of its tool, and the events of the run as they were streamed."""
        self.said += 1
        message = {"id": f"m{self.said}", "role": "user", "content": words}
        body = {"threadId": self.id, "runId": f"r{self.said}", "messages": [message]}
        told: list[dict[str, Any]] = []
        with self.client.stream("POST", "/v1/agui", json=body, timeout=120) as response:
            assert response.status_code == 200
            told += [json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: ")]
        spoken = [event["messageId"] for event in told if event["type"] == "TEXT_MESSAGE_START"]
        reply = "".join(
            e["delta"] for e in told if e["type"] == "TEXT_MESSAGE_CONTENT" and e["messageId"] == spoken[-1]
        )
        results = [json.loads(event["content"]) for event in told if event["type"] == "TOOL_CALL_RESULT"]
        return reply, results[-1] if results else {}, told

    def seen(self, after: int = 0) -> list[tuple[int, dict[str, Any]]]:
        """What a reload sees that knows the events up to ``after``."""
        response = self.client.get(
            f"/v1/conversations/{self.id}/events", params={"follow": "false"}, headers={"Last-Event-ID": str(after)}
        )
        blocks = [block for block in response.text.replace("\r\n", "\n").split("\n\n") if "data: " in block]
        parsed = [dict(line.split(": ", 1) for line in block.split("\n") if ": " in line) for block in blocks]
        return [(int(block["id"]), json.loads(block["data"])) for block in parsed]


@pytest.fixture(scope="module")
def talk(service: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    corpus = tmp_path_factory.mktemp("corpus") / "harbour.md"
    corpus.write_bytes(HARBOUR)
    service.workbench.add_sources(str(corpus))
    uploaded = service.client.post("/v1/uploads", files=[("files", ("orders.csv", table()))]).json()["files"]
    opening = {"message": "hello", "conversation_id": "routes", "files": uploaded}
    assert service.client.post("/v1/chat", json=opening).status_code == 200
    yield Talk(service, "routes")


ROUTES = [
    ("average amount by region", "analysis", "how did you compute that?", "SQL: "),
    ("why did the amount drop in February 2024 compared to January 2024?", "drilldown", "what was ruled out?", "ruled"),
    (
        "according to the sources, who led the deepening of Lindholm Harbour?",
        "research",
        "which sources did you use?",
        "[^",
    ),
]


@pytest.mark.parametrize(("question", "kind", "about", "told"), ROUTES, ids=[route[1] for route in ROUTES])
def test_a_route_streams_its_progress_cites_its_run_and_can_be_asked(
    talk: Talk, question: str, kind: str, about: str, told: str
) -> None:
    before = talk.seen()[-1][0]
    reply, result, events = talk.say(question)
    assert result["kind"] == kind, reply
    assert f"[run {result['run_id'][:8]}]" in reply
    progress = [event["content"] for event in events if event["type"] == "ACTIVITY_SNAPSHOT"]
    assert {"plan_made", "run_finished"} <= {content["message"] for content in progress}
    # A reload, or another tab, sees the very same events from where it was.
    reloaded = [event for _, event in talk.seen(before)]
    assert reloaded == events
    answer, asked, _ = talk.say(about)
    assert asked["answered"] is True
    assert told in answer and f"[run {result['run_id'][:8]}" in answer
    assert asked["references"]


def test_a_second_tab_follows_a_run_while_it_is_under_way(talk: Talk) -> None:
    after = talk.seen()[-1][0]
    seen: list[dict[str, Any]] = []

    def follow() -> None:
        address = f"/v1/conversations/{talk.id}/events"
        with talk.client.stream("GET", address, headers={"Last-Event-ID": str(after)}, timeout=120) as response:
            for line in response.iter_lines():
                if line.startswith("data: "):
                    seen.append(json.loads(line[6:]))
                    if seen[-1]["type"] == "RUN_FINISHED":
                        return

    tab = threading.Thread(target=follow)
    tab.start()
    _, _, events = talk.say("total amount by product")
    tab.join(timeout=60)
    assert seen == events


def test_a_question_about_a_run_that_is_not_complete_is_refused(talk: Talk, service: Any) -> None:
    begun = service.workbench.runs.start.analysis(
        "total amount by nothing", [str(next(service.uploads.rglob("*.csv")))], plan_only=True
    )
    status = service.workbench.show(begun).status
    assert status not in {"completed", "partial_success"}
    service.client.post("/v1/chat", json={"message": f"what did run {begun} find?", "conversation_id": "early"})
    message = service.client.get("/v1/conversations/early").json()["messages"][-1]
    assert message["tool_calls"][0]["error"].startswith("INVESTIGATION_NOT_COMPLETE")
