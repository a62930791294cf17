"""``/v1/datasets``: data that stay, kept by name and described; asked by ``POST /v1/analyses`` with ``dataset``."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from pydantic.json_schema import SkipJsonSchema
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.archive import Archive
from averment.errors import AvermentError, InvalidRequest, NoSources
from averment.faces.http.access import DOING, LOOKING, Bench, UploadLimits, errors
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
from averment.faces.http.form import Form, read_form
from averment.faces.http.uploads import EXTENSIONS, UploadFolder
from averment.workbench import Workbench

router = APIRouter(tags=["datasets"])

Name = Annotated[str, Path(alias="dataset", min_length=1, max_length=80, description="Name or id of a dataset.")]
Column = Annotated[
    str, Path(min_length=1, max_length=300, description="A column; table.column if several tables have it.")
]
FIELDS = ("name", "description", "place")
_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "oneOf": [{"required": ["files"]}, {"required": ["place"]}],
                "additionalProperties": False,
                "properties": {
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
                        "description": f"The tables, 50 MB each; their names end in {', '.join(EXTENSIONS)}.",
                    },
                },
            },
            "encoding": {"files": {"contentType": "application/octet-stream"}},
        }
    },
}


@router.get(
    "/v1/datasets", response_model=DatasetList, responses=errors(), dependencies=LOOKING, operation_id="list_datasets"
)
def list_datasets(workbench: Bench) -> Response:
    """Every dataset, by name."""
    return json_response({"datasets": [dataset_body(one) for one in workbench.datasets.list()]})


@router.post(
    "/v1/datasets",
    status_code=201,
    response_model=DatasetDocument,
    responses=errors(400, 403, 404, 408, 409, 413, 415, 502, 507),
    dependencies=DOING,
    openapi_extra={"requestBody": _BODY},
    operation_id="add_dataset",
)
async def add_dataset(request: Request, workbench: Bench, limits: UploadLimits) -> Response:
    """Keep uploaded tables, or a place that is connected, under a name."""
    uploads = UploadFolder(workbench.settings.home)
    try:
        form = await read_form(request.headers.get("content-type", ""), request.stream(), uploads, limits)
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        uploads.discard()
        raise
    return await run_in_threadpool(_add, workbench, form, uploads)


def _add(workbench: Workbench, form: Form, uploads: UploadFolder) -> Response:
    try:
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
    except AvermentError as error:
        uploads.discard()
        raise uploads.hide(error) from error
    except BaseException:
        uploads.discard()
        raise
    return json_response(dataset_body(kept), 201, {"Location": f"/v1/datasets/{kept.dataset_id}"})


@router.get(
    "/v1/datasets/{dataset}",
    response_model=DatasetDetail,
    responses=errors(400, 404, 409),
    dependencies=LOOKING,
    operation_id="show_dataset",
)
def show_dataset(workbench: Bench, name: Name) -> Response:
    """A dataset with its tables, columns and histograms."""
    dataset = workbench.datasets.get(name)
    look = workbench.datasets.look
    tables = [table_body(table) for table in look.tables(dataset)]
    body = {"dataset": dataset_body(dataset), "tables": tables, "joins": list(look.joins(dataset))}
    return json_response(body)


@router.patch(
    "/v1/datasets/{dataset}",
    response_model=DatasetDocument,
    responses=errors(400, 404, 409),
    dependencies=DOING,
    operation_id="change_dataset",
)
def change_dataset(workbench: Bench, name: Name, change: DatasetChange) -> Response:
    """Give a dataset another name or description."""
    kept = workbench.datasets.get(name)
    if change.description is not None:
        kept = workbench.datasets.describe(kept.dataset_id, change.description)
    if change.name is not None:
        kept = workbench.datasets.rename(kept.dataset_id, change.name)
    return json_response(dataset_body(kept))


@router.delete(
    "/v1/datasets/{dataset}",
    status_code=204,
    responses=errors(400, 404),
    dependencies=DOING,
    operation_id="remove_dataset",
)
def remove_dataset(request: Request, workbench: Bench, name: Name) -> Response:
    """Take a dataset off the list, and its upload away where nothing else uses it; runs over it stay."""
    Archive(request.app.state.workbench).remove_dataset(workbench.datasets, name)
    return Response(status_code=204)


@router.patch(
    "/v1/datasets/{dataset}/columns/{column}",
    response_model=DatasetDocument,
    responses=errors(400, 404, 409),
    dependencies=DOING,
    operation_id="describe_column",
)
def describe_column(workbench: Bench, name: Name, column: Column, note: NoteChange) -> Response:
    """Say what a column is called, what it holds, what it is for, and in which unit; questions are read by it."""
    kept = workbench.datasets.describe_column(name, column, **note.model_dump(exclude_unset=True))
    return json_response(dataset_body(kept))


@router.post(
    "/v1/datasets/{dataset}/meanings",
    response_model=DatasetDocument,
    responses=errors(400, 404, 409),
    dependencies=DOING,
    operation_id="teach_dataset",
)
def teach_dataset(workbench: Bench, name: Name, taught: Taught) -> Response:
    """Teach what a word means in a dataset: a column, a formula, a condition or values of one column."""
    return json_response(dataset_body(workbench.datasets.teach(name, taught.word, taught.means)))


@router.delete(
    "/v1/datasets/{dataset}/meanings/{word}",
    response_model=DatasetDocument,
    responses=errors(400, 404),
    dependencies=DOING,
    operation_id="forget_dataset_word",
)
def forget_word(workbench: Bench, name: Name, word: Annotated[str, Path(min_length=1, max_length=100)]) -> Response:
    """Forget what a word was taught to mean in a dataset."""
    return json_response(dataset_body(workbench.datasets.forget_word(name, word)))


@router.get(
    "/v1/datasets/{dataset}/rows",
    response_model=DatasetRows,
    responses=errors(400, 404, 409),
    dependencies=LOOKING,
    operation_id="read_dataset",
)
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
    wanted = table or look.tables(dataset)[0].name
    columns, rows, total = look.rows(dataset, wanted, page=page)
    shown = [[_plain(cell) for cell in row] for row in rows]
    return json_response({"table": wanted, "columns": columns, "rows": shown, "total": total, "page": page})


@router.get(
    "/v1/datasets/{dataset}/suggestions",
    response_model=Suggestions,
    responses=errors(400, 404, 409),
    dependencies=LOOKING,
    operation_id="suggest_questions",
)
def suggest_questions(workbench: Bench, name: Name) -> Response:
    """Up to six questions that a dataset invites; each of them is answered."""
    found = workbench.datasets.look.suggestions(workbench.datasets.get(name))
    return json_response({"suggestions": [{"question": one.question, "read_back": one.read_back} for one in found]})


@router.get(
    "/v1/datasets/{dataset}/completions",
    response_model=Completions,
    responses=errors(400, 404, 409),
    dependencies=LOOKING,
    operation_id="complete_question",
)
def complete_question(
    workbench: Bench, name: Name, text: Annotated[str, Query(max_length=2000, description="The text typed so far.")]
) -> Response:
    """Names of columns, values and taught words that the end of a text may begin."""
    found = workbench.datasets.look.complete(workbench.datasets.get(name), text)
    body = [{"text": one.text, "kind": one.kind, "about": one.about, "start": one.start} for one in found]
    return json_response({"completions": body})


@router.post(
    "/v1/datasets/{dataset}/plan",
    response_model=BuiltPlan,
    responses=errors(400, 404, 409),
    dependencies=DOING,
    operation_id="build_plan",
)
def build_plan(workbench: Bench, name: Name, form: PlanForm) -> Response:
    """The plan that a form describes; it is carried out by ``POST /v1/analyses`` with ``dataset`` and ``plan``."""
    from averment.plans.readback import read_back

    plan = workbench.datasets.look.plan(workbench.datasets.get(name), form.model_dump())
    return json_response({"plan": plan.to_json(), "read_back": read_back(plan), "hash": plan.hash})


def _plain(cell: Any) -> Any:
    return cell if cell is None or isinstance(cell, bool | int | float | str) else str(cell)
