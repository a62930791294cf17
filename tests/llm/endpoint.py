"""A real model endpoint on loopback: speaks the OpenAI and Anthropic protocols, well or badly, as it is told."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def example_of(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """Some value that fits a JSON schema of the kind Pydantic writes."""
    root = root or schema
    if "$ref" in schema:
        return example_of(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], root)
    match schema.get("type"):
        case "object":
            return {name: example_of(part, root) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [example_of(schema["items"], root)] * schema.get("minItems", 1)
        case "integer":
            return schema.get("minimum", 1)
        case "number":
            return 1.5
        case "boolean":
            return True
        case "string":
            return "region"
        case _:
            return None


class Endpoint:
    """Answers each request by the next mode of its script; the last one stays."""

    def __init__(self) -> None:
        self.script: list[str] = ["good"]
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.bytes_sent = 0
        self.redirect_to = ""
        self.closing = threading.Event()
        self.arrived = threading.Event()
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                # A client that hangs up is what several modes are about.
                with suppress(OSError):
                    endpoint._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def close(self) -> None:
        if not self.closing.is_set():
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            mode = self.script.pop(0) if len(self.script) > 1 else self.script[0]
            self.requests.append(body)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        self.arrived.set()
        handler.close_connection = True
        modes: dict[str, Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]] = {
            "stalls": self._stall,
            "stalls in the body": self._stall_in_body,
            "drips": self._drip,
            "cuts off": self._cut_off,
            "floods": self._flood,
            "bomb": self._bomb,
            "redirects": self._redirect,
            "hangs up": lambda handler, body: None,
        }
        if mode in modes:
            modes[mode](handler, body)
        elif mode.isdigit():
            # Some vendors repeat the key in their refusals.
            said = f"refused: {handler.headers.get('authorization')} {handler.headers.get('x-api-key')}"
            self._reply(handler, int(mode), json.dumps({"error": {"message": said, "type": "error"}}).encode())
        elif mode == "html":
            self._reply(handler, 200, b"<html><body>Sign in to the network</body></html>", kind="text/html")
        elif mode == "no envelope":
            self._reply(handler, 200, b'{"hello": "world"}')
        elif handler.path.endswith("/messages"):
            self._reply(handler, 200, json.dumps(_anthropic(mode, body)).encode())
        else:
            self._reply(handler, 200, json.dumps(_openai(mode, body)).encode())

    def _reply(
        self, handler: BaseHTTPRequestHandler, status: int, body: bytes, *, kind: str = "application/json", **more: str
    ) -> None:
        self._head(handler, status, [("Content-Type", kind), ("Content-Length", str(len(body))), *more.items()])
        handler.wfile.write(body)

    def _head(self, handler: BaseHTTPRequestHandler, status: int, headers: Iterable[tuple[str, str]]) -> None:
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Connection", "close")
        handler.end_headers()

    def _stall(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.closing.wait()

    def _stall_in_body(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self._head(handler, 200, [("Content-Type", "application/json"), ("Content-Length", "1000")])
        handler.wfile.write(b'{"id":')
        self.closing.wait()

    def _drip(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        whole = json.dumps(_openai("good", body)).encode() + b" " * 100_000
        self._head(handler, 200, [("Content-Type", "application/json"), ("Content-Length", str(len(whole)))])
        for position in range(len(whole)):
            handler.wfile.write(whole[position : position + 1])
            if self.closing.wait(0.02):
                return

    def _cut_off(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        whole = json.dumps(_openai("good", body)).encode()
        self._head(handler, 200, [("Content-Type", "application/json"), ("Content-Length", str(len(whole)))])
        handler.wfile.write(whole[: len(whole) // 2])

    def _flood(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self._head(handler, 200, [("Content-Type", "application/json")])
        while not self.closing.is_set():
            handler.wfile.write(b" " * 65_536)
            self.bytes_sent += 65_536

    def _bomb(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        # Unpacked it is a good answer, so that only a client that does not unpack it refuses it.
        whole = json.dumps(_openai("good", body)).encode() + b" " * 50_000_000
        self._reply(handler, 200, gzip.compress(whole, 1), Content_Encoding="gzip")

    def _redirect(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self._reply(handler, 307, b"", Location=self.redirect_to)


def _arguments(mode: str, schema: dict[str, Any]) -> str:
    return {
        "good": lambda: json.dumps(example_of(schema)),
        "broken json": lambda: json.dumps(example_of(schema))[:-4],
        "wrong schema": lambda: '{"colour": "blue", "rows": [1, 2, 3]}',
        "asks": lambda: json.dumps(example_of(schema)),
        "deep json": lambda: "[" * 100_000,
        "lone surrogate": lambda: "\ud800",
        "nothing": lambda: "",
    }[mode]()


def _openai(mode: str, body: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    functions = [tool["function"] for tool in body["tools"]]
    function = next((each for each in functions if mode == "asks" and each["name"] == "ask"), functions[0])
    if mode == "nonsense":
        message["content"] = "As a pirate I would say: arrr, forty-two!"
    elif mode == "plain json":
        message["content"] = "\n" + json.dumps(example_of(function["parameters"])) + "\n"
    else:
        call = {"name": function["name"], "arguments": _arguments(mode, function["parameters"])}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": call}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_225_600,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def _anthropic(mode: str, body: dict[str, Any]) -> dict[str, Any]:
    tool = body["tools"][0]
    content: dict[str, Any] = (
        {"type": "text", "text": "Arrr!"}
        if mode == "nonsense"
        else {
            "type": "tool_use",
            "id": "toolu_1",
            "name": tool["name"],
            "input": json.loads(_arguments(mode, tool["input_schema"])),
        }
    )
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [content],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 77, "output_tokens": 11},
    }
