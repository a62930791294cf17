"""Questions of known kinds to an investigation: what the records say, and nothing where they say nothing."""

from __future__ import annotations

import pytest

from averment.agents.driller.chat_direct import answer_directly
from averment.agents.driller.session_export import Investigation
from averment.records.drilldown.investigation import InvestigationContext
from averment.records.drilldown.loop import Finding, Hypothesis
from averment.records.drilldown.results import Explanation, Mover

SESSION = "00000000-0000-4000-8000-000000000001"
REPORT = """# Why?

**SUM(amount) went from 1,000 to 900, a change of -100 (-10.0%).**

## Explanations

Unexplained stays 10, -10.0% of the change.

## Recommended Next Steps

- Check traffic, stock and tracking in channel = app.
"""


def mover(dimension: str, value: str, before: float, after: float, verdict: str = "noise") -> Mover:
    """A row of the breakdown of a change of -100."""
    change = after - before
    return Mover.model_validate(
        {
            "dimension": dimension,
            "value": value,
            "before": before,
            "after": after,
            "change": change,
            "share": change / -100.0,
            "rows_part": change,
            "verdict": verdict,
        }
    )


@pytest.fixture
def found() -> Investigation:
    """A small investigation with one cause, one hypothesis that was ruled out, and a breakdown."""
    context = InvestigationContext.checked(
        {
            "session_id": SESSION,
            "metric_sql": "SUM(amount)",
            "baseline_period": "2024-01",
            "comparison_period": "2024-02",
        }
    )
    cause = Explanation(
        rank=1,
        title="The number of rows fell in channel = app",
        likelihood="Most Likely",
        evidence=(),
        reasoning="In channel = app the number of rows fell. That is -8.1 standard errors of its own rows.",
        causal_story="It fell.",
        source_hypotheses=("hyp_003",),
        kind="volume",
        segment={"channel": "app"},
        effect=-110.0,
        share=1.1,
    )
    ruled_out = Hypothesis(
        hypothesis_id="hyp_001",
        session_id=SESSION,
        title="The data are at fault",
        causal_story="Rows are missing.",
        dimensions=(),
        expected_pattern="Gaps.",
        priority=1,
        status="RULED_OUT",
    )
    finding = Finding(
        finding_id="find_001",
        iteration=1,
        summary="The data were tested for faults: rows on 31 of 31 days. The hypothesis is ruled out.",
        full_output_ref="analysis/full_outputs/output_001.txt",
        hypothesis_affected="hyp_001",
    )
    return Investigation(
        context=context,
        hypotheses=(ruled_out,),
        findings=(finding,),
        explanations=(cause,),
        report=REPORT,
        breakdown=(
            mover("channel", "app", 400, 290, "beyond noise"),
            mover("channel", "web", 600, 610),
            mover("store", "Brooklyn", 500, 460),
            mover("store", "San Jose", 500, 440),
        ),
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how much of the change comes from the app channel?", "app (channel) went from 400 to 290"),
        ("did San Jose change?", "San Jose (store) went from 500 to 440"),
        ("what would the change be without Brooklyn?", "Without Brooklyn the change would be -60 instead of -100"),
        ("which stores moved most?", "San Jose (store)"),
        ("break it down by channel", "web (channel) went from 600 to 610"),
        ("what are the top 3 causes?", "1. The number of rows fell in channel = app (Most Likely): -110"),
        ("is it a price or volume effect?", "about the number of rows"),
        ("how sure are you?", "-8.1 standard errors"),
        ("could this be random noise?", "-8.1 standard errors"),
        ("what did you rule out and why?", "The data are at fault: The data were tested for faults"),
        ("is the data complete?", "No fault of the data was found."),
        ("what should I check next?", "Check traffic, stock and tracking"),
        ("how much is unexplained?", "Unexplained stays 10"),
        ("give me a summary", "went from 1,000 to 900"),
    ],
)
def test_a_question_of_a_known_kind_is_answered_from_the_records(
    found: Investigation, question: str, said: str
) -> None:
    answer = answer_directly(found, question)
    assert answer is not None
    assert said in answer[0]


@pytest.mark.parametrize("question", ["why did Mars fall?", "how many employees are there?", "what about Chicago?"])
def test_a_name_that_the_breakdown_does_not_hold_is_not_answered(found: Investigation, question: str) -> None:
    assert answer_directly(found, question) is None
