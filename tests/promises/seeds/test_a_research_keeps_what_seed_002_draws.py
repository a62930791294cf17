"""A research over a small library: what it refuses, the way its request goes, and what lies in the home afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from home_rows import rows, table

from averment.workbench import Workbench

QUESTION = "When was Lindholm Harbour deepened?"
TEXTS = {
    "harbour.md": "# Lindholm Harbour\n\nLindholm Harbour was deepened in 1961 because larger ships could not enter "
    "the basin. In 2019 Lindholm Harbour handled 4,200 ships.\n",
    "history.md": "# Port history\n\nAccording to the city archive, Lindholm Harbour was deepened in 1961.\n",
    "blog.md": "# A blog on ports\n\nLindholm Harbour was deepened in 1963. Many people remember the noise.\n",
}


@dataclass(frozen=True)
class Told:
    """A research that has ended, with the statuses its request took."""

    home: Path
    id: str
    statuses: list[str]
    report: dict[str, Any]


@pytest.fixture(scope="module")
def told(workbench: Workbench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    library = tmp_path_factory.mktemp("library")
    for name, text in TEXTS.items():
        (library / name).write_text(text)
    home = workbench.settings.home
    assert workbench.runs.list() == []  # The database is there now, and tells each status as it is written.
    rows(home, "CREATE TABLE seen_statuses (status TEXT)")
    for act in ("INSERT ON", "UPDATE OF status ON"):
        told = "BEGIN INSERT INTO seen_statuses VALUES (new.status); END"
        rows(home, f"CREATE TRIGGER seen_{act[:6]} AFTER {act} research_requests {told}")
    run = workbench.research(QUESTION, corpus=[library], depth="quick")
    statuses = [str(status) for (status,) in rows(home, "SELECT status FROM seen_statuses ORDER BY rowid")]
    report = json.loads((home / "artifacts" / "reports" / run.id / "report.json").read_text())
    yield Told(home, run.id, statuses, report)


@pytest.mark.seed("C-006")
def test_the_request_goes_its_five_steps_one_after_the_other(told: Told) -> None:
    assert list(dict.fromkeys(told.statuses)) == ["planning", "executing", "verifying", "synthesizing", "completed"]
    order = [list(dict.fromkeys(told.statuses)).index(status) for status in told.statuses]
    assert order == sorted(order)


@pytest.mark.seed("C-001", "C-008")
def test_the_request_is_kept_with_its_user_and_the_time_it_took(told: Told) -> None:
    (kept,) = table(told.home, "research_requests", "id = ?", told.id)
    assert set(kept) == {"id", "query", "depth_level", "user_id", "created_at", "status", "completion_time_seconds"}
    assert (kept["query"], kept["depth_level"], kept["user_id"]) == (QUESTION, "quick", "local")
    assert kept["status"] == "completed"
    assert kept["completion_time_seconds"] > 0


@pytest.mark.seed("C-010", "C-011", "C-012", "C-013", "C-015", "C-016", "C-019")
def test_the_plan_is_kept_with_as_many_questions_as_its_depth_asks_for(told: Told) -> None:
    (plan,) = table(told.home, "research_plans", "request_id = ?", told.id)
    assert plan["estimated_time_seconds"] > 0
    questions = table(told.home, "sub_questions", "plan_id = ?", plan["id"])
    assert {"id", "plan_id", "text", "priority", "parent_question_id", "depth", "status"} <= set(questions[0])
    assert 3 <= len([one for one in questions if one["depth"] == 0]) <= 5
    assert len({one["priority"] for one in questions}) == len(questions)
    assert all(10 <= len(one["text"]) <= 200 and 1 <= one["priority"] <= 10 for one in questions)
    assert max(one["depth"] for one in questions) <= 1


@pytest.mark.seed("C-018", "C-024", "C-025", "C-026")
def test_what_was_found_is_kept_with_its_source(told: Told) -> None:
    found = table(told.home, "search_results")
    assert {
        "id", "sub_question_id", "url", "title", "content", "domain", "access_timestamp", "credibility_score",
        "extracted_facts",
    } <= set(found[0])  # fmt: skip
    for one in found:
        assert one["url"].startswith("file://")
        assert one["domain"] == "local"
        assert 1 <= len(one["title"]) <= 200
        assert len(one["content"]) <= 10_000
    asked = [one["sub_question_id"] for one in found]
    assert max(asked.count(one) for one in asked) <= 10


@pytest.mark.seed("C-029", "C-030", "C-031", "C-032", "C-055")
def test_each_fact_is_kept_with_its_section_its_source_and_its_link(told: Told) -> None:
    facts = table(told.home, "facts")
    sources = {one["id"]: one for one in table(told.home, "search_results")}
    links = {(one["fact_id"], one["source_url"]): one for one in table(told.home, "citation_links")}
    assert facts and links
    assert links.keys() <= {(fact["id"], fact["source_url"]) for fact in facts}
    for link in links.values():
        assert set(link) == {"fact_id", "source_url", "source_title", "access_timestamp"}
        assert all(link.values())
    for fact in facts:
        assert set(fact) == {
            "id", "text", "source_url", "source_id", "confidence", "section", "extraction_timestamp", "verified",
            "discrepancy_id",
        }  # fmt: skip
        assert 10 <= len(fact["text"]) <= 500
        assert 0 <= fact["confidence"] <= 1
        assert sources[fact["source_id"]]["url"] == fact["source_url"]


@pytest.mark.seed("C-035", "C-036", "C-037")
def test_a_conflict_of_sources_is_kept_with_its_facts_and_how_it_was_settled(told: Told) -> None:
    found = table(told.home, "discrepancies")
    assert found
    for one in found:
        assert set(one) == {"id", "topic", "resolution", "resolution_confidence", "created_at"}
        assert one["topic"] and one["resolution"]
        assert 0 <= one["resolution_confidence"] <= 1
        assert len(rows(told.home, "SELECT fact_id FROM fact_discrepancies WHERE discrepancy_id = ?", one["id"])) >= 2


@pytest.mark.seed("C-042", "C-044", "C-045", "C-047", "C-048", "C-050", "C-052", "C-053")
def test_the_report_is_told_with_its_sections_sources_and_words(told: Told) -> None:
    report = told.report["report"]
    assert set(report) == {
        "id", "request_id", "executive_summary", "sections", "total_word_count", "total_sources", "generated_at",
        "quality_score",
    }  # fmt: skip
    assert 1 <= len(report["sections"]) <= 10
    assert 0 <= report["quality_score"] <= 1
    words, cited = 0, set[str]()
    for order, section in enumerate(report["sections"], 1):
        assert set(section) == {"id", "report_id", "title", "content", "fact_ids", "order"}
        assert (section["order"], section["report_id"]) == (order, report["id"])
        marked = set(re.findall(r"\[cite:([0-9a-f-]{36})\]", section["content"]))
        assert marked and marked <= set(section["fact_ids"])
        cited |= marked
        plain = re.sub(r"\[cite:[^\]]*\]", " ", section["content"])
        words += sum(any(letter.isalnum() for letter in word) for word in plain.split())
    assert report["total_word_count"] == words
    urls = {fact["source_url"] for fact in told.report["facts"] if fact["id"] in cited}
    assert report["total_sources"] == len(urls)


@pytest.mark.seed("C-002", "C-003", "C-004")
@pytest.mark.parametrize(
    "body", [{"query": "x" * 9}, {"query": "x" * 501}, {"query": " " * 20}, {"query": QUESTION, "depth": "bottomless"}]
)
def test_a_question_outside_its_limits_is_refused(client: httpx2.Client, body: dict[str, str]) -> None:
    refused = client.post("/v1/research", json=body)
    assert refused.status_code in {400, 422}
    assert refused.json()["error"]["code"] == "INVALID_REQUEST"
