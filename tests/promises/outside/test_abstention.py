"""What the data or the documents do not say is asked about or left open, in every face, and never answered."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench

EXAMPLES = Path(__file__).parents[3] / "examples"
SALES = EXAMPLES / "sales.csv"
HARBOUR = EXAMPLES / "harbour"
UNANSWERABLE = (
    "What was the profit margin?",
    "total amount by galaxy",
    "How satisfied are the customers?",
    "Which supplier delivers late?",
    "average age by region",
)
SAID_NOWHERE = (
    "Who painted the lighthouse of Aldermouth?",
    "What did the railway station of Aldermouth cost?",
)
STATES = {"clarification_needed", "abstained"}


@pytest.mark.parametrize("question", UNANSWERABLE)
def test_a_question_that_the_data_cannot_answer_is_asked_about(workbench: Workbench, question: str) -> None:
    run = workbench.analyze(question, [SALES])
    assert run.status in STATES
    assert run.table is None
    assert not list(run.findings)
    assert run.answer
    for offer in run.offers:
        assert offer.left or "takes" in run.answer  # What an offer leaves out or takes for something else is said.
    assert workbench.verify(run.id).ok


def test_the_command_asks_with_exit_code_three(run_averment: Callable[..., Any]) -> None:
    for question in UNANSWERABLE[:2]:
        done = run_averment("analyze", question, "--source", SALES, "--json")
        assert (done.code, done.document["status"] in STATES) == (3, True)
        assert done.document["findings"] == []
    done = run_averment("research", SAID_NOWHERE[0], "--corpus", HARBOUR, "--json")
    assert (done.code, done.document["status"]) == (3, "abstained")
    assert run_averment("chat", "what is the total amount by galaxy?").code == 3


def test_http_tells_the_state_and_gives_no_result(served: Any) -> None:
    run = served.run_of(served.ask(("sales.csv", SALES.read_bytes()), intent=UNANSWERABLE[1]))
    assert run["status"] in STATES
    assert run["findings"] == []
    assert served.client.get(f"/v1/runs/{run['id']}/artifacts/result.csv").status_code == 404
    for path in HARBOUR.glob("*.md"):
        answer = served.client.put(f"/v1/corpus/files/{path.name}", content=path.read_bytes())
        assert answer.status_code in {200, 201}, answer.text
    run = served.run_of(served.client.post("/v1/research", json={"query": SAID_NOWHERE[0], "depth": "quick"}))
    assert run["status"] == "abstained"


def test_mcp_tells_the_state_and_gives_no_rows(served: Any) -> None:
    reference = served.upload("sales.csv", SALES.read_bytes())
    for question in UNANSWERABLE[:2]:
        answer = served.call("analyze", question=question, sources=[reference])
        assert not answer.is_error
        said = answer.structured_content
        assert said["status"] in STATES
        assert (said["rows"], said["findings"]) == ([], [])


def test_the_page_asks_and_shows_no_result(served: Any) -> None:
    page = served.say_on_the_page(UNANSWERABLE[1], ("sales.csv", SALES.read_bytes()))
    run_id = re.findall(r'data-run="([^"]+)"', page)[-1]
    assert served.ended(run_id)["status"] in STATES
    card = served.page.get(f"/runs/{run_id}").text
    assert "galaxy" in html.unescape(card)
    assert 'class="number-link"' not in card


@pytest.mark.parametrize("question", SAID_NOWHERE)
def test_what_no_document_says_has_no_answer(workbench: Workbench, question: str) -> None:
    run = workbench.research(question, corpus=[HARBOUR], depth="quick")
    assert run.status == "abstained"
    assert str(run.answer).startswith("No answer")
    assert workbench.verify(run.id).ok


def test_what_a_document_says_is_answered_with_its_place(workbench: Workbench) -> None:
    run = workbench.research("What did the dredging of the Port of Aldermouth cost?", corpus=[HARBOUR], depth="quick")
    assert run.status == "completed"
    assert run.citations
    assert run.findings
    assert workbench.verify(run.id).ok


def test_a_period_without_data_is_told_to_be_one(workbench: Workbench) -> None:
    run = workbench.analyze("total amount in 2031", [SALES])
    assert run.status in {"completed", *STATES}
    assert not re.search(r"\d[\d,.]*\d", re.sub(r"2031", "", str(run.answer)))
