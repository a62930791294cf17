"""What a Prometheus server reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

http_app = lazily("averment.faces.http.app")

TOKEN = {"Authorization": "Bearer t"}


def test_runs_workers_and_requests_are_counted_and_only_for_who_has_the_token(home: Settings, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("region,amount\nNorth,10\nSouth,32\n", encoding="utf-8")
    with Workbench(settings=home) as bench:
        bench.analyze("total amount by region", [table], deliverables=("summary",))
        client = TestClient(http_app.create_app(bench, token="t"), base_url="http://127.0.0.1")
        assert client.get("/metrics").status_code == 401
        run_id = bench.runs.list()[0].id
        assert client.get(f"/v1/runs/{run_id}", headers=TOKEN).status_code == 200
        answer = client.get("/metrics", headers=TOKEN)
        assert answer.status_code == 200
        samples = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(answer.text)
            for sample in family.samples
        }
    assert samples["averment_runs", (("kind", "analysis"), ("status", "completed"))] == 1
    assert samples["averment_workers", ()] == 0
    timed = {labels: value for (name, labels), value in samples.items() if name == "averment_http_seconds_count"}
    assert timed[(("method", "GET"), ("route", "/v1/runs/{run_id}"), ("status", "200"))] == 1
    assert not any(run_id in str(labels) for labels in timed)


def test_without_the_package_metrics_are_refused_with_a_hint(home: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("averment.faces.http.metrics.metrics_of", lambda workbench: None)
    with Workbench(settings=home) as bench:
        client = TestClient(http_app.create_app(bench, token="t"), base_url="http://127.0.0.1")
        answer = client.get("/metrics", headers=TOKEN)
    assert answer.status_code == 501
    assert answer.json()["error"]["code"] == "MISSING_EXTRA"
