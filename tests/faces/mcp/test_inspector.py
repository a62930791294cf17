"""The official inspector's command line over stdio: it lists the tools, calls them, and reads the resources."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from npm_packages import installed, run_node

pytestmark = [pytest.mark.thorough, pytest.mark.slow]

INSPECTOR = ("@modelcontextprotocol/inspector", "2.12.0")


class Inspector:
    """The inspector on ``averment mcp`` over one home."""

    def __init__(self, home: Path) -> None:
        self.server = [sys.executable, "-m", "averment", "--home", str(home), "mcp"]
        self.program = str(installed(*INSPECTOR) / "clients" / "launcher" / "build" / "index.js")

    def __call__(self, method: str, *more: str) -> dict[str, Any]:
        done = run_node(self.program, "--cli", *self.server, "--method", method, *more)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def test_the_inspector_lists_and_calls_the_tools(tmp_path: Path) -> None:
    inspector = Inspector(tmp_path / "home")
    tools = {tool["name"]: tool for tool in inspector("tools/list")["tools"]}
    tasks = {"add_task", "list_tasks", "update_task", "complete_task", "delete_task"}
    assert set(tools) >= tasks | {"analyze", "drill", "research", "verify"}
    assert "answer_question" not in tools
    assert tools["delete_task"]["annotations"]["destructiveHint"] is True
    added = inspector("tools/call", "--tool-name", "add_task", "--tool-arg", "title=buy milk")
    assert added["structuredContent"]["data"]["title"] == "buy milk"
    listed = inspector("tools/call", "--tool-name", "list_tasks")
    assert [task["title"] for task in listed["structuredContent"]["data"]] == ["buy milk"]
    templates = inspector("resources/templates/list")["resourceTemplates"]
    assert {template["uriTemplate"] for template in templates} == {
        "averment://runs/{run_id}/report",
        "averment://runs/{run_id}/artifacts/{name}",
    }
