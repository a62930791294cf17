"""The first page: ask, drop files, take the sample, and see what was asked before."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import AvermentError, NoSources
from averment.faces.web.access import Bench, Fields, Taking
from averment.faces.web.background import begin_research
from averment.faces.web.forms import Chosen, Folder
from averment.faces.web.pages import PageRoute, check_form, go, show, wants_part
from averment.workbench import Workbench

router = APIRouter(route_class=PageRoute, include_in_schema=False)

RECENT = 8
AGENTS = ("auto", "analyst", "researcher", "assistant")
SAMPLE = "sales.csv"
SAMPLE_QUESTION = "total amount by region in 2024"


@router.get("/home")
def home(request: Request, workbench: Bench) -> Response:
    """The ask box and the newest runs."""
    return show(request, "home.html", runs=workbench.list(limit=RECENT), sample_question=SAMPLE_QUESTION)


@router.post("/ask")
async def ask(request: Request, workbench: Bench, uploads: Taking) -> Response:
    """Take a question with its files, and go to where it is answered."""
    folder = Chosen(uploads.open_folder())
    try:
        form = await uploads.read_form(request.headers.get("content-type", ""), request.stream(), folder)
        texts = {name: values[-1] for name, values in form.texts.items()}
        check_form(request, texts.get("form_token", ""))
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        folder.discard()
        raise
    files = tuple(file for file in form.files if file.exists() and file.stat().st_size > 0)
    place = await run_in_threadpool(_begin, workbench, texts, files, folder)
    if wants_part(request):
        return Response(status_code=204, headers={"X-Location": place})
    return go(place)


@router.post("/sample")
def take_sample(workbench: Bench, uploads: Taking, fields: Fields) -> Response:
    """Ask about the sample table."""
    folder = uploads.open_folder()
    content = resources.files("averment.faces.web").joinpath("samples", SAMPLE).read_bytes()
    folder.append([(folder.claim(SAMPLE), content)])
    question = fields.get("question", "").strip() or SAMPLE_QUESTION
    return go(_begin(workbench, {"question": question, "agent": "analyst"}, folder.files, folder))


def _begin(workbench: Workbench, texts: dict[str, str], files: tuple[Path, ...], folder: Folder) -> str:
    """Begin what was asked, and say where it can be watched."""
    question, agent = texts.get("question", ""), texts.get("agent", "auto")
    if agent not in AGENTS or agent == "auto":
        agent = "analyst" if files else "assistant"
    try:
        if agent == "analyst":
            if not files:
                raise NoSources("There is no table to ask about.", hint="Drop a file, or take the sample data.")
            return f"/runs/{workbench.submit(question, files)}"
        if agent == "researcher":
            return f"/runs/{begin_research(workbench, question)}"
        answered = workbench.chat(question, files=files)
        return f"/chat/{answered.conversation_id}"
    except AvermentError as error:
        folder.discard()
        raise folder.hide(error) from error
