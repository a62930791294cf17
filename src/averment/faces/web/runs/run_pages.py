"""The list of runs, and one run: how it was read, where it stands, what it found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from averment.agents.assistant.sources import sent_suffixes
from averment.faces.web.runs.run_view import view_of
from averment.faces.web.shell.listing import fitting, has_words, list_page
from averment.faces.web.shell.page_access import Bench, Find, HomeOperations, PageNumber, RunId
from averment.faces.web.shell.pages import Pages, show
from averment.records.analysis import ENDED, RUN_STATES
from averment.records.base import new_id
from averment.runtime.outcome import Run

router = Pages()

SEARCHED = 2_000
"""So many of the newest runs are looked through for words."""
KINDS = ("analysis", "drilldown", "research")


@router.get("/runs")
def list_runs(
    request: Request,
    workbench: Bench,
    status: Annotated[str, Query(max_length=40)] = "",
    kind: Annotated[str, Query(max_length=40)] = "",
    find: Find = "",
    page: PageNumber = 1,
) -> Response:
    """The library: runs, the newest first, all or those of a status, of a kind, or with some words in them."""

    def some(count: int, start: int) -> Sequence[Run]:
        return workbench.runs.list(limit=count, offset=start, status=status or None)

    searched = kind or find.strip()
    found, more = list_page(page, fitting(some(SEARCHED, 0), lambda run: _fits(run, kind, find)) if searched else some)
    return show(
        request,
        "runs.html",
        runs=found,
        more=more,
        page=page,
        wanted=status,
        kind=kind,
        kinds=KINDS,
        find=find,
        states=sorted(RUN_STATES.states),
    )


def _fits(run: Run, kind: str, find: str) -> bool:
    said = f"{run.intent} {run.answer or ''} {' '.join(run.sources)}"
    return (not kind or run.kind == kind) and has_words(find, said)


@router.get("/runs/{run_id}")
def show_run(request: Request, workbench: Bench, archive: HomeOperations, run_id: RunId) -> Response:
    """A run as it stands now; a script that follows it asks for the live part alone."""
    view = view_of(workbench, archive, run_id)
    return show(
        request,
        "run.html",
        view=view,
        run=view.run,
        ended=view.run.status in ENDED,
        message_id=new_id(),
        accepted=",".join(sent_suffixes()),
    )
