"""Questions about a report: answered in its own sentences with their places, or not at all."""

from __future__ import annotations

import re

import pytest

from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.listening import followed_up
from averment.agents.assistant.run_questions import answering, passages_of
from averment.agents.assistant.understand import ParsedMessage, understand
from averment.language.embeddings import Embedder

DRILL = """# Why did SUM(amount) change?

**SUM(amount) went from 22,313.55 to 18,561.42, a change of -3,752.13 (-16.8%). Unexplained stays 3.99.**

## Analysis Performed

| iteration | hypothesis | finding |
|---:|---|---|
| 1 | hyp\\_001 | The data were tested for faults: no day is missing. The hypothesis is ruled out. |
| 2 | hyp\\_002 | In region = north the number of rows went from 186 to 58. That is -7.8 standard errors away. |
| 3 | hyp\\_002 | The daily share of region = north changes on 2024-02-01. |

| hypothesis |  | status |
|---|---|---|
| hyp\\_001 | The data are at fault | RULED\\_OUT |

```sql
SELECT region, sum(amount)
FROM sales GROUP BY region
```

## Explanations

The number of rows in region = north contributes -2,316.54 to the change, 61.7% of it.

## Recommended Next Steps

- Ask those who look after region = north what changed there.

## Evidence

| shown | where |
|---|---|
| -2,316.54 | attribution, row 2 |
"""
RESEARCH = """# When was the harbour deepened?

## Executive summary

Lindholm Harbour was deepened in 1961. [^1] Critics warned of damage to the oyster beds. [^2]

It is a fine place for a holiday.

## Where sources disagree

- The blog dates the deepening of the harbour to 1963. [^2]

## Citations

[^1]: Port history, characters 5 to 60 of the archived text; confidence 0.71
[^2]: A blog on ports, characters 5 to 60 of the archived text; confidence 0.44
"""


@pytest.mark.parametrize(
    ("question", "told", "section"),
    [
        ("why did it drop?", "contributes -2,316.54", "Explanations"),
        ("what was ruled out?", "tested for faults", "Analysis Performed"),
        ("how sure are you?", "-7.8 standard errors", "Analysis Performed"),
        ("when did it start?", "2024-02-01", "Analysis Performed"),
        ("what should we do next?", "Ask those who look after", "Recommended Next Steps"),
        ("how much is unexplained?", "Unexplained stays 3.99.", "Summary"),
        ("what happened in the north?", "region = north", "Explanations"),
        ("which query did you run?", "SQL: SELECT region", "Analysis Performed"),
        ("where does that number come from?", "attribution, row 2", "Evidence"),
    ],
)
def test_a_report_answers_in_its_own_words(vectors: Embedder, question: str, told: str, section: str) -> None:
    chosen = answering(question, passages_of(DRILL, "drilldown", "report.md"), vectors)
    said = "\n".join(passage.text for passage in chosen)
    assert told in said
    assert f"report.md#{section}" in {passage.reference for passage in chosen}
    plain = DRILL.replace("\\", "")
    assert all(number in plain for number in re.findall(r"\d[\d.,]*\d", said))


@pytest.mark.parametrize(
    "question",
    [
        "what is the average amount by plan?",
        "what happened in Bavaria?",
        "what is the capital of France?",
        "tell a joke",
    ],
)
def test_what_a_report_does_not_say_is_not_answered(vectors: Embedder, question: str) -> None:
    assert answering(question, passages_of(DRILL, "drilldown", "report.md"), vectors) == ()
    assert answering(question, passages_of(RESEARCH, "research", "report.md"), vectors) == ()


@pytest.mark.parametrize(
    "question",
    ["what did critics warn about?", "where do the sources disagree?", "which sources did you use?", "summarise it"],
)
def test_a_research_answers_with_cited_sentences_alone(vectors: Embedder, question: str) -> None:
    chosen = answering(question, passages_of(RESEARCH, "research", "report.md"), vectors)
    assert chosen
    assert all("[^" in passage.text and "archived text" in passage.reference for passage in chosen)
    assert not any("holiday" in passage.text for passage in passages_of(RESEARCH, "research", "report.md"))


AFTER = Dialogue(last_run="0f0f0f0f-0000-5000-8000-000000000000", last_kind="drilldown", last_tool="drill")


@pytest.mark.parametrize(
    "words",
    [
        "how sure are you?",
        "what was ruled out?",
        "why did it drop?",
        "what did you find",
        "show me the report",
        "what are the next steps?",
        "what about the south?",
    ],
)
def test_after_a_run_a_question_about_it_reaches_it(vectors: Embedder, words: str) -> None:
    heard = followed_up(understand(words, vectors), AFTER)
    assert (heard.intent, heard.entities["run_id"]) == ("ask", AFTER.last_run)


@pytest.mark.parametrize(
    "words",
    [
        "remind me to send the report",
        "delete task 2",
        "show my tasks",
        "undo",
        "why did revenue drop in March 2024 compared to February 2024?",
        "mark the report as done",
    ],
)
def test_a_request_of_its_own_is_no_question_about_the_last_run(vectors: Embedder, words: str) -> None:
    heard = understand(words, vectors)
    assert followed_up(heard, AFTER) == heard


def test_without_a_run_nothing_is_asked_about_one(vectors: Embedder) -> None:
    heard = understand("how sure are you?", vectors)
    assert followed_up(heard, Dialogue()) == heard


def test_a_run_that_is_named_is_the_one_that_is_asked() -> None:
    heard = ParsedMessage("other", 0.9, "what did run 3f2a1b9c find about tea?")
    assert followed_up(heard, AFTER).entities["run_id"] == "3f2a1b9c"
