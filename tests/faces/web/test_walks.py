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

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("flows"), pytest.mark.timeout(900)]

EXAMPLES = Path(__file__).parents[3] / "examples"
HARBOUR = sorted((EXAMPLES / "harbour").glob("*.md"))
QUESTION = "What did the dredging of the Port of Aldermouth cost?"
ORDERS = "region,day,amount\n" + "".join(
    f"{('West', 'East', 'North', 'South')[n % 4]},2024-0{n % 6 + 1}-11,{n}.25\n" for n in range(120)
)
SERVER = """
import sys, uvicorn
from pathlib import Path
from averment.faces.http.app import create_app
from averment.settings import Settings
from averment.workbench import Workbench
workbench = Workbench(settings=Settings(home=Path(sys.argv[1])))
workbench.recover()
app = create_app(workbench, token=sys.argv[3])
uvicorn.run(app, port=int(sys.argv[2]), http="h11", ws="none", log_level="critical")
"""


def only_own(visit: Any, site: Any) -> list[str]:
    return [url for url in visit.asked if not url.startswith((site.url, "data:", "blob:"))]


def test_the_analyst_from_an_empty_home_to_a_verified_report(
    browser: Any, serve: Any, open_visit: Any, shots: Path, tmp_path: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    assert page.locator(".empty-title").inner_text() == "Nothing was asked yet"
    page.screenshot(path=shots / "analyst-1-home.png")
    orders = tmp_path / "orders.csv"
    orders.write_text(ORDERS)
    page.set_input_files("#files", orders)
    page.wait_for_selector("[data-drop-list]:has-text('orders.csv')")
    page.fill("#question", "total amount by region")
    page.wait_for_selector("#routed .chip:has-text('the analyst')")
    page.click("button.primary:has-text('Ask')")
    page.wait_for_url("**/runs/*")
    page.wait_for_selector("#run[data-status=completed]:not([data-follow]) .number-link")
    page.locator("figure.chart").first.scroll_into_view_if_needed()
    page.wait_for_selector("figure .plot canvas")
    assert page.locator("g.node.is-done").count() == page.locator("g.node").count() >= 2
    page.screenshot(path=shots / "analyst-2-run.png", full_page=True)
    page.locator(".number-link").first.click()
    page.wait_for_selector("#panel:not([hidden])")
    page.wait_for_selector("#panel .code:has-text('SELECT')")
    assert page.locator("#panel .meant").count() == 1
    page.click("#panel button:has-text('Re-check now')")
    page.wait_for_selector("#panel .verdict.holds")
    page.screenshot(path=shots / "analyst-3-proof.png")
    page.keyboard.press("Escape")
    page.wait_for_selector("#panel", state="hidden")
    page.wait_for_function("() => document.activeElement.className === 'number-link'")
    page.click("button:has-text('Verify this run')")
    page.wait_for_selector("#checked .verdict.holds")
    page.wait_for_selector("#badge:has-text('verified')")
    page.screenshot(path=shots / "analyst-4-verified.png")
    page.reload()
    page.wait_for_selector("#badge:has-text('verified')")
    page.click("summary:has-text('Export')")
    with page.expect_download() as got:
        page.click(".menu a:has-text('PDF')")
    assert Path(got.value.path()).read_bytes().startswith(b"%PDF-")
    page.click(".actions a:has-text('Report')")
    page.wait_for_selector(".sheet article.proof")
    page.wait_for_function("() => document.querySelector('.sheet img').naturalWidth > 500")
    page.screenshot(path=shots / "analyst-5-report.png", full_page=True)
    assert visit.said == []
    assert only_own(visit, site) == []
    visit.context.close()


def test_the_researcher_from_an_empty_home_to_a_verified_report(
    browser: Any, serve: Any, open_visit: Any, shots: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    page.set_input_files("#files", HARBOUR)
    page.select_option("#agent", "researcher")
    page.select_option("#depth", "quick")
    page.fill("#question", QUESTION)
    page.screenshot(path=shots / "researcher-1-home.png")
    page.click("button.primary:has-text('Ask')")
    page.wait_for_url("**/runs/*")
    page.wait_for_selector("#run[data-status=completed]:not([data-follow]) .tree .is-done")
    assert page.locator(".tree li").count() >= 3
    table = page.locator("[aria-labelledby=conflicts] table").inner_text()
    assert "38 million euros" in table and "41 million euros" in table and "no rule decides" in table
    assert page.locator("[aria-labelledby=sources] tbody tr").count() == 3
    page.screenshot(path=shots / "researcher-2-run.png", full_page=True)
    page.click(".actions a:has-text('Report')")
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


def test_the_assistant_from_an_empty_home_to_a_verified_run(
    browser: Any, serve: Any, open_visit: Any, shots: Path, tmp_path: Path
) -> None:
    site = serve()
    visit = open_visit(browser, site)
    page = visit.page
    page.fill("#question", "remind me to call the bank")
    page.wait_for_selector("#routed .chip:has-text('the assistant')")
    page.click("button.primary:has-text('Ask')")
    page.wait_for_url("**/chat/*")
    page.wait_for_selector(".ticks:has-text('call the bank')")

    def say(words: str) -> None:
        count = page.locator(".by-assistant:not(.is-live)").count()
        page.fill("#message", words)
        page.keyboard.press("Enter")
        page.locator(".by-assistant:not(.is-live)").nth(count).wait_for()

    say("delete the task about the bank")
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
    page.set_input_files("#attach", orders)
    say("total amount by region")
    page.wait_for_selector(".found .findings")
    page.wait_for_selector(".side:has-text('orders.csv')")
    page.screenshot(path=shots / "assistant-2-result.png")
    page.reload()
    page.click(".found a:has-text('See the run')")
    page.click("button:has-text('Verify this run')")
    page.wait_for_selector(".verdict.holds")
    page.screenshot(path=shots / "assistant-3-verified.png")
    assert visit.said == []
    assert only_own(visit, site) == []
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


def test_a_killed_server_comes_back_and_the_open_page_goes_on(
    browser: Any, killed: Killed, open_visit: Any, shots: Path
) -> None:
    visit = open_visit(browser, killed)
    page = visit.page

    def begin() -> None:
        page.goto(f"{killed.url}/home")
        page.set_input_files("#files", HARBOUR)
        page.select_option("#agent", "researcher")
        page.select_option("#depth", "comprehensive")
        page.fill("#question", QUESTION)
        page.click("button.primary:has-text('Ask')")
        page.wait_for_url("**/runs/*")

    run_id = until_killed_in_the_middle(killed, page, begin)
    assert page.locator("#run").get_attribute("data-status") != "completed"
    page.screenshot(path=shots / "restart-1-killed.png")
    killed.start()
    # Nothing is touched in the window: it finds its server again by itself.
    page.wait_for_selector("#run[data-status=completed] .tree .is-done")
    page.screenshot(path=shots / "restart-2-goes-on.png", full_page=True)
    page.click("button:has-text('Verify this run')")
    page.wait_for_selector(".verdict.holds")
    assert killed.status(run_id) == "completed"
    visit.context.close()
