from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from averment.errors import InvalidDateRange, InvalidRequest, MetricSqlRequired
from averment.records.base import new_id
from averment.records.drilldown.investigation import (
    AnalysisPlan,
    DataModel,
    DateRange,
    InvestigationContext,
    PlanStep,
    Relationship,
    TableInfo,
)

JANUARY = {"start": "2024-01-01", "end": "2024-01-31"}
FEBRUARY = {"start": "2024-02-01", "end": "2024-02-29"}
LINK = {
    "from_table": "orders",
    "from_column": "customer_id",
    "to_table": "customers",
    "to_column": "id",
    "relationship_type": "foreign_key",
    "confidence": 0.98,
}
STEP = {
    "step_number": 1,
    "phase": "exploration",
    "description": "look",
    "tables_involved": ["orders"],
    "dimensions_to_check": ["region"],
}


def values(**changed: Any) -> dict[str, Any]:
    return {
        "session_id": new_id(),
        "metric_sql": "SUM(amount)",
        "baseline_period": JANUARY,
        "comparison_period": FEBRUARY,
        **changed,
    }


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in values().items() if key != name}


@pytest.mark.seed("B-026")
def test_a_context_has_its_fields_and_reads_back_unchanged():
    assert set(InvestigationContext.model_fields) - {"groups", "metric_name", "metric_unit"} == {
        "session_id",
        "business_context",
        "metric_sql",
        "baseline_period",
        "comparison_period",
        "investigation_prompt",
        "submitted_at",
    }
    made = InvestigationContext.checked(values())
    assert made.business_context is None
    assert made.investigation_prompt is None
    assert InvestigationContext.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("B-027")
@pytest.mark.parametrize(
    ("field", "most"), [("business_context", 5000), ("metric_sql", 2000), ("investigation_prompt", 2000)]
)
def test_texts_of_a_context_have_their_lengths(field: str, most: int):
    assert InvestigationContext.checked(values(**{field: "x" * most}))
    with pytest.raises(InvalidRequest):
        InvestigationContext.checked(values(**{field: "x" * (most + 1)}))


@pytest.mark.seed("B-028")
@pytest.mark.parametrize(
    "given", [values(metric_sql=""), values(metric_sql=" \n"), values(metric_sql=None), without("metric_sql")]
)
def test_an_investigation_without_a_metric_is_refused(given: dict[str, Any]):
    with pytest.raises(MetricSqlRequired):
        InvestigationContext.checked(given)


@pytest.mark.seed("B-030")
def test_both_ends_of_a_period_belong_to_it():
    assert DateRange(start=date(2024, 2, 1), end=date(2024, 2, 29)).days == 29
    assert DateRange(start=date(2024, 2, 1), end=date(2024, 2, 1)).days == 1


@pytest.mark.seed("B-031")
@pytest.mark.parametrize(
    "given",
    [
        values(baseline_period={"start": "2024-01-31", "end": "2024-01-01"}),
        values(comparison_period={"start": "2024-02-30", "end": "2024-03-01"}),
        values(comparison_period={"start": "2024-02-01"}),
        values(comparison_period="February"),
        values(comparison_period=None),
        values(comparison_period={**FEBRUARY, "zone": "UTC"}),
        without("baseline_period"),
        without("comparison_period"),
    ],
)
def test_a_period_that_is_none_is_refused(given: dict[str, Any]):
    with pytest.raises(InvalidDateRange):
        InvestigationContext.checked(given)


@pytest.mark.seed("B-032")
@pytest.mark.parametrize("other", [FEBRUARY, JANUARY, {"start": "2023-12-01", "end": "2024-01-15"}])
def test_periods_may_follow_precede_or_overlap(other: dict[str, str]):
    assert InvestigationContext.checked(values(comparison_period=other))


@pytest.mark.seed("B-034")
def test_a_data_model_has_its_fields():
    assert set(DataModel.model_fields) == {
        "session_id",
        "tables",
        "relationships",
        "recommended_dimensions",
        "inferred_at",
    }
    made = DataModel(session_id=new_id(), tables=(), recommended_dimensions=("region",))
    assert made.relationships == ()
    assert DataModel.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("B-035")
def test_a_tables_summary_has_its_fields():
    assert set(TableInfo.model_fields) == {"file_id", "name", "row_count", "column_count"}
    assert TableInfo(file_id=new_id(), name="orders", row_count=0, column_count=0).row_count == 0
    with pytest.raises(ValidationError):
        TableInfo(file_id=new_id(), name="orders", row_count=-1, column_count=2)


@pytest.mark.seed("B-036")
@pytest.mark.parametrize("wrong", [{"relationship_type": "friend"}, {"confidence": 1.2}, {"confidence": -0.1}])
def test_a_relationship_outside_its_contract_is_refused(wrong: dict[str, Any]):
    assert set(Relationship.model_fields) == set(LINK)
    assert Relationship.model_validate({**LINK, "relationship_type": "similar_values"})
    with pytest.raises(ValidationError):
        Relationship.model_validate({**LINK, **wrong})


@pytest.mark.seed("B-039")
def test_steps_out_of_order_are_refused():
    assert set(AnalysisPlan.model_fields) == {"session_id", "steps", "created_at"}
    steps = [{**STEP, "step_number": number} for number in (1, 2, 3)]
    assert len(AnalysisPlan.model_validate({"session_id": new_id(), "steps": steps}).steps) == 3
    for wrong in (steps[::-1], [steps[0], steps[0]]):
        with pytest.raises(ValidationError):
            AnalysisPlan.model_validate({"session_id": new_id(), "steps": wrong})


@pytest.mark.seed("B-040")
def test_a_step_has_its_fields_and_one_of_three_phases():
    assert set(PlanStep.model_fields) == set(STEP)
    for phase in ("exploration", "hypothesis_generation", "validation"):
        assert PlanStep.model_validate({**STEP, "phase": phase}).phase == phase
    with pytest.raises(ValidationError):
        PlanStep.model_validate({**STEP, "phase": "celebration"})
