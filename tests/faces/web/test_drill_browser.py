"""A drill in a real Chromium: from an empty list to a verified report with answers, on two screens, over a restart."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from averment.records.analysis import ENDED

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

EXAMPLES = Path(__file__).parents[3] / "examples"
LONG = 180_000
"""Milliseconds for what computes, on a machine that does much else."""
SLOW_PARTS = """
const ask = window.fetch;
const pause = (address) => /drill[/][0-9a-f-]+$/.test(address) ? 2500 : 0;
window.fetch = (...sent) => new Promise((go) => setTimeout(go, pause(sent[0]))).then(() => ask(...sent));
"""
"""A drill under way is fetched late, so that its last events are told while it is."""


class Window:
    """One browser window that came in by the printed link; it hears everything the page says."""

    def __init__(self, browser: Any, link: str, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.context.set_default_timeout(LONG)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("response", lambda answer: self._hear(answer.status, answer.url))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(link)

    def _hear(self, status: int, url: str) -> None:
        if status >= 400:
            self.said.append(f"{status} {url}")


def faults(page: Any) -> list[str]:
    """Everything that axe finds, best practices included."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    return [f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:160]}" for one in violations]


@dataclass
class Walk:
    """What a walk through a drill has seen."""

    place: str = ""
    shots: list[Path] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)
    window: Window | None = None


