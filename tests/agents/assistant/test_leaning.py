"""After an analysis: what leans on it is answered from its rows, bound to their cells, or asked anew of its sources."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from averment.agents.assistant.asked_anew import Known, asked_anew, names_column, settled
from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.follow_up import followed_up
from averment.agents.assistant.run_tables import ResultTable, told_by
from averment.agents.assistant.understand import Heard

REGIONS = pa.table({"region": ["Ohio", "Texas", "New York", "Utah"], "average amount": [78.6731, 57.5, 52.3, 49.4]})
MONTHS = pa.table({"month of date": [dt.date(2024, at, 1) for at in (1, 2, 3)], "total amount": [10, 30, 20]})
SEEN = "0b8ed0c4-3a53-4d0c-8f57-0f6f3a2f7e62"
TIED = pa.table({"region": ["Ohio", "Texas", "Utah"], "number of rows": [5, 3, 3]})
COLUMNS = (("date", False), ("region", False), ("product", False), ("amount", True), ("quantity", True))
PLAIN = Known("average amount by region", COLUMNS)
NARROWED = Known("what was the total amount in Texas in February 2024?", COLUMNS, ("Texas",))


def kept(table: pa.Table, *, whole: bool = True) -> ResultTable:
    return ResultTable(table=table, task_id="query", observation_id=SEEN, query_hash="ab" * 32, whole=whole)


@pytest.mark.parametrize(
    ("question", "table", "words", "rows"),
    [
        ("which region was lowest?", REGIONS, "The lowest average amount is 49.4, for region Utah.", [3]),
        ("what was the highest?", REGIONS, "The highest average amount is 78.6731, for region Ohio.", [0]),
        ("and the second highest?", REGIONS, "The second highest average amount is 57.5, for region Texas.", [1]),
        ("what about New York?", REGIONS, "The average amount is 52.3, for region New York.", [2]),
        ("which month was highest?", MONTHS, "The highest total amount is 30, for month of date 2024-02-01.", [1]),
        ("and in March?", MONTHS, "The total amount is 20, for month of date 2024-03-01.", [2]),
    ],
)
def test_a_row_of_the_result_answers_and_says_where_it_stands(
    question: str, table: pa.Table, words: str, rows: list[int]
) -> None:
    told = told_by(question, kept(table))
    assert told is not None
    assert told.words == words
    measure = table.column_names[-1]
    assert told.references == tuple(f"query, row {row}, {measure}, query SHA-256 {'ab' * 6}" for row in rows)


def test_of_two_rows_the_answer_says_which_is_more() -> None:
    table = kept(REGIONS)
    yes, no = told_by("is Ohio higher than Texas?", table), told_by("was Utah higher than Texas?", table)
    assert yes is not None and yes.words.startswith("Yes.")
    assert no is not None and no.words.startswith("No.")
    assert "49.4" in no.words and "57.5" in no.words


def test_rows_that_share_the_lowest_number_are_all_named() -> None:
    told = told_by("which was lowest?", kept(TIED))
    assert told is not None
    assert "Texas" in told.words and "Utah" in told.words


@pytest.mark.parametrize(
    "question",
    [
        "which product was lowest?",
        "which region had the lowest quantity?",
        "which region had the lowest amount?",
        "what about California?",
        "what is the weather in Texas?",
        "average amount by region",
        "which is best?",
    ],
)
def test_what_names_anything_else_is_not_answered_from_the_rows(question: str) -> None:
    assert told_by(question, kept(REGIONS)) is None


def test_a_result_that_was_cut_off_names_no_lowest_row() -> None:
    assert told_by("which region was lowest?", kept(REGIONS, whole=False)) is None


@pytest.mark.parametrize(
    ("message", "known", "whole"),
    [
        ("and by month?", PLAIN, "average amount by month"),
        ("now per product please", PLAIN, "average amount by product"),
        ("what about Texas?", PLAIN, "average amount by region for Texas"),
        ("and for coffee only?", PLAIN, "average amount by region for coffee"),
        ("what about the median?", PLAIN, "median amount by region"),
        ("what about quantity?", PLAIN, "average quantity by region"),
        ("and in March?", PLAIN, "average amount by region in March"),
        ("and by month?", NARROWED, "what was the total amount in Texas in February 2024 by month"),
        ("what about Ohio?", NARROWED, "what was the total amount in Ohio in February 2024?"),
        ("and in March?", NARROWED, "what was the total amount in Texas in March 2024?"),
        ("only for coffee", NARROWED, "what was the total amount in Texas in February 2024 for coffee"),
        ("what's the weather", PLAIN, None),
        ("and why?", PLAIN, None),
        ("what about that?", PLAIN, None),
        ("is Ohio higher than Texas?", PLAIN, None),
    ],
)
def test_what_is_left_out_is_taken_from_the_question_before(message: str, known: Known, whole: str | None) -> None:
    assert asked_anew(message, known) == whole


def test_a_question_back_is_settled_by_the_number_that_the_answer_names() -> None:
    asked = Known("which product sold best?", COLUMNS)
    assert settled("quantity", asked) == "which product sold best by quantity"
    assert settled("nice weather today", asked) is None
    assert names_column("which product sold best?", asked)
    assert not names_column("how are you?", asked)


def test_a_message_that_is_surely_for_the_tasks_leans_on_no_run() -> None:
    after = Dialogue(sources=("sales.csv",), last_run="run", last_kind="analysis", last_tool="analyze")
    for heard in (
        Heard("create", 0.97, "and the milk", by="plain words"),
        Heard("delete", 0.95, "delete the lowest one"),
        Heard("complete", 0.6, "the report is done"),
    ):
        assert followed_up(heard, after) is heard
    assert followed_up(Heard("list", 0.6, "what about Texas?"), after).intent == "ask"
    # After something else was done the talk is no longer about the run.
    other = Dialogue(sources=("sales.csv",), last_run="run", last_kind="analysis", last_tool="add_task")
    assert followed_up(Heard("analyze", 0.8, "and by month?"), other).intent == "analyze"
