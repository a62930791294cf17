"""The gate before a rendered report: what stands in it is the document's own words, in their order, and no others.

A document is walked when it is written; here its renderings are. The proof below a report and the words of a notebook
are frames around the seal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from averment.claims.frames import AllowedSentences, Frame
from averment.errors import UntrueClaim
from averment.reports.markdown import escape, plain
from averment.reports.walk import words_of

if TYPE_CHECKING:
    from averment.reports.document import Document, Note
    from averment.reports.recording import Recording
    from averment.reports.seal import Seal

PROOF_FRAMES = tuple(
    map(
        Frame,
        (
            "Proof",
            "{mark}.",
            "Run {run}. Re-check every number on the machine that holds it:",
            "Root over the run's ledger entries: {root}.",
            "Signed checkpoint of the ledger:",
            "Public key of that ledger, for --key:",
        ),
    )
)
COMPUTES = (
    "Each cell below computes again what the report says, from the sources; the last ones check every number. It needs "
    "`pip install averment`"
)
NOTEBOOK_FRAMES = tuple(
    map(
        Frame,
        (
            "# {title}",
            "**{answer}**",
            "{mark}.",
            COMPUTES + ".",
            COMPUTES + ", and the sources beside this notebook or in the folder named here.",
            "## {task}",
            "## What the report says, checked",
            "## Proof",
            "Run `{run}`; on the machine that holds it: `averment verify {run}`.",
            "Root over the run's ledger entries: `{root}`.",
            "Signed checkpoint of the ledger:",
            "```",
            "{checkpoint}",
        ),
    )
)
HINT = "The passage behind this sentence"


def check_proof(document: Document, seal: Seal) -> None:
    """Pass the proof below a report through the gate.

    Raises:
        UntrueClaim: it says more than the seal.
    """
    held = {"mark": seal.marks.lines if seal.marks else (), "run": [seal.run_id], "root": [seal.run_root or ""]}
    AllowedSentences((), PROOF_FRAMES, held).check(words_of(document))


def check_notebook(cells: Iterable[str], recording: Recording) -> None:
    """Pass the words of a notebook through the gate.

    Raises:
        UntrueClaim: a cell says what neither the run nor a frame says.
    """
    seal = recording.seal
    held = {
        "title": [escape(recording.title)],
        "answer": [escape(recording.answer)],
        "task": [escape(call.task_id) for call, _ in recording.calls],
        "mark": [escape(line) for line in (seal.marks.lines if seal.marks else ())],
        "run": [seal.run_id],
        "root": [seal.run_root or ""],
        "checkpoint": (seal.checkpoint or "").strip().splitlines(),
    }
    AllowedSentences((), NOTEBOOK_FRAMES, held).check(("notebook", cell) for cell in cells)


def check_article(html: str, document: Document, *, drawn: Collection[str]) -> None:
    """Pass a document's HTML through the gate: a reader sees its words and cells in their order, and nothing else.

    ``drawn`` are the pictures that are there; another is shown by its words.

    Raises:
        UntrueClaim: the page shows something else than the document says.
    """
    page = _Page()
    page.feed(html)
    page.close()
    shown, said = _letters(page.texts), _letters(_texts(document, drawn))
    if shown != said:
        at = next((n for n, (one, other) in enumerate(zip(shown, said, strict=False)) if one != other), len(said))
        raise UntrueClaim(
            f"The page shows {shown[at : at + 120]!r}, which its document does not contain at that place.",
            details={"place": "html"},
        )
    stray = [text for text in page.hints if text != HINT and text not in _pictured(document)]
    if stray:
        raise UntrueClaim(f"A tooltip of the page says {stray[0]!r}.", details={"place": "html"})


def check_set(blocks: Iterable[Mapping[str, Any]], document: Document) -> None:
    """Pass what a typesetter is given through the gate: every text of it is one of the document's.

    Raises:
        UntrueClaim: it would set something else.
    """
    known = {_letters([text]) for text in (*_texts(document, ()), *(cited.url for cited in _notes(document)))}
    for text in _leaves(list(blocks)):
        if _letters([text]) not in known | {""}:
            raise UntrueClaim(
                f"The page shows {text[:120]!r}, which its document does not contain.", details={"place": "pdf"}
            )


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from () if name in {"kind", "file"} else _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)


def _notes(document: Document) -> Iterator[Note]:
    for block in document.blocks:
        if block.kind == "notes":
            yield from block.items


class _Page(HTMLParser):
    """What a reader of a page sees, and what is read out or shown on hovering."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.hints: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hints += [value or "" for name, value in attrs if name in {"alt", "title"} and value]


def _letters(texts: Iterable[str]) -> str:
    """Texts without their blanks: where a line is broken says nothing."""
    return "".join("".join(text.split()) for text in texts)


def _pictured(document: Document) -> set[str]:
    return {plain(block.alt) for block in document.blocks if block.kind == "picture"}


def _texts(document: Document, drawn: Collection[str]) -> Iterator[str]:
    """Every text of a document as its page shows it, in order."""
    numbers = {item.anchor: n for b in document.blocks if b.kind == "notes" for n, item in enumerate(b.items, start=1)}
    yield plain(document.title)
    for block in document.blocks:
        match block.kind:
            case "heading" | "paragraph":
                yield plain(block.text)
            case "bullets":
                yield from map(plain, block.items)
            case "grid":
                yield plain(block.caption)
                yield from (plain(cell) for row in (block.header, *block.rows) for cell in row)
            case "code":
                yield block.text
            case "cited":
                yield plain(block.lead)
                for one in block.sentences:
                    yield plain(one.text)
                    yield f"({plain(one.mark)}" if one.mark else ""
                    yield from (f"[{numbers.get(cite, '?')}]" for cite in one.cites)
                    yield ")" if one.mark else ""
            case "notes":
                for item in block.items:
                    yield plain(item.text)
                    yield plain(item.url) if item.url.startswith(("http://", "https://")) else ""
            case "picture":
                yield "" if block.name in drawn else plain(block.alt)
