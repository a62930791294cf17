"""``averment data``: datasets that stay, kept by name, described column by column, asked as ``dataset:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from averment.faces.cli.options import answers, open_workbench
from averment.faces.cli.output import CommandOutput, echo, say_table, table_or

if TYPE_CHECKING:
    from averment.records.dataset import Dataset
    from averment.workbench.dataset_look import ColumnLook, TableLook

_BLOCKS = " ▁▂▃▄▅▆▇█"


@click.group()
def data() -> None:
    """Store data under a name, describe its columns, and query it as dataset:NAME."""


@data.command()
@click.argument("sources", nargs=-1, required=True)
@click.option("--name", help="Name of the dataset; by default the name of its first table.")
@click.option("--description", default="", help="Description of the dataset, in one sentence.")
@answers
def add(context: click.Context, sources: tuple[str, ...], name: str | None, description: str) -> CommandOutput:
    """Store SOURCES under a name: files, a folder of files, a database URL, or the web address of a file."""
    kept = open_workbench(context).datasets.add(sources, name=name, description=description)
    return CommandOutput(_document(kept), f"Stored as {kept.name}. Use it with --source dataset:{kept.name}.")


@data.command(name="list")
@answers
def list_datasets(context: click.Context) -> CommandOutput:
    """List the datasets by name."""
    found = open_workbench(context).datasets.list()
    rows = [(one.name, one.origin, ", ".join(one.places), one.description) for one in found]
    nothing = "There are no datasets yet. Add one with `averment data add FILE`."
    words = table_or(nothing, ("dataset", "origin", "where", "what"), rows)
    return CommandOutput({"datasets": [_document(one) for one in found]}, words)


@data.command()
@click.argument("name")
@click.option("--suggest", is_flag=True, help="Also suggest six questions.")
@answers
def show(context: click.Context, name: str, suggest: bool) -> CommandOutput:
    """Show the rows, columns, types, missing values and keys of the dataset NAME."""
    datasets = open_workbench(context).datasets
    dataset = datasets.get(name)
    tables = datasets.look.tables(dataset)
    questions = datasets.look.suggestions(dataset) if suggest else ()
    body = _document(dataset) | {
        "tables": [
            {"name": one.name, "rows": one.rows, "keys": list(one.keys), "notes": list(one.notes),
             "columns": [_column(each) for each in one.columns]}
            for one in tables
        ],
        "suggestions": [one.question for one in questions],
    }  # fmt: skip
    return CommandOutput(body, lambda: _tell(dataset, tables, [one.question for one in questions]))


def _tell(dataset: Dataset, tables: Sequence[TableLook], questions: Sequence[str]) -> None:
    for table in tables:
        echo(f"{table.name}: {table.rows:,} rows of {table.source}")
        rows = [
            (each.profile.name, each.note.label, each.profile.data_type, each.role, str(each.profile.nulls),
             str(each.profile.cardinality), _spark(each), each.note.unit, each.note.description)
            for each in table.columns
        ]  # fmt: skip
        header = ("column", "called", "type", "role", "missing", "different", "spread", "unit", "what")
        say_table(header, rows, numeric=(False, False, False, False, True, True))
        for note in table.notes:
            echo(f"Note: {note}")
    for meaning in dataset.meanings:
        echo(f"Taught: {meaning['word']}")
    for question in questions:
        echo(f"Ask: {question}")


@data.command()
@click.argument("name")
@click.argument("column", required=False)
@click.option("--label", help="The name of the column in everyday language.")
@click.option("--description", help="Description of the column, or of the dataset if no column is given.")
@click.option("--role", type=click.Choice(["measure", "category", "key", "label"]), help="The role of the column.")
@click.option("--unit", help="Unit of its numbers, such as USD or percent.")
@click.option("--rename", help="New name of the dataset.")
@answers
def describe(
    context: click.Context,
    name: str,
    column: str | None,
    label: str | None,
    description: str | None,
    role: str | None,
    unit: str | None,
    rename: str | None,
) -> CommandOutput:
    """Describe the dataset NAME or its COLUMN; later questions use the description."""
    datasets = open_workbench(context).datasets
    kept = datasets.get(name)
    if column is not None:
        kept = datasets.describe_column(
            kept.dataset_id, column, label=label, description=description, role=role, unit=unit
        )
    elif description is not None:
        kept = datasets.describe(kept.dataset_id, description)
    if rename is not None:
        kept = datasets.rename(kept.dataset_id, rename)
    return CommandOutput(_document(kept), f"{kept.name} is described.")


@data.command()
@click.argument("name")
@click.argument("word")
@click.argument("means", required=False)
@click.option("--forget", is_flag=True, help="Delete the word instead.")
@answers
def teach(context: click.Context, name: str, word: str, means: str | None, forget: bool) -> CommandOutput:
    """Teach that WORD MEANS a column, formula, condition or values, in the dataset NAME."""
    if forget == (means is not None):
        raise click.UsageError("Give the meaning of the word, or --forget.")
    datasets = open_workbench(context).datasets
    kept = datasets.forget_word(name, word) if means is None else datasets.teach(name, word, means)
    return CommandOutput(_document(kept), f"{word} is forgotten." if forget else f"{word} is taught.")


@data.command()
@click.argument("name")
@answers
def remove(context: click.Context, name: str) -> CommandOutput:
    """Remove the dataset NAME from the list; runs stay, and so do files that were connected where they are."""
    from averment.operations import Operations

    workbench = open_workbench(context)
    Operations(workbench).remove_dataset(workbench.datasets, name)
    return CommandOutput({"removed": name}, f"{name} is removed.")


def _document(dataset: Dataset) -> dict[str, Any]:
    return dataset.model_dump(mode="json", exclude={"user_id"})


def _column(column: ColumnLook) -> dict[str, Any]:
    return {
        "name": column.profile.name,
        "type": column.profile.data_type,
        "role": column.role,
        "missing": column.profile.nulls,
        "different": column.profile.cardinality,
        "unique": column.unique,
        "histogram": [[bar.label, bar.rows] for bar in column.bars],
        "note": column.note.model_dump(mode="json"),
    }


def _spark(column: ColumnLook) -> str:
    most = max((bar.rows for bar in column.bars), default=0)
    return "".join(_BLOCKS[-(-8 * bar.rows // most)] for bar in column.bars) if most else ""
