"""The driller names a cause where one was planted, and none where there is only noise."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from averment import Run, Workbench

SPANS: dict[str, Any] = {
    "baseline": ("2024-01-01", "2024-01-28"),
    "comparison": ("2024-01-29", "2024-02-25"),
}
CHANNELS, DEVICES = ("app", "web", "shop"), ("phone", "desk")


def orders(path: Path, seed: int, planted: str = "", *, wild: bool = False) -> Path:
    """Eight weeks of orders; of the planted kind the second half has a quarter, or each is worth half as much.

    Where they are wild their worth differs so much that noise alone moves the whole by some percent.
    """
    pick = random.Random(seed)
    lines = ["day,channel,device,amount"]
    for offset in range(56):
        day = date(2024, 1, 1) + timedelta(days=offset)
        for channel in CHANNELS:
            for device in DEVICES:
                hit = offset >= 28 and planted in (f"{channel} rows", f"{channel} value")
                count = 1 if hit and planted.endswith("rows") else 4
                for _ in range(count):
                    amount = int(pick.lognormvariate(3.0, 0.6)) + 1 if wild else pick.randint(10, 40)
                    lines.append(f"{day},{channel},{device},{amount // 2 if hit and count == 4 else amount}")
    path.write_text("\n".join(lines) + "\n")
    return path


def causes(run: Run) -> list[str]:
    """What a run calls a cause, as its machine-readable result names them."""
    (kept,) = [artifact for artifact in run.artifacts if artifact.content_ref.endswith("explanations.json")]
    document = json.loads(run.path_of(kept).read_text(encoding="utf-8"))
    return [json.dumps(one) for one in (document["explanations"] if isinstance(document, dict) else document)]


@pytest.mark.parametrize("wild", [False, True], ids=["tame", "wild"])
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(3, 12))])
def test_noise_has_no_cause(workbench: Workbench, tmp_path: Path, seed: int, wild: bool) -> None:
    run = workbench.drill([orders(tmp_path / "orders.csv", seed, wild=wild)], metric_sql="SUM(amount)", **SPANS)
    assert run.status == "completed"
    assert causes(run) == []
    assert workbench.verify(run.id).ok


@pytest.mark.parametrize(
    ("seed", "planted"),
    [
        (1, "app rows"),
        (2, "shop value"),
        *(
            pytest.param(n, f"{channel} {kind}", marks=pytest.mark.thorough)
            for n, (channel, kind) in enumerate([(c, k) for c in CHANNELS for k in ("rows", "value")], 3)
        ),
    ],
)
def test_a_planted_cause_is_found(workbench: Workbench, tmp_path: Path, seed: int, planted: str) -> None:
    run = workbench.drill([orders(tmp_path / "orders.csv", seed, planted)], metric_sql="SUM(amount)", **SPANS)
    channel = planted.split()[0]
    found = causes(run)
    assert found
    assert channel in found[0]
    assert f"channel = {channel}" in str(run.answer)
    assert workbench.verify(run.id).ok


def test_http_and_the_command_are_as_silent(served: Any, run_averment: Callable[..., Any], tmp_path: Path) -> None:
    path = orders(tmp_path / "orders.csv", 1)
    spans = {name: {"start": first, "end": last} for name, (first, last) in SPANS.items()}
    session = served.client.post("/v1/sessions").json()["session_id"]
    added = served.client.post(f"/v1/sessions/{session}/files", files=[("files", ("orders.csv", path.read_bytes()))])
    assert added.status_code in {200, 201}, added.text
    context = {
        "metric_sql": "SUM(amount)",
        "baseline_period": spans["baseline"],
        "comparison_period": spans["comparison"],
    }
    begun = served.client.post(f"/v1/sessions/{session}/investigate", json=context)
    assert begun.status_code == 202, begun.text
    with served.client.stream("GET", f"/v1/sessions/{session}/events") as events:
        for _ in events.iter_lines():
            pass
    told = served.client.get(f"/v1/sessions/{session}/explanations").json()
    assert (told["explanations"] if isinstance(told, dict) else told) == []
    words = [word for name in ("baseline", "comparison") for word in (f"--{name}", "..".join(SPANS[name]))]
    done = run_averment("drill", path, "--metric", "SUM(amount)", *words, "--json")
    assert done.code == 0, done.out
    assert done.document["explanations"] == []
