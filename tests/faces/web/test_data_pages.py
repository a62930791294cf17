"""The Data pages without scripts: forms alone do everything, and nobody reaches the dataset of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.workbench.datasets import NAMED
from passengers import passengers


@pytest.fixture(scope="module")
def kept(site: Any) -> str:
    """The address of a dataset that a form made."""
    answer = site.send("/data", [("passengers.csv", passengers().encode())], name="liner")
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def test_forms_alone_describe_teach_rename_ask_and_build(site: Any, kept: str) -> None:
    assert "passengers.csv" in site.client.get("/data").text
    noted = site.post(f"{kept}/columns", column="passengers.fare", label="ticket price", unit="GBP", role="measure")
    assert noted.status_code == 303
    assert site.post(f"{kept}/words", word="children", means="age is under 16").status_code == 303
    assert site.post(f"{kept}/describe", name="the liner", description="who was on board").status_code == 303
    page = site.client.get(kept).text
    assert "ticket price" in page and "age is under 16" in page and "who was on board" in page
    run = site.workbench.analyze("average ticket price by class", f"{NAMED}{kept.rsplit('/', 1)[1]}")
    assert run.read_back == "average fare, by class, in passengers"
    built = site.post(f"{kept}/build", function="mean", of="passengers.fare", by1="passengers.class")
    assert site.workbench.runs.wait(built.headers["location"].rsplit("/", 1)[1]).plan == run.plan
    assert "ticket price" in site.client.get(f"{kept}/suggestions").text
    assert "Holm" in site.client.get(f"{kept}/rows").text
    assert site.post(f"{kept}/words/forget", word="children").status_code == 303
    assert site.post(f"{kept}/words", word="luck", means="qwertz uiop").status_code == 422
    assert site.post(f"{kept}/remove").status_code == 422
    assert site.post(f"{kept}/remove", sure="yes").headers["location"] == "/data"
    assert site.client.get(kept).status_code == 404


def test_an_upload_goes_with_its_dataset_unless_a_run_uses_it(site: Any) -> None:
    for asked in (False, True):
        there = site.send("/data", [("passengers.csv", passengers().encode())], name="short-lived").headers["location"]
        (place,) = site.workbench.datasets.get("short-lived").places
        if asked:
            site.workbench.analyze("median age", "dataset:short-lived", deliverables=("summary",))
        assert site.post(f"{there}/remove", sure="yes").status_code == 303
        assert Path(place).exists() is asked


def test_an_empty_file_and_a_place_outside_are_refused_and_leave_nothing(site: Any) -> None:
    uploads: Path = site.workbench.settings.home / "uploads"
    before = sorted(uploads.rglob("*")) if uploads.exists() else []
    assert site.send("/data", [("empty.csv", b"")]).status_code == 422
    for place, status in (("/etc/passwd", 403), ("", 422)):
        form = [("form_token", (None, site.form_token)), ("place", (None, place))]
        assert (place, site.client.post("/data", files=form).status_code) == (place, status)
    assert (sorted(uploads.rglob("*")) if uploads.exists() else []) == before


def test_a_form_without_its_token_changes_nothing(site: Any) -> None:
    made = site.workbench.datasets.list()
    parts = [("files", ("x.csv", b"a,b\n1,2\n"))]
    assert site.client.post("/data", data={"form_token": "0" * 64}, files=parts).status_code == 403
    assert site.workbench.datasets.list() == made


def test_the_pages_of_a_dataset_are_its_users_alone(site: Any) -> None:
    answer = site.send("/data", [("passengers.csv", passengers().encode())], name="owned")
    owned = answer.headers["location"]
    token = site.workbench.home.users.add("kim")
    with httpx2.Client(base_url=site.url, headers={"Accept": "text/html"}, timeout=60) as kim:
        assert kim.get("/", params={"token": token}).status_code == 303
        mine = kim.get("/data").text
        assert "owned" not in mine and "Where the data are" not in mine
        form = mine.split('name="form_token" value="')[1][:64]
        for path in (owned, f"{owned}/rows", f"{owned}/suggestions", f"{owned}/complete?text=fa", "/data/owned"):
            assert (path, kim.get(path).status_code) == (path, 404)
        for path in ("ask", "build", "plan", "describe", "columns", "words", "words/forget", "remove"):
            fields = {"form_token": form, "question": "how many", "name": "x", "word": "a", "sure": "yes"}
            assert (path, kim.post(f"{owned}/{path}", data=fields).status_code) == (path, 404)
        assert kim.post("/data", data={"form_token": form, "place": "/etc/passwd"}).status_code in {400, 403}
    site.workbench.home.users.revoke("kim")
    assert site.workbench.datasets.get("owned").name == "owned"
