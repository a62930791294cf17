"""The exported report in a real browser: it shows everything and asks the network for nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings
from chromium import CHROMIUM, FLAGS

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"),
]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    source = folder / "sales.csv"
    hostile = "<img src=http://127.0.0.1:9/x onerror=alert(1)>"
    source.write_text(f'region,amount\nWest,10.50\nEast,7.25\n"{hostile}",1.00\n')
    with Workbench(settings=Settings(home=folder / "home")) as workbench:
        run = workbench.analyze("total amount by region", [source])
        return workbench.runs.export(run.id, "html", folder / "report.html")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_the_report_is_whole_and_silent(browser: Any, report: Path, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
    page.goto(report.as_uri())
    assert page.locator("h1").inner_text() == "total amount by region"
    assert page.locator("figure img").count() == 1
    assert page.evaluate("document.querySelector('figure img').naturalWidth") > 500
    assert page.locator("article.proof").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert "10.50" in page.locator("table").first.inner_text()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()
