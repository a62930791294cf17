"""Data: the datasets that stay, one dataset with its columns and rows, suggested questions, and completions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Annotated, Any

import orjson
from fastapi import Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import AvermentError, NoSources
from averment.faces.web.runs.proofs import written
from averment.faces.web.shell.forms import ChosenFiles, Folder
from averment.faces.web.shell.page_access import Bench, Fields, Taking
from averment.faces.web.shell.pages import Pages, check_form, go, page_user, show, wants_part
from averment.plans.builder_options import FUNCTIONS, OPERATORS, ORDERS, PARTS
from averment.records.dataset import Dataset
from averment.tables.profile.profiler import Bar
from averment.tables.sources.source_kinds import table_suffixes
from averment.workbench import Workbench
from averment.workbench.dataset_look import ROWS_A_PAGE, TableLook
from averment.workbench.datasets import NAMED

router = Pages()

HEIGHT = 28
Name = Annotated[str, Path(alias="dataset_id", max_length=80)]


@dataclass(frozen=True)
class HistogramBar:
    """One bar of a tiny histogram, in the units of its picture."""

    x: int
    y: float
    height: float
    said: str


def draw(bars: Sequence[Bar]) -> tuple[HistogramBar, ...]:
    """The bars of a column, as high as their rows are many."""
    most = max((bar.rows for bar in bars), default=0)
    return tuple(
        HistogramBar(
            x=10 * at,
            y=round(HEIGHT - HEIGHT * bar.rows / most, 1),
            height=round(HEIGHT * bar.rows / most, 1),
            said=f"{bar.label}: {bar.rows:,}",
        )
        for at, bar in enumerate(bars)
        if most
    )


@router.get("/data")
def list_datasets(request: Request, workbench: Bench) -> Response:
    """Every dataset, and how to add one."""
    found = workbench.datasets.list()
    sources = {one.dataset_id: [_source(place) for place in one.places] for one in found}
    owner = page_user(request) is None
    return show(
        request, "data/list.html", datasets=found, sources=sources, owner=owner, accepted=",".join(table_suffixes())
    )


@router.post("/data")
async def add_dataset(request: Request, workbench: Bench, uploads: Taking) -> Response:
    """Keep the files of a form, or a place that was typed, and go to the dataset's page."""
    folder = ChosenFiles(uploads.open_folder())
    try:
        form = await uploads.read_form(request.headers.get("content-type", ""), request.stream(), folder)
        texts = {name: values[-1] for name, values in form.texts.items()}
        check_form(request, texts.get("form_token", ""))
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        folder.discard()
        raise
    files = tuple(file for file in folder.files if file.exists())
    kept = await run_in_threadpool(_add, workbench, texts, files, folder)
    place = f"/data/{kept.dataset_id}"
    if wants_part(request):
        return Response(status_code=204, headers={"X-Location": place})
    return go(place)


def _add(workbench: Workbench, texts: dict[str, str], files: tuple[FilePath, ...], folder: Folder) -> Dataset:
    more: dict[str, Any] = {"name": texts.get("name", "").strip() or None, "description": texts.get("description", "")}
    try:
        if files:
            return workbench.datasets.add(files, origin="upload", **more)
        if texts.get("place", "").strip():
            return workbench.datasets.connect(texts["place"], **more)
        raise NoSources("Nothing was chosen.", hint="Choose a file, or say where the data are.")
    except AvermentError as error:
        folder.discard()
        raise folder.hide(error) from error


@router.get("/data/{dataset_id}")
def show_dataset(request: Request, workbench: Bench, name: Name) -> Response:
    """One dataset: what its columns hold, and what was said of them."""
    dataset = workbench.datasets.get(name)
    look = workbench.datasets.look
    tables = look.tables(dataset)
    return show(
        request,
        "data/dataset.html",
        dataset=dataset,
        sources=[_source(place) for place in dataset.places],
        tables=tables,
        drawn={column.place: draw(column.bars) for table in tables for column in table.columns},
        joins=look.joins(dataset),
        taught=[(str(each["word"]), _means(each)) for each in dataset.meanings],
        functions=FUNCTIONS,
        operators=OPERATORS,
        orders=ORDERS,
        grouped=_groups(tables),
        measured=_measured(tables),
        height=HEIGHT,
    )


