"""The pages in a real Chromium: both themes, every screen, by keyboard, in two windows, and with hostile texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

PAGES = ("/home", "/data", "/runs", "/drill", "/tasks", "/recipes", "/sources", "/ledger", "/settings")
ORDERS = "region,day,amount\n" + "".join(
    f"{('West', 'East', 'North', 'South')[n % 4]},2024-0{n % 6 + 1}-11,{n}.25\n" for n in range(120)
)


@pytest.fixture
def visit(browser: Any, site: Any, open_visit: Any) -> Iterator[Any]:
    opened = open_visit(browser, site)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def finished(site: Any) -> str:
    return site.ask("total amount by region", "orders.csv", ORDERS)


@pytest.fixture(scope="module")
def inquired(site: Any) -> str:
    return site.inquire()


def faults(page: Any) -> list[str]:
    """Everything that axe finds, best practices included."""
    from axe_playwright_python.sync_playwright import Axe

    violations = Axe().run(page).response["violations"]
    return [f"{one['impact']} {one['id']}: {one['nodes'][0]['html'][:160]}" for one in violations]


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_a_fault_for_those_who_do_not_see_or_point(
    browser: Any, site: Any, open_visit: Any, finished: str, inquired: str, theme: str
) -> None:
    site.post("/tasks", title="Call the bank", key="axe")
    thread = site.post("/chat", message="show my tasks", message_id=f"axe-{theme}").headers["location"]
    site.post("/chat", message="only for West", about=finished, conversation_id=thread.rsplit("/", 1)[1])
    site.post("/chat", message="and by day?", conversation_id=thread.rsplit("/", 1)[1])
    visit = open_visit(browser, site, color_scheme=theme, reduced_motion="reduce")
    run = f"/runs/{finished}"
    first = site.workbench.show(finished).findings[0]
    proof = f"{run}/proof/{first.finding_id}/{next(iter(first.slots))}"
    tabs = (f"{run}/table", f"{run}/sql", f"{run}/plan", f"{run}/proof")
    asked = f"/runs/{inquired}"
    page = visit.page.context.request.get(f"{site.url}{asked}").text()
    cited, source = re.search(r'href="(/runs/[^"]+/cite/[^"]+)"', page), re.search(r'href="(/sources/[^"]+)"', page)
    assert cited is not None and source is not None
    of_runs = (run, f"{run}/report", *tabs, proof, asked, f"{asked}/report", cited.group(1), source.group(1))
    for path in (*PAGES, *of_runs, thread, "/runs/none", "/nothing/here"):
        visit.page.goto(site.url + path)
        visit.rest()
        assert (path, faults(visit.page)) == (path, [])
    visit.context.clear_cookies()
    visit.page.goto(f"{site.url}/home")
    assert ("/login", faults(visit.page)) == ("/login", [])
    visit.context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 768, 1920])
def test_no_page_is_wider_than_its_screen(
    browser: Any, site: Any, open_visit: Any, finished: str, inquired: str, width: int
) -> None:
    visit = open_visit(browser, site, viewport={"width": width, "height": 800})
    runs = (f"/runs/{finished}", f"/runs/{finished}/report", f"/runs/{inquired}", f"/runs/{inquired}/report")
    for path in (*PAGES, *runs):
        visit.page.goto(site.url + path)
        visit.rest()
        assert (path, visit.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")) == (path, True)
    visit.context.close()


@pytest.mark.thorough
def test_two_windows_on_one_thread_see_the_same(browser: Any, site: Any, open_visit: Any) -> None:
    one, two = open_visit(browser, site), open_visit(browser, site)
    one.page.set_input_files("#files", {"name": "orders.csv", "mimeType": "text/csv", "buffer": ORDERS.encode()})
    one.page.fill("#question", "average amount by region")
    one.page.keyboard.press("Enter")
    one.page.wait_for_url("**/chat/*")
    two.page.goto(one.page.url)
    for visit in (one, two):
        visit.page.wait_for_selector(".answer-card[data-status=completed] .number-link")
        visit.page.wait_for_selector("figure[data-spec]")
    texts = [visit.page.locator(".answer-card > .answer").inner_text() for visit in (one, two)]
    assert texts[0] == texts[1] != ""
    # What one of them says is seen in the other.
    two.page.fill("#question", "only for West")
    two.page.keyboard.press("Enter")
    for visit in (one, two):
        visit.page.locator(".answer-card").nth(1).wait_for()
        visit.page.wait_for_selector(".is-live", state="detached")
    assert one.page.locator(".message").count() == two.page.locator(".message").count() == 4
    for visit in (one, two):
        assert visit.said == []
        visit.context.close()


@pytest.mark.thorough
def test_the_theme_is_changed_by_the_keyboard_and_stays(visit: Any, site: Any, finished: str) -> None:
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
    # A chart that was drawn is painted in the colours of the theme, again and again.
    page.goto(f"{site.url}/runs/{finished}")
    page.locator("figure.chart").first.scroll_into_view_if_needed()
    page.wait_for_selector("figure .plot canvas")
    page.evaluate("document.querySelector('figure canvas').mark = 'dark'")
    page.focus("[data-theme-button]")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('figure canvas') && !document.querySelector('figure canvas').mark"
    )
    assert visit.said == []


def hostile_texts_as_documents(site: Any, hostile_texts: list[str]) -> list[str]:
    """Archive them as documents and ask about them; the pages that show them, one of them in the answer."""
    drawable = [text for text in hostile_texts if text.isprintable()]
    told = f"The harbour was deepened in 1961 {drawable[0]}."
    words = "\n\n".join([told, *(f"The quay was painted {text}." for text in drawable)])
    document = ("<b>harbour</b>.md", f"# {hostile_texts[0]}\n\n{words}".encode())
    run_id = site.run_in(site.send("/chat", [document], message="When was the harbour deepened?"))
    place = f"/runs/{run_id}"
    assert site.workbench.show(run_id).status == "completed"
    cited = re.findall(r'href="(/runs/[^"]+/cite/[^"]+)"', site.client.get(place).text)
    archived = re.search(r'href="(/sources/[^"]+)"', site.client.get("/sources").text)
    assert cited and archived is not None
    return [place, f"{place}/report", cited[0], archived.group(1)]


def test_hostile_texts_do_nothing_in_a_browser(visit: Any, site: Any, hostile_texts: list[str]) -> None:
    for number, text in enumerate(hostile_texts):
        site.post("/tasks", title=text[:255], key=f"hostile-{number}")
    drawable = [text for text in hostile_texts if text.isprintable()]
    cells = "".join(f'"{text.replace(chr(34), chr(34) * 2)}",{n}\n' for n, text in enumerate(drawable, start=1))
    hostile = site.ask("total amount by name", "names.csv", "name,amount\n" + cells)
    visit.asked.clear()
    told = hostile_texts_as_documents(site, hostile_texts)
    run = f"/runs/{hostile}"
    first = site.workbench.show(hostile).findings[0]
    proof = f"{run}/proof/{first.finding_id}/{next(iter(first.slots))}"
    for path in ("/tasks", "/sources", *told, run, f"{run}/report", proof):
        visit.page.goto(site.url + path)
        visit.page.wait_for_load_state("networkidle")
    visit.page.goto(f"{site.url}/home")
    visit.page.fill("#question", hostile_texts[0])
    visit.page.click("form.say button.primary")
    visit.page.wait_for_selector(".by-assistant:not(.is-live)")
    assert hostile_texts[0] in visit.page.locator(".by-user").last.inner_text()
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith((site.url, "data:"))] == []
    assert visit.page.url.startswith(f"{site.url}/chat/")


@pytest.mark.thorough
def test_a_refused_question_is_explained_in_its_place(visit: Any) -> None:
    page = visit.page
    page.set_input_files("#files", {"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 broken"})
    page.fill("#question", "what does it say about dredging?")
    page.click("form.say button.primary")
    page.wait_for_selector("#problem .problem")
    assert "Code" in page.locator("#problem").inner_text()
    assert page.input_value("#question") == "what does it say about dredging?"
    page.wait_for_selector("[data-drop-list]:has-text('broken.pdf')")


@pytest.mark.thorough
def test_files_that_cannot_be_sent_are_named_with_the_reason_before_anything_is_sent(visit: Any, shots: Path) -> None:
    page = visit.page
    good = {"name": "orders.csv", "mimeType": "text/csv", "buffer": ORDERS.encode()}
    empty = {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""}
    picture = {"name": "photo.png", "mimeType": "image/png", "buffer": b"\x89PNG"}
    page.set_input_files("#files", [good, empty])
    page.set_input_files("#files", [picture])
    listed = page.locator("[data-drop-list] li")
    assert listed.count() == 3
    assert "is empty (0 bytes)" in listed.nth(1).inner_text() and "not a kind of file" in listed.nth(2).inner_text()
    page.screenshot(path=shots / "files-1-refused.png")
    page.wait_for_selector("#said.told:has-text('photo.png')")
    assert page.evaluate("[...document.querySelector('#files').files].map((one) => one.name)") == ["orders.csv"]
    page.click("button[aria-label='Remove photo.png']")
    page.click("button[aria-label='Remove empty.csv']")
    assert listed.count() == 1
    page.fill("#question", "average amount by region")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer-card[data-status=completed]")
    assert visit.said == []


@pytest.mark.thorough
def test_the_page_does_not_jump_while_it_loads(browser: Any, site: Any, open_visit: Any, finished: str) -> None:
    visit = open_visit(browser, site)
    watch = """() => new Promise((done) => {
      let sum = 0;
      const add = (list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value; };
      const watch = new PerformanceObserver(add);
      watch.observe({ type: "layout-shift", buffered: true });
      // Two frames later everything that was shifted has been told.
      const end = () => { add({ getEntries: () => watch.takeRecords() }); done(sum); };
      requestAnimationFrame(() => requestAnimationFrame(end));
    })"""
    thread = site.post("/chat", message="only for East", about=finished).headers["location"]
    for path in ("/home", f"/runs/{finished}", f"/runs/{finished}/report", thread, "/ledger"):
        visit.page.goto(site.url + path)
        visit.rest()
        # 0.1 is what browsers call a good page.
        assert (path, visit.page.evaluate(watch) < 0.05) == (path, True)
    visit.context.close()


@pytest.mark.thorough
def test_everything_on_a_run_is_reached_by_the_keyboard(visit: Any, site: Any, finished: str) -> None:
    page = visit.page
    page.goto(f"{site.url}/runs/{finished}")
    page.focus("summary:has-text('Export')")
    page.keyboard.press("Enter")
    page.wait_for_selector("details.menu[open] a:has-text('Notebook')")
    page.keyboard.press("Escape")
    page.wait_for_selector("details.menu[open]", state="detached")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.focus(".result th a")
    page.keyboard.press("Enter")
    page.wait_for_selector(".result th[aria-sort=ascending]")
    page.focus("[data-tab]:has-text('SQL')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tab-panel .code:has-text('SELECT')")
    assert page.locator("[data-tab][aria-current]").all_inner_texts() == ["SQL"]
    page.keyboard.press("Tab")
    page.focus("[data-chart-kind]")
    page.focus(".number-link")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel:not([hidden])")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.className === 'number-link'")
    page.focus(".forget summary")
    page.keyboard.press("Enter")
    page.wait_for_selector(".forget button.danger")
