"""The journeys that matter most, in a real Chromium: a proof, a question back, hostile texts, a deletion."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chromium import CHROMIUM, FLAGS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

LONG = 180_000
ATTACKS = Path(__file__).parents[2] / "hostile" / "data" / "api_attacks" / "cases.jsonl"
ORDERS = "region,day,amount\n" + "".join(
    f"{('West', 'East', 'North', 'South')[n % 4]},2024-0{n % 6 + 1}-11,{n}.25\n" for n in range(120)
)


class Visit:
    """A window that came in by the printed link, and all that it said and asked for."""

    def __init__(self, browser: Any, served: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1200, "height": 900})
        self.context.set_default_timeout(LONG)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{served.url}/?token={served.token}")

    def ask(self, question: str, content: str) -> None:
        """Drop a file, write a question, press Enter."""
        file = {"name": "orders.csv", "mimeType": "text/csv", "buffer": content.encode()}
        self.page.set_input_files("#files", file)
        self.page.fill("#question", question)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/chat/*")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Any, served: Any) -> Iterator[Visit]:
    opened = Visit(browser, served)
    yield opened
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith((served.url, "data:", "blob:"))] == []
    opened.context.close()


def test_a_question_is_asked_answered_and_every_number_leads_to_its_proof(visit: Visit, served: Any) -> None:
    page = visit.page
    visit.ask("total amount by region", ORDERS)
    page.wait_for_selector(".answer-card[data-status=completed] .number-link")
    told = page.locator(".answer-card > .answer").inner_text()
    truth = sum(n + 0.25 for n in range(120) if n % 4 == 3)
    assert f"{truth:,.2f}" in told
    page.locator(".number-link").first.click()
    page.wait_for_selector("#panel:not([hidden])")
    assert "SELECT" in page.locator("#panel").inner_text().upper()
    run_id = page.locator("[data-run]").last.get_attribute("data-run")
    assert served.workbench.verify(run_id).ok


def test_a_word_that_the_data_lack_is_asked_about_on_the_page(visit: Visit) -> None:
    visit.ask("total amount by galaxy", ORDERS)
    page = visit.page
    page.wait_for_selector(".by-assistant:not(.is-live) >> text=galaxy")
    assert page.locator(".answer-card[data-status=completed]").count() == 0
    assert page.locator(".number-link").count() == 0


def test_hostile_texts_run_nothing_in_the_browser(visit: Visit, served: Any) -> None:
    lines = map(json.loads, ATTACKS.read_text(encoding="utf-8").splitlines())
    texts = [line["text"] for line in lines if line["kind"] == "xss_text" and line["text"].isprintable()]
    assert len(texts) >= 15
    for text in texts:
        served.client.post("/v1/tasks", json={"title": text[:255]})
    cells = "".join(f'"{text.replace(chr(34), chr(34) * 2)}",{n}\n' for n, text in enumerate(texts, 1))
    run = served.run_of(served.ask(("names.csv", f"name,amount\n{cells}".encode()), intent="total amount by name"))
    assert run["status"] == "completed"
    for path in ("/tasks", "/runs", f"/runs/{run['id']}", f"/runs/{run['id']}/report"):
        visit.page.goto(served.url + path)
        visit.page.wait_for_load_state("networkidle")
    assert texts[0] in visit.page.locator("body").inner_text()


def test_a_task_is_deleted_on_the_page_after_a_yes_alone(visit: Visit, served: Any) -> None:
    page = visit.page
    served.client.post("/v1/tasks", json={"title": "call the bank"})

    for answer, kept in (("no", True), ("yes", False)):
        page.goto(f"{served.url}/home")
        page.fill("#question", "delete call the bank")
        page.keyboard.press("Enter")
        page.wait_for_url("**/chat/*")
        page.wait_for_selector(".by-assistant:not(.is-live) >> text=call the bank")
        assert "call the bank" in served.titles()
        page.fill("#question", answer)
        page.keyboard.press("Enter")
        page.wait_for_selector(".message:nth-of-type(4)")
        page.wait_for_selector(".is-live", state="detached")
        page.wait_for_function("() => document.querySelectorAll('.by-assistant:not(.is-live)').length >= 2")
        assert ("call the bank" in served.titles()) is kept
