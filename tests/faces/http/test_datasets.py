"""Datasets and the rows behind a cell over HTTP: kept, described, asked, built; and each user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest


@pytest.fixture
def kept(service: Any, sales: bytes) -> str:
    made = service.client.post("/v1/datasets", data={"name": "sales"}, files=[("files", ("sales.csv", sales))])
    if made.status_code == 409:
        service.client.delete("/v1/datasets/sales")
        made = service.client.post("/v1/datasets", data={"name": "sales"}, files=[("files", ("sales.csv", sales))])
    assert made.status_code == 201, made.text
    assert str(service.workbench.settings.home) not in made.text
    return str(made.json()["id"])


def ended(service: Any, response: httpx2.Response) -> dict[str, Any]:
    assert response.status_code == 202, response.text
    list(service.events(response.json()["id"]))
    return service.client.get(response.json()["links"]["self"]).json()


def test_a_dataset_is_looked_into_described_asked_and_removed(
    service: Any, kept: str, code: Callable[[httpx2.Response], str]
) -> None:
    client = service.client
    detail = client.get("/v1/datasets/sales").json()
    names = [column["name"] for column in detail["tables"][0]["columns"]]
    assert "amount" in names and detail["dataset"]["id"] == kept
    rows = client.get(f"/v1/datasets/{kept}/rows").json()
    assert rows["columns"] == names and len(rows["rows"]) == 50
    questions = [one["question"] for one in client.get("/v1/datasets/sales/suggestions").json()["suggestions"]]
    assert len(questions) == 6
    typed = client.get("/v1/datasets/sales/completions", params={"text": "total am"}).json()["completions"]
    assert [(one["text"], one["start"]) for one in typed] == [("amount", 6)]
    noted = client.patch("/v1/datasets/sales/columns/amount", json={"label": "turnover", "unit": "EUR"})
    assert noted.status_code == 200, noted.text
    taught = client.post("/v1/datasets/sales/meanings", json={"word": "big ones", "means": "amount over 100"})
    assert taught.json()["taught"] == ["big ones"]
    plan = client.post("/v1/datasets/sales/plan", json={"function": "sum", "of": "amount", "by": ["region"]}).json()
    assert plan["read_back"] == "total amount, by region, in sales"
    assert code(client.patch("/v1/datasets/sales/columns/nothing", json={"unit": "EUR"})) == "MISSING_COLUMN"
    assert client.delete("/v1/datasets/sales/meanings/big ones").json()["taught"] == []
    assert client.patch("/v1/datasets/sales", json={"name": "takings"}).json()["name"] == "takings"
    assert client.delete("/v1/datasets/takings").status_code == 204
    assert code(client.get("/v1/datasets/takings")) == "SOURCE_NOT_FOUND"


def test_a_dataset_is_asked_by_its_name_and_its_rows_are_told(
    service: Any, kept: str, sales: bytes, code: Callable[[httpx2.Response], str]
) -> None:
    form = [("intent", (None, "total amount by region")), ("dataset", (None, "sales"))]
    done = ended(service, service.client.post("/v1/analyses", files=form))
    assert done["read_back"] == "total amount, by region, in sales"
    told = service.client.get(f"/v1/runs/{done['id']}/rows", params={"row": 1, "size": 3}).json()
    assert told["recomputed"]["same"] is True and told["source"] == "sales.csv"
    lines = sales.decode().splitlines()
    region = told["columns"].index("region")
    for one in told["rows"]:
        assert str(one["cells"][region]) in lines[one["line"] - 1]
    both = [*form, ("files", ("sales.csv", sales))]
    assert code(service.client.post("/v1/analyses", files=both)) == "NO_SOURCES"
    unknown = [("intent", (None, "total amount")), ("dataset", (None, "nothing"))]
    assert code(service.client.post("/v1/analyses", files=unknown)) == "SOURCE_NOT_FOUND"


def test_no_user_sees_asks_or_changes_the_dataset_of_another(service: Any, kept: str, sales: bytes) -> None:
    tokens = {name: service.workbench.home.users.add(name) for name in ("ines", "jan")}
    people = {
        name: httpx2.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for name, token in tokens.items()
    }
    made = people["ines"].post("/v1/datasets", data={"name": "mine"}, files=[("files", ("sales.csv", sales))])
    assert made.status_code == 201
    for place in (
        "/v1/datasets/mine",
        f"/v1/datasets/{made.json()['id']}",
        f"/v1/datasets/{kept}",
        "/v1/datasets/sales",
    ):
        other = people["jan"]
        sent: list[tuple[str, str, dict[str, Any]]] = [
            ("GET", place, {}),
            ("GET", f"{place}/rows", {}),
            ("GET", f"{place}/suggestions", {}),
            ("GET", f"{place}/completions?text=am", {}),
            ("PATCH", place, {"json": {"name": "stolen"}}),
            ("PATCH", f"{place}/columns/amount", {"json": {"unit": "EUR"}}),
            ("POST", f"{place}/meanings", {"json": {"word": "a", "means": "amount"}}),
            ("DELETE", f"{place}/meanings/a", {}),
            ("POST", f"{place}/plan", {"json": {}}),
            ("DELETE", place, {}),
        ]
        for method, path, body in sent:
            assert (path, other.request(method, path, **body).status_code) == (path, 404)
    form = [("intent", (None, "total amount by region")), ("dataset", (None, "mine"))]
    assert people["jan"].post("/v1/analyses", files=form).status_code == 404
    assert people["jan"].get("/v1/datasets").json() == {"datasets": []}
    assert people["ines"].post("/v1/analyses", files=form).status_code == 202
    place = [("place", (None, "/etc/passwd"))]
    assert people["ines"].post("/v1/datasets", files=place).status_code == 403
    assert service.client.post("/v1/datasets", files=place).status_code == 403
    for name, client in people.items():
        client.close()
        service.workbench.home.users.revoke(name)
