"""``/v1/datasets``: data that stay, kept by name and described; asked by ``POST /v1/analyses`` with ``dataset``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic.json_schema import SkipJsonSchema
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import InvalidRequest, NoSources
from averment.faces.http.access import UPLOADING, Bench, Routes, UploadLimits
from averment.faces.http.dataset_documents import (
    BuiltPlan,
    Completions,
    DatasetChange,
    DatasetDetail,
    DatasetDocument,
    DatasetList,
    DatasetRows,
    NoteChange,
    PlanForm,
    Suggestions,
    Taught,
    dataset_body,
    table_body,
)
from averment.faces.http.failures import json_response
from averment.faces.http.form import UploadedForm, multipart, read_form
from averment.faces.http.uploads import UploadFolder
from averment.operations import Operations
from averment.tables.sources.source_kinds import table_suffixes
from averment.workbench import Workbench
from averment.workbench.rows_behind import plain_cell

router = Routes(tags=["datasets"])

Name = Annotated[str, Path(alias="dataset", min_length=1, max_length=80, description="Name or id of a dataset.")]
Column = Annotated[
    str, Path(min_length=1, max_length=300, description="A column; table.column if several tables have it.")
]
FIELDS = ("name", "description", "place")
_BODY = multipart(
    {
        "name": {"type": "string", "minLength": 1, "maxLength": 80},
        "description": {"type": "string", "maxLength": 500},
        "place": {
            "type": "string",
            "description": "Instead of files, for the owner: a path below data_folders, a database URL, "
            "or the address of a file.",
        },
        "files": {
            "type": "array",
            "maxItems": 10,
            "items": {"type": "string", "contentMediaType": "application/octet-stream"},
            "description": f"The tables, 50 MB each; their names end in {', '.join(table_suffixes())}.",
        },
    },
    oneOf=[{"required": ["files"]}, {"required": ["place"]}],
)


@router.looks("/v1/datasets", DatasetList)
def list_datasets(workbench: Bench) -> Response:
    """Every dataset, by name."""
    return json_response({"datasets": [dataset_body(one) for one in workbench.datasets.list()]})


@router.acts(
    "post",
    "/v1/datasets",
    DatasetDocument,
    *UPLOADING,
    403,
    404,
    409,
    502,
    status_code=201,
    openapi_extra={"requestBody": _BODY},
)
async def add_dataset(request: Request, workbench: Bench, limits: UploadLimits) -> Response:
    """Keep uploaded tables, or a place that is connected, under a name."""
    uploads = UploadFolder(workbench.settings.home)
    with uploads.unless_failed():
        form = await read_form(request.headers.get("content-type", ""), request.stream(), uploads, limits)
    return await run_in_threadpool(_add, workbench, form, uploads)


def _add(workbench: Workbench, form: UploadedForm, uploads: UploadFolder) -> Response:
    with uploads.unless_failed():
        unknown = sorted(set(form.texts) - set(FIELDS))
        if unknown or any(len(texts) > 1 for texts in form.texts.values()):
            raise InvalidRequest("A field of the form is unknown or given twice.", hint=f"Fields: {', '.join(FIELDS)}.")
        given = {name: texts[0] for name, texts in form.texts.items()}
        more: dict[str, Any] = {"name": given.get("name") or None, "description": given.get("description", "")}
        if bool(form.files) == bool(given.get("place")):
            raise NoSources("Either upload files or give a place, not both.", hint="See the fields files and place.")
        if form.files:
            kept = workbench.datasets.add(form.files, origin="upload", **more)
        else:
            kept = workbench.datasets.connect(given["place"], **more)
    return json_response(dataset_body(kept), 201, {"Location": f"/v1/datasets/{kept.dataset_id}"})


@router.looks("/v1/datasets/{dataset}", DatasetDetail, 400, 404, 409)
def show_dataset(workbench: Bench, name: Name) -> Response:
    """A dataset with its tables, columns and histograms."""
    dataset = workbench.datasets.get(name)
    look = workbench.datasets.look
    tables = [table_body(table) for table in look.tables(dataset)]
    body = {"dataset": dataset_body(dataset), "tables": tables, "joins": list(look.joins(dataset))}
    return json_response(body)


@router.acts("patch", "/v1/datasets/{dataset}", DatasetDocument, 400, 404, 409)
def change_dataset(workbench: Bench, name: Name, change: DatasetChange) -> Response:
    """Give a dataset another name or description."""
    kept = workbench.datasets.get(name)
    if change.description is not None:
        kept = workbench.datasets.describe(kept.dataset_id, change.description)
    if change.name is not None:
        kept = workbench.datasets.rename(kept.dataset_id, change.name)
    return json_response(dataset_body(kept))


@router.acts("delete", "/v1/datasets/{dataset}", None, 400, 404, status_code=204)
def remove_dataset(request: Request, workbench: Bench, name: Name) -> Response:
    """Take a dataset off the list, and its upload away where nothing else uses it; runs over it stay."""
    Operations(request.app.state.workbench).remove_dataset(workbench.datasets, name)
    return Response(status_code=204)


@router.acts("patch", "/v1/datasets/{dataset}/columns/{column}", DatasetDocument, 400, 404, 409)
def describe_column(workbench: Bench, name: Name, column: Column, note: NoteChange) -> Response:
    """Say what a column is called, what it holds, what it is for, and in which unit; questions are read by it."""
    kept = workbench.datasets.describe_column(name, column, **note.model_dump(exclude_unset=True))
    return json_response(dataset_body(kept))


@router.acts("post", "/v1/datasets/{dataset}/meanings", DatasetDocument, 400, 404, 409)
def teach_dataset(workbench: Bench, name: Name, taught: Taught) -> Response:
    """Teach what a word means in a dataset: a column, a formula, a condition or values of one column."""
    return json_response(dataset_body(workbench.datasets.teach(name, taught.word, taught.means)))


@router.acts(
    "delete", "/v1/datasets/{dataset}/meanings/{word}", DatasetDocument, 400, 404, operation_id="forget_dataset_word"
)
def forget_word(workbench: Bench, name: Name, word: Annotated[str, Path(min_length=1, max_length=100)]) -> Response:
    """Forget what a word was taught to mean in a dataset."""
    return json_response(dataset_body(workbench.datasets.forget_word(name, word)))


@router.looks("/v1/datasets/{dataset}/rows", DatasetRows, 400, 404, 409)
def read_dataset(
    workbench: Bench,
    name: Name,
    table: Annotated[
        str | SkipJsonSchema[None], Query(max_length=200, description="The table; by default the first.")
    ] = None,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """One page of a table as it was read."""
    dataset = workbench.datasets.get(name)
    look = workbench.datasets.look
    wanted = table or look.first_table(dataset)
    columns, rows, total = look.rows(dataset, wanted, page=page)
    shown = [[plain_cell(cell) for cell in row] for row in rows]
    return json_response({"table": wanted, "columns": columns, "rows": shown, "total": total, "page": page})


@router.looks("/v1/datasets/{dataset}/suggestions", Suggestions, 400, 404, 409)
def suggest_questions(workbench: Bench, name: Name) -> Response:
    """Up to six questions that a dataset invites; each of them is answered."""
    found = workbench.datasets.look.suggestions(workbench.datasets.get(name))
    return json_response({"suggestions": [{"question": one.question, "read_back": one.read_back} for one in found]})


@router.looks("/v1/datasets/{dataset}/completions", Completions, 400, 404, 409)
def complete_question(
    workbench: Bench, name: Name, text: Annotated[str, Query(max_length=2000, description="The text typed so far.")]
) -> Response:
    """Names of columns, values and taught words that the end of a text may begin."""
    found = workbench.datasets.look.complete(workbench.datasets.get(name), text)
    body = [{"text": one.text, "kind": one.kind, "about": one.about, "start": one.start} for one in found]
    return json_response({"completions": body})


@router.acts("post", "/v1/datasets/{dataset}/plan", BuiltPlan, 400, 404, 409)
def build_plan(workbench: Bench, name: Name, form: PlanForm) -> Response:
    """The plan that a form describes; it is carried out by ``POST /v1/analyses`` with ``dataset`` and ``plan``."""
    from averment.plans.readback import read_back

    plan = workbench.datasets.look.plan(workbench.datasets.get(name), form.model_dump())
    return json_response({"plan": plan.to_json(), "read_back": read_back(plan), "hash": plan.hash})
