"""Each agent in a real Chromium, from an empty home to a verified report; the screenshots are kept."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from averment.records.analysis import ENDED

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

EXAMPLES = Path(__file__).parents[3] / "examples"
HARBOUR = sorted((EXAMPLES / "harbour").glob("*.md"))
QUESTION = "What did the dredging of the Port of Aldermouth cost?"
ORDERS = "region,day,amount\n" + "".join(
    f"{('West', 'East', 'North', 'South')[n % 4]},2024-0{n % 6 + 1}-11,{n}.25\n" for n in range(120)
)
DAILY = "day,region,amount\n" + "".join(
    f"2024-{1 + n // 28:02d}-{1 + n % 28:02d},{region},{40 if region == 'West' and n >= 28 else 100 + n % 3}\n"
    for n in range(56)
    for region in ("West", "East", "North")
)
SERVER = """
import sys, uvicorn
from pathlib import Path
from averment.faces.http.app import create_app
from averment.settings import Settings
from averment.workbench import Workbench
workbench = Workbench(settings=Settings(home=Path(sys.argv[1])))
workbench.home.recover()
app = create_app(workbench, token=sys.argv[3])
uvicorn.run(app, port=int(sys.argv[2]), http="h11", ws="none", log_level="critical")
"""


def only_own(visit: Any, site: Any) -> list[str]:
    return [url for url in visit.asked if not url.startswith((site.url, "data:", "blob:"))]


def ask(page: Any, words: str) -> None:
    """Ask in the thread that is open, and wait for the answer."""
    count = page.locator(".by-assistant:not(.is-live)").count()
    page.fill("#question", words)
    page.keyboard.press("Enter")
    page.locator(".by-assistant:not(.is-live)").nth(count).wait_for()
    page.wait_for_selector(".is-live", state="detached")


@pytest.mark.thorough
def test_the_analyst_from_an_empty_home_to_a_verified_report(
    browser: Any, serve: Any, open_visit: Any, shots: Path, tmp_path: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    assert "Nothing was asked yet" in page.locator(".side").inner_text()
    assert "average price by cut" in page.locator(".starts").inner_text()
    page.screenshot(path=shots / "analyst-1-home.png")
    orders = tmp_path / "orders.csv"
    orders.write_text(ORDERS)
    page.set_input_files("#files", orders)
    page.wait_for_selector("[data-drop-list]:has-text('orders.csv')")
    ask(page, "total amount by region")
    page.wait_for_url("**/chat/*")
    page.wait_for_selector(".answer-card[data-status=completed] .answer .number-link")
    page.wait_for_selector("figure .plot canvas")
    page.screenshot(path=shots / "analyst-2-answer.png", full_page=True)
    page.locator(".answer .number-link").first.click()
    page.wait_for_selector("#panel:not([hidden])")
    page.wait_for_selector("#panel .code:has-text('SELECT')")
    assert page.locator("#panel .meant").count() == 1
    page.click("#panel button:has-text('Re-check now')")
    page.wait_for_selector("#panel .verdict.holds")
    page.screenshot(path=shots / "analyst-3-proof.png")
    page.keyboard.press("Escape")
    page.wait_for_selector("#panel", state="hidden")
    page.wait_for_function("() => document.activeElement.className === 'number-link'")
    page.wait_for_selector(".marks [data-figures='recomputed']")
    ask(page, "only for West")
    assert "West" in page.locator(".answer-card").nth(1).locator("dl.marks").inner_text()
    page.screenshot(path=shots / "analyst-4-follow-up.png")
    # The first card is still there, and everything stays when the page is loaded again, or left and come back to.
    place = page.url
    page.reload()
    assert page.locator(".answer-card").count() == 2
    page.click(".answer-card >> nth=0 >> a:has-text('Report')")
    page.wait_for_selector(".sheet article.proof")
    page.wait_for_function("() => document.querySelector('.sheet img').naturalWidth > 500")
    page.screenshot(path=shots / "analyst-5-report.png", full_page=True)
    page.go_back()
    page.wait_for_selector(".answer-card >> nth=1")
    assert page.url == place
    page.click(".answer-card >> nth=0 >> summary:has-text('Export')")
    with page.expect_download() as got:
        page.click(".menu[open] a:has-text('PDF')")
    assert Path(got.value.path()).read_bytes().startswith(b"%PDF-")
    assert visit.said == []
    assert only_own(visit, site) == []
    visit.context.close()


def test_a_first_visit_from_a_file_over_a_suggested_question_to_an_export(
    browser: Any, serve: Any, open_visit: Any, shots: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    page.set_input_files("#files", {"name": "daily.csv", "mimeType": "text/csv", "buffer": DAILY.encode()})
    page.click("button:has-text('Look at the data first')")
    page.wait_for_url("**/data/*")
    page.wait_for_selector("#suggestions .pill")
    page.screenshot(path=shots / "first-1-data.png", full_page=True)
    suggested = page.locator("#suggestions .pill").first.inner_text()
    page.locator("#suggestions .pill").first.click()
    page.wait_for_url("**/chat/*")
    page.wait_for_selector(".answer-card[data-status=completed] .number-link")
    page.wait_for_selector(".is-live", state="detached")
    assert page.locator(".by-user .said").inner_text() == suggested
    page.screenshot(path=shots / "first-2-answer.png")
    ask(page, "only for West")
    assert "West" in page.locator(".answer-card").nth(1).inner_text()
    page.click(".answer-card >> nth=1 >> summary:has-text('Export')")
    with page.expect_download() as got:
        page.click(".menu[open] a:has-text('HTML, one file')")
    assert Path(got.value.path()).read_text().startswith("<!doctype html>")
    # The dataset stays: the next thread can be begun with it, with its names completed and questions suggested.
    page.click("a:has-text('New thread')")
    page.wait_for_url("**/home")
    page.select_option("#dataset", label="daily")
    page.wait_for_selector("#suggestions .pill")
    page.focus("#question")
    page.keyboard.type("average am")
    page.wait_for_selector(".completions li:has-text('amount')")
    page.screenshot(path=shots / "first-3-dataset.png")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.input_value("#question") == "average amount "
    page.keyboard.type("by region")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer-card[data-status=completed] dl.marks:has-text('by region')")
    assert "daily" in page.locator(".side").inner_text()
    # A suggestion that is pressed on the first page is asked in its thread.
    page.goto(f"{site.url}/home")
    page.select_option("#dataset", label="daily")
    page.locator("#suggestions .pill").nth(1).click()
    page.wait_for_selector(".answer-card[data-status=completed]")
    page.wait_for_selector(".is-live", state="detached")
    assert page.locator(".message").count() == 2
    page.reload()
    assert page.locator(".message").count() == 2
    assert visit.said == []
    visit.context.close()


@pytest.mark.thorough
def test_an_offer_is_chosen_and_a_drill_begins_from_a_chart(
    browser: Any, site: Any, open_visit: Any, shots: Path
) -> None:
    visit = open_visit(browser, site)
    page = visit.page
    page.set_input_files("#files", {"name": "daily.csv", "mimeType": "text/csv", "buffer": DAILY.encode()})
    ask(page, "West vs East")
    page.wait_for_selector(".offer table")
    page.screenshot(path=shots / "offers-1-readings.png")
    offered = page.locator(".offer-words").first.inner_text()
    page.locator(".offer button.primary").click()
    page.locator(".answer-card").nth(1).wait_for()
    page.wait_for_selector(".is-live", state="detached")
    assert page.locator(".by-user .said").last.inner_text() == offered
    assert offered in page.locator(".answer-card").nth(1).locator("dl.marks").inner_text()
    ask(page, "total amount by day")
    moved = page.locator(".answer-card").last.locator(".why button")
    assert moved.inner_text() == "Why did this fall from 1 February 2024 on?"
    page.screenshot(path=shots / "drill-1-series.png")
    moved.click()
    page.wait_for_selector(".answer-card:has-text('Drill-down') .answer:has-text('West')")
    page.wait_for_selector(".is-live", state="detached")
    page.screenshot(path=shots / "drill-2-answer.png", full_page=True)
    assert visit.said == []
    visit.context.close()


def test_the_researcher_from_an_empty_home_to_a_verified_report(
    browser: Any, serve: Any, open_visit: Any, shots: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    page.set_input_files("#files", HARBOUR)
    ask(page, QUESTION)
    page.wait_for_selector(".answer-card[data-status=completed] .answer .number-link")
    page.screenshot(path=shots / "researcher-1-answer.png")
    page.click(".answer-card a:has-text('How it was done')")
    page.wait_for_selector("#run .tree .is-done")
    assert page.locator(".tree li").count() >= 3
    table = page.locator("[aria-labelledby=conflicts] table").inner_text()
    assert "38 million euros" in table and "41 million euros" in table and "no rule decides" in table
    assert page.locator("[aria-labelledby=sources] tbody tr").count() == 3
    page.screenshot(path=shots / "researcher-2-run.png", full_page=True)
    page.click(".tabs a:has-text('Report')")
    page.wait_for_selector(".sheet a.cite")
    page.wait_for_load_state()  # Without its script the page would go to the passage instead of showing it beside.
    said = page.locator(".sheet p:has(a.cite)").first.inner_text()
    page.locator(".sheet a.cite").first.click()
    page.wait_for_selector("#panel:not([hidden]) .passage mark")
    assert page.locator("#panel .passage mark").inner_text() in said
    page.screenshot(path=shots / "researcher-3-passage.png")
    page.click("#panel a:has-text('Read the whole document')")
    page.wait_for_selector(".sheet mark#marked")
    page.go_back()
    page.wait_for_selector(".sheet a.cite")
    page.go_back()
    page.click("button:has-text('Verify this run')")
    page.wait_for_selector(".verdict.holds")
    page.screenshot(path=shots / "researcher-4-verified.png")
    assert visit.said == []
    assert only_own(visit, site) == []
    visit.context.close()


def test_tasks_and_answers_stand_in_one_thread(
    browser: Any, serve: Any, open_visit: Any, shots: Path, tmp_path: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    ask(page, "remind me to call the bank")
    page.wait_for_url("**/chat/*")
    page.wait_for_selector(".ticks:has-text('call the bank')")
    ask(page, "delete the task about the bank")
    page.screenshot(path=shots / "assistant-1-question.png")
    # A second window, opened while the question is open, sees it; the first one's answer reaches it by itself.
    other = visit.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".question button:has-text('Yes')")
    page.click(".question button:has-text('Yes')")
    other.wait_for_selector(".side :text('No open tasks.')")
    page.wait_for_selector(".side :text('No open tasks.')")
    for window in (page, other):
        window.wait_for_selector(".is-live", state="detached")
    assert other.locator(".message").count() == page.locator(".message").count()
    orders = tmp_path / "orders.csv"
    orders.write_text(ORDERS)
    page.set_input_files("#files", orders)
    ask(page, "total amount by region")
    page.wait_for_selector(".answer-card .number-link")
    page.wait_for_selector(".side:has-text('orders.csv')")
    page.screenshot(path=shots / "assistant-2-result.png")
    page.reload()
    page.click("[data-tab]:has-text('Proof')")
    page.click(".tab-panel button:has-text('Check again now')")
    page.wait_for_selector(".tab-panel .verdict.holds")
    page.screenshot(path=shots / "assistant-3-verified.png")
    assert visit.said == []
    assert only_own(visit, site) == []
    visit.context.close()


@pytest.mark.thorough
def test_a_chart_is_drawn_in_another_kind_sorted_scaled_zoomed_copied_and_downloaded(
    browser: Any, site: Any, open_visit: Any, shots: Path
) -> None:
    visit = open_visit(browser, site, permissions=["clipboard-read", "clipboard-write"])
    page = visit.page
    run_id = site.ask("total amount by region", "orders.csv", ORDERS)
    page.goto(f"{site.url}/runs/{run_id}")
    page.wait_for_selector("figure .plot canvas")

    def redrawn(change: Any) -> None:
        page.evaluate("document.querySelector('figure canvas').mark = 'old'")
        change()
        page.wait_for_function(
            "() => document.querySelector('figure canvas') && !document.querySelector('figure canvas').mark"
        )

    redrawn(lambda: page.select_option("[data-chart-kind]", "pie"))
    page.screenshot(path=shots / "chart-1-pie.png")
    redrawn(lambda: page.select_option("[data-chart-kind]", "bar"))
    redrawn(lambda: page.select_option("[data-chart-sort]", "lowest"))
    redrawn(lambda: page.check("[data-chart-log]"))
    redrawn(lambda: page.click("[data-chart-zoom]"))
    assert page.get_attribute("[data-chart-zoom]", "aria-pressed") == "true"
    page.screenshot(path=shots / "chart-2-sorted-log.png")
    page.click("[data-chart-copy]")
    page.wait_for_selector("#said:has-text('on the clipboard')", state="attached")
    kinds = page.evaluate("navigator.clipboard.read().then((all) => all.flatMap((one) => one.types))")
    assert kinds == ["image/png"]
    page.click("figure summary:has-text('Download')")
    with page.expect_download() as got:
        page.click("a:has-text('SVG drawing')")
    assert Path(got.value.path()).read_text().startswith("<svg")
    assert "sort=lowest" in got.value.url and "log=true" in got.value.url
    assert visit.said == []
    visit.context.close()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("phone", {"viewport": {"width": 390, "height": 844}, "has_touch": True}),
        ("tablet", {"viewport": {"width": 768, "height": 1024}}),
        ("dark", {"color_scheme": "dark"}),
    ],
)
def test_a_thread_is_read_and_asked_on_every_screen(
    browser: Any, site: Any, open_visit: Any, shots: Path, name: str, options: dict[str, Any]
) -> None:
    visit = open_visit(browser, site, **options)
    page = visit.page
    page.screenshot(path=shots / f"{name}-1-home.png")
    # Every page of the navigation can be reached: none of its names is cut off.
    for link in page.locator(".nav > a, .nav > details").all():
        box = link.bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    page.set_input_files("#files", {"name": "daily.csv", "mimeType": "text/csv", "buffer": DAILY.encode()})
    ask(page, "average amount by region")
    page.wait_for_selector("figure .plot canvas")
    ask(page, "and by day?")
    page.screenshot(path=shots / f"{name}-2-thread.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert visit.said == []
    visit.context.close()


def free_port() -> int:
    """A port below those that the system gives out: nobody gets it while the server is down."""
    for port in range(23_000 + os.getpid() % 4_000, 32_000):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
    raise AssertionError("no free port")


@dataclass
class Killed:
    """A server in a process of its own that can be killed and started again under the same address."""

    home: Path
    token: str = "the-token-that-stays"
    port: int = 0
    process: subprocess.Popen[bytes] | None = field(default=None)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.port = self.port or free_port()
        command = [sys.executable, "-c", SERVER, str(self.home), str(self.port), self.token]
        self.process = subprocess.Popen(command)
        until = time.monotonic() + 180
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                assert self.process.poll() is None
                time.sleep(0.05)  # It is asked again; a loop without rest would take the time the server needs.
                continue
            return
        raise AssertionError("the server does not come up")

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def status(self, run_id: str) -> str:
        with sqlite3.connect(self.home / "db" / "averment.db") as database:
            return str(database.execute("SELECT status FROM runs WHERE run_id = ?", (run_id,)).fetchone()[0])


@pytest.fixture
def killed(tmp_path: Path) -> Any:
    server = Killed(tmp_path / "home")
    server.start()
    yield server
    server.kill()


def until_killed_in_the_middle(server: Killed, page: Any, begin: Callable[[], None]) -> str:
    """Begin runs until the server dies in the middle of one; the id of that one."""
    for _ in range(4):
        begin()
        page.wait_for_selector(".tree li")
        run_id = page.url.rsplit("/", 1)[1]
        server.kill()
        if server.status(run_id) not in ENDED:
            return run_id
        server.start()
    raise AssertionError("no run was long enough to be killed in its middle")


@pytest.mark.thorough
def test_a_killed_server_comes_back_and_the_open_page_goes_on(
    browser: Any, killed: Killed, open_visit: Any, shots: Path
) -> None:
    visit = open_visit(browser, killed)
    page = visit.page

    page.goto(f"{killed.url}/sources")
    page.set_input_files("#files", HARBOUR)
    page.click("button:has-text('Archive')")
    page.wait_for_selector(".tasks li:nth-child(3)")

    def begin() -> None:
        page.goto(f"{killed.url}/sources")
        page.select_option("#depth", "comprehensive")
        page.fill("#research", QUESTION)
        page.click("button.primary:has-text('Ask the sources')")
        page.wait_for_url("**/runs/*")

    run_id = until_killed_in_the_middle(killed, page, begin)
    assert page.locator("#run").get_attribute("data-status") != "completed"
    page.wait_for_selector("#connection:has-text('Connection lost')")
    page.screenshot(path=shots / "restart-1-killed.png")
    # Nothing that is pressed meanwhile leads to the browser's own page of errors.
    page.click("button:has-text('Stop')")
    page.wait_for_selector("#said.told:has-text('does not answer yet')")
    killed.start()
    page.wait_for_selector("#connection", state="hidden")
    # Nothing is touched in the window: it finds its server again by itself.
    page.wait_for_selector("#run[data-status=completed] .tree .is-done")
    page.screenshot(path=shots / "restart-2-goes-on.png", full_page=True)
    page.click("button:has-text('Verify this run')")
    page.wait_for_selector(".verdict.holds")
    assert killed.status(run_id) == "completed"
    visit.context.close()


@pytest.mark.thorough
def test_a_question_outlives_a_server_that_goes_and_comes_back(
    browser: Any, killed: Killed, open_visit: Any, shots: Path
) -> None:
    visit = open_visit(browser, killed)
    page = visit.page
    page.set_input_files("#files", {"name": "orders.csv", "mimeType": "text/csv", "buffer": ORDERS.encode()})
    ask(page, "total amount by region")
    killed.kill()
    page.wait_for_selector("#connection:has-text('Connection lost')")
    page.fill("#question", "only for West")
    page.keyboard.press("Enter")
    page.wait_for_selector("#said.told:has-text('does not answer yet')")
    page.screenshot(path=shots / "lost-1-banner.png")
    assert page.input_value("#question") == "only for West"
    killed.start()
    page.wait_for_selector("#connection", state="hidden")
    # The same session goes on, and the thread with it.
    page.keyboard.press("Enter")
    page.locator(".answer-card").nth(1).wait_for()
    page.wait_for_selector(".is-live", state="detached")
    assert "West" in page.locator(".answer-card").nth(1).inner_text()
    page.screenshot(path=shots / "lost-2-back.png")
    visit.context.close()
