from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from averment.records.analysis import Recipe, placeholders

MADE = datetime(2025, 9, 15, 10, 30, tzinfo=UTC)


def recipe(**values: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "schema_fingerprint": "a3" * 32,
            "intent_template": "Analyze {time_range} {location} sales",
            "intent_embedding": b"\x00\x01\xff",
            "plan_structure": {"subtasks": [{"task_id": "load", "tool_name": "sql.run", "arg_template": "{start}"}]},
            "tool_argument_templates": [{"query": "SELECT {measure}"}],
            "created_at": MADE,
            **values,
        }
    )


@pytest.mark.seed("A-050")
def test_a_recipe_has_its_fields_and_reads_back_unchanged():
    assert set(Recipe.model_fields) == {
        "recipe_id",
        "schema_fingerprint",
        "intent_template",
        "intent_embedding",
        "plan_structure",
        "tool_argument_templates",
        "success_count",
        "created_at",
        "last_used_at",
    }
    made = recipe()
    assert made.last_used_at == MADE
    assert Recipe.model_validate_json(made.model_dump_json()) == made


@pytest.mark.seed("A-051")
@pytest.mark.parametrize("digest", ["a3f5b8c...", "", "A3" * 32])
def test_a_recipe_whose_fingerprint_is_no_sha256_is_refused(digest: str):
    with pytest.raises(ValidationError):
        recipe(schema_fingerprint=digest)


@pytest.mark.seed("A-052")
def test_a_recipe_without_a_success_is_refused():
    assert recipe().success_count == 1
    with pytest.raises(ValidationError):
        recipe(success_count=0)


@pytest.mark.seed("A-053")
@pytest.mark.parametrize("template", ["", "sales in {", "sales in }", "in {}", "in {1st}", "in {a.b}", "in {a:>3}"])
def test_a_template_without_proper_placeholders_is_refused(template: str):
    with pytest.raises(ValidationError):
        recipe(intent_template=template)


def test_a_question_with_nothing_to_fill_in_is_a_template_too():
    assert recipe(intent_template="total sales by region").intent_template == "total sales by region"


@pytest.mark.seed("A-053")
def test_placeholders_are_read_in_order_and_once():
    assert placeholders("{b} by {a} and {b}, {{literal}}") == ("b", "a")


@pytest.mark.seed("A-054")
@pytest.mark.parametrize("structure", [{}, {"subtasks": []}, {"subtasks": "load"}, {"subtasks": [{"task_id": "a"}]}])
def test_a_structure_without_subtasks_is_refused(structure: dict[str, Any]):
    with pytest.raises(ValidationError):
        recipe(plan_structure=structure)


@pytest.mark.seed("A-055")
def test_a_reuse_counts_and_is_dated():
    later = MADE + timedelta(days=12)
    again = recipe().reused(later)
    assert (again.success_count, again.last_used_at, again.created_at) == (2, later, MADE)
    assert again.reused(MADE).last_used_at == later


def test_a_recipe_used_before_it_was_made_is_refused():
    with pytest.raises(ValidationError):
        recipe(last_used_at=MADE - timedelta(seconds=1))