@pytest.fixture(scope="module")
def walk(browser: Any, site: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """One drill in a window: files, tables, metric, periods, the loop, the report, a question, the check."""
    folder = tmp_path_factory.mktemp("screenshots")
    window, done = Window(browser, f"{site.url}/drill?token={site.token}"), Walk()
    page = window.page
    done.window = window
    window.context.add_init_script(SLOW_PARTS)

    def shoot(name: str) -> None:
        done.shots.append(folder / f"{len(done.shots) + 1:02d}-{name}.png")
        page.screenshot(path=done.shots[-1], full_page=True)

    done.seen["empty"] = page.locator(".empty-title").inner_text()
    shoot("empty")
    page.click("button:has-text('New drill')")
    page.set_input_files("#csv", [EXAMPLES / "orders.csv", EXAMPLES / "customers.csv"])
    page.wait_for_selector(".sheets > li:nth-child(2)")
    page.fill(".sheets > li:first-child input[name=description]", "One row an order.")
    page.keyboard.press("Tab")
    page.wait_for_selector(".sheets > li:first-child [data-kept]:has-text('Kept')")
    shoot("files")
    page.click("a:has-text('Next: how they belong together')")
    page.wait_for_selector(".diagram .wire")
    page.focus(".diagram .wire")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash")
    done.seen["jumped"] = page.evaluate("location.hash")
    shoot("tables")
    page.click("button:has-text('Next: the metric')")
    page.fill("#metric", "SUM(amount)")
    page.keyboard.press("Enter")
    page.wait_for_selector("#preview .days-line")
    shoot("metric")
    page.click("button:has-text('Next: the periods')")
    page.wait_for_selector(".days-plot.can-draw")
    box = page.locator(".days-plot").bounding_box()
    for start, end in ((0.01, 0.49), (0.51, 0.99)):
        page.mouse.move(box["x"] + box["width"] * start, box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * end, box["y"] + 60, steps=3)
        page.mouse.up()
    done.drawn = [page.input_value(f"input[name={name}]") for name in ("before_start", "before_end")]
    done.drawn += [page.input_value(f"input[name={name}]") for name in ("after_start", "after_end")]
    shoot("periods")
    page.click("button:has-text('Find out why')")
    page.wait_for_selector(".turn")
    done.seen["cards"] = page.locator("[data-card]").count()
    shoot("loop")
    page.wait_for_selector("#report")
    page.evaluate("document.querySelector('#message').mark = 'drawn once'")
    done.place = re.sub(r"#.*", "", page.url).removeprefix(site.url)
    page.locator("figure.chart").first.scroll_into_view_if_needed()
    page.wait_for_selector("figure .plot canvas")
    page.fill("#message", "What was ruled out?")
    page.keyboard.press("Enter")
    page.click(".replied .reference >> nth=0")
    page.wait_for_selector(":target")
    done.seen["target"] = page.locator(":target").inner_text()
    page.locator("#answer .number-link").first.click()
    page.wait_for_selector("#panel:not([hidden]) .meant")
    shoot("proof")
    page.keyboard.press("Escape")
    page.click("button:has-text('Verify this drill')")
    page.wait_for_selector("#checked .verdict.holds")
    done.seen["mark"] = page.evaluate("document.querySelector('#message').mark")
    shoot("report")
    done.seen["said"], done.seen["asked"] = list(window.said), list(window.asked)
    yield done
    window.context.close()


def test_a_drill_goes_from_an_empty_list_to_a_verified_report_with_answers(walk: Walk, site: Any) -> None:
    assert walk.seen["empty"] == "No drill yet"
    assert walk.seen["jumped"] == "#link-0"
    assert walk.drawn == ["2024-01-01", "2024-01-28", "2024-01-29", "2024-02-25"]
    assert walk.seen["cards"] >= 3
    assert walk.seen["mark"] == "drawn once"
    assert walk.seen["target"]
    assert len([shot for shot in walk.shots if shot.stat().st_size > 10_000]) == 8
    assert walk.seen["said"] == []
    assert [url for url in walk.seen["asked"] if not url.startswith((site.url, "data:", "blob:"))] == []


@pytest.fixture(scope="module")
def pages(walk: Walk, site: Any) -> tuple[str, ...]:
    """Every page of a drill: one that is over, and one that is being filled in, with a refusal at its field."""
    again = site.post(f"{walk.place}/again").headers["location"].removesuffix("/metric")
    steps = tuple(f"{again}/{step}" for step in ("files", "model", "metric", "periods"))
    empty = site.post("/drill").headers["location"]
    return ("/drill", empty, *steps, walk.place)


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_of_a_drill_has_a_fault_and_none_is_wider_than_a_phone(
    browser: Any, site: Any, pages: tuple[str, ...], theme: str
) -> None:
    window = Window(browser, f"{site.url}/drill?token={site.token}", color_scheme=theme, reduced_motion="reduce")
    for path in pages:
        window.page.set_viewport_size({"width": 1280, "height": 900})
        window.page.goto(site.url + path)
        assert window.page.url == site.url + path
        window.page.wait_for_load_state("networkidle")
        assert (path, faults(window.page)) == (path, [])
        window.page.set_viewport_size({"width": 360, "height": 800})
        assert (path, window.page.evaluate("document.documentElement.scrollWidth <= 360")) == (path, True)
    window.page.goto(f"{site.url}{pages[4]}")
    window.page.fill("#metric", "SUM(amoun)")
    window.page.keyboard.press("Enter")
    window.page.wait_for_selector("#preview .field-fault:has-text('MISSING_COLUMN')")
    window.page.wait_for_selector("#metric[aria-invalid=true]")
    assert faults(window.page) == []
    window.page.click("button.pick-one:has-text('SUM(amount)')")
    window.page.wait_for_selector("#preview .days-line")
    assert window.page.input_value("#metric") == "SUM(amount)"
    window.context.close()


@pytest.mark.thorough
def test_files_that_are_refused_say_why_beside_those_that_are_taken(browser: Any, site: Any) -> None:
    window = Window(browser, f"{site.url}/drill?token={site.token}")
    window.page.click("button:has-text('New drill')")
    window.page.set_input_files("#csv", [EXAMPLES / "README.md", EXAMPLES / "customers.csv"])
    window.page.wait_for_selector(".sheets > li")
    window.page.wait_for_selector("#file-faults:has-text('INVALID_FILE_TYPE')")
    window.page.wait_for_selector("#file-faults:has-text('README.md')")
    window.page.wait_for_selector(".uploads", state="hidden")
    window.context.close()


@contextmanager
def served(home: Path, port: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server in a process of its own, where it is, and its token."""
    code = "from averment.faces.cli import main; main()"
    command = [sys.executable, "-c", code, "--home", str(home), "serve", "--port", port]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        try:
            lines = iter(process.stderr.readline, "")
            found = next(match for line in lines if (match := re.match(r"(http://\S+)/\?token=(\S+)$", line)))
            yield process, found.group(1), found.group(2)
        finally:
            process.kill()


def told(page: Any) -> tuple[str, str, list[str]]:
    """What a window shows of a drill: its answer, its rounds, and the cards of each lane."""
    lanes = page.locator(".lane").all()
    return page.locator("#answer").inner_text(), page.locator(".loop").inner_text(), [one.inner_text() for one in lanes]


def begin_sample(page: Any) -> None:
    """From the list of drills to the sample's drill."""
    page.click("button:has-text('Try the sample')")
    page.click("button:has-text('Next: the metric')")
    page.click("button:has-text('Next: the periods')")
    page.click("button:has-text('Find out why')")
    page.wait_for_selector("#drill")


def kill_in_the_middle(browser: Any, home: Path) -> str:
    """Begin drills until a server dies in the middle of one; where that one is shown."""
    for _ in range(5):
        with served(home, "0") as (process, url, token):
            one = Window(browser, f"{url}/drill?token={token}")
            begin_sample(one.page)
            place = one.page.url.removeprefix(url)
            process.kill()
            process.wait(60)
        one.context.close()
        with sqlite3.connect(home / "db" / "averment.db") as database:
            states = {str(row[0]) for row in database.execute("SELECT status FROM runs")}
        if states - ENDED:
            return place
    raise AssertionError("no drill was long enough to be killed in its middle")


@pytest.mark.thorough
@pytest.mark.slow
def test_two_windows_see_the_same_and_a_server_that_died_goes_on_where_it_was(browser: Any, tmp_path: Path) -> None:
    home = tmp_path / "home"
    place = kill_in_the_middle(browser, home)
    with served(home, "0") as (_, url, token):
        windows = [Window(browser, f"{url}{place}?token={token}") for _ in range(2)]
        for window in windows:
            window.page.wait_for_selector("#drill[data-status=completed]:not([data-follow]) #report")
        first, second = (told(window.page) for window in windows)
        assert first == second
        windows[0].page.reload()
        assert told(windows[0].page) == second
        windows[0].page.click("button:has-text('Verify this drill')")
        windows[0].page.wait_for_selector("#checked .verdict.holds")
        for window in windows:
            assert window.said == []
            window.context.close()


@pytest.mark.thorough
def test_a_drill_is_stopped_and_begun_again(browser: Any, site: Any) -> None:
    from playwright.sync_api import Error as PlaywrightError

    window = Window(browser, f"{site.url}/drill?token={site.token}")
    page = window.page
    for _ in range(5):
        page.goto(f"{site.url}/drill")
        begin_sample(page)
        # On a machine that does much else a drill may be over before the button is reached.
        page.wait_for_selector("#stop, #report")
        with suppress(PlaywrightError):
            page.click("#stop", timeout=5_000)
        page.wait_for_selector("#drill:not([data-follow])")
        if page.get_attribute("#drill", "data-status") == "cancelled":
            break
    page.wait_for_selector("#drill[data-status=cancelled] .problem:has-text('stopped')")
    page.click("button:has-text('start again')")
    page.wait_for_url("**/metric")
    assert page.input_value("#metric") == "SUM(amount)"
    window.context.close()
