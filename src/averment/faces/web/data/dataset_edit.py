"""Changing a dataset: its name and description, what is said of its columns, its words; and taking it off the list."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from averment.errors import InvalidRequest
from averment.faces.web.shell.page_access import Bench, Fields, HomeOperations
from averment.faces.web.shell.pages import Pages, go

router = Pages()

Name = Annotated[str, Path(alias="dataset_id", max_length=80)]


@router.post("/data/{dataset_id}/describe")
def describe(workbench: Bench, name: Name, fields: Fields) -> Response:
    """Another name or description."""
    dataset = workbench.datasets.get(name)
    if "description" in fields:
        dataset = workbench.datasets.describe(dataset.dataset_id, fields["description"])
    if fields.get("name", "").strip() not in {"", dataset.name}:
        dataset = workbench.datasets.rename(dataset.dataset_id, fields["name"])
    return go(f"/data/{dataset.dataset_id}")


@router.post("/data/{dataset_id}/columns")
def describe_column(workbench: Bench, name: Name, fields: Fields) -> Response:
    """What a column is called, what it is, what it is for, and in which unit."""
    said = {key: fields.get(key, "") for key in ("label", "description", "role", "unit")}
    dataset = workbench.datasets.describe_column(name, fields.get("column", ""), **said)
    return go(f"/data/{dataset.dataset_id}#columns")


@router.post("/data/{dataset_id}/words")
def teach(workbench: Bench, name: Name, fields: Fields) -> Response:
    """Teach what a word means in the dataset."""
    dataset = workbench.datasets.teach(name, fields.get("word", ""), fields.get("means", ""))
    return go(f"/data/{dataset.dataset_id}#words")


@router.post("/data/{dataset_id}/words/forget")
def forget(workbench: Bench, name: Name, fields: Fields) -> Response:
    """Forget a taught word."""
    dataset = workbench.datasets.forget_word(name, fields.get("word", ""))
    return go(f"/data/{dataset.dataset_id}#words")


@router.post("/data/{dataset_id}/remove")
def remove(workbench: Bench, archive: HomeOperations, name: Name, fields: Fields) -> Response:
    """Take the dataset off the list, and its upload away where nothing else uses it."""
    if fields.get("sure") != "yes":
        raise InvalidRequest("Removing a dataset forgets its descriptions.", hint="Say that you are sure.")
    archive.remove_dataset(workbench.datasets, name)
    return go("/data")
