"""Asking from a notebook: frames in, answers with table, chart, query and proof out, in cells as in code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pyarrow as pa
import pytest

import averment as av
from averment.errors import UnsupportedSource
from averment.workbench import inline
from lazily import lazily

pd = lazily("pandas")
pl = lazily("polars")
nbclient = lazily("nbclient")


def tips() -> Any:
    rows = {"day": ["Sat", "Sun", "Sat", "Thu"] * 30, "tip": [1.5, 2.5, 3.5, 4.0] * 30}
    return pd.DataFrame({**rows, "time": ["Lunch", "Dinner"] * 60})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("inline") / "home"
    inline.close_all()


@pytest.fixture(scope="module")
def asked(home: Path) -> av.Run:
    return av.ask(tips(), "average tip by day", home=home)


def test_a_frame_is_asked_and_its_answer_is_proven(asked: av.Run, home: Path) -> None:
    assert asked.df is not None
    assert dict(zip(asked.df.iloc[:, 0], asked.df.iloc[:, 1], strict=True)) == {"Sat": 2.5, "Sun": 2.5, "Thu": 4.0}
    assert "AVG" in (asked.sql or "")
    assert av.verify(asked, home=home).ok


def test_the_proof_outlives_the_variable(home: Path) -> None:
    run = av.ask(tips().assign(tip=tips().tip * 2), "total tip", home=home)
    inline.close_all()
    assert av.verify(run, home=home).ok


def test_the_chart_can_be_changed_as_altair_has_it(asked: av.Run) -> None:
    assert asked.chart.properties(title="Mine").to_dict()["title"] == "Mine"


def test_a_cell_shows_answer_picture_table_and_proof(asked: av.Run) -> None:
    shown = asked._repr_html_()
    for part in ("average tip is", "data:image/png;base64,", "<td>Thu</td>", "<summary>Proof</summary>", asked.id):
        assert part in shown


def test_a_cell_shows_no_markup_of_the_data(home: Path) -> None:
    hostile = pd.DataFrame({"who": ["<script>alert(1)</script>", "b"], "paid": [1.0, 2.0]})
    shown = av.ask(hostile, "total paid by who", home=home)._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown


def test_a_question_of_a_run_changes_what_that_run_asked(asked: av.Run, home: Path) -> None:
    narrowed = av.ask(asked, "only for Dinner", home=home)
    assert narrowed.df is not None
    assert sorted(narrowed.df.iloc[:, 0]) == ["Sun", "Thu"]


def test_tables_by_name_are_called_so(home: Path) -> None:
    tables = {"visits": pl.from_pandas(tips()), "regions": pa.table({"day": ["Sat", "Sun"], "region": ["A", "B"]})}
    run = av.ask(tables, "how many visits are there", home=home)
    assert "120" in (run.answer or "")
    assert "visits" in (run.sql or "")


def test_offers_are_shown_and_one_is_chosen(home: Path) -> None:
    shop = pd.DataFrame({"gross price": [1.0, 2.0, 3.0], "net price": [0.5, 1.5, 2.5], "item": ["a", "b", "c"]})
    open_question = av.ask(shop, "average price", home=home)
    assert open_question.status == "clarification_needed"
    assert open_question.offers[0].read_back in open_question._repr_html_()
    chosen = av.choose(open_question, 1, home=home)
    assert chosen.status == "completed"


def test_code_that_must_not_wait_awaits_the_same_run(home: Path) -> None:
    run = asyncio.run(av.ask_async(tips(), "highest tip", home=home))
    assert "4" in (run.answer or "")


def test_what_is_no_table_is_refused(home: Path) -> None:
    with pytest.raises(UnsupportedSource):
        av.ask(42, "average tip", home=home)


@pytest.mark.thorough
def test_a_real_kernel_runs_a_notebook_with_pandas_polars_and_the_magic(tmp_path: Path) -> None:
    cells = [
        "import averment as av, pandas as pd, polars as pl\n%load_ext averment",
        "df = pd.DataFrame({'day': ['Sat', 'Sun'] * 20, 'tip': [1.0, 3.0] * 20})\nav.ask(df, 'average tip by day')",
        "av.ask(pl.from_pandas(df), 'total tip')",
        "%%averment df\nhow many rows are there",
        "run = await av.ask_async(df, 'maximum tip')\nprint(run.answer)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(notebook, timeout=180, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = ["".join(str(output) for output in cell["outputs"]) for cell in notebook.cells]
    assert "data:image/png" in shown[1]
    assert "text/html" in shown[1]
    assert "80" in shown[2]
    assert "40" in shown[3]
    assert "3" in shown[4]


def test_the_public_names_are_listed_for_completion() -> None:
    assert {"Workbench", "ask", "ask_async", "choose", "verify"} <= set(dir(av))
