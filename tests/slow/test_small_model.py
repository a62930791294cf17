"""A model that really runs, small enough to be wrong about everything, harms nothing: the readers' answer stands."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

ROOT = Path(__file__).parents[2]
SALES = """order_date,region,product,amount
2023-12-31,West,Lamp,5.00
2024-01-05,West,Lamp,10.50
2024-01-20,East,Desk,7.25
2024-02-11,West,Chair,3.10
2024-03-02,North,Lamp,8.00
"""

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """SmolLM2 with 135 million weights behind llama.cpp's server."""
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "small_model.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.stdin.close()
    process.wait(timeout=60)


def test_the_server_is_a_real_one(served: str) -> None:
    body = {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 8}
    request = urllib.request.Request(
        f"{served}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        assert json.loads(answer.read())["choices"][0]["message"]["content"]


@pytest.mark.timeout(1200)
def test_a_really_running_small_model_leaves_the_readers_answer_standing(
    served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{served}/v1")
    settings = Settings(home=tmp_path / "home", model_name="smollm2", model_timeout_seconds=240, model_run_seconds=480)
    with Workbench(settings=settings) as workbench:
        run = workbench.analyze("total amount by region in 2024", [path], deliverables=["tables", "reports"])
        assert workbench.verify(run.id).ok
        if run.marks.interpretation.code != "model":
            assert run.table is not None
            assert {str(value) for value in run.table.column(0).to_pylist()} == {"West", "East", "North"}
        assert run.sent
