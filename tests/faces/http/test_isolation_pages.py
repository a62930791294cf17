"""The pages of two users: every route of every page is tried by the other; a route without a case fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import httpx2

from averment.records.base import utc_now
from lazily import lazily

if TYPE_CHECKING:
    from conftest import Service

mount = lazily("averment.faces.web.shell.mount")

TABLE = b"place,amount\nzanzibar,771\nlagos,5\n"
SECRETS = ("hide the gift", "zanzibar", "quarrymaster")
OPEN = {"/verifier", "/static/{name}", "/oauth/authorize", "/login", "/logout", "/theme", "/ask/agent"}
"""What shows nothing that anybody keeps."""
OWN = {"/home", "/ask", "/sample", "/runs", "/chat", "/chat/open", "/tasks", "/tasks/undo", "/reminders", "/data"}
"""What is each user's own: nothing of anyone else's is on it."""
HERS = {
    *(f"/runs/{{run_id}}{rest}" for rest in ("", "/table", "/table/download", "/report", "/export", "/verify")),
    *(f"/runs/{{run_id}}/{act}" for act in ("cancel", "resume", "replay", "again", "forget", "choose")),
    *(f"/runs/{{run_id}}/{part}" for part in ("sql", "plan", "proof", "chart", "rows")),
    "/runs/{run_id}/proof/{finding_id}/{slot}",
    "/runs/{run_id}/cite/{fact_id}",
    *(f"/chat/{{conversation_id}}{rest}" for rest in ("", "/answer", "/forget", "/stop")),
    "/tasks/{task_id}/complete",
    "/tasks/{task_id}/delete",
    "/reminders/{reminder_id}/seen",
    *(f"/data/{{dataset_id}}{rest}" for rest in ("", "/suggestions", "/rows", "/complete", "/ask", "/build", "/plan")),
    *(f"/data/{{dataset_id}}/{act}" for act in ("describe", "columns", "words", "words/forget", "remove")),
}
"""What names something of Gina's."""
OWNERS = re.compile(r"/(?:recipes|meanings|sources|ledger|settings|drill)(?:/|$)")
"""What users have no part in."""
LEAVES = {"/logout", "/login"}
"""What ends the session one walks with."""


def every_page() -> Iterator[tuple[str, str]]:
    """The pages' routes with their methods."""

    def walk(router: Any) -> Iterator[tuple[str, str]]:
        for route in router.routes:
            inner = getattr(route, "original_router", None)
            if inner is not None:
                yield from walk(inner)
            else:
                yield from ((method, route.path) for method in sorted(route.methods - {"HEAD"}))

    for part in mount.PARTS:
        yield from walk(part.router)


def entered(service: Service, name: str) -> httpx2.Client:
    """A browser in which a user is signed in."""
    browser = httpx2.Client(base_url=service.url, headers={"Accept": "text/html", "Origin": service.url}, timeout=60)
    assert browser.post("/login", data={"token": service.workbench.home.users.add(name)}).status_code == 303
    return browser


def form_token(browser: httpx2.Client) -> str:
    """What a form of a page sends along."""
    found = re.search(r'name="form_token" value="([0-9a-f]+)"', browser.get("/home").text)
    assert found is not None
    return found.group(1)


def test_every_page_has_a_case() -> None:
    unknown = [path for _, path in every_page() if path not in OPEN | OWN | HERS and not OWNERS.match(path)]
    assert unknown == []


def test_no_page_shows_or_changes_what_is_anothers(service: Service) -> None:
    tokens = service.workbench.home.users
    headers = {"Authorization": f"Bearer {tokens.add('gina')}"}
    gina = httpx2.Client(base_url=service.url, headers=headers, timeout=60)
    with closing(gina), closing(entered(service, "hugo")) as hugo:
        task = gina.post("/v1/tasks", json={"title": "hide the gift"}).json()["data"]["id"]
        said = gina.post("/v1/chat", json={"message": "remind me to feed the quarrymaster's dog in 1 minute"}).json()
        service.workbench.home.services.store.reminders.ring(utc_now() + timedelta(minutes=2))
        run = gina.post("/v1/analyses", data={"intent": "total amount by place"}, files=[("files", ("t.csv", TABLE))])
        service.workbench.runs.wait(run.json()["id"])
        table = gina.post("/v1/datasets", files=[("files", ("t.csv", TABLE))]).json()["id"]
        ids = {
            "dataset_id": table,
            "run_id": run.json()["id"],
            "task_id": task,
            "conversation_id": said["conversation_id"],
            "reminder_id": gina.get("/v1/reminders").json()["reminders"][0]["id"],
        }
        kept = (
            "/v1/datasets",
            "/v1/tasks",
            "/v1/reminders",
            "/v1/runs",
            "/v1/conversations",
            f"/v1/runs/{ids['run_id']}",
        )
        before = [gina.get(path).text for path in kept]
        token, wrong = form_token(hugo), list[Any]()
        for method, path in every_page():
            if path in LEAVES:
                continue
            place = re.sub(r"\{(\w+)\}", lambda found: str(ids.get(found.group(1), "1")), path)
            sent: dict[str, Any] = (
                {"data": {"form_token": token, "version": "1", "message": "show my tasks"}} if method == "POST" else {}
            )
            if (method, path) == ("POST", "/sources"):
                sent["files"] = [("files", ("note.txt", b"planted"))]
            got = hugo.request(method, place, **sent)
            refused = got.status_code in {403, 404, 405, 409, 415, 422}
            seen = [word for word in SECRETS if word in got.text]
            if seen or ((path in HERS or OWNERS.match(path)) and not refused) or got.status_code >= 500:
                wrong.append((method, path, got.status_code, seen, got.text[-200:]))
        assert not wrong, "\n".join(map(str, wrong))
        assert [gina.get(path).text for path in kept] == before
