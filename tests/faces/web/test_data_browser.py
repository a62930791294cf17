"""From a file to its proof in a real Chromium: Data page, suggested question, answer, source rows, export, verifier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.reports.html import verifier_html
from passengers import write_passengers

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(900)]


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
    page.set_input_files("#check-files", [str(report), str(table)])
    page.wait_for_selector(".verdict")
    assert page.locator(".verdict").inner_text() == "✓ Everything that can be checked here holds."
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


@pytest.fixture
def checked(browser: Any, site: Any, table: Path, tmp_path: Path) -> Iterator[Any]:
    """A function that gives files to a verifier page, which is opened from the disk, and reads what it says."""
    run = site.workbench.analyze("average fare by class", [table])
    report = site.workbench.runs.export(run.id, "html", tmp_path / "report.html")
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    def check(html: bytes, csv: bytes | None, *, inside: bool = False, key: str = "") -> tuple[str, str]:
        given = [tmp_path / "given.html"]
        given[0].write_bytes(html)
        if csv is not None:
            given.append(tmp_path / table.name)
            given[1].write_bytes(csv)
        opened = report if inside else tmp_path / "verifier.html"
        if not inside:
            opened.write_text(verifier_html())
        page.goto(opened.as_uri())
        page.fill("#check-key", key)
        page.set_input_files("#check-files", [str(path) for path in given])
        page.wait_for_selector(".verdict")
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        return page.locator(".verdict").inner_text(), page.locator("#check-result").inner_text()

    check.report = report.read_bytes()  # type: ignore[attr-defined]
    check.key = site.workbench.ledger.public_key()  # type: ignore[attr-defined]
    yield check
    page.close()


@pytest.mark.thorough
@pytest.mark.parametrize("inside", [False, True])
def test_a_report_checks_in_a_page_from_the_disk_and_one_changed_digit_is_named(
    checked: Any, table: Path, inside: bool
) -> None:
    told, csv = checked.report, table.read_bytes()
    verdict, said = checked(told, csv, inside=inside, key=checked.key)
    assert verdict.startswith("✓") and "It is the key you trust" in said and "✗" not in said
    number = re.search(rb"average fare is (\d+)\.(\d)", told)
    assert number is not None
    at = number.start(2)
    changed = told[:at] + (b"1" if told[at : at + 1] != b"1" else b"2") + told[at + 1 :]
    verdict, said = checked(changed, csv, inside=inside)
    assert verdict.startswith("✗ 2 checks failed")
    assert "✗ Signature" in said and "Block 2 of the report was changed" in said
    assert changed[number.start(1) : at + 1].decode() in said and told[number.start(1) : at + 1].decode() in said


@pytest.mark.thorough
def test_a_digit_changed_in_the_table_names_the_number_that_it_changes(checked: Any, table: Path) -> None:
    lines = table.read_text().split("\n")
    place = next(number for number, line in enumerate(lines) if ",First," in line)
    lines[place] = re.sub(r"(First,\d*,)(\d)", lambda found: f"{found[1]}9{found[2]}", lines[place])
    verdict, said = checked(checked.report, "\n".join(lines).encode())
    assert verdict.startswith("✗")
    assert "Not the file that the report was computed from" in said
    assert "average fare for class First is given as" in said and "for class Second" not in said


@pytest.mark.thorough
def test_a_forged_capsule_another_key_and_a_bare_file_do_not_pass(checked: Any, table: Path) -> None:
    import base64
    import json
    import zlib

    told = checked.report
    found = re.search(rb"<!-- averment-capsule ([A-Za-z0-9+/=]+) -->", told)
    assert found is not None
    body = json.loads(zlib.decompress(base64.b64decode(found[1])))
    body["run"]["answer"] = body["run"]["answer"].replace("fare", "fee")
    packed = base64.b64encode(zlib.compress(json.dumps(body).encode(), 9))
    verdict, said = checked(told[: found.start(1)] + packed + told[found.end(1) :], None)
    assert verdict.startswith("✗ 2 checks failed") and "✗ Answer: It differs from what was sealed." in said
    verdict, said = checked(
        told, None, key="averment.local/ledger+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    )
    assert verdict.startswith("✗ 1 check failed") and "not the key you trust" in said
    assert checked(b"<p>hello</p>\n", None)[0].startswith("✗ The file carries no capsule")
    assert checked(told[: told.rindex(b"<!-- averment-signature")], None)[0].startswith(
        "✗ The file carries no signature"
    )
