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
        content = json.dumps(told).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(content)


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
