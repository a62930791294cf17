"""Every call to a model stands in the run's ledger: which model, question and answer by hash, what it cost."""

import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings

SPEC = importlib.util.spec_from_file_location("model_endpoint", Path(__file__).parents[2] / "llm" / "endpoint.py")
KEY = "sk-test-of-the-ledger"
HASH = re.compile(r"[0-9a-f]{64}")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    assert SPEC is not None
    assert SPEC.loader is not None
    module = importlib.util.module_from_spec(SPEC)
    sys.modules[SPEC.name] = module
    SPEC.loader.exec_module(module)
    opened = module.Endpoint()
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", opened.url)
    yield opened
    opened.close()


def asked(home: Path, run_id: str) -> list[dict[str, Any]]:
    lines = (home / "logs" / "data_agent_runs.jsonl").read_text().splitlines()
    entries = [entry for entry in map(json.loads, lines) if entry["request_id"] == run_id]
    return [entry["event_data"] for entry in entries if entry["event_data"].get("rule") == "MODEL-CALL"]


def test_each_call_is_in_the_ledger_without_what_was_said(endpoint: Any, tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    path.write_text("cluster,size\nPleiades,3\nHyades,4\nPleiades,5\n")
    endpoint.script = ["nonsense", "asks"]
    settings = Settings(home=tmp_path / "home", model_timeout_seconds=20)
    with Workbench(settings=settings) as workbench:
        run = workbench.analyze("which galaxy shines brightest", [path])
        assert run.status == "clarification_needed"
        calls = asked(settings.home, run.id)
        assert [(call["purpose"], call["attempt"], call["reason"]) for call in calls] == [
            ("plan", 1, "INVALID_ANSWER"),
            ("plan", 2, "OK"),
        ]
        for call in calls:
            assert call["provider"] == "openai"
            assert call["model"]
            assert HASH.fullmatch(call["prompt_sha256"])
            assert HASH.fullmatch(call["response_sha256"])
            assert call["tokens_in"] > 0
            assert call["tokens_out"] > 0
            assert call["cached"] is False
        said = json.dumps(calls)
        assert all(secret not in said for secret in (KEY, "Pleiades", "galaxy", "cluster"))
        assert workbench.verify(run.id).ok
        before = len(calls)
        assert len(asked(settings.home, run.id)) == before


def test_without_a_model_no_call_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "stars.csv"
    path.write_text("cluster,size\nPleiades,3\nHyades,4\n")
    settings = Settings(home=tmp_path / "home")
    with Workbench(settings=settings) as workbench:
        run = workbench.analyze("total size", [path])
        assert run.status == "completed"
        assert asked(settings.home, run.id) == []
