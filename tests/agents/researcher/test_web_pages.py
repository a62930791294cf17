"""Web providers in a research: pages are archived before they are quoted, and what fails is told."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from averment import Workbench
from averment.corpus.providers import choose
from averment.corpus.web.fetch import Fetcher
from averment.settings import Settings

QUESTION = "When was Lindholm Harbour deepened?"
PAGE = """<html><head><title>Port news</title><script>document.title = "stolen"</script></head><body>
<p>Lindholm Harbour was deepened in 1961, the port authority said. Lindholm Harbour handled 4,200 ships in 2019.</p>
</body></html>"""


class Pages(BaseHTTPRequestHandler):
    """A search engine that names one page that is there, one that is not, and one on a private address."""

    def do_GET(self) -> None:
        host = f"http://{self.headers['Host']}"
        if self.path.startswith("/search"):
            found = [f"{host}/news.html", f"{host}/gone.html", "http://169.254.169.254/latest/meta-data"]
            results = [{"url": url, "title": "Port news", "content": "on the harbour"} for url in found]
            self._answer(200, "application/json", json.dumps({"results": results}))
        elif self.path == "/news.html":
            self._answer(200, "text/html", PAGE)
        else:
            self._answer(404, "text/plain", "no")

    def _answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def origin() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_page_is_archived_quoted_and_verified_and_what_fails_is_told(
    tmp_path: Path, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server of this test is on this machine, where no page may be fetched from otherwise.
    monkeypatch.setattr(choose, "open_fetcher", lambda settings: Fetcher(allowed=frozenset({origin})))
    settings = Settings(home=tmp_path / "home", searxng_url=f"http://{origin}")
    with Workbench(settings=settings) as workbench:
        run = workbench.research(QUESTION, depth="quick", providers=["searxng"])
        assert run.status == "completed"
        report = str(run.report)
        assert "1961" in str(run.answer)
        assert "gone.html" in report
        assert "169.254.169.254" in report
        assert "stolen" not in report
        verdict = workbench.verify(run.id)
        assert verdict.ok, verdict.faults


def test_pages_on_this_machine_are_not_fetched_and_the_research_says_so(tmp_path: Path, origin: str) -> None:
    settings = Settings(home=tmp_path / "home", searxng_url=f"http://{origin}")
    with Workbench(settings=settings) as workbench:
        run = workbench.research(QUESTION, depth="quick", providers=["searxng"])
        assert run.status == "abstained"
        assert "ADDRESS_REFUSED" in str(run.answer)


FIRST = """<html><head><title>Port news</title></head><body>
<p>Lindholm Harbour was deepened in 1961 by the Norvik Dredging Company. The Norvik Dredging Company also widened
Lindholm Harbour in 1964.</p></body></html>"""
SECOND = """<html><head><title>A firm's history</title></head><body>
<p>The Norvik Dredging Company was founded in 1907 by Ester Halvorsen. The Norvik Dredging Company owned eleven
ships.</p></body></html>"""


class Followed(Pages):
    """A search engine that knows another page where the firm itself is asked for."""

    def do_GET(self) -> None:
        host = f"http://{self.headers['Host']}"
        if self.path.startswith("/search"):
            named = ["firm.html"] if "Norvik" in self.path else ["news.html"]
            results = [{"url": f"{host}/{one}", "title": one, "content": "on it"} for one in named]
            self._answer(200, "application/json", json.dumps({"results": results}))
        else:
            self._answer(200, "text/html", SECOND if "firm" in self.path else FIRST)


def test_a_name_that_was_read_on_the_web_is_asked_about_on_the_web_and_its_pages_are_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Followed)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    origin = f"127.0.0.1:{server.server_port}"
    monkeypatch.setattr(choose, "open_fetcher", lambda settings: Fetcher(allowed=frozenset({origin})))
    settings = Settings(home=tmp_path / "home", searxng_url=f"http://{origin}")
    try:
        with Workbench(settings=settings) as workbench:
            run = workbench.research("Who deepened Lindholm Harbour?", depth="standard", providers=["searxng"])
            report = str(run.report)
            assert "Norvik Dredging Company" in report
            assert "1907" in report
            assert "firm.html" in report
            verdict = workbench.verify(run.id)
            assert verdict.ok, verdict.faults
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
