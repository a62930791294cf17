"""DuckDuckGo's plain HTML results; no key is needed, and too many questions in a row are turned away."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from averment.corpus.providers.answers import collect
from averment.corpus.providers.protocol import Found
from averment.corpus.web.fetch import Fetcher
from averment.errors import SourceUnreachable


class DuckDuckGo:
    """Finds pages through the page made for browsers without scripts."""

    name = "duckduckgo"

    def __init__(self, fetcher: Fetcher, base: str = "https://html.duckduckgo.com") -> None:
        self._fetcher = fetcher
        self._base = base.rstrip("/")

    def search(self, query: str, k: int) -> list[Found]:
        """Up to k pages."""
        answer = self._fetcher.call(
            f"{self._base}/html/?{urlencode({'q': query[:400]})}", headers={"Accept": "text/html"}
        )
        return collect(self.name, self._rows(answer.content), k)

    def _rows(self, content: bytes) -> Iterator[tuple[object, object, object, object]]:
        from lxml import etree, html  # pyright: ignore[reportAttributeAccessIssue]  # etree is compiled and has no stubs

        try:
            tree = html.document_fromstring(content, parser=html.HTMLParser(encoding="utf-8", no_network=True))
        except (etree.ParserError, ValueError) as error:
            raise SourceUnreachable("DuckDuckGo answered with an empty page.") from error
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