@router.get("/data/{dataset_id}/suggestions")
def suggest(request: Request, workbench: Bench, name: Name) -> Response:
    """Questions that the dataset invites and that are answered."""
    dataset = workbench.datasets.get(name)
    found = workbench.datasets.look.suggestions(dataset)
    return show(request, "data/suggestions.html", dataset=dataset, suggestions=found)


@router.get("/data/{dataset_id}/rows")
def show_rows(
    request: Request,
    workbench: Bench,
    name: Name,
    table: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """One page of a table."""
    dataset = workbench.datasets.get(name)
    look = workbench.datasets.look
    wanted = table or look.first_table(dataset)
    columns, rows, total = look.rows(dataset, wanted, page=page)
    return show(
        request,
        "data/rows.html",
        dataset=dataset,
        table=wanted,
        columns=columns,
        rows=[[written(cell) for cell in row] for row in rows],
        first=(page - 1) * ROWS_A_PAGE + 1,
        total=total,
        page=page,
        pages=max(1, -(-total // ROWS_A_PAGE)),
    )


@router.get("/data/{dataset_id}/complete")
def complete(workbench: Bench, name: Name, text: Annotated[str, Query(max_length=2_000)] = "") -> Response:
    """What the end of a question may begin, for the ask box."""
    found = workbench.datasets.look.complete(workbench.datasets.get(name), text)
    body = [{"text": one.text, "kind": one.kind, "about": one.about, "start": one.start} for one in found]
    return Response(orjson.dumps(body), media_type="application/json")


@router.post("/data/{dataset_id}/build")
def build(workbench: Bench, name: Name, fields: Fields) -> Response:
    """Carry out what was picked in the plan builder, and go to the answer."""
    dataset = workbench.datasets.get(name)
    plan = workbench.datasets.look.plan(dataset, picked(fields))
    return go(f"/runs/{workbench.runs.start.plan(plan, [f'{NAMED}{dataset.dataset_id}'])}")


@router.post("/data/{dataset_id}/plan")
def preview(request: Request, workbench: Bench, name: Name, fields: Fields) -> Response:
    """How what was picked in the plan builder reads, before it is carried out."""
    from averment.plans.readback import read_back

    dataset = workbench.datasets.get(name)
    plan = workbench.datasets.look.plan(dataset, picked(fields))
    return show(request, "data/plan.html", dataset=dataset, said=read_back(plan), hash=plan.hash)


def picked(fields: dict[str, str]) -> dict[str, Any]:
    """The builder's form as the plan's builder takes it."""
    tests = [
        (fields.get(f"where{n}", ""), fields.get(f"operator{n}", "="), fields.get(f"value{n}", "")) for n in (1, 2, 3)
    ]
    return {
        "function": fields.get("function", "rows"),
        "of": fields.get("of") if fields.get("function", "rows") != "rows" else None,
        "by": [by for by in (fields.get("by1", ""), fields.get("by2", "")) if by],
        "where": [list(test) for test in tests if test[0]],
        "order": fields.get("order", ""),
        "limit": fields.get("limit", ""),
    }


def _groups(tables: Sequence[TableLook]) -> list[tuple[str, str]]:
    """What a plan may be grouped by: columns, and dates by their parts."""
    found: list[tuple[str, str]] = []
    for table in tables:
        for column in table.columns:
            name = column.note.label or column.profile.name
            said = f"{name} ({table.name})" if len(tables) > 1 else name
            if column.profile.data_type in {"date", "datetime"}:
                found += [(f"{column.place}|{part}", f"{part} of {said}") for part in PARTS]
            else:
                found.append((column.place, said))
    return found


def _measured(tables: Sequence[TableLook]) -> list[tuple[str, str]]:
    """What a figure may be taken of, numbers to compute with first."""
    found = [(table, column) for table in tables for column in table.columns]
    found.sort(key=lambda pair: pair[1].role != "measure")
    several = len(tables) > 1
    names = [(column, column.note.label or column.profile.name, table.name) for table, column in found]
    return [(column.place, f"{name} ({table})" if several else name) for column, name, table in names]


def _source(place: str) -> str:
    return place if "://" in place else FilePath(place).name


def _means(body: dict[str, Any]) -> str:
    from averment.plans.meaning import Meaning

    return Meaning.model_validate(body).in_words()
