"""Questions about a completed investigation: answered from its records, by a new query, or with an honest no."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from averment.agents.driller.chat import QueryAnswer
from averment.agents.driller.chat_question import read_question
from averment.agents.driller.memory import PART_TITLES
from averment.errors import InvalidRequest, InvestigationNotComplete
from averment.records.base import derived_id
from averment.settings import Settings
from averment.store.search.memory import MemoryStore

CONTEXT = {
    "metric_sql": "SUM(amount)",
    "baseline_period": {"start": "2024-01-01", "end": "2024-01-31"},
    "comparison_period": {"start": "2024-02-01", "end": "2024-02-29"},
}

KNOWN = {
    "Why did the metric change?": ("lost 60.5", "results/explanations.json"),
    "What is the most likely cause?": ("lost 60.5", "results/explanations.json"),
    "Which hypotheses were ruled out?": ("Loads are missing", "analysis/hypotheses/hyp_002.json"),
    "Which hypothesis was confirmed?": ("The north region lost orders", "analysis/hypotheses/hyp_001.json"),
    "How are the tables related?": ("customer_id", "analysis/schema.json"),
    "What should we do next?": ("sales team", "report.md"),
    "What happened in iteration 2?": ("No day is missing", "analysis/iterations/iter_002.json"),
    "What were the periods?": ("2024-02-29", "context.json"),
    "Which metric was investigated?": ("SUM(amount)", "context.json"),
    "What happened in the south?": ("82", "analysis/iterations/iter_001.json"),
    "How much of the change remains unexplained?": ("3.5%", "report.md"),
    "How many iterations were there?": ("2 iterations", "analysis/findings_ledger.json"),
    "Was there a new competitor?": ("competitor", "context.json"),
}
UNKNOWN = [
    "What is the average amount by plan?",
    "How many customers live in Lisbon?",
    "What was the amount per week?",
    "Which order has the highest discount?",
    "What is the median amount?",
    "What was the amount on 2024-01-09?",
]


@pytest.mark.parametrize("question", KNOWN)
def test_a_question_that_the_memory_answers_is_answered_in_its_own_sentences(talk: Any, question: str) -> None:
    desk, session_id = talk
    desk.asked.clear()
    desk.answers.clear()
    answer = desk.sessions.chat(session_id, question)
    told, _ = KNOWN[question]
    assert told in answer.content
    assert desk.asked == []
    # Whether the memory or the records themselves tell it, each number of the answer is in a record of the session.
    root = desk.services.settings.home / "sessions" / session_id
    records = "\n".join(path.read_text() for path in root.rglob("*.*") if path.suffix in {".json", ".md", ".txt"})
    assert {number for number in re.findall(r"\d+\.\d+", answer.content) if number not in records} == set()
    assert answer.artifacts_referenced
    assert set(answer.artifacts_referenced) <= desk.tree(session_id)


@pytest.mark.parametrize("question", UNKNOWN)
def test_a_question_that_the_memory_does_not_answer_is_asked_of_the_files(talk: Any, question: str) -> None:
    desk, session_id = talk
    desk.asked.clear()
    desk.answers.clear()
    run_id = derived_id(session_id, question)
    table = f"artifacts/tables/{run_id}/result.csv"
    desk.answers[question] = QueryAnswer(answer="It is 75.6.", run_id=run_id, artifacts=(table,))
    answer = desk.sessions.chat(session_id, question)
    assert desk.asked == [(question, desk.sessions.sources(session_id))]
    assert "It is 75.6." in answer.content
    assert answer.artifacts_referenced == (table,)
    assert desk.sessions._store.get(session_id).asked[-1] == run_id


@pytest.mark.parametrize("question", UNKNOWN)
def test_a_question_that_nobody_can_answer_gets_no_number(talk: Any, question: str) -> None:
    desk, session_id = talk
    desk.asked.clear()
    desk.answers.clear()
    answer = desk.sessions.chat(session_id, question)
    assert len(desk.asked) == 1
    assert not re.search(r"\d", answer.content)
    assert answer.artifacts_referenced == ()


def test_every_number_of_the_memory_is_in_a_record_of_the_session(talk: Any) -> None:
    desk, session_id = talk
    document, _ = MemoryStore(desk.services.store.database).get(session_id)
    root = desk.services.settings.home / "sessions" / session_id
    records = "\n".join(path.read_text() for path in root.rglob("*.*") if path.suffix in {".json", ".md", ".txt"})
    numbers = set(re.findall(r"\d+(?:\.\d+)?", document.content)) - {"31", "29"}  # the days of the two periods
    assert numbers
    assert {number for number in numbers if number not in records} == set()


@pytest.mark.seed("B-061")
def test_the_memory_is_compiled_from_the_six_parts(talk: Any) -> None:
    desk, session_id = talk
    document, embedder = MemoryStore(desk.services.store.database).get(session_id)
    headings = [line[3:] for line in document.content.splitlines() if line.startswith("## ")]
    assert headings == list(PART_TITLES.values())
    assert len(document.embedding) == desk.services.texts.embedder().dimension
    assert embedder == desk.services.texts.embedder().name


def test_a_memory_that_was_lost_is_made_again_and_is_the_same(desk_on_each: Any) -> None:
    session_id = desk_on_each.completed()
    store = MemoryStore(desk_on_each.services.store.database)
    before, _ = store.get(session_id)
    store.delete(session_id)
    desk_on_each.sessions.chat(session_id, "What happened in iteration 2?")
    after, _ = store.get(session_id)
    assert after.content == before.content
    assert after.document_id == before.document_id


@pytest.mark.seed("B-077")
def test_questions_and_answers_are_kept_in_order(desk_on_each: Any) -> None:
    session_id = desk_on_each.completed()
    desk_on_each.sessions.chat(session_id, "Why did the metric change?")
    desk_on_each.sessions.chat(session_id, "What should we do next?")
    history = desk_on_each.sessions.history(session_id)
    assert [one.role for one in history] == ["user", "assistant", "user", "assistant"]
    assert history[0].content == "Why did the metric change?"
    assert {one.session_id for one in history} == {session_id}


@pytest.mark.parametrize("message", ["", "   ", "\u200b", "x" * 5001])
def test_a_message_that_says_nothing_or_too_much_is_refused(talk: Any, message: str) -> None:
    desk, session_id = talk
    before = desk.sessions.history(session_id)
    with pytest.raises(InvalidRequest):
        desk.sessions.chat(session_id, message)
    assert desk.sessions.history(session_id) == before


def test_a_question_before_the_report_is_refused(desk: Any) -> None:
    session_id = desk.with_files()
    with pytest.raises(InvestigationNotComplete):
        desk.sessions.chat(session_id, "Why?")
    desk.sessions.start(session_id, CONTEXT)
    with pytest.raises(InvestigationNotComplete):
        desk.sessions.chat(session_id, "Why?")


def test_chat_works_the_same_on_each_kind_of_database(settings: Settings, make_desk: Callable[[Settings], Any]) -> None:
    desk = make_desk(settings)
    session_id = desk.completed()
    answer = desk.sessions.chat(session_id, "Which hypotheses were ruled out?")
    assert "Loads are missing" in answer.content
    assert "north region lost orders" not in answer.content


def test_the_words_of_the_metric_name_nothing_in_particular() -> None:
    question = read_question("Why did the total amount fall?", metric="SUM(amount)")
    assert (question.aim, question.names) == ("causes", frozenset())
    named = read_question("Why did the amount fall in Porto?", metric="SUM(amount)")
    assert named.names == {"porto"}


AIMS = {
    "Why did revenue drop?": "causes",
    "Which segment contributed most?": "causes",
    "Was anything found?": "causes",
    "Was it a data problem?": "faults",
    "Was it seasonality or the calendar?": "calendar",
    "How sure are you?": "certainty",
    "When did the drop begin?": "onset",
    "How are the tables joined?": "relations",
    "Which tables were used?": "tables",
    "How did you test this?": "plan",
    "What is the exact baseline value?": "change",
    "What was left unexplained?": "rest",
    "What did iteration 3 find?": "iteration",
}


@pytest.mark.parametrize("question", AIMS)
def test_a_question_about_the_investigation_has_its_aim_and_names_nothing(question: str) -> None:
    read = read_question(question, metric="SUM(amount)")
    assert (read.aim, read.names) == (AIMS[question], frozenset())


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What was the amount per week?", {"week"}),
        ("How many customers live in Lisbon?", {"customer", "live", "lisbon"}),
        ("Why did the amount fall in store 17?", {"store", "17"}),
        ("What is the median amount?", {"median"}),
    ],
)
def test_what_a_question_names_must_be_answered_too(question: str, names: set[str]) -> None:
    assert read_question(question, metric="SUM(amount)").names == names
