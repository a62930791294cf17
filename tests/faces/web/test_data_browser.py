"""From a file to its proof in a real Chromium: Data page, suggested question, answer, source rows, export, verifier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from passengers import write_passengers

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.fixture
def visit(browser: Any, site: Any, open_visit: Any) -> Iterator[Any]:
    opened = open_visit(browser, site)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_passengers(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def kept(site: Any, table: Path) -> str:
    """A dataset that was described, and its address."""
    datasets = site.workbench.datasets
    dataset = datasets.add(table, name="liner")
    datasets.describe_column("liner", "fare", label="ticket price", unit="GBP", description="What was paid")
    datasets.teach("liner", "children", "age is under 16")
    return f"/data/{dataset.dataset_id}"


def faults(page: Any) -> list[str]:
    """Everything that axe finds."""
    from axe_playwright_python.sync_playwright import Axe

    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in Axe().run(page).response["violations"]]


def test_a_file_leads_to_a_question_an_answer_its_rows_and_a_report_that_checks_itself(
    visit: Any, site: Any, table: Path, tmp_path: Path, shots: Path
) -> None:
    page = visit.page
    page.goto(f"{site.url}/data")
    assert faults(page) == []
    page.set_input_files("#files", str(table))
    page.click("form[data-drop] button.primary")
    page.wait_for_url(re.compile("/data/[0-9a-f-]+$"))
    page.wait_for_selector("#suggestions .pill")
    assert page.locator("#suggestions .pill").count() == 6
    assert page.locator(".spark").count() == 7
    assert faults(page) == []
    page.screenshot(path=str(shots / "data-dataset.png"), full_page=True)
    page.click("#suggestions .pill:has-text('average')")
    page.wait_for_url(re.compile("/chat/"))
    page.wait_for_selector(".answer-card[data-status=completed] .number-link")
    run_id = page.locator("[data-run]").last.get_attribute("data-run")
    run = site.workbench.show(run_id)
    assert run.status == "completed"
    page.goto(f"{site.url}/runs/{run_id}/rows?row=1")
    assert page.locator(".recomputed").inner_text().startswith("✓ Recomputed from passengers.csv just now")
    shown = page.locator("#rows-behind tbody tr")
    lines = table.read_text().splitlines()
    for place in (0, 1, shown.count() - 1):
        line, number = (shown.nth(place).locator(at).inner_text() for at in ("th", "td >> nth=0"))
        assert lines[int(line) - 1].startswith(f"{number},")
    assert faults(page) == []
    page.screenshot(path=str(shots / "data-rows.png"), full_page=True)
    report = tmp_path / "report.html"
    report.write_bytes(visit.context.request.get(f"{site.url}/runs/{run_id}/export?format=html").body())
    page.goto(f"{site.url}/verifier")
    page.set_input_files("#check-files", [str(report)])
    page.wait_for_selector(".verdict")
    assert page.locator(".verdict.holds, .verdict.fails").count() == 0
    page.set_input_files("#check-files", [str(report), str(table)])
    page.wait_for_selector(".verdict.holds")
    meant = run.marks.interpretation
    assert f"{meant.text} ({meant.certainty}) – not part of this check." in page.locator("#check-result").inner_text()
    assert "numbers were computed again in this browser from passengers.csv" in page.locator(".checks").inner_text()
    assert faults(page) == []
    page.screenshot(path=str(shots / "data-verified.png"), full_page=True)
    assert visit.said == []


@pytest.mark.thorough
def test_a_number_of_the_answer_opens_its_rows_beside_it(visit: Any, site: Any, table: Path) -> None:
    run_id = site.ask("average fare by class", "passengers.csv", table.read_text())
    page = visit.page
    page.goto(f"{site.url}/runs/{run_id}")
    page.locator("a[href*='/proof/']", has_text=re.compile(r"^\d")).first.click()
    page.click("text=Source rows behind this number")
    page.wait_for_selector("#panel #rows-behind")
    assert "Recomputed from passengers.csv just now" in page.locator("#panel").inner_text()
    assert page.url.endswith(run_id)


@pytest.mark.thorough
def test_names_are_completed_and_chosen_by_keyboard(visit: Any, site: Any, kept: str) -> None:
    page = visit.page
    page.goto(site.url + kept)
    field = page.locator("#question")
    field.press_sequentially("average tick")
    page.wait_for_selector(".completions li")
    assert field.get_attribute("aria-expanded") == "true"
    assert faults(page) == []
    field.press("ArrowDown")
    chosen = page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    assert chosen.inner_text().startswith("ticket price")
    field.press("Enter")
    assert field.input_value() == "average ticket price "
    field.press_sequentially("by cla")
    page.wait_for_selector(".completions li")
    field.press("Escape")
    assert page.locator(".completions").first.is_hidden() and field.get_attribute("aria-expanded") == "false"


@pytest.mark.thorough
def test_the_builder_says_and_runs_the_plan_that_the_words_make(visit: Any, site: Any, kept: str, shots: Path) -> None:
    page = visit.page
    page.goto(site.url + kept)
    page.click("summary:has-text('Build a plan')")
    page.select_option("#function", "mean")
    page.select_option("#of", "passengers.fare")
    page.select_option("#by1", "passengers.class")
    page.locator("#built", has_text="average fare, by class, in passengers").wait_for()
    assert faults(page) == []
    page.screenshot(path=str(shots / "data-builder.png"))
    page.click(".builder button.primary")
    page.wait_for_url(re.compile("/runs/"))
    run = site.workbench.runs.wait(page.url.rsplit("/", 1)[1])
    asked = site.workbench.analyze("average ticket price by class", "dataset:liner")
    assert (run.plan, run.answer) == (asked.plan, asked.answer)


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (820, "dark"), (1280, "dark")])
def test_data_pages_fit_every_screen_in_both_themes(
    browser: Any, site: Any, open_visit: Any, kept: str, width: int, scheme: str, shots: Path
) -> None:
    run = site.workbench.analyze("average ticket price by class", "dataset:liner")
    visit = open_visit(browser, site, viewport={"width": width, "height": 844}, color_scheme=scheme)
    for name, path in (("list", "/data"), ("one", kept), ("rows", f"/runs/{run.id}/rows"), ("check", "/verifier")):
        visit.page.goto(site.url + path)
        visit.page.wait_for_load_state("networkidle")
        assert (path, faults(visit.page)) == (path, [])
        assert visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
        visit.page.screenshot(path=str(shots / f"data-{name}-{width}-{scheme}.png"), full_page=True)
    visit.context.close()
