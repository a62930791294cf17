"""``page.read``: fetch pages and archive them; what cannot be reached or read is told and does not stop the rest."""

from __future__ import annotations

from pydantic import Field

from averment.tools.tool import Args, Output, ToolContext, tool

MOST_PAGES = 50


class PageReadArgs(Args):
    """The addresses to fetch."""

    addresses: tuple[str, ...] = Field(min_length=1, max_length=MOST_PAGES, description="http and https addresses.")


class ReadPage(Output):
    """A page in the archive."""

    url: str
    document_id: str
    snapshot_sha256: str
    title: str


class MissedPage(Output):
    """A page that is not in the archive, and why."""

    url: str
    code: str
    reason: str


class PageReadOutput(Output):
    """What was archived, and what was not reachable."""

    pages: tuple[ReadPage, ...]
    unreachable: tuple[MissedPage, ...]


def read_pages(args: PageReadArgs, context: ToolContext) -> PageReadOutput:
    """Fetch and archive each page, within the limits of the fetcher; private addresses are refused."""
    from averment.corpus.providers.choose import open_fetcher
    from averment.corpus.sources import is_address

    pages: list[ReadPage] = []
    missed = [
        MissedPage(url=one, code="ADDRESS_REFUSED", reason="not a web address")
        for one in args.addresses
        if not is_address(one)
    ]
    wanted = [one for one in args.addresses if is_address(one)]
    for added in context.archive().add_sources(wanted, fetcher=open_fetcher(context.settings), into=""):
        if added.document is not None:
            document = added.document
            pages.append(
                ReadPage(
                    url=document.url,
                    document_id=document.document_id,
                    snapshot_sha256=document.snapshot_sha256,
                    title=document.title,
                )
            )
        elif added.error is not None:
            missed.append(MissedPage(url=added.url, code=added.error.code, reason=added.error.message))
    return PageReadOutput(pages=tuple(pages), unreachable=tuple(missed))


PAGE_READ = tool(
    "page.read",
    read_pages,
    "Fetch web pages and keep them in the archive under their hash; says which could not be reached.",
    read_only=False,
    idempotent=False,
    cost_seconds=5.0,
)
