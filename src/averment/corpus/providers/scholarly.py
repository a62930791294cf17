"""Places where papers and programs are found: arXiv, OpenAlex, Crossref, PubMed and GitHub; none needs a key.

Language is theirs to decide; a site means nothing to them but to the check of what they name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from averment.corpus.providers.answers import rows_at
from averment.corpus.providers.protocol import Narrowed
from averment.corpus.providers.service import Row, Service, span_of
from averment.errors import SourceUnreachable

_WORD = re.compile(r"[\w.-]+")


class Arxiv(Service):
    """Finds preprints; it wants three seconds between two questions."""

    name, home, interval = "arxiv", "https://export.arxiv.org", 3.0

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Preprints."""
        words = " AND ".join(f"all:{word}" for word in _WORD.findall(query[:300]))
        if span := span_of(narrowed):
            first, last = (day.replace("-", "") for day in span)
            words += f" AND submittedDate:[{first}0000 TO {last}2359]"
        answer = self.get("/api/query", {"search_query": words, "max_results": min(k, 50)}, {"Accept": "text/xml"})
        return self._entries(answer.content)

    def _entries(self, content: bytes) -> Iterator[Row]:
        from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  # etree is compiled and has no stubs

        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        try:
            tree = etree.fromstring(content, parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise SourceUnreachable("arXiv returned a response that is not a feed.") from error
        space = {"a": "http://www.w3.org/2005/Atom"}
        for entry in tree.findall("a:entry", space):
            told = [entry.findtext(f"a:{name}", default="", namespaces=space) for name in _ENTRY]
            yield told[0].replace("http://", "https://", 1), told[1], told[2], told[3]


_ENTRY = ("id", "title", "summary", "published")


class OpenAlex(Service):
    """Finds works of research in OpenAlex."""

    name, home, interval = "openalex", "https://api.openalex.org", 0.15

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Works, at the address where each can be read."""
        wanted = _filter(
            from_publication_date=narrowed.since, to_publication_date=narrowed.until, language=narrowed.language
        )
        asked = {"search": query[:300], "per-page": min(k, 50), "filter": wanted}
        return map(self._row, rows_at(self.json(self.get("/works", asked)), "results"))

    def _row(self, row: Mapping[str, Any]) -> Row:
        place: Any = row.get("primary_location")
        page = place.get("landing_page_url") if isinstance(place, Mapping) else None
        return page or row.get("doi") or row.get("id"), row.get("title"), "", row.get("publication_date")


class Crossref(Service):
    """Finds published works in Crossref."""

    name, home, interval = "crossref", "https://api.crossref.org", 0.1

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Works."""
        wanted = _filter(**{"from-pub-date": narrowed.since, "until-pub-date": narrowed.until})
        asked = {"query": query[:300], "rows": min(k, 50), "filter": wanted}
        return map(self._row, rows_at(self.json(self.get("/works", asked)), "message", "items"))

    def _row(self, row: Mapping[str, Any]) -> Row:
        titles: Any = row.get("title")
        title = titles[0] if isinstance(titles, list) and titles else ""
        return row.get("URL"), title, row.get("abstract"), _day(row.get("issued"))


def _filter(**wanted: str | None) -> str | None:
    """What is wanted as a filter of names and values; None where nothing is."""
    return ",".join(f"{name}:{value}" for name, value in wanted.items() if value) or None


def _day(issued: object) -> str | None:
    """The day of ``{"date-parts": [[2024, 5, 6]]}``, as far as it goes."""
    parts: Any = issued.get("date-parts") if isinstance(issued, Mapping) else None
    first: Any = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list) or not first or not all(isinstance(one, int) for one in first):
        return None
    return "-".join(f"{one:02d}" for one in first[:3])


class PubMed(Service):
    """Finds articles of medicine and biology; three questions a second are welcome."""

    name, home, interval = "pubmed", "https://eutils.ncbi.nlm.nih.gov", 0.35

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Articles."""
        first, last = (day.replace("-", "/") for day in span_of(narrowed, "1800-01-01") or ("", ""))
        asked = {
            "db": "pubmed",
            "retmode": "json",
            "term": query[:300],
            "retmax": min(k, 50),
            "datetype": "pdat" if first else None,
            "mindate": first or None,
            "maxdate": last or None,
        }
        found: Any = self.json(self.get("/entrez/eutils/esearch.fcgi", asked))
        result: Any = found.get("esearchresult") if isinstance(found, Mapping) else None
        ids: Any = result.get("idlist") if isinstance(result, Mapping) else None
        known = [one for one in ids if isinstance(one, str) and one.isdigit()] if isinstance(ids, list) else []
        if not known:
            return []
        asked = {"db": "pubmed", "retmode": "json", "id": ",".join(known)}
        told: Any = self.json(self.get("/entrez/eutils/esummary.fcgi", asked))
        listed: Any = told.get("result") if isinstance(told, Mapping) else None
        rows = [(one, listed.get(one)) for one in known] if isinstance(listed, Mapping) else []
        return (
            (f"https://pubmed.ncbi.nlm.nih.gov/{one}/", row.get("title"), row.get("source"), row.get("sortpubdate"))
            for one, row in rows
            if isinstance(row, Mapping)
        )


class GitHub(Service):
    """Finds repositories; a token (``GITHUB_TOKEN``) lets it be asked more often."""

    name, home, interval = "github", "https://api.github.com", 2.0

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Repositories, at the page that shows their README."""
        words = " ".join(_WORD.findall(query[:200]))
        if span := span_of(narrowed, "*", "*"):
            words += f" pushed:{'..'.join(span)}"
        headers = {"Accept": "application/vnd.github+json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        answer = self.get("/search/repositories", {"q": words, "per_page": min(k, 50)}, headers)
        told = self.told(answer, "items", "full_name full_name description pushed_at")
        return ((_page(name), name, about, day) for name, _, about, day in told)


def _page(name: object) -> str | None:
    return f"https://github.com/{quote(name)}" if isinstance(name, str) and name.count("/") == 1 else None
