"""The other extension points through the installed wheel: each is used in a run, and the run verifies and names it."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.plugins.conftest import ROOT, UV, Installed

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

SALES = ROOT / "examples" / "sales.csv"
SPOKEN = """1
00:00:01,000 --> 00:00:04,000
The harbour of Lund was opened in 1921.

2
00:00:05,000 --> 00:00:09,000
Its crane lifts 40 tonnes.
"""


def named_by(installed: Installed, run_id: object, **more: str) -> str:
    """What verification says of the plugin, after everything else held."""
    checks = installed.json("verify", run_id, **more)["checks"]
    assert not [check for check in checks if not check["ok"]]
    return next(check["detail"] for check in checks if check["subject"] == "plugin averment-example")


def test_an_engine_answers_where_its_data_stands(installed: Installed, tmp_path: Path) -> None:
    table = pa.table({"region": ["North", "South", "North"], "amount": [10.0, 20.0, 5.5]})
    with pa.OSFile(str(tmp_path / "sales.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    run = installed.json("analyze", "total amount by region", "--source", f"feather://{tmp_path}")
    assert run["answer"] == "The total amount is 20.00 for South and 15.50 for North."
    assert "engines feather" in named_by(installed, run["id"])


def test_a_url_of_no_engine_is_refused(installed: Installed) -> None:
    done = installed.averment("analyze", "total amount", "--source", "nosuch:///data", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "UNSUPPORTED_SOURCE"


def test_an_agent_answers_by_its_own_rules(installed: Installed) -> None:
    run = installed.json("analyze", "anything", "--source", SALES, "--agent", "counter")
    rows = len(SALES.read_text().splitlines()) - 1
    assert run["answer"] == f"The number of rows of sales is {rows}."
    assert "agents counter" in named_by(installed, run["id"])


ASK_OVER_HTTP = """
import json, sys, time
from fastapi.testclient import TestClient
from averment import Workbench
from averment.faces.http.app import create_app
with Workbench() as workbench, TestClient(create_app(workbench, token="t" * 32), base_url="http://localhost") as client:
    headers = {"Authorization": "Bearer " + "t" * 32}
    files = {"files": ("sales.csv", open(sys.argv[1], "rb").read())}
    fields = {"intent": "anything", **json.loads(sys.argv[2])}
    begun = client.post("/v1/analyses", data=fields, files=files, headers=headers)
    told = begun.json()
    if begun.status_code == 202:
        workbench.runs.wait(told["id"])
        told = client.get("/v1/runs/" + told["id"], headers=headers).json()
    print(json.dumps([begun.status_code, told]))
"""
ASK_OVER_MCP = """
import asyncio, json, sys
from mcp.client.client import Client
from averment import Workbench
async def ask(workbench):
    async with Client(workbench.home.mcp_server()) as client:
        asked = {"question": "anything", "sources": [sys.argv[1]], "agent": sys.argv[2]}
        told = await client.call_tool("analyze", asked)
        print(json.dumps([told.is_error, told.structured_content]))
with Workbench() as workbench:
    asyncio.run(ask(workbench))
