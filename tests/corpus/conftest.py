"""A corpus of each kind of database, and a real web server on loopback that answers well or badly, as it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from averment.corpus.corpus import Corpus
from averment.corpus.ingest import DocumentDraft
from averment.corpus.web.client import WebLimits
from averment.corpus.web.fetch import Fetcher
from averment.language.embeddings import HashedTfidfEmbedder
from averment.settings import Settings
from averment.store.db.database import Database

Route = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A web server whose pages are functions; what was asked of it is noted."""

    def __init__(self) -> None:
        self.routes: dict[str, Route] = {}
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.released = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.asked.append(self.path)
                site.headers.append({name.lower(): value for name, value in self.headers.items()})
                size = int(self.headers.get("content-length") or 0)
                site.bodies.append(self.rfile.read(size))
                self.close_connection = True
                route = site.routes.get(self.path) or site.routes.get(self.path.partition("?")[0])
                with suppress(OSError):
                    if route is None:
                        self.send_error(404)
                    else:
                        route(self)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: the tests look at what was asked."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    def url(self, path: str = "/") -> str:
        """The address of a page."""
        return f"http://{self.origin}{path}"

    def serve(self, path: str, body: bytes, *, status: int = 200, **headers: str) -> str:
        """A page that answers with these bytes; its address."""

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            for name, value in headers.items():
                request.send_header(name.replace("_", "-"), value)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)

        self.routes[path] = answer
        return self.url(path)

    def redirect(self, path: str, to: str) -> str:
        """A page that sends elsewhere; its address."""
        return self.serve(path, b"", status=302, Location=to)

    def close(self) -> None:
        """Stop serving."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    served = Site()
    yield served
    served.close()


@pytest.fixture
def fetcher(site: Site) -> Fetcher:
    """A fetcher that may speak to this test's own server and to nothing else inside."""
    return Fetcher(allowed=frozenset({site.origin}), limits=WebLimits(seconds=10, page_bytes=200_000, redirects=3))


@pytest.fixture
def corpus(database: Database) -> Iterator[Corpus]:
    """An empty corpus, once on each kind of database."""
    opened = Corpus(database, HashedTfidfEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def local(home: Settings) -> Iterator[Corpus]:
    """An empty corpus on SQLite."""
    database = Database.open(home)
    opened = Corpus(database, HashedTfidfEmbedder())
    yield opened
    opened.close()
    database.close()


@pytest.fixture
def draft() -> Callable[..., DocumentDraft]:
    """Makes a draft of a title and a text."""

    def make(title: str, text: str, **fields: object) -> DocumentDraft:
        url = fields.pop("url", None) or f"https://example.org/{title.replace(' ', '_')}"
        return DocumentDraft(
            url=str(url), title=title, text=text, raw=f"{title}\n{text}".encode("utf-8", "replace"), **fields
        )  # pyright: ignore[reportArgumentType]  # fields of a draft

    return make
