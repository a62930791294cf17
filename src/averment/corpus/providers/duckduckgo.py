"""DuckDuckGo's plain HTML results; no key is needed, and too many questions in a row are turned away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import parse_qs, urljoin, urlsplit

from averment.corpus.providers.protocol import Narrowed
from averment.corpus.providers.service import Row, Service, on_site, span_of
from averment.corpus.web.fetch import Fetcher
from averment.errors import SourceUnreachable


class DuckDuckGo(Service):
    """Finds pages through the page made for browsers without scripts."""

    name, home, interval = "duckduckgo", "https://html.duckduckgo.com", 1.0

    def __init__(self, fetcher: Fetcher, base: str = "") -> None:
        super().__init__(fetcher, base=base)

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages."""
        span = span_of(narrowed, "", "")
        asked = {"q": on_site(query[:400], narrowed), "df": "..".join(span) if span else None}
        answer = self.get("/html/", asked, {"Accept": "text/html"})
        return self._results(answer.content)

    def _results(self, content: bytes) -> Iterator[Row]:
        from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]  # etree is compiled and has no stubs

        try:
            tree = html.document_fromstring(content, parser=html.HTMLParser(encoding="utf-8", no_network=True))
        except (etree.ParserError, ValueError) as error:
            raise SourceUnreachable("DuckDuckGo returned an empty page.") from error
        for block in tree.xpath("//div[contains(concat(' ', @class, ' '), ' result ')]"):
            links = block.xpath(".//a[contains(concat(' ', @class, ' '), ' result__a ')]")
            if not links or "result--ad" in (block.get("class") or ""):
                continue
            snippets = block.xpath(".//*[contains(concat(' ', @class, ' '), ' result__snippet ')]")
            yield (
                self._target(links[0].get("href") or ""),
                links[0].text_content(),
                snippets[0].text_content() if snippets else "",
                None,
            )

    def _target(self, href: str) -> str:
        """The page a result leads to; results point to a redirect that holds it."""
        whole = urljoin(self._base + "/", href)
        held = parse_qs(urlsplit(whole).query).get("uddg")
        return held[0] if held else whole
