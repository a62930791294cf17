"""``/v1/sessions``: open a session, give it files, look at it, take it away."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Body, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.driller.sessions import Sessions
from averment.errors import AvermentError, InvalidRequest
from averment.faces.http.access import UPLOADING, Bench, Limit, Offset, Routes, UploadLimits
from averment.faces.http.failures import json_response
from averment.faces.http.form import UploadedForm, multipart, read_form
from averment.faces.http.sessions_access import CodedRoute, FileId, HomeSessions, SessionId
from averment.faces.http.sessions_documents import FileList, SessionList, file_document, session_document
from averment.faces.http.uploads import UploadFolder
from averment.records.drilldown.api import FileMetadataUpdate, FileUploadResponse, SessionCreate, SessionResponse

router = Routes(tags=["sessions"], route_class=CodedRoute)

_FORM = multipart(
    {
        "files": {
            "type": "string",
            "contentMediaType": "text/csv",
            "description": "One CSV file with a header row, at most 50 MB; its name ends in .csv.",
        },
        "description": {"type": "string", "maxLength": 2000, "description": "What the file contains."},
    },
    required=["files"],
    files="text/csv",
)


@router.acts("post", "/v1/sessions", SessionResponse, 400, 507, status_code=201)
def create_session(sessions: HomeSessions, body: Annotated[SessionCreate | None, Body()] = None) -> Response:
    """Open a session; the server's settings define how long it lives."""
    _ = body
    session = sessions.create()
    return json_response(session_document(session), 201, {"Location": f"/v1/sessions/{session.session_id}"})


@router.looks("/v1/sessions", SessionList)
def list_sessions(sessions: HomeSessions, limit: Limit = 50, offset: Offset = 0) -> Response:
    """List sessions, newest first."""
    return json_response({"sessions": [session_document(one) for one in sessions.list(limit=limit, offset=offset)]})


@router.looks("/v1/sessions/{session_id}", SessionResponse, 404)
def show_session(sessions: HomeSessions, session_id: SessionId) -> Response:
    """Show the current state of a session."""
    return json_response(session_document(sessions.get(str(session_id))))


@router.acts("delete", "/v1/sessions/{session_id}", None, 404, status_code=204, response_class=Response)
def delete_session(sessions: HomeSessions, session_id: SessionId) -> Response:
    """Delete a session with its files and its memory, and stop its running investigation."""
    sessions.delete(str(session_id))
    return Response(status_code=204)


@router.acts(
    "post",
    "/v1/sessions/{session_id}/files",
    FileUploadResponse,
    *UPLOADING,
    404,
    409,
    410,
    status_code=201,
    openapi_extra={"requestBody": _FORM},
)
async def upload_file(
    request: Request, workbench: Bench, sessions: HomeSessions, limits: UploadLimits, session_id: SessionId
) -> Response:
    """Upload one CSV file to the session; it is refused as soon as it exceeds a limit."""
    await run_in_threadpool(sessions.check_room, str(session_id))
    uploads = CsvFolder(workbench.settings.home)
    try:
        # One file a request, so that each has its own answer; its size is the contract's, not the analyses'.
        one = replace(limits, max_files=1)
        form = await read_form(request.headers.get("content-type", ""), request.stream(), uploads, one)
        return await run_in_threadpool(_take, sessions, str(session_id), form, uploads)
    finally:
        # Cancellation too: whatever ends the request, the session has the file by now or never will.
        uploads.discard()


@router.looks("/v1/sessions/{session_id}/files", FileList, 404, 410)
def list_files(sessions: HomeSessions, session_id: SessionId) -> Response:
    """List the session's files in upload order, with what was inferred about their columns."""
    return json_response({"files": [one.model_dump(mode="json") for one in sessions.files(str(session_id))]})


@router.acts("patch", "/v1/sessions/{session_id}/files/{file_id}", FileUploadResponse, 400, 404, 409, 410)
def describe_file(sessions: HomeSessions, session_id: SessionId, file_id: FileId, body: FileMetadataUpdate) -> Response:
    """Describe the content of a file."""
    return json_response(file_document(sessions.describe(str(session_id), str(file_id), body.description)))


@router.acts(
    "delete", "/v1/sessions/{session_id}/files/{file_id}", None, 404, 409, 410, status_code=204, response_class=Response
)
def remove_file(sessions: HomeSessions, session_id: SessionId, file_id: FileId) -> Response:
    """Remove a file from a session whose investigation has not started."""
    sessions.remove_file(str(session_id), str(file_id))
    return Response(status_code=204)


class CsvFolder(UploadFolder):
    """An upload's folder that takes CSV files alone and remembers the name that was given."""

    given = ""

    def claim(self, given: str) -> Any:
        """The place for the file.

        Raises:
            InvalidFileType: its name does not end in .csv.
        """
        from averment.agents.driller.session_life import original_name

        self.given = original_name(given)
        return super().claim("upload.csv")


def _take(sessions: Sessions, session_id: str, form: UploadedForm, uploads: CsvFolder) -> Response:
    unknown = sorted(set(form.texts) - {"description"})
    descriptions = form.texts.get("description", [""])
    if unknown or len(descriptions) != 1 or not form.files:
        raise InvalidRequest(
            "The form must contain one file and at most one description.",
            hint="Send the CSV file in the field files, and describe it in the field description.",
        )
    try:
        with form.files[0].open("rb") as stream:
            upload = sessions.add_file(session_id, stream, uploads.given, description=descriptions[0])
    except AvermentError as error:
        raise uploads.hide(error) from error
    place = f"/v1/sessions/{session_id}/files/{upload.file_id}"
    return json_response(file_document(upload), 201, {"Location": place})
