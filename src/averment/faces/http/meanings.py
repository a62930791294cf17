"""``/v1/meanings``: what words were taught to mean; they are taught by ``POST /v1/analyses``."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from averment.errors import SourceNotFound
from averment.faces.http.access import Bench, Limit, Offset, Routes
from averment.faces.http.documents import MeaningList
from averment.faces.http.failures import json_response

router = Routes(tags=["meanings"])


@router.looks("/v1/meanings", MeaningList)
def list_meanings(workbench: Bench, limit: Limit = 50, offset: Offset = 0) -> Response:
    """List the taught word meanings, newest first."""
    found = [
        each.model_dump(mode="json", exclude={"schema_columns"})
        for each in workbench.home.glossary.list(limit=limit, offset=offset)
    ]
    return json_response({"meanings": found})


@router.acts("delete", "/v1/meanings/{meaning_id}", None, 404, status_code=204)
def forget_meaning(workbench: Bench, meaning_id: Annotated[str, Path(max_length=64)]) -> Response:
    """Delete the taught meaning of a word."""
    if not workbench.home.glossary.forget(meaning_id):
        raise SourceNotFound("There is no such meaning.", hint="It may already have been deleted.")
    return Response(status_code=204)
