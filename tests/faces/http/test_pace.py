"""A client that asks too fast, guesses the token, or sends its request drop by drop is told so or let go."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from averment.errors import TooManyRequests
from lazily import lazily

door = lazily("averment.faces.http.door")

patience = lazily("averment.faces.http.server")


def test_one_too_many_in_a_stretch_is_refused_and_the_next_stretch_is_free() -> None:
    clock = [0.0]
    pace = door.AddressPace(3, 10.0, now=lambda: clock[0])
    for _ in range(3):
        pace.count("a")
    with pytest.raises(TooManyRequests) as refused:
        pace.count("a")
    assert refused.value.details["retry_after_seconds"] == 10
    pace.count("b")
    clock[0] = 10.0
    pace.count("a")


def test_only_so_many_addresses_are_remembered() -> None:
    pace = door.AddressPace(1, 10.0, now=lambda: 0.0)
    pace.count("first")
    for number in range(door.REMEMBERED):
        pace.count(str(number))
    pace.count("first")


def test_a_head_that_does_not_come_is_waited_for_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    import uvicorn

    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.05)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def half_sent() -> tuple[bytes, bytes]:
        server = uvicorn.Server(
            uvicorn.Config(app, http=patience.PatientProtocol, port=0, log_level="critical", lifespan="off")
        )
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answered = await reader.readuntil(b"\r\n")
        writer.write(b"GET / HTTP/1.1\r\nHos")
        rest = await reader.read()
        writer.close()
        server.should_exit = True
        await serving
        return answered, rest

    answered, rest = asyncio.run(half_sent())
    assert b"204" in answered
    assert b"HTTP/1.1 2" not in rest


def test_the_same_key_begins_one_analysis(service: Any, sales: bytes, code: Callable[[httpx2.Response], str]) -> None:
    key = {"Idempotency-Key": str(uuid.uuid4())}

    def post(intent: str) -> httpx2.Response:
        parts = [("files", ("sales.csv", sales))]
        return service.client.post("/v1/analyses", data={"intent": intent}, files=parts, headers=key)

    answers = [post("total amount by region") for _ in range(3)]
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    other = post("average amount by region")
    assert (other.status_code, code(other)) == (409, "MESSAGE_REUSED")
