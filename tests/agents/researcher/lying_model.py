"""A model endpoint on loopback that speaks the OpenAI protocol and answers each form with what its script says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = dict[str, Callable[[str], Any]]
"""For each form, by the name of its main field, what is answered to a prompt."""


def form_of(schema: dict[str, Any]) -> str:
    """Which form a schema is: questions, picks or words."""
    fields = set(schema["properties"])
    return "questions" if "questions" in fields else "words" if "summary" in fields else "picks"


class LyingModel:
    """Serves until it is closed; keeps what it was asked."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.prompts: list[str] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = json.dumps(model.answer(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        function = body["tools"][0]["function"]
        content = body["messages"][-1]["content"]
        prompt = content if isinstance(content, str) else "".join(part["text"] for part in content)
        self.prompts.append(prompt)
        said = json.dumps(self.script[form_of(function["parameters"])](prompt))
        call = {"id": "call_1", "type": "function", "function": {"name": function["name"], "arguments": said}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
        }
