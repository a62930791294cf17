"""A model on loopback that answers as a function says, over OpenAI's and Anthropic's protocols alike.

``reply`` gets the whole prompt and gives the JSON of the answer tool, or a text, or an HTTP status to fail with.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[str], "dict[str, Any] | str | int"]


def data_of(prompt: str, name: str) -> Any:
    """A fenced value of a prompt, as it was before it was fenced."""
    found = re.search(rf'<data name="{name}">\n(.*)\n</data>', prompt)
    return None if found is None else json.loads(found.group(1))


class ModelServer:
    """Serves until it is closed."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.prompts: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.pause = 0.0
        self.stalls = False
        self.closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                with suppress(OSError):
                    server._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        said = body["messages"][-1]["content"]
        prompt = said if isinstance(said, str) else "\n".join(part.get("text", "") for part in said)
        self.prompts.append(prompt)
        self.bodies.append(body)
        answer = self.reply(prompt)
        anthropic = handler.path.endswith("/messages")
        status = answer if isinstance(answer, int) else 200
        if isinstance(answer, int):
            told: dict[str, Any] = {"error": {"message": "no room", "type": "overloaded_error"}}
        else:
            told = _anthropic(body, answer) if anthropic else _openai(body, answer)
        if body.get("stream") and status == 200:
            self._stream(handler, _anthropic_pieces(told) if anthropic else _openai_pieces(told))
            return
        content = json.dumps(told).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(content)

    def _stream(self, handler: BaseHTTPRequestHandler, pieces: list[tuple[str, dict[str, Any]]]) -> None:
        """The answer piece by piece, with a pause before each; a server that stalls sends nothing after the third."""
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        for number, (name, data) in enumerate(pieces):
            if self.stalls and number == 3:
                self.closing.wait()
                return
            self.closing.wait(self.pause)
            event = f"event: {name}\n" if name else ""
            handler.wfile.write(f"{event}data: {json.dumps(data)}\n\n".encode())
            handler.wfile.flush()
        if not pieces[0][0]:
            handler.wfile.write(b"data: [DONE]\n\n")


def _openai_pieces(told: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    shared = {"id": told["id"], "object": "chat.completion.chunk", "created": told["created"], "model": told["model"]}
    message = told["choices"][0]["message"]
    call = (message.get("tool_calls") or [None])[0]
    text = message["content"] if call is None else call["function"]["arguments"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if call is None else None}]
    if call is not None:
        function = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]})
    for at in range(0, len(text), 40):
        piece = text[at : at + 40]
        whole = {"content": piece} if call is None else {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
        deltas.append(whole)
    chunks = [{**shared, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**shared, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return [("", chunk) for chunk in [*chunks, {**shared, "choices": [], "usage": told["usage"]}]]


def _anthropic_pieces(told: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    content = told["content"][0]
    is_text = content["type"] == "text"
    text = content["text"] if is_text else json.dumps(content["input"])
    empty = {**content, "text": ""} if is_text else {**content, "input": {}}
    kind, key = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**told, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": kind, key: text[at : at + 40]}}
            for at in range(0, len(text), 40)
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": told["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": told["usage"]["output_tokens"]},
        },
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def _openai(body: dict[str, Any], answer: dict[str, Any] | str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer if isinstance(answer, str) else None}
    if not isinstance(answer, str):
        call = {"name": body["tools"][0]["function"]["name"], "arguments": json.dumps(answer)}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def _anthropic(body: dict[str, Any], answer: dict[str, Any] | str) -> dict[str, Any]:
    content: dict[str, Any] = (
        {"type": "text", "text": answer}
        if isinstance(answer, str)
        else {"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": answer}
    )
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [content],
        "stop_reason": "end_turn" if isinstance(answer, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 77, "output_tokens": 11},
    }
