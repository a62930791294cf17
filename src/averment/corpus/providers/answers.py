"""How an answer of a search service is read: as JSON of an expected shape, with everything else refused or left out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from averment.corpus.dates import read_date
from averment.corpus.providers.protocol import Found
from averment.corpus.snapshot import normalise
from averment.corpus.web.client import HttpResponse
from averment.errors import SourceUnreachable

_TAG = re.compile(r"<[^<>]{0,200}>")
_LONGEST_TITLE = 200
_LONGEST_SNIPPET = 1_000
_LONGEST_URL = 2_000


def read_json(answer: HttpResponse, provider: str) -> Any:
    """The JSON of an answer.

    Raises:
        SourceUnreachable: it is none; the service is out of order.
    """
    try:
        return orjson.loads(answer.content)
    except orjson.JSONDecodeError as error:
        raise SourceUnreachable(f"{provider} returned a response that is not JSON.") from error


def rows_at(document: Any, *path: str) -> list[Mapping[str, Any]]:
    """The objects of the list at a path in a document; none when the shape is another one."""
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return [row for row in document if isinstance(row, Mapping)] if isinstance(document, list) else []


def plain(text: object) -> str:
    """A text of a service without its markup."""
    return " ".join(normalise(html.unescape(_TAG.sub("", text if isinstance(text, str) else ""))).split())


def collect(provider: str, rows: Iterable[tuple[object, object, object, object]], k: int) -> list[Found]:
    """Up to k results of (url, title, snippet, date) rows: those with a web address, each address once."""
    found: dict[str, Found] = {}
    for url, title, snippet, date in rows:
        if not isinstance(url, str) or len(url) > _LONGEST_URL or urlsplit(url).scheme not in ("http", "https"):
            continue
        if url in found or len(found) >= k:
            continue
        found[url] = Found(
            url=url,
            title=plain(title)[:_LONGEST_TITLE] or url[:_LONGEST_TITLE],
            snippet=plain(snippet)[:_LONGEST_SNIPPET],
            provider=provider,
            published_at=read_date(date) if isinstance(date, str) else None,
        )
    return list(found.values())
