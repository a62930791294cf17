"""``averment corpus add|list|names|search|show|remove|forget``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import answers, open_workbench
from averment.faces.cli.output import CommandOutput, echo, table_or

if TYPE_CHECKING:
    from averment.corpus.corpus import Corpus
    from averment.corpus.ingest import IngestResult
    from averment.store.corpus.document_rows import Document

_SHOWN = 240


@click.group()
def corpus() -> None:
    """Archive documents and web pages, and search them."""


@corpus.command()
@click.argument("sources", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--to", "name", default="default", show_default=True, metavar="NAME", help="The corpus to add them to.")
@click.option(
    "--vectors/--no-vectors", default=True, show_default=True, help="Compute vectors before the command ends."
)
@answers
def add(context: click.Context, sources: tuple[str, ...], name: str, vectors: bool) -> CommandOutput:
    """Add files, folders or web addresses to a corpus; unchanged ones are skipped."""
    opened = _open(context)
    results = list(opened.add_sources(sources, fetcher=_fetcher(context), into=name))
    computed = opened.finish_vectors() if vectors else 0
    counts = {
        outcome: sum(one.outcome == outcome for one in results)
        for outcome in ("added", "updated", "unchanged", "refused")
    }

    def tell() -> None:
        for one in results:
            if one.error is not None:
                click.echo(f"{one.error.code}: {one.error.message}", err=True)
        echo(", ".join(f"{count} {outcome}" for outcome, count in counts.items()) + ".")

    code = 0
    if results and counts["refused"] == len(results):
        first = results[0].error
        code = first.exit_code if first is not None else 2
    return CommandOutput(
        {"counts": counts, "vectors": computed, "sources": [_told(one) for one in results]}, tell, code
    )


@corpus.command()
@answers
def names(context: click.Context) -> CommandOutput:
    """List the corpora by name."""
    found = _open(context).members.names()
    document = {"corpora": [{"name": name, "documents": count} for name, count in found]}
    nothing = "There is no corpus yet; create one with `averment corpus add PATH`."
    rows = [(name, str(count)) for name, count in found]
    return CommandOutput(document, table_or(nothing, ("corpus", "documents"), rows))


@corpus.command()
@click.argument("name")
@answers
def forget(context: click.Context, name: str) -> CommandOutput:
    """Delete the corpus NAME and its documents that belong to no other; archived text is kept for reports."""
    gone = _open(context).forget(name)
    words = f"Deleted {name} with {gone} documents that belonged only to it."
    return CommandOutput({"forgotten": name, "documents": gone}, words)


@corpus.command(name="list")
@click.option("--in", "name", metavar="NAME", help="Only documents of this corpus.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many.")
@click.option("--offset", type=click.IntRange(0), default=0, help="How many to skip.")
@answers
def list_documents(context: click.Context, name: str | None, limit: int, offset: int) -> CommandOutput:
    """List the documents by address."""
    found = _open(context).documents(limit, offset, corpus=name)
    rows = [
        (one.document_id, one.kind, one.published_at or "", "copy" if one.copies_of else "", one.title, one.url)
        for one in found
    ]
    header = ("document", "kind", "published", "", "title", "address")
    nothing = "The corpus is empty; add to it with `averment corpus add PATH`."
    return CommandOutput({"documents": [_document(one) for one in found]}, table_or(nothing, header, rows))


@corpus.command()
@click.argument("query")
@click.option("-k", "--count", type=click.IntRange(1, 1000), default=8, show_default=True, help="How many passages.")
@click.option("--hops", is_flag=True, help="Follow named entities from passage to passage.")
@click.option("--in", "corpora", multiple=True, metavar="NAME", help="Only in this corpus; repeatable.")
@answers
def search(context: click.Context, query: str, count: int, hops: bool, corpora: tuple[str, ...]) -> CommandOutput:
    """Find the passages that best match QUERY."""
    opened = _open(context)
    within = opened.members.of(corpora) if corpora else None
    hits = (opened.search_hops if hops else opened.search)(query, count, within=within)
    lines = [
        f"{number}. {hit.title}  [{hit.score:.3f}]  {hit.url}\n"
        f"   {hit.start}-{hit.end}: {' '.join(hit.text.split())[:_SHOWN]}"
        for number, hit in enumerate(hits, start=1)
    ]
    document = {"hits": [dataclasses.asdict(hit) for hit in hits], "pending_vectors": opened.pending_vectors()}
    return CommandOutput(document, "\n".join(lines) or "Nothing was found.", 0 if hits else 3)


@corpus.command()
@click.argument("document", metavar="DOCUMENT|URL")
@click.option("--text", "with_text", is_flag=True, help="Print the archived text.")
@answers
def show(context: click.Context, document: str, with_text: bool) -> CommandOutput:
    """Show a document: its origin, its date and its archived text."""
    opened = _open(context)
    found = opened.document(document)
    text = opened.snapshot(found.snapshot_sha256)
    if with_text:
        return CommandOutput({**_document(found), "text": text}, text)
    return CommandOutput(_document(found), "\n".join(f"{name}: {value}" for name, value in _document(found).items()))


@corpus.command()
@click.argument("document", metavar="DOCUMENT|URL")
@answers
def remove(context: click.Context, document: str) -> CommandOutput:
    """Delete a document; its archived text is kept for the reports that quote it."""
    opened = _open(context)
    found = opened.document(document)
    opened.remove(found.document_id)
    return CommandOutput({"removed": found.document_id}, f"Removed {found.url}.")


def _open(context: click.Context) -> Corpus:
    from averment.corpus.corpus import Corpus
    from averment.language.embeddings import default_embedder
    from averment.store.db.database import Database

    settings = open_workbench(context).settings
    database = Database.open(settings)
    context.call_on_close(database.close)
    opened = Corpus(database, default_embedder(settings.home / "cache" / "models"))
    context.call_on_close(opened.close)
    return opened


def _fetcher(context: click.Context) -> Any:
    from averment.corpus.providers.choose import open_fetcher

    return open_fetcher(open_workbench(context).settings)


def _document(document: Document) -> dict[str, Any]:
    from averment.records.base import iso_z

    return {**dataclasses.asdict(document), "accessed_at": iso_z(document.accessed_at), "notes": list(document.notes)}


def _told(added: IngestResult) -> dict[str, Any]:
    return {
        "url": added.url,
        "outcome": added.outcome,
        "document": None if added.document is None else _document(added.document),
        "error": None if added.error is None else added.error.as_dict(),
    }
