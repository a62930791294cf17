"""A weak, broken or busy model never costs the readers' answer."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings
from perfect_questions import make_shop

SPEC = importlib.util.spec_from_file_location("model_server", Path(__file__).parents[1] / "llm" / "model_server.py")
assert SPEC is not None and SPEC.loader is not None
SERVING = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = SERVING
SPEC.loader.exec_module(SERVING)
NewServer = Callable[..., Any]


@pytest.fixture
def new_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NewServer]:
    """A model on loopback that a workbench of this process finds."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    opened: list[Any] = []

    def make(reply: Any) -> Any:
        server = SERVING.ModelServer(reply)
        opened.append(server)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        return server

    yield make
    for server in opened:
        server.close()


BROKEN: dict[str, Any] = {
    "nonsense": lambda prompt: "As a pirate I would say: arrr, forty-two!",
    "fenced": lambda prompt: '```json\n{"tool": "submit", "sql": "SELECT count(*) FROM orders"}\n```',
    "reasoning": lambda prompt: {"reasoning": "hm", "final": True, "sql": "SELECT count(*) FROM orders"},
    "refusal": lambda prompt: "I cannot help with that.",
    "unavailable": lambda prompt: 503,
    "unknown key": lambda prompt: 401,
}


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_a_weak_or_broken_model_never_costs_the_readers_answer(
    new_server: NewServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("averment.llm.client.FIRST_WAIT", 0.01)
    shop = make_shop(tmp_path / "shop.sqlite")
    new_server(BROKEN[kind])
    with Workbench(settings=Settings(home=tmp_path / "home", model_timeout_seconds=20)) as workbench:
        run = workbench.analyze("How many orders are there?", [shop], deliverables=["tables"])
        assert run.status == "completed"
        assert run.table is not None
        assert run.table.column(0).to_pylist() == [90]
        fell = [event.data["code"] for event in workbench.runs.events(run.id) if event.type == "model_fell_back"]
        if kind in {"fenced", "reasoning"}:
            assert run.marks.interpretation.code == "sure"
        else:
            assert fell[0] in {"MODEL_NONSENSE", "MODEL_UNAVAILABLE"}
        assert workbench.verify(run.id).ok


def test_a_rate_limit_is_waited_out_and_a_hallucinated_column_corrected(
    new_server: NewServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("averment.llm.client.FIRST_WAIT", 0.01)
    shop = make_shop(tmp_path / "shop.sqlite")
    script: list[Any] = [
        429,
        {"sql": "SELECT brightness FROM products"},
        529,
        {"sql": "SELECT max(glow) FROM products"},
        {"sql": "SELECT title FROM products ORDER BY weight_kg DESC LIMIT 1"},
    ]
    server = new_server(lambda prompt: script.pop(0) if script else {"findings": []})
    with Workbench(settings=Settings(home=tmp_path / "home")) as workbench:
        run = workbench.analyze("which thing glows", [shop], deliverables=["tables"])
        assert run.status == "completed"
        assert run.answer == "Flint has the highest weight_kg, 6.5 kg."
        assert run.model is not None
        assert run.model["calls"] == 5
        assert any("MISSING_COLUMN" in prompt for prompt in server.prompts)
        sent = run.sent
        assert [call["outcome"] for call in sent].count("OK") >= 3
        assert all(call["prompt"] in server.prompts for call in sent)
