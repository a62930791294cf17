from typing import Any, get_args

import pytest
from pydantic import ValidationError

from averment.errors import IllegalTransition
from averment.records.base import new_id
from averment.records.drilldown.loop import (
    HYPOTHESIS_STATES,
    ExitReason,
    Finding,
    FindingsLedger,
    Hypothesis,
    HypothesisStatus,
    IterationDecision,
    IterationLog,
)


def hypothesis(**values: Any) -> Hypothesis:
    return Hypothesis.model_validate(
        {
            "hypothesis_id": "hyp_001",
            "session_id": new_id(),
            "title": "Fewer orders in the north",
            "causal_story": "A warehouse closed.",
            "dimensions": ["region"],
            "expected_pattern": "orders fall in one region only",
            "priority": 1,
            "status": "PENDING",
            **values,
        }
    )


def finding(**values: Any) -> Finding:
    return Finding.model_validate(
        {
            "finding_id": "find_001",
            "iteration": 1,
            "summary": "Tested regions. The north fell. The hypothesis gains.",
            "full_output_ref": "analysis/full_outputs/output_001.txt",
            **values,
        }
    )


def log(**values: Any) -> IterationLog:
    return IterationLog.model_validate(
        {
            "iteration": 1,
            "decision": "ANALYZE",
            "code_executed": "scan(region)",
            "raw_output": "…",
            "compressed_summary": "…",
            **values,
        }
    )


@pytest.mark.seed("B-042")
def test_a_hypothesis_has_its_fields_and_reads_back_unchanged():
    assert set(Hypothesis.model_fields) == {
        "hypothesis_id",
        "session_id",
        "title",
        "causal_story",
        "dimensions",
        "expected_pattern",
        "priority",
        "status",
        "created_at",
    }
    made = hypothesis()
    assert Hypothesis.model_validate_json(made.model_dump_json()) == made


@pytest.mark.parametrize("name", ["1", "hyp_1", "hyp_001/../x", "HYP_001", "hyp_001\n"])
def test_a_hypothesis_id_that_cannot_name_a_file_is_refused(name: str):
    with pytest.raises(ValidationError):
        hypothesis(hypothesis_id=name)


@pytest.mark.seed("B-043")
@pytest.mark.parametrize(("field", "most"), [("title", 100), ("causal_story", 500)])
def test_texts_of_a_hypothesis_have_their_lengths(field: str, most: int):
    assert hypothesis(**{field: "x" * most})
    with pytest.raises(ValidationError):
        hypothesis(**{field: "x" * (most + 1)})


@pytest.mark.seed("B-044")
@pytest.mark.parametrize("priority", [0, 11])
def test_a_priority_outside_one_to_ten_is_refused(priority: int):
    with pytest.raises(ValidationError):
        hypothesis(priority=priority)


@pytest.mark.seed("B-045")
def test_a_hypothesis_takes_the_seeds_steps_alone():
    allowed = {
        ("PENDING", "INVESTIGATING"),
        ("INVESTIGATING", "CONFIRMED"),
        ("INVESTIGATING", "RULED_OUT"),
        ("INVESTIGATING", "PENDING"),
    }
    assert HYPOTHESIS_STATES.states == set(get_args(HypothesisStatus))
    for current in get_args(HypothesisStatus):
        for following in get_args(HypothesisStatus):
            if (current, following) in allowed:
                assert hypothesis(status=current).moved(following).status == following
            else:
                with pytest.raises(IllegalTransition):
                    hypothesis(status=current).moved(following)


@pytest.mark.seed("B-047")
def test_a_finding_has_its_fields_and_reads_back_unchanged():
    assert set(Finding.model_fields) == {
        "finding_id",
        "iteration",
        "summary",
        "full_output_ref",
        "hypothesis_affected",
        "created_at",
    }
    made = finding()
    assert made.hypothesis_affected is None
    assert Finding.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("B-048")
@pytest.mark.parametrize("iteration", [0, 16])
def test_an_iteration_outside_one_to_fifteen_is_refused(iteration: int):
    assert finding(iteration=15).iteration == log(iteration=15).iteration
    with pytest.raises(ValidationError):
        finding(iteration=iteration)
    with pytest.raises(ValidationError):
        log(iteration=iteration)


@pytest.mark.seed("B-049")
def test_a_summary_over_500_characters_is_refused():
    assert finding(summary="x" * 500)
    with pytest.raises(ValidationError):
        finding(summary="x" * 501)


@pytest.mark.seed("B-051")
def test_an_iterations_log_has_its_fields_and_reads_back_unchanged():
    assert set(IterationLog.model_fields) == {
        "iteration",
        "decision",
        "code_executed",
        "raw_output",
        "compressed_summary",
        "hypothesis_status_changes",
        "timestamp",
    }
    made = log(hypothesis_status_changes={"hyp_001": "CONFIRMED"})
    assert IterationLog.model_validate_json(made.model_dump_json()) == made
    assert log().hypothesis_status_changes is None


@pytest.mark.seed("B-052")
def test_a_decision_is_one_of_four():
    assert set(get_args(IterationDecision)) == {"ANALYZE", "DRILL_DOWN", "PIVOT", "CONCLUDE"}
    with pytest.raises(ValidationError):
        log(decision="GUESS")


@pytest.mark.seed("B-056")
def test_a_ledger_of_findings_has_its_fields_and_reads_back_unchanged():
    assert set(FindingsLedger.model_fields) == {
        "session_id",
        "findings",
        "hypothesis_outcomes",
        "total_iterations",
        "exit_reason",
        "created_at",
    }
    made = FindingsLedger(
        session_id=new_id(),
        findings=(finding(),),
        hypothesis_outcomes={"hyp_001": "CONFIRMED"},
        total_iterations=1,
        exit_reason="CONCLUDE",
    )
    assert FindingsLedger.model_validate_json(made.model_dump_json()) == made
    with pytest.raises(ValidationError):
        made.changed(total_iterations=16)


@pytest.mark.seed("B-057")
def test_an_exit_reason_is_one_of_three():
    assert set(get_args(ExitReason)) == {"CONCLUDE", "MAX_ITERATIONS", "STALL_DETECTED"}
    with pytest.raises(ValidationError):
        FindingsLedger.model_validate(
            {
                "session_id": new_id(),
                "findings": [],
                "hypothesis_outcomes": {},
                "total_iterations": 0,
                "exit_reason": "BORED",
            }
        )
