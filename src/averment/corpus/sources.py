"""From what a person names (a file, a folder, an address) to drafts; what cannot be read is told and left out.

Unchanged files are known by the digest of their bytes and are not parsed again. Folders are walked in the order of
their names, links to other places are not followed, and hidden files are passed over.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from averment.corpus.ingest import DocumentDraft, IngestResult
from averment.corpus.readers.kinds import kind_of_suffix
from averment.corpus.readers.reader import DocumentReader
from averment.corpus.readers.reading import Reading
from averment.corpus.snapshot import digest
from averment.corpus.web.fetch import Fetcher, Page
from averment.errors import AvermentError, FileTooLarge, SourceNotFound, SourceUnreadable

_SIDE_BY_SIDE, _OF_ONE_HOST = 8, 2
Refuse = Callable[[IngestResult], None]


def is_address(source: str) -> bool:
    """Whether a source is named by an address of the web and not by a path."""
    return source.lower().startswith(("http://", "https://"))


def file_url(path: Path) -> str:
    """The ``file:`` address of a path, the same wherever the command is run from."""
    return "file://" + quote(str(path.absolute()))


def files_under(path: Path) -> Iterator[Path]:
    """The documents of a folder and its folders, by name; or the file itself.

    Raises:
        SourceNotFound: nothing is there.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise SourceNotFound(f"There is no file or folder {path}.") from error
    if not stat.S_ISDIR(mode):
        yield path
        return
    for folder, folders, names in os.walk(path, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            found = Path(folder) / name
            if not name.startswith(".") and kind_of_suffix(found.suffix.lower()) and not found.is_symlink():
                yield found


def draft_of_file(path: Path, reader: DocumentReader, known: str | None = None) -> DocumentDraft:
    """A file as a draft; with the ``known`` digest of unchanged bytes it is not parsed.

    Raises:
        SourceError: it cannot be read; the class says why.
    """
    content = _bytes_of(path, reader.limits.file_bytes)
    url = file_url(path)
    if known is not None and known == digest(content):
        return DocumentDraft(url=url, title="", text="", raw=content)
    return _draft(url, path.stem, content, *reader.read(content, path.name))


def draft_of_page(page: Page, reader: DocumentReader) -> DocumentDraft:
    """A fetched page as a draft, under the address it finally came from.

    Raises:
        SourceError: it cannot be read.
    """
    read = reader.read(page.content, page.url, media_type=page.media_type, charset=page.charset)
    return replace(_draft(page.url, page.url, page.content, *read), accessed_at=page.fetched_at)


def _draft(url: str, name: str, raw: bytes, kind: str, reading: Reading) -> DocumentDraft:
    """What was read as a draft; what has no title is called by its name."""
    title, published = reading.title or name, reading.published_at
    return DocumentDraft(
        url=url, title=title, text=reading.text, raw=raw, kind=kind, published_at=published, notes=reading.notes
    )


def drafts(
    sources: Iterable[str], *, reader: DocumentReader, fetcher: Fetcher, known: dict[str, str], refuse: Refuse
) -> Iterator[DocumentDraft]:
    """The drafts of everything named, in its order; what cannot be read goes to ``refuse`` and does not stop the rest.

    Pages are fetched side by side, at most two of one host.
    """
    named = list(sources)
    pages = fetch_all([one for one in named if is_address(one)], fetcher)
    for source in named:
        try:
            if is_address(source):
                yield draft_of_page(next(pages)(), reader)
                continue
            paths = list(files_under(Path(source)))
        except AvermentError as error:
            refuse(
                IngestResult(
                    url=source if is_address(source) else file_url(Path(source)), outcome="refused", error=error
                )
            )
            continue
        for path in paths:
            url = file_url(path)
            try:
                yield draft_of_file(path, reader, known.get(url))
            except AvermentError as error:
                refuse(IngestResult(url=url, outcome="refused", error=error))


def fetch_all(addresses: Sequence[str], fetcher: Fetcher) -> Iterator[Callable[[], Page]]:
    """For each address, in order, what gives its page or raises why there is none; fetched ahead side by side."""
    if not addresses:
        return
    hosts = {one: threading.Semaphore(_OF_ONE_HOST) for one in {_host_of(each) for each in addresses}}

    def fetch(address: str) -> Page:
        with hosts[_host_of(address)]:
            return fetcher.fetch(address)

    pool = ThreadPoolExecutor(_SIDE_BY_SIDE, thread_name_prefix="averment-fetch")
    try:
        for begun in [pool.submit(fetch, one) for one in addresses]:
            yield begun.result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _host_of(address: str) -> str:
    """The host of an address; a malformed one is its own, and the fetcher says what is wrong with it."""
    try:
        return urlsplit(address).netloc
    except ValueError:
        return address


def _bytes_of(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, never more than the limit; a pipe or device of that name does not hold us."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be opened: {error.strerror}.") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SourceUnreadable(f"{path} is not a regular file.")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise FileTooLarge(f"{path} has more than {limit:,} bytes.")
    return content
