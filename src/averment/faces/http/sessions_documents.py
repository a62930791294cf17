"""The documents the routes of sessions send that are not the driller contract's own: lists, and a session's run."""

from __future__ import annotations

from typing import Any

from averment.faces.http.documents import Document
from averment.records.drilldown.api import FileUploadResponse, SessionResponse
from averment.records.drilldown.files import UploadedFile
from averment.records.drilldown.loop import Hypothesis, IterationLog
from averment.records.drilldown.past import PastInvestigation
from averment.records.drilldown.results import ChatMessage, Explanation
from averment.records.drilldown.session import Session


class SessionList(Document):
    """Sessions, the newest first."""

    sessions: list[SessionResponse]


class FileList(Document):
    """The files of a session."""

    files: list[UploadedFile]


class ExplanationList(Document):
    """Ranked explanations; none when that is the truth."""

    explanations: list[Explanation]


class IterationList(Document):
    """The iterations so far, and the hypotheses as they stand after them."""

    iterations: list[IterationLog]
    hypotheses: list[Hypothesis]


class InvestigationList(Document):
    """The investigations of a session in their order."""

    investigations: list[PastInvestigation]


class MessageList(Document):
    """Questions and answers in their order."""

    messages: list[ChatMessage]


def session_document(session: Session) -> dict[str, Any]:
    """A session as the driller contract answers with it."""
    return SessionResponse.model_validate(session.model_dump()).model_dump(mode="json")


def file_document(upload: UploadedFile) -> dict[str, Any]:
    """An upload as the driller contract answers with it."""
    kept = upload.model_dump(include=set(FileUploadResponse.model_fields))
    return FileUploadResponse.model_validate(kept).model_dump(mode="json")
