"""A model endpoint on loopback that fills every form it is given with one thing that it has to say, a lie or the truth.

It knows no form of the product: it reads the JSON schema of the tool it is offered, and puts the query, words, segment,
sentence, program or question wherever a field takes one. So it goes on speaking when forms change.
"""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Lie = dict[str, Any]

_IDS = re.compile(r'"id": ?"([^"]+)"')
_QUIET = frozenset({"plan", "code", "tasks", "inputs", "choices", "main", "table", "column", "chart", "series_col"})
"""Fields that are left out unless the lie has something for them."""


def fill(schema: dict[str, Any], lie: Lie, prompt: str, name: str = "", root: dict[str, Any] | None = None) -> Any:
    """A value that fits the schema, with the lie wherever one can stand."""
    root = schema if root is None else root
    if "$ref" in schema:
        return fill(root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], lie, prompt, name, root)
    if name in lie:
        return lie[name]
    if name in _QUIET:
        return schema.get("default")
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        wanted = lie.get("call", {}).get("name")
        ready = [one for one in (wanted, "act" if wanted else "reply", "submit", "write") if one in schema["enum"]]
        return ready[0] if ready else schema["enum"][0]
    if name in lie.get("call", {}).get("arguments", {}):
        return lie["call"]["arguments"][name]
    if "anyOf" in schema:
        if name in {"sql", "query"} or (name.startswith("question") and ("sql" in lie or "query" in lie)):
            return lie.get("sql")
        return fill(schema["anyOf"][0], lie, prompt, name, root)
    match schema.get("type"):
        case "object":
            told = set(schema.get("required", ())) | (set(schema.get("properties", {})) - _QUIET) | set(lie)
            parts = schema.get("properties", {}).items()
            return {key: fill(part, lie, prompt, key, root) for key, part in parts if key in told}
        case "array":
            return _listed(schema, lie, prompt, name, root)
        case "integer":
            return schema.get("minimum", 0)
        case "number":
            return 0.99
        case "boolean":
            return True
        case _:
            return str(lie.get("prose", lie.get("sql", "")))[: schema.get("maxLength", 400)]


def _listed(schema: dict[str, Any], lie: Lie, prompt: str, name: str, root: dict[str, Any]) -> list[Any]:
    items = schema["items"]
    if items.get("type") == "string":
        known = list(dict.fromkeys(_IDS.findall(prompt)))
        return [*known[-1:], *([] if lie.get("fits") else [str(lie.get("prose", "none"))[:80]])][
            : schema.get("maxItems", 9)
        ]
    one = fill(items, lie, prompt, "", root)
    return (
        [{**one, "priority": n, "parent": None} for n in (1, 2, 3)]
        if isinstance(one, dict) and "priority" in one
        else [one]
    )


class Speaker:
    """Serves until it is closed, one lie at a time; ``then`` is what it says once the lie is told, if anything else."""

    def __init__(self) -> None:
        self.lie: Lie = {}
        self.then: Lie | None = None
        self.asked = 0
        self.heard: list[str] = []
        speaker = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = json.dumps(speaker.answer(body)).encode()
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
        self.asked += 1
        tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or ()}
        said = json.dumps(body["messages"], ensure_ascii=False).replace('\\"', '"')
        self.heard.append(said)
        message: dict[str, Any] = {"role": "assistant", "content": None}
        wanted = self.lie.get("call")
        if wanted and wanted["name"] in tools:
            message["tool_calls"] = [_call(wanted["name"], wanted["arguments"])]
        elif tools:
            # Where several tools are offered: the one that acts or answers, as where one tool lists them by name.
            likely = (self.lie.get("tool"), "act" if wanted else "reply", "submit", "write")
            ready = [one for one in likely if one in tools]
            name = ready[0] if ready else next(iter(tools))
            message["tool_calls"] = [_call(name, fill(tools[name]["parameters"], self.lie, said))]
        else:
            message["content"] = str(self.lie.get("prose", ""))
        if self.then is not None:
            self.lie, self.then = self.then, None
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
        }


def _call(name: str, arguments: Any) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
