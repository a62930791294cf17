"""The first page: ask, drop files, take a sample, and see what was asked before."""

from __future__ import annotations

from datetime import date
from importlib import resources
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.archive import Archive, Upload
from averment.errors import AvermentError, NoSources
from averment.faces.web.access import Bench, Fields, Kept, Taking
from averment.faces.web.drill_draft import Draft, Drafts
from averment.faces.web.dropped import DOCUMENTS, Dropped
from averment.faces.web.forms import Folder
from averment.faces.web.pages import PageRoute, check_form, go, show, wants_part
from averment.faces.web.routing import AGENTS, WORDS, Agent, route
from averment.records.base import utc_now
from averment.workbench import Workbench

router = APIRouter(route_class=PageRoute, include_in_schema=False)

RECENT = 8
DEPTHS = ("quick", "standard", "comprehensive")
TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")
SAMPLE = "sales.csv"
SAMPLE_QUESTION = "total amount by region in 2024"
HARBOUR = "harbour"
HARBOUR_QUESTION = "What did the dredging of the Port of Aldermouth cost?"


@router.get("/home")
def home(request: Request, workbench: Bench) -> Response:
    """The ask box and the newest runs."""
    return show(
        request,
        "home.html",
        runs=workbench.list(limit=RECENT),
        agents=WORDS,
        depths=DEPTHS,
        accepted=",".join((*TABLES, *DOCUMENTS)),
        sample_question=SAMPLE_QUESTION,
        harbour_question=HARBOUR_QUESTION,
    )


@router.get("/ask/agent")
def who_answers(
    request: Request,
    archive: Kept,
    question: Annotated[str, Query(max_length=5_000)] = "",
    tables: Annotated[bool, Query()] = False,
    documents: Annotated[bool, Query()] = False,
) -> Response:
    """Who would answer that question, before it is asked."""
    found = route(archive, question, tables=tables, documents=documents)
    return show(request, "routed.html", route=found, agents=WORDS)


@router.post("/ask")
async def ask(request: Request, workbench: Bench, archive: Kept, uploads: Taking) -> Response:
    """Take a question with its files, and go to where it is answered."""
    folder = Dropped(uploads.open_folder())
    try:
        form = await uploads.read_form(request.headers.get("content-type", ""), request.stream(), folder)
        texts = {name: values[-1] for name, values in form.texts.items()}
        check_form(request, texts.get("form_token", ""))
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        folder.discard()
        raise
    files = tuple(file for file in folder.files if file.exists() and file.stat().st_size > 0)
    place = await run_in_threadpool(_begin, workbench, archive, texts, files, folder, folder.documents)
    if wants_part(request):
        return Response(status_code=204, headers={"X-Location": place})
    return go(place)


@router.post("/sample")
def take_sample(workbench: Bench, archive: Kept, uploads: Taking, fields: Fields) -> Response:
    """Ask about one of the samples: the table of sales, or the texts about a harbour."""
    samples = resources.files("averment.faces.web").joinpath("samples")
    folder = uploads.open_folder()
    if fields.get("sample") == HARBOUR:
        texts = [Upload(one.name, one.read_bytes()) for one in sorted(samples.joinpath(HARBOUR).iterdir(), key=str)]
        asked = {"question": HARBOUR_QUESTION, "agent": "researcher", "depth": "quick"}
        return go(_begin(workbench, archive, asked, (), folder, texts))
    folder.append([(folder.claim(SAMPLE), samples.joinpath(SAMPLE).read_bytes())])
    question = fields.get("question", "").strip() or SAMPLE_QUESTION
    return go(_begin(workbench, archive, {"question": question, "agent": "analyst"}, folder.files, folder, []))


def _begin(
    workbench: Workbench,
    archive: Archive,
    texts: dict[str, str],
    files: tuple[Path, ...],
    folder: Folder,
    documents: list[Upload],
) -> str:
    """Begin what was asked, and say where it can be watched."""
    question = texts.get("question", "")
    chosen: Agent | None = next((agent for agent in AGENTS if agent == texts.get("agent")), None)
    try:
        if documents:
            keep_documents(archive, documents)
        agent = chosen or route(archive, question, tables=bool(files), documents=bool(documents)).agent
        if agent == "analyst":
            if not files:
                raise NoSources("There is no table to ask about.", hint="Drop a file, or take the sample data.")
            return f"/runs/{workbench.submit(question, files)}"
        if agent == "researcher":
            depth = texts.get("depth", "standard")
            return f"/runs/{workbench.submit_research(question, depth=depth if depth in DEPTHS else 'standard')}"
        if agent == "driller":
            return _drill(workbench, question, files)
        answered = workbench.chat(question, files=files)
        return f"/chat/{answered.conversation_id}"
    except AvermentError as error:
        folder.discard()
        raise folder.hide(error) from error


def _drill(workbench: Workbench, question: str, files: tuple[Path, ...]) -> str:
    """A drill session with the files, and with what the question names of metric and periods filled in."""
    from averment.agents.assistant.drill_words import drill_words

    sessions = workbench.sessions
    session_id = sessions.create().session_id
    for file in files:
        with file.open("rb") as content:
            sessions.add_file(session_id, content, file.name)
    words = drill_words(question, utc_now().date())
    draft = Draft(prompt=question, baseline=_days(words.baseline), comparison=_days(words.comparison))
    Drafts(workbench.settings).keep(session_id, draft)
    return f"/drill/{session_id}"


def _days(period: tuple[date, date] | None) -> tuple[str, str]:
    return ("", "") if period is None else (period[0].isoformat(), period[1].isoformat())


def keep_documents(archive: Archive, documents: list[Upload]) -> int:
    """Archive what can be read, and say how many; where nothing can, it is refused.

    Raises:
        AvermentError: none of them can be read; the error is the first one's.
    """
    added = archive.add_documents(documents)
    refused = [one.error for one in added if one.error is not None]
    if refused and len(refused) == len(added):
        raise refused[0]
    return len(added) - len(refused)
