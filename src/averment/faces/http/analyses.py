"""``POST /v1/analyses``: a question and its files."""

from __future__ import annotations

import re
from typing import Any

import orjson
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import (
    AvermentError,
    InvalidRequest,
    NoSources,
    RowLimitOutOfRange,
    TimeoutOutOfRange,
)
from averment.faces.http.access import DOING, Bench, UploadLimits, errors
from averment.faces.http.documents import RunReceipt
from averment.faces.http.failures import json_response
from averment.faces.http.form import Form, read_form
from averment.faces.http.links import receipt, run_links
from averment.faces.http.uploads import EXTENSIONS, UploadFolder
from averment.plans.plan import parse_plan
from averment.records.analysis.request import MAX_INTENT_LENGTH, MAX_ROW_LIMIT, MAX_TIMEOUT_SECONDS
from averment.workbench import ALL_DELIVERABLES, Workbench
from averment.workbench.asking import MAX_SQL

router = APIRouter()

ONCE = ("intent", "sql", "row_limit", "timeout_seconds", "policy", "after", "plan")
MANY = ("deliverables",)

# The form is read as it arrives and not by FastAPI, so that its schema is written here.
_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["files"],
                "oneOf": [{"required": ["intent"]}, {"required": ["sql"]}],
                "additionalProperties": False,
                "properties": {
                    "intent": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": MAX_INTENT_LENGTH,
                        "description": "The question, in plain words.",
                    },
                    "sql": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": MAX_SQL,
                        "description": "Instead of a question: one SELECT over the files, run as it is written.",
                    },
                    "files": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 10,
                        "items": {"type": "string", "contentMediaType": "application/octet-stream"},
                        "description": f"The tables, 50 MB each; their names end in {', '.join(EXTENSIONS)}.",
                    },
                    "row_limit": {"type": "integer", "minimum": 1, "maximum": MAX_ROW_LIMIT, "default": MAX_ROW_LIMIT},
                    "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_SECONDS, "default": 30},
                    "deliverables": {
                        "type": "array",
                        "items": {"type": "string", "enum": list(ALL_DELIVERABLES)},
                        "description": "What to make; all of it unless some are named.",
                    },
                    "after": {
                        "type": "string",
                        "description": "An earlier run: the question is read as a change of its plan.",
                    },
                    "plan": {
                        "type": "string",
                        "contentMediaType": "application/json",
                        "description": "A plan of averment.plan/1 to be carried out as it is.",
                    },
                    "policy": {
                        "type": "string",
                        "contentMediaType": "application/json",
                        "description": 'A JSON object: {"allowed_columns": [...], "blocked_patterns": [...]}.',
                    },
                },
            },
            "encoding": {"files": {"contentType": "application/octet-stream"}},
        }
    },
}


@router.post(
    "/v1/analyses",
    status_code=202,
    response_model=RunReceipt,
    responses=errors(400, 404, 408, 409, 413, 415, 507),
    dependencies=DOING,
    openapi_extra={"requestBody": _BODY},
    operation_id="analyze",
    tags=["analyses"],
)
async def analyze(request: Request, workbench: Bench, limits: UploadLimits) -> Response:
    """Begin to answer a question about the uploaded tables."""
    uploads = UploadFolder(workbench.settings.home)
    try:
        form = await read_form(request.headers.get("content-type", ""), request.stream(), uploads, limits)
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        uploads.discard()
        raise
    return await run_in_threadpool(_submit, workbench, form, uploads)


def _submit(workbench: Workbench, form: Form, uploads: UploadFolder) -> Response:
    # One call in one thread: a client that leaves meanwhile can no longer part the run from its files.
    try:
        arguments = _arguments(form)
        after = arguments.pop("after", None)
        if after is not None:
            arguments["meaning"] = workbench.meaning_after(after)
        begin = workbench.submit_sql if "query" in arguments else workbench.submit
        run_id = begin(sources=form.files, **arguments)
    except AvermentError as error:
        uploads.discard()
        raise uploads.hide(error) from error
    except BaseException:
        uploads.discard()
        raise
    return json_response(receipt(run_id, "submitted"), 202, {"Location": run_links(run_id)["self"]})


def _arguments(form: Form) -> dict[str, Any]:
    unknown = sorted(set(form.texts) - {*ONCE, *MANY})
    repeated = sorted(name for name in ONCE if len(form.texts.get(name, ())) > 1)
    if unknown or repeated:
        raise InvalidRequest(
            f"{len(unknown)} fields of the form are unknown and {len(repeated)} are given twice.",
            hint=f"Fields: {', '.join(ONCE)}, each once; {', '.join(MANY)} and files, repeatable.",
            details={"repeated": repeated},
        )
    if not form.files:
        raise NoSources("No file was uploaded.", hint="Upload at least one table in the field files.")
    given = {name: texts[0] for name, texts in form.texts.items() if name in ONCE}
    if "sql" in given and not {"intent", "after", "plan"}.isdisjoint(given):
        raise InvalidRequest("A request has a question, a plan or a query, not two of them.", details={"field": "sql"})
    arguments: dict[str, Any] = {"query": given["sql"]} if "sql" in given else {"intent": given.get("intent", "")}
    if "row_limit" in given:
        arguments["row_limit"] = _whole(given["row_limit"], RowLimitOutOfRange)
    if "timeout_seconds" in given:
        arguments["timeout_seconds"] = _whole(given["timeout_seconds"], TimeoutOutOfRange)
    if "policy" in given:
        arguments["policy"] = _object(given["policy"], "policy")
    if "after" in given:
        arguments["after"] = given["after"]
    if "plan" in given:
        plan = parse_plan(_object(given["plan"], "plan"))
        arguments["meaning"] = {"plan": plan.to_json(), "grade": "given"}
    if form.texts.get("deliverables"):
        arguments["deliverables"] = form.texts["deliverables"]
    return arguments


def _whole(text: str, refusal: type[AvermentError]) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text.strip()):
        raise refusal("A limit is not a whole number.")
    return int(text)


def _object(text: str, field: str) -> dict[str, Any]:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The {field} is not JSON.", details={"field": field}) from error
    if not isinstance(body, dict):
        raise InvalidRequest(f"The {field} is not a JSON object.", details={"field": field})
    return body
