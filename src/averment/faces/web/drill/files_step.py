"""The first step of a drill: its files, one to ten, each with what it holds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Annotated
from uuid import UUID

from fastapi import Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.driller.session_life import original_name
from averment.errors import AvermentError, InvalidFileType
from averment.faces.web.drill.draft import Drafts
from averment.faces.web.drill.drills import SessionId
from averment.faces.web.drill.field_errors import FieldFault, fault_of
from averment.faces.web.shell.forms import ChosenFiles, Folder
from averment.faces.web.shell.page_access import Bench, Fields, Taking
from averment.faces.web.shell.pages import Pages, check_form, go, show
from averment.records.drilldown.session import MAX_FILES
from averment.workbench import Workbench

router = Pages()

FileId = Annotated[UUID, Path()]


@router.get("/drill/{session_id}/files")
def show_files(request: Request, workbench: Bench, session_id: SessionId) -> Response:
    """The files so far, and room for more."""
    return _page(request, workbench, str(session_id))


@router.post("/drill/{session_id}/files")
async def add_files(request: Request, workbench: Bench, uploads: Taking, session_id: SessionId) -> Response:
    """Take files into the session; each is taken or refused by itself."""
    await run_in_threadpool(workbench.sessions.files, str(session_id))
    folder = CsvFiles(uploads.open_folder())
    try:
        form = await uploads.read_form(request.headers.get("content-type", ""), request.stream(), folder)
        check_form(request, form.texts.get("form_token", [""])[-1])
        faults = await run_in_threadpool(_take, workbench, str(session_id), folder)
    except AvermentError as error:
        if error.code in {"ORIGIN_REFUSED", "SESSION_EXPIRED", "SESSION_NOT_FOUND"}:
            raise
        about = folder.given[-1][0] if folder.given else ""
        faults = [fault_of(folder.hide(error), workbench.settings.home, about=about)]
    finally:
        # Cancellation too: whatever ends the request, the session has the files by now or never will.
        folder.discard()
    return await run_in_threadpool(_page, request, workbench, str(session_id), faults)


@router.post("/drill/{session_id}/files/{file_id}/describe")
def describe_file(
    request: Request, workbench: Bench, session_id: SessionId, file_id: FileId, fields: Fields
) -> Response:
    """Keep what a file holds in the words of whoever knows."""
    workbench.sessions.describe(str(session_id), str(file_id), fields.get("description", ""))
    return _page(request, workbench, str(session_id), said=str(file_id))


@router.acts("/drill/{session_id}/files/{file_id}/remove")
def remove_file(request: Request, workbench: Bench, session_id: SessionId, file_id: FileId) -> Response:
    """Take a file out again."""
    workbench.sessions.remove_file(str(session_id), str(file_id))
    drafts = Drafts(workbench.settings)
    drafts.keep(str(session_id), drafts.get(str(session_id)).changed(links=None, focus=(), roles={}))
    return _page(request, workbench, str(session_id))


class CsvFiles(ChosenFiles):
    """The files of a form with the names they were given; a field without a file is no file."""

    def __init__(self, folder: Folder) -> None:
        super().__init__(folder)
        self.given: list[tuple[str, FilePath | None]] = []

    def claim(self, given: str) -> FilePath:
        """The place for a file; one that is no CSV file is read past, and refused by its name later."""
        if not given:
            return super().claim("")
        try:
            name = original_name(given)
        except InvalidFileType:
            self.given.append((given, None))
            return super().claim("")
        place = super().claim("upload.csv")
        self.given.append((name, place))
        return place

    def append(self, pieces: Iterable[tuple[FilePath, bytes]]) -> None:
        """Add bytes to claimed files."""
        super().append(list(pieces))


def _take(workbench: Workbench, session_id: str, folder: CsvFiles) -> list[FieldFault]:
    sessions, home = workbench.sessions, workbench.settings.home
    faults: list[FieldFault] = []
    taken = 0
    for name, place in folder.given:
        try:
            if place is None:
                original_name(name)
                continue
            with place.open("rb") as stream:
                sessions.add_file(session_id, stream, name)
            taken += 1
        except AvermentError as error:
            faults.append(fault_of(folder.hide(error), home, about=name))
    if taken:
        drafts = Drafts(workbench.settings)
        drafts.keep(session_id, drafts.get(session_id).changed(links=None))
    if not folder.given:
        faults.append(FieldFault("NO_FILES_UPLOADED", "No file was chosen.", "Choose at least one CSV file."))
    return faults


def _page(
    request: Request, workbench: Workbench, session_id: str, faults: Iterable[FieldFault] = (), said: str = ""
) -> Response:
    sessions = workbench.sessions
    if sessions.run_of(session_id) is not None:
        return go(f"/drill/{session_id}")
    files = sessions.files(session_id)
    shown = list(faults)
    return show(
        request,
        "drill/files.html",
        status=422 if shown else 200,
        session=sessions.get(session_id),
        files=files,
        faults=shown,
        said=said,
        room=MAX_FILES - len(files),
        step="files",
    )
