"""``POST /v1/analyses``: a question and its files."""

from __future__ import annotations

import re
from typing import Annotated, Any

import orjson
from fastapi import Header, Request
from pydantic.json_schema import SkipJsonSchema
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import (
    AvermentError,
    InvalidRequest,
    MessageReused,
    NoSources,
    RowLimitOutOfRange,
    RunNotFound,
    StoreConflict,
    TimeoutOutOfRange,
)
from averment.faces.http.access import UPLOADING, Bench, Routes, UploadLimits
from averment.faces.http.documents import RunReceipt
from averment.faces.http.failures import json_response
from averment.faces.http.form import UploadedForm, multipart, read_form
from averment.faces.http.links import receipt, run_links
from averment.faces.http.uploads import UploadFolder
from averment.plans.chart_kinds import chart_kinds
from averment.plans.text import parse_text
from averment.records.analysis.request import MAX_INTENT_LENGTH, MAX_ROW_LIMIT, MAX_TIMEOUT_SECONDS
from averment.records.base import derived_id
from averment.tables.sources.source_kinds import table_suffixes
from averment.workbench import ALL_DELIVERABLES, Workbench
from averment.workbench.datasets import NAMED
from averment.workbench.starts import MAX_SQL, MAX_WORD

router = Routes()

_KEYS = "6f0b1a52-95d7-5b1e-8f0a-3c3f6f2d9a41"
"""The parent of the ids that keys give."""

Key = Annotated[
    str | SkipJsonSchema[None],
    Header(
        alias="Idempotency-Key",
        pattern=r"^[\x21-\x7e]{1,200}$",
        description="Sending the same key again starts nothing new and returns the run it started.",
    ),
]

ONCE = (
    "intent",
    "sql",
    "word",
    "means",
    "row_limit",
    "timeout_seconds",
    "policy",
    "after",
    "plan",
    "chart",
    "dataset",
    "agent",
)
MANY = ("deliverables",)
MAX_NAME = 100

_BODY = multipart(
    {
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
        "word": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_WORD,
            "description": "Instead of a question: a word whose meaning you teach.",
        },
        "means": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_INTENT_LENGTH - MAX_WORD - 10,
            "description": "Its meaning: a column, a formula, a condition, or values of one column.",
        },
        "files": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
            "description": f"The tables, 50 MB each; their names end in {', '.join(table_suffixes())}.",
        },
        "dataset": {
            "type": "string",
            "maxLength": 80,
            "description": "Instead of files: the name of a dataset that is kept.",
        },
        "row_limit": {"type": "integer", "minimum": 1, "maximum": MAX_ROW_LIMIT, "default": MAX_ROW_LIMIT},
        "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_SECONDS, "default": 30},
        "deliverables": {
            "type": "array",
            "items": {"type": "string", "enum": list(ALL_DELIVERABLES)},
            "description": "Which deliverables to make; all by default.",
        },
        "after": {
            "type": "string",
            "description": "An earlier run; the question is read as a change to its plan.",
        },
        "plan": {
            "type": "string",
            "description": "A plan of averment.plan/1 to run, as JSON or as one line of text.",
        },
        "chart": {
            "type": "string",
            "description": f"The kind of chart to draw: {', '.join(chart_kinds())}.",
        },
        "agent": {
            "type": "string",
            "maxLength": MAX_NAME,
            "description": "The agent that answers the question, if it is one that a plugin adds.",
        },
        "policy": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": 'A JSON object: {"allowed_columns": [...], "blocked_patterns": [...]}.',
        },
    },
    oneOf=[{"required": ["intent"]}, {"required": ["sql"]}, {"required": ["word", "means"]}],
    anyOf=[{"required": ["files"]}, {"required": ["dataset"]}],
)


@router.acts(
    "post",
    "/v1/analyses",
    RunReceipt,
    *UPLOADING,
    404,
    409,
    status_code=202,
    openapi_extra={"requestBody": _BODY},
    tags=["analyses"],
)
async def analyze(request: Request, workbench: Bench, limits: UploadLimits, key: Key = None) -> Response:
    """Start answering a question about the uploaded tables; an ``Idempotency-Key`` makes retries safe."""
    uploads = UploadFolder(workbench.settings.home)
    with uploads.unless_failed():
        form = await read_form(request.headers.get("content-type", ""), request.stream(), uploads, limits)
    return await run_in_threadpool(_submit, workbench, form, uploads, key)


