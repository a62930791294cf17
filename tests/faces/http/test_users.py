"""Two users and the owner: over every route, nothing of the other is seen or changed."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from averment.records.base import utc_now
from lazily import lazily

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Service

http_app = lazily("averment.faces.http.app")
mount = lazily("averment.faces.web.shell.mount")


SALES = Path(__file__).parents[3] / "examples" / "sales.csv"


@pytest.fixture
def people(service: Service) -> Iterator[dict[str, httpx2.Client]]:
    names = ("anna", "bob")
    tokens = {name: service.workbench.home.users.add(name) for name in names}
    clients = {
        name: httpx2.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for name, token in tokens.items()
    }
    yield clients
    for name, client in clients.items():
        client.close()
        service.workbench.home.users.revoke(name)


def test_a_users_tasks_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    made = people["anna"].post("/v1/tasks", json={"title": "anna's secret"}).json()["data"]
    assert [task["title"] for task in people["anna"].get("/v1/tasks").json()["data"]] == ["anna's secret"]
    assert people["bob"].get("/v1/tasks").json()["data"] == []
    assert "anna's secret" not in service.client.get("/v1/tasks").text
    assert people["bob"].patch(f"/v1/tasks/{made['id']}", json={"title": "bob was here"}).status_code == 404
    assert people["bob"].delete(f"/v1/tasks/{made['id']}").status_code == 404
    assert people["anna"].get("/v1/tasks").json()["data"][0]["title"] == "anna's secret"


def test_a_users_conversations_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    said = people["anna"].post("/v1/chat", json={"message": "remind me to hide the gift"}).json()
    there = f"/v1/conversations/{said['conversation_id']}"
    assert people["anna"].get(there).status_code == 200
    for other in (people["bob"], service.client):
        assert other.get(there).status_code == 404
        assert other.delete(there).status_code == 404
        assert said["conversation_id"] not in other.get("/v1/conversations").text
        intruding = {"message": "show my tasks", "conversation_id": said["conversation_id"]}
        assert other.post("/v1/chat", json=intruding).status_code == 404
        answer = {"question_id": "any", "answer": True}
        assert other.post(f"{there}/answers", json=answer).status_code in {404, 409}
    assert "hide the gift" in people["anna"].post("/v1/chat", json={"message": "show my tasks"}).json()["response"]


def test_a_users_runs_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    files = [("files", ("sales.csv", SALES.read_bytes()))]
    begun = people["anna"].post("/v1/analyses", data={"intent": "total amount by region"}, files=files)
    assert begun.status_code < 300, begun.text
    run_id = begun.json()["id"]
    assert people["anna"].get(f"/v1/runs/{run_id}").status_code == 200
    for path in ("", "/events", "/verify", "/report", "/artifacts"):
        assert people["bob"].get(f"/v1/runs/{run_id}{path}").status_code in {404, 405}
    for act in ("cancel", "resume", "verify"):
        assert people["bob"].post(f"/v1/runs/{run_id}/{act}").status_code in {404, 405}
    assert people["bob"].delete(f"/v1/runs/{run_id}").status_code in {403, 404}
    assert people["anna"].get(f"/v1/runs/{run_id}").status_code == 200
    follows = {"intent": "and by product?", "after": run_id}
    assert people["bob"].post("/v1/analyses", data=follows, files=files).status_code == 404
    assert run_id not in people["bob"].get("/v1/runs").text
    assert run_id in people["anna"].get("/v1/runs").text


def test_what_is_the_owners_is_refused_to_users(people: dict[str, httpx2.Client]) -> None:
    for path in ("/v1/sessions", "/sessions"):
        assert people["bob"].post(path, json={}).status_code in {403, 404, 405, 422}
    for page in ("/home", "/tasks", "/chat", "/runs", "/ledger"):
        shown = people["bob"].get(page, headers={"Accept": "text/html"}, follow_redirects=False)
        assert shown.status_code >= 300


def test_a_revoked_token_opens_nothing(service: Service) -> None:
    token = service.workbench.home.users.add("carol")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=service.url, headers=headers, timeout=60) as client:
        assert client.get("/v1/tasks").status_code == 200
        assert service.workbench.home.users.revoke("carol") == 1
        assert client.get("/v1/tasks").status_code == 401


def test_members_of_a_group_share_what_they_keep(service: Service) -> None:
    tokens = [service.workbench.home.users.add(name, group="sales") for name in ("dora", "emil")]
    first, second = (
        httpx2.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
        for token in tokens
    )
    with first, second:
        first.post("/v1/tasks", json={"title": "shared"})
        assert [task["title"] for task in second.get("/v1/tasks").json()["data"]] == ["shared"]


def test_two_users_may_send_the_same_key(people: dict[str, httpx2.Client]) -> None:
    for name in ("anna", "bob"):
        made = people[name].post("/v1/tasks", json={"title": f"of {name}"}, headers={"Idempotency-Key": "same"})
        assert made.status_code == 201, made.text
        assert made.json()["data"]["title"] == f"of {name}"


def test_an_upload_is_its_users_alone(people: dict[str, httpx2.Client]) -> None:
    made = people["anna"].post("/v1/uploads", files=[("files", ("sales.csv", SALES.read_bytes()))])
    [reference] = made.json()["files"]
    asked = {"message": "total amount by region", "files": [reference]}
    assert people["bob"].post("/v1/chat", json=asked).status_code == 404
    assert "47,661.75" in people["anna"].post("/v1/chat", json=asked).json()["response"]


def test_a_users_reminders_are_nobody_elses(service: Service, people: dict[str, httpx2.Client]) -> None:
    people["anna"].post("/v1/tasks", json={"title": "secret call", "due": "2020-01-01"})
    people["anna"].post("/v1/chat", json={"message": "remind me to hide the gift in 1 minute"})
    later = utc_now() + timedelta(minutes=2)
    assert [one.title for one in service.workbench.home.services.store.reminders.ring(later)] == ["hide the gift"]
    [mine] = people["anna"].get("/v1/reminders").json()["reminders"]
    assert mine["title"] == "hide the gift"
    for other in (people["bob"], service.client):
        assert "hide the gift" not in other.get("/v1/reminders").text
        assert other.post(f"/v1/reminders/{mine['id']}/seen").status_code == 404
    assert people["anna"].post(f"/v1/reminders/{mine['id']}/seen").status_code == 204
    assert people["anna"].get("/v1/reminders").json() == {"reminders": []}


@pytest.fixture
def at_the_page(service: Service) -> Iterator[dict[str, httpx2.Client]]:
    """Two users who came in over the login page, each in a browser of their own."""
    opened: dict[str, httpx2.Client] = {}
    for name in ("gina", "hugo"):
        token = service.workbench.home.users.add(name)
        browser = httpx2.Client(base_url=service.url, headers={"Accept": "text/html"}, timeout=60)
        came = browser.post("/login", data={"token": token}, headers={"Origin": service.url})
        assert came.status_code == 303, came.text
        assert came.headers["location"] == "/home"
        opened[name] = browser
    yield opened
    for name, browser in opened.items():
        browser.close()
        service.workbench.home.users.revoke(name)


def form_token(page: str) -> str:
    found = re.search(r'name="form_token" value="([0-9a-f]+)"', page)
    assert found is not None
    return found.group(1)


def test_a_user_has_pages_of_their_own(service: Service, at_the_page: dict[str, httpx2.Client]) -> None:
    gina, hugo = at_the_page["gina"], at_the_page["hugo"]
    token = form_token(gina.get("/tasks").text)
    added = gina.post("/tasks", data={"title": "gina's secret", "form_token": token}, headers={"Origin": service.url})
    assert added.status_code == 303, added.text
    assert "gina&#39;s secret" in gina.get("/tasks").text
    assert "secret" not in hugo.get("/tasks").text
    said = gina.post(
        "/chat", data={"message": "total of nothing", "form_token": token}, headers={"Origin": service.url}
    )
    assert said.status_code == 303
    talk = said.headers["location"]
    assert gina.get(talk).status_code == 200
    assert hugo.get(talk).status_code == 404
    for place in ("/ledger", "/recipes", "/sources", "/drill"):
        assert gina.get(place).status_code == 403, place


def every_route(service: Service) -> Iterator[tuple[str, set[str]]]:
    """The routes of the pages and those of the API, each with its methods."""
    for part in mount.PARTS:
        for route in part.router.routes:
            yield getattr(route, "path", ""), (getattr(route, "methods", None) or set[str]()) - {"HEAD"}
    for path, methods in http_app.create_app(service.workbench, token="t" * 30).openapi()["paths"].items():
        yield path, {method.upper() for method in methods}


def test_no_page_route_shows_a_user_the_run_of_another(service: Service, at_the_page: dict[str, httpx2.Client]) -> None:
    run = service.workbench.analyze("total amount by region", sources=[SALES])
    gina = at_the_page["gina"]
    token = form_token(gina.get("/home").text)
    walked = 0
    for path, methods in every_route(service):
        if "{run_id}" not in path:
            continue
        place = re.sub(r"\{(?!run_id)[^}]*\}", "1", path.replace("{run_id}", run.id))
        for method in sorted(methods):
            sent = {"data": {"form_token": token}} if method == "POST" else {}
            got = gina.request(method, place, headers={"Origin": service.url}, **sent)
            walked += 1
            assert got.status_code in {401, 403, 404, 405, 415, 422}, (method, place, got.status_code)
            assert "47,661" not in got.text
    for place in ("/chat", "/chat/open"):
        asked = {"form_token": token, "message": "only for West", "about": run.id}
        assert gina.post(place, data=asked, headers={"Origin": service.url}).status_code == 404
    assert walked > 20
    assert service.workbench.show(run.id).status == "completed"
    assert run.id not in gina.get("/runs").text
    assert run.id not in gina.get("/home").text


def test_a_revoked_user_is_led_to_the_login(service: Service, at_the_page: dict[str, httpx2.Client]) -> None:
    assert at_the_page["hugo"].get("/tasks").status_code == 200
    service.workbench.home.users.revoke("hugo")
    assert at_the_page["hugo"].get("/tasks").status_code == 401