"""


def test_an_agent_answers_over_http(installed: Installed) -> None:
    done = installed.run("-c", ASK_OVER_HTTP, SALES, json.dumps({"agent": "counter"}))
    assert done.returncode == 0, done.stderr
    status, run = json.loads(done.stdout)
    rows = len(SALES.read_text().splitlines()) - 1
    assert (status, run["answer"]) == (202, f"The number of rows of sales is {rows}.")
    assert "agents counter" in named_by(installed, run["id"])


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"agent": "nobody"}, "PLUGIN_FAILED"),
        ({"agent": "counter", "plan": "averment.plan/1 from sales"}, "INVALID_REQUEST"),
    ],
)
def test_an_agent_that_cannot_answer_is_refused_over_http(
    installed: Installed, fields: dict[str, str], code: str
) -> None:
    done = installed.run("-c", ASK_OVER_HTTP, SALES, json.dumps(fields))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[1]["error"]["code"] == code


def test_an_agent_answers_over_mcp(installed: Installed) -> None:
    done = installed.run("-c", ASK_OVER_MCP, SALES, "counter")
    assert done.returncode == 0, done.stderr
    failed, run = json.loads(done.stdout.splitlines()[-1])
    rows = len(SALES.read_text().splitlines()) - 1
    assert (failed, run["answer"]) == (False, f"The number of rows of sales is {rows}.")
    assert "agents counter" in named_by(installed, run["run_id"])


def test_without_its_plugin_an_agents_run_names_what_is_missing(installed: Installed) -> None:
    run = installed.json("analyze", "anything", "--source", SALES, "--agent", "counter")
    command = [sys.executable, "-m", "averment", "verify", str(run["id"]), "--json"]
    done = subprocess.run(command, cwd=installed.folder, capture_output=True, text=True)
    failed = [check["subject"] for check in json.loads(done.stdout)["checks"] if not check["ok"]]
    assert (done.returncode, failed) == (5, ["plugin averment-example"])


@pytest.mark.parametrize("asked", [("as a lollipop chart",), ("", "--chart", "lollipop")])
def test_a_chart_is_drawn_in_a_kind_of_its_own(installed: Installed, asked: tuple[str, ...]) -> None:
    words, *options = asked
    run = installed.json("analyze", f"total amount by region {words}".strip(), "--source", SALES, *options)
    document = next(each for each in run["artifacts"] if each["content_ref"].endswith("chart.vl.json"))
    drawn = json.loads((installed.folder / ".averment" / document["content_ref"]).read_text())
    assert [layer["mark"]["type"] for layer in drawn["layer"]] == ["bar", "circle"]
    assert "charts lollipop" in named_by(installed, run["id"])


def test_a_report_is_exported_in_a_format_of_its_own(installed: Installed) -> None:
    run = installed.json("analyze", "total amount by region", "--source", SALES)
    written = installed.json("export", run["id"], "--to", "txt", "--out", "report.txt")
    assert written["format"] == "txt"
    text = (installed.folder / "report.txt").read_text()
    assert run["answer"] in text
    assert "Written by the plugin averment-example 1.0.0" in text


def test_an_export_by_a_plugin_is_in_the_ledger_once_and_told_at_verification(installed: Installed) -> None:
    run = installed.json("analyze", "total amount by region", "--source", SALES)
    for name in ("first.txt", "again.txt"):
        installed.json("export", run["id"], "--to", "txt", "--out", name)
    installed.json("export", run["id"], "--to", "md", "--out", "own.md")
    digest = hashlib.sha256((installed.folder / "first.txt").read_bytes()).hexdigest()
    checks = installed.json("verify", run["id"])["checks"]
    assert not [check for check in checks if not check["ok"]]
    (told,) = [check for check in checks if check["subject"].startswith("export ")]
    assert told["subject"] == "export txt"
    assert told["detail"].startswith("averment-example 1.0.0, SHA-256 ")
    assert told["detail"].endswith(digest)


def test_an_unknown_format_is_refused(installed: Installed) -> None:
    run = installed.json("analyze", "total amount by region", "--source", SALES)
    assert installed.averment("export", run["id"], "--to", "docx").returncode == 2


def test_a_model_of_a_plugin_is_asked_and_checked(installed: Installed) -> None:
    chosen = {"AVERMENT_MODEL_PROVIDER": "placeholder"}
    assert installed.json("models", **chosen)["answers"] is True
    plain = installed.json("analyze", "total amount by region", "--source", SALES)
    run = installed.json("analyze", "total amount by region", "--source", SALES, **chosen)
    assert run["answer"] == plain["answer"]
    assert "models placeholder" in named_by(installed, run["id"])


def test_a_document_of_a_new_kind_is_read_and_quoted(installed: Installed) -> None:
    (installed.folder / "film.srt").write_text(SPOKEN)
    home = ("--home", "film_home")
    run = installed.json(*home, "research", "When was the harbour of Lund opened?", "--corpus", "film.srt")
    assert "The harbour of Lund was opened in 1921." in run["answer"]
    checks = installed.json(*home, "verify", run["id"])["checks"]
    assert not [check for check in checks if not check["ok"]]
    assert any("readers subtitles" in check["detail"] for check in checks)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A page on this machine, and its host."""
    said = (
        "<html><head><title>Harbours</title></head><body><p>The harbour of Ystad was opened in 1866.</p></body></html>"
    )
    (tmp_path / "harbours.html").write_text(said)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: object, **more: object) -> None:
            super().__init__(*given, directory=str(tmp_path), **more)  # type: ignore[misc]

        def log_message(self, *given: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_search_provider_names_pages_that_are_read(installed: Installed, site: str, tmp_path: Path) -> None:
    listed = tmp_path / "bookmarks.tsv"
    listed.write_text(f"http://{site}/harbours.html\tHarbours\tharbour Ystad opened\n")
    set_up = {"EXAMPLE_BOOKMARKS": str(listed), "AVERMENT_WEB_HOSTS": site}
    asked = "When was the harbour of Ystad opened?"
    run = installed.json("--home", "web_home", "research", asked, "--provider", "bookmarks", **set_up)
    assert "1866" in run["answer"]
    checks = installed.json("--home", "web_home", "verify", run["id"])["checks"]
    assert not [check for check in checks if not check["ok"]]
    assert any("providers bookmarks" in check["detail"] for check in checks)


@pytest.fixture(scope="module")
def beside(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """This environment, where the wheel lies in a folder that only PYTHONPATH names."""
    target = tmp_path_factory.mktemp("beside")
    command = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--target", target, wheel]
    assert subprocess.run([str(part) for part in command], capture_output=True).returncode == 0
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(target), str(ROOT / "src")])}


