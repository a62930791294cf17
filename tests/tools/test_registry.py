"""Arguments are valid or nothing runs."""

from typing import Any

import pytest

from averment.errors import InvalidArguments, UnknownTool
from averment.tools.registry import Registry, standard_registry

REGISTRY = standard_registry()


@pytest.mark.seed("A-036")
def test_an_unknown_tool_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownTool) as caught:
        REGISTRY.validate("sql.runn", {})
    assert "sql.run" in caught.value.hint


@pytest.mark.seed("A-035")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("sql.run", {}),
        ("sql.run", {"query": ""}),
        ("sql.run", {"query": "SELECT 1", "surprise": 1}),
        ("sql.run", {"query": "SELECT 1", "params": [{"a": 1}]}),
        ("df.transform", {"input": "q", "operation": "explode"}),
        ("df.transform", {"input": "q", "operation": "group", "columns": ["a"]}),
        ("df.transform", {"input": "q", "operation": "pivot", "columns": ["a"], "aggregation": "count"}),
        ("plot.render", {"input": "q", "type": "hologram", "x_col": "a"}),
        ("profiler.analyze", {}),
        ("python.run", {"code": "x", "timeout": 0}),
    ],
)
def test_arguments_outside_the_schema_are_refused(tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments) as caught:
        REGISTRY.validate(tool, arguments)
    assert caught.value.category == "type_mismatch"
    assert caught.value.details["problems"]


@pytest.mark.seed("A-037")
@pytest.mark.parametrize("name", ["timeout", "row_limit"])
@pytest.mark.parametrize("out", [0, 200_001])
def test_sql_run_has_the_seeds_limits(name: str, out: int) -> None:
    args = REGISTRY.validate("sql.run", {"query": "SELECT 1"})
    assert args.model_dump() == {"query": "SELECT 1", "params": [], "timeout": 30, "row_limit": 200_000}
    with pytest.raises(InvalidArguments):
        REGISTRY.validate("sql.run", {"query": "SELECT 1", name: out})
    with pytest.raises(InvalidArguments):
        REGISTRY.validate("sql.run", {"query": "SELECT 1", "timeout": 181})


@pytest.mark.seed("A-040", "A-038", "A-039")
def test_every_tool_has_schemas_and_annotations() -> None:
    schemas = {tool.name: tool.schema() for tool in REGISTRY}
    assert set(schemas) >= {
        "sql.run",
        "df.transform",
        "plot.render",
        "profiler.analyze",
        "python.run",
        "metric.attribute",
    }
    assert {"operation", "columns", "aggregation"} <= set(schemas["df.transform"]["input_schema"]["properties"])
    assert {"type", "x_col", "y_col", "title"} <= set(schemas["plot.render"]["input_schema"]["properties"])
    for schema in schemas.values():
        assert schema["description"]
        assert schema["annotations"]["destructive"] is False
        assert all("description" in field for field in schema["input_schema"]["properties"].values())


def test_a_name_can_be_taken_once() -> None:
    tool = REGISTRY.get("sql.run")
    with pytest.raises(InvalidArguments):
        Registry((tool, tool))