def _submit(workbench: Workbench, form: UploadedForm, uploads: UploadFolder, key: str | None) -> Response:
    # One call in one thread: a client that leaves meanwhile can no longer part the run from its files.
    with uploads.unless_failed():
        arguments = _arguments(form)
        run_id, begun = _begin(workbench, arguments, key)
    if begun is not None:
        uploads.discard()
    return json_response(receipt(run_id, begun or "submitted"), 202, {"Location": run_links(run_id)["self"]})


def _begin(workbench: Workbench, arguments: dict[str, Any], key: str | None) -> tuple[str, str | None]:
    """The run's id, and the status of one that the same key began before."""
    submit = workbench.runs.start.sql if "query" in arguments else workbench.runs.start.analysis
    if "word" in arguments:
        submit = workbench.runs.start.teaching
    if key is None:
        return submit(**arguments), None
    intent = str(arguments.get("intent") or arguments.get("query") or f"{arguments['word']} means {arguments['means']}")
    run_id = derived_id(_KEYS, "analysis", key)
    begun = _begun(workbench, run_id, intent)
    if begun is not None:
        return run_id, begun
    try:
        return submit(run_id=run_id, **arguments), None
    except StoreConflict:  # The same key at the same moment: the other request has begun the run.
        begun = _begun(workbench, run_id, intent)
        if begun is None:
            raise
        return run_id, begun


def _begun(workbench: Workbench, run_id: str, intent: str) -> str | None:
    """The status of the run that the same key began before, or None when there is none.

    Raises:
        MessageReused: the key began a run with another question.
    """
    try:
        row = workbench.runs.row(run_id)
    except RunNotFound:
        return None
    if row.intent != intent:
        raise MessageReused("That Idempotency-Key was used for an analysis of another question.")
    return row.status


def _arguments(form: UploadedForm) -> dict[str, Any]:
    unknown = sorted(set(form.texts) - {*ONCE, *MANY})
    repeated = sorted(name for name in ONCE if len(form.texts.get(name, ())) > 1)
    if unknown or repeated:
        raise InvalidRequest(
            f"{len(unknown)} form fields are unknown and {len(repeated)} are given twice.",
            hint=f"Fields: {', '.join(ONCE)}, each once; {', '.join(MANY)} and files, repeatable.",
            details={"repeated": repeated},
        )
    given = {name: texts[0] for name, texts in form.texts.items() if name in ONCE}
    if bool(form.files) == bool(given.get("dataset")):
        raise NoSources("Either upload files or name a dataset, not both.", hint="See the fields files and dataset.")
    if "sql" in given and not {"intent", "after", "plan"}.isdisjoint(given):
        raise InvalidRequest("A request must have exactly one of question, plan and query.", details={"field": "sql"})
    if ("word" in given) != ("means" in given) or ("word" in given and not {"intent", "sql", "plan"}.isdisjoint(given)):
        raise InvalidRequest(
            "Teaching a word takes the word and its meaning, and nothing else.", details={"field": "word"}
        )
    arguments: dict[str, Any] = {"query": given["sql"]} if "sql" in given else {"intent": given.get("intent", "")}
    if "word" in given:
        arguments = {"word": given["word"].strip(), "means": given["means"].strip()}
    arguments["sources"] = [f"{NAMED}{given['dataset']}"] if given.get("dataset") else form.files
    if "row_limit" in given:
        arguments["row_limit"] = _whole(given["row_limit"], RowLimitOutOfRange)
    if "timeout_seconds" in given:
        arguments["timeout_seconds"] = _whole(given["timeout_seconds"], TimeoutOutOfRange)
    if "policy" in given:
        arguments["policy"] = _object(given["policy"], "policy")
    if "after" in given:
        arguments["after"] = given["after"]
    if "chart" in given:
        arguments["chart"] = given["chart"]
    if "agent" in given:
        if not {"sql", "word", "plan"}.isdisjoint(given) or len(given["agent"]) > MAX_NAME:
            raise InvalidRequest("An agent is named with a question alone.", details={"field": "agent"})
        arguments["agent"] = given["agent"]
    if "plan" in given:
        plan = parse_text(given["plan"])
        arguments["meaning"] = {"plan": plan.to_json(), "grade": "given"}
    if form.texts.get("deliverables"):
        arguments["deliverables"] = form.texts["deliverables"]
    return arguments


def _whole(text: str, refusal: type[AvermentError]) -> int:
    if not re.fullmatch(r"-?[0-9]{1,12}", text.strip()):
        raise refusal("A limit must be a whole number.")
    return int(text)


def _object(text: str, field: str) -> dict[str, Any]:
    try:
        body = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest(f"The {field} is not JSON.", details={"field": field}) from error
    if not isinstance(body, dict):
        raise InvalidRequest(f"The {field} is not a JSON object.", details={"field": field})
    return body