def test_a_plugin_that_is_not_installed_is_named_with_what_to_do(beside: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "averment", "plugins", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=beside, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    (problem,) = {each["problem"] for each in json.loads(done.stdout)}
    assert "averment-example is on the import path of this process alone" in problem
    assert "Install it" in problem


def test_code_runs_in_the_jail_that_the_settings_name(beside: dict[str, str], tmp_path: Path) -> None:
    # A jail sees this environment's packages, so here the wheel lies in a folder beside them.
    environment = {**beside, "AVERMENT_SANDBOX": "thrifty"}
    (tmp_path / "plan.txt").write_text("from sales statistic shape of amount")

    def averment(*given: object) -> dict[str, object]:
        command = [sys.executable, "-m", "averment", *map(str, given), "--json"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + done.stdout
        return json.loads(done.stdout)

    run = averment("plan", "plan.txt", "--source", SALES)
    assert run["status"] == "completed"
    checks: object = averment("verify", run["id"])["checks"]
    assert isinstance(checks, list)
    assert any("jails thrifty" in check["detail"] for check in checks)


FACES = """
import json, re, sys
from fastapi.testclient import TestClient
from averment import Workbench
from averment.faces.http.app import create_app
TOKEN = "t" * 32
with Workbench() as workbench, TestClient(create_app(workbench, token=TOKEN), base_url="http://localhost") as client:
    headers = {"Authorization": "Bearer " + TOKEN}
    told = {"openapi": client.get("/openapi.json", headers=headers).text}
    begun = client.post("/v1/analyses", data={"intent": "total bytes by host", "chart": "lollipop"},
                        files={"files": ("access.ltsv", b"host:a\\tbytes:3\\nhost:b\\tbytes:4\\n")}, headers=headers)
    run = workbench.runs.wait(begun.json()["id"])
    told["answer"] = run.answer
    told["kept"] = client.post("/v1/uploads", files={"files": ("film.srt", b"1\\n")}, headers=headers).json()
    told["refused"] = client.post("/v1/analyses", data={"intent": "x"}, files={"files": ("a.nosuch", b"1")},
                                  headers=headers).json()
    told["exported"] = client.get(f"/v1/runs/{run.id}/export?format=txt", headers=headers).headers["content-type"]
    client.post("/login", data={"token": TOKEN, "to": "/home"}, headers={"Origin": "http://localhost"})
    pages = {"run": f"/runs/{run.id}", "home": "/home", "data": "/data", "sources": "/sources"}
    told["pages"] = {name: client.get(path).text for name, path in pages.items()}
    told["python"] = str(workbench.runs.export(run.id, "txt", "by_python.txt"))
    from averment.tools.registry import standard_registry
    told["plot"] = standard_registry().get("plot.render").args.model_json_schema()
    print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told_by_faces(installed: Installed) -> dict[str, Any]:
    """What HTTP, the pages and Python say once the plugins are installed."""
    done = installed.run("-c", FACES)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_table_of_a_new_kind_is_uploaded_and_asked_about(told_by_faces: dict[str, Any]) -> None:
    assert told_by_faces["answer"] == "The total bytes is 4 for b and 3 for a."


def test_uploads_take_documents_of_a_new_kind_and_errors_name_the_new_endings(told_by_faces: dict[str, Any]) -> None:
    (reference,) = told_by_faces["kept"]["files"]
    assert reference.endswith("/film.srt")
    assert ".ltsv" in told_by_faces["refused"]["error"]["hint"]


def test_the_schemas_name_what_plugins_add(told_by_faces: dict[str, Any]) -> None:
    for added in (".ltsv", ".srt", "lollipop", '"txt"'):
        assert added in told_by_faces["openapi"]
    assert "lollipop" in told_by_faces["plot"]["properties"]["type"]["enum"]


def test_the_pages_offer_what_plugins_add(told_by_faces: dict[str, Any]) -> None:
    pages = told_by_faces["pages"]
    assert "export?format=txt" in pages["run"]
    for name, ending in (("home", ".ltsv"), ("home", ".srt"), ("data", ".ltsv"), ("sources", ".srt")):
        accepted = re.search(r'accept="([^"]*)"', pages[name])
        assert accepted is not None and ending in accepted.group(1).split(",")


def test_python_and_http_export_in_a_format_of_a_plugin(installed: Installed, told_by_faces: dict[str, Any]) -> None:
    assert told_by_faces["exported"].startswith("text/plain")
    assert "The total bytes is 4 for b" in (installed.folder / told_by_faces["python"]).read_text()


@pytest.mark.parametrize(("command", "added"), [("analyze", "lollipop"), ("export", "txt"), ("research", "bookmarks")])
def test_the_help_of_a_command_names_what_plugins_add(installed: Installed, command: str, added: str) -> None:
    assert added in installed.averment(command, "--help").stdout
