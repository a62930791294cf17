"""The pages in a real Chromium: from an empty home to a verified report, in both themes, on two screens at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("flows")]

PAGES = ("/home", "/runs", "/chat", "/tasks", "/recipes", "/sources", "/ledger")
ORDERS = "region,day,amount\n" + "".join(
    f"{('West', 'East', 'North', 'South')[n % 4]},2024-0{n % 6 + 1}-11,{n}.25\n" for n in range(120)
)


class Visit:
    """One browser window that came in by the printed link; it hears everything the page says."""

    def __init__(self, browser: Any, site: Any, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{site.url}/?token={site.token}")


@pytest.fixture
def visit(browser: Any, site: Any) -> Iterator[Visit]:
    opened = Visit(browser, site)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def finished(site: Any) -> str:
    return site.ask("total amount by region", "orders.csv", ORDERS)


def faults(page: Any) -> list[str]:
    """What axe finds serious or critical."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    grave = [one for one in violations if one["impact"] in {"serious", "critical"}]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in grave]


def test_the_analyst_from_an_empty_home_to_a_verified_report(
    browser: Any, serve: Any, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    shots = tmp_path_factory.mktemp("screenshots")
    site = serve()
    visit = Visit(browser, site)
    page = visit.page
    assert page.locator(".empty-title").inner_text() == "Nothing was asked yet"
    page.screenshot(path=shots / "1-home.png")
    orders = tmp_path / "orders.csv"
    orders.write_text(ORDERS)
    page.fill("#question", "total amount by region")
    page.set_input_files("#files", orders)
    assert "orders.csv" in page.locator("[data-drop-list]").inner_text()
    page.click("button.primary:has-text('Ask')")
    page.wait_for_url("**/runs/*")
    page.wait_for_selector("#run[data-status=completed] .number-link")
    page.wait_for_selector("figure .plot canvas")
    assert page.locator("g.node.is-done").count() == 3
    page.screenshot(path=shots / "2-run.png", full_page=True)
    page.locator(".number-link").first.click()
    page.wait_for_selector("#panel:not([hidden])")
    assert "SELECT" in page.locator("#panel .code").first.inner_text()
    assert page.locator("#panel .meant").count() == 1
    page.click("#panel button:has-text('Re-check now')")
    page.wait_for_selector("#panel .verdict.holds")
    page.screenshot(path=shots / "3-proof.png")
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
    assert page.evaluate("document.activeElement.className") == "number-link"
    page.click("button:has-text('Verify this run')")
    page.wait_for_selector("#checked .verdict.holds")
    page.screenshot(path=shots / "4-verified.png")
    page.click("a:has-text('Report')")
    page.wait_for_selector(".sheet article.proof")
    assert page.evaluate("document.querySelector('.sheet img').naturalWidth") > 500
    page.screenshot(path=shots / "5-report.png", full_page=True)
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith((site.url, "data:"))] == []
    assert len(list(shots.iterdir())) == 5
    visit.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_serious_fault_for_those_who_do_not_see_or_point(
    browser: Any, site: Any, finished: str, theme: str
) -> None:
    site.post("/tasks", title="Call the bank", key="axe")
    site.post("/chat", message="show my tasks", message_id="axe")
    visit = Visit(browser, site, color_scheme=theme)
    talk = visit.page.context.request.get(f"{site.url}/chat").text()
    found = re.search(r'href="(/chat/[^"]+)"', talk)
    assert found is not None
    run = f"/runs/{finished}"
    proof = f"{run}/proof/highest/value"
    for path in (*PAGES, run, f"{run}/report", f"{run}/table", proof, found.group(1), "/runs/none"):
        visit.page.goto(site.url + path)
        assert (path, faults(visit.page)) == (path, [])
    visit.context.clear_cookies()
    visit.page.goto(f"{site.url}/home")
    assert ("/login", faults(visit.page)) == ("/login", [])
    visit.context.close()


@pytest.mark.parametrize("width", [360, 768, 1920])
def test_no_page_is_wider_than_its_screen(browser: Any, site: Any, finished: str, width: int) -> None:
    visit = Visit(browser, site, viewport={"width": width, "height": 800})
    for path in (*PAGES, f"/runs/{finished}", f"/runs/{finished}/report"):
        visit.page.goto(site.url + path)
        assert (path, visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")) == (path, True)
    visit.context.close()


def test_two_windows_on_one_run_see_the_same(browser: Any, site: Any) -> None:
    one, two = Visit(browser, site), Visit(browser, site)
    one.page.click("button:has-text('Try the sample')")
    one.page.wait_for_url("**/runs/*")
    two.page.goto(one.page.url)
    for visit in (one, two):
        visit.page.wait_for_selector("#run[data-status=completed] .number-link")
        visit.page.wait_for_selector("figure[data-spec]")
    texts = [visit.page.locator("#findings ~ ul").inner_text() for visit in (one, two)]
    assert texts[0] == texts[1] != ""
    states = [visit.page.locator("g.node").evaluate_all("all => all.map(n => n.textContent)") for visit in (one, two)]
    assert states[0] == states[1]
    for visit in (one, two):
        assert visit.said == []
        visit.context.close()


def test_the_theme_is_changed_by_the_keyboard_and_stays(visit: Visit, site: Any) -> None:
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("[data-theme-button]")
    with page.expect_response("**/theme"):
        page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(f"{site.url}/runs")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_hostile_texts_do_nothing_in_a_browser(visit: Visit, site: Any, hostile_texts: list[str]) -> None:
    for number, text in enumerate(hostile_texts):
        site.post("/tasks", title=text[:255], key=f"hostile-{number}")
    drawable = [text for text in hostile_texts if text.isprintable()]
    cells = "".join(f'"{text.replace(chr(34), chr(34) * 2)}",{n}\n' for n, text in enumerate(drawable, start=1))
    hostile = site.ask("total amount by name", "names.csv", "name,amount\n" + cells)
    visit.asked.clear()
    for path in ("/tasks", f"/runs/{hostile}", f"/runs/{hostile}/report", f"/runs/{hostile}/proof/highest/group"):
        visit.page.goto(site.url + path)
        visit.page.wait_for_load_state("networkidle")
    visit.page.goto(f"{site.url}/chat")
    visit.page.fill("#message", hostile_texts[0])
    visit.page.click("button:has-text('Send')")
    visit.page.wait_for_selector(".by-assistant")
    assert hostile_texts[0] in visit.page.locator(".by-user").last.inner_text()
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith((site.url, "data:"))] == []
    assert visit.page.url.startswith(f"{site.url}/chat/")


def test_a_refused_question_is_explained_in_its_place(visit: Visit) -> None:
    visit.page.fill("#question", "total amount by region")
    visit.page.select_option("#agent", "analyst")
    visit.page.click("button.primary:has-text('Ask')")
    visit.page.wait_for_selector("#problem .problem")
    assert "NO_SOURCES" in visit.page.locator("#problem").inner_text()
    assert visit.page.input_value("#question") == "total amount by region"
