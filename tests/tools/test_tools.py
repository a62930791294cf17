"""Each tool does its work for real: engine, jail and renderer."""

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from averment.errors import (
    AvermentError,
    InvalidArguments,
    MissingColumn,
    PatternBlocked,
    QueryTimeout,
    SandboxUnavailable,
    ToolError,
    TypeMismatch,
)
from averment.tools.registry import standard_registry
from averment.tools.result_store import table_bytes
from averment.tools.tool import ToolContext

REGISTRY = standard_registry()


def call(context: ToolContext, name: str, **arguments: Any) -> Any:
    return REGISTRY.get(name).run(REGISTRY.validate(name, arguments), context)


def keep(context: ToolContext, task: str = "q") -> pa.Table:
    table = pa.table({"region": ["West", "East", "West"], "amount": pa.array(map(Decimal, ("1.50", "2.25", "3.00")))})
    context.keep(table)
    context.result_store.answer(task, context.call_id)
    return table


@pytest.mark.seed("A-041")
def test_sql_run_keeps_an_exact_result_with_its_sql_and_hash(context: ToolContext) -> None:
    output = call(context, "sql.run", query="SELECT sum(amount) AS s FROM t WHERE region = ?", params=["West"])
    assert context.result_store.by_call(context.call_id).to_pydict() == {"s": [Decimal("4.50")]}
    assert output.params == ["West"]
    assert "West" not in output.sql
    assert len(output.query_hash) == 64
    assert output.columns_read == ["t.amount", "t.region"]


def test_sql_run_says_when_it_cut_the_result(context: ToolContext) -> None:
    output = call(context, "sql.run", query="SELECT region FROM t", row_limit=2)
    assert output.truncated
    assert output.table.row_count == 2


def test_profiler_analyze_tells_roles_and_ranges(context: ToolContext) -> None:
    output = call(context, "profiler.analyze", table="t")
    roles = {column["name"]: column["inferred_type"] for column in output.profile["columns"]}
    assert roles == {"region": "dimension", "amount": "measure", "day": "timestamp"}
    assert output.row_count == 3


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"operation": "group", "columns": ["region"], "aggregation": "sum", "value_column": "amount"},
            {"region": ["East", "West"], "sum_amount": [Decimal("2.25"), Decimal("4.50")]},
        ),
        (
            {"operation": "group", "columns": ["region"], "aggregation": "count"},
            {"region": ["East", "West"], "count": [1, 2]},
        ),
        (
            {"operation": "sort", "columns": ["amount"], "descending": True},
            {"region": ["West", "East", "West"], "amount": [Decimal("3.00"), Decimal("2.25"), Decimal("1.50")]},
        ),
        ({"operation": "head", "n": 1}, {"region": ["West"], "amount": [Decimal("1.50")]}),
        ({"operation": "select", "columns": ["region"]}, {"region": ["West", "East", "West"]}),
        ({"operation": "distinct", "columns": ["region"]}, {"region": ["West", "East"]}),
        (
            {"operation": "cumulative", "value_column": "amount"},
            {
                "region": ["West", "East", "West"],
                "amount": [Decimal("1.50"), Decimal("2.25"), Decimal("3.00")],
                "cumulative_amount": [Decimal("1.50"), Decimal("3.75"), Decimal("6.75")],
            },
        ),
    ],
)
def test_df_transform_computes_in_the_jail(
    context: ToolContext, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    keep(context)
    output = call(context, "df.transform", input="q", **arguments)
    assert context.result_store.by_call(context.call_id).to_pydict() == expected
    assert output.jail in {"bubblewrap", "landlock", "docker", "gvisor"}


@pytest.mark.parametrize("operation", ["share", "moving_average", "growth"])
def test_df_transform_follows_a_value(context: ToolContext, operation: str) -> None:
    keep(context)
    call(context, "df.transform", input="q", operation=operation, value_column="amount", n=2)
    column = context.result_store.by_call(context.call_id).column(f"{operation}_amount").to_pylist()
    expected = {
        "share": [1.5 / 6.75, 2.25 / 6.75, 3.0 / 6.75],
        "moving_average": [None, 1.875, 2.625],
        "growth": [None, 0.5, 0.75 / 2.25],
    }[operation]
    assert column == pytest.approx(expected)


def test_df_transform_pivots(context: ToolContext) -> None:
    table = pa.table({"r": ["a", "a", "b"], "c": ["x", "y", "x"], "v": [1, 2, 3]})
    context.keep(table)
    context.result_store.answer("q", context.call_id)
    call(context, "df.transform", input="q", operation="pivot", columns=["r", "c"], aggregation="sum", value_column="v")
    assert context.result_store.by_call(context.call_id).to_pydict() == {"r": ["a", "b"], "x": [1, 3], "y": [2, None]}


def test_df_transform_names_the_column_that_is_missing(context: ToolContext) -> None:
    keep(context)
    with pytest.raises(MissingColumn) as caught:
        call(context, "df.transform", input="q", operation="select", columns=["regio"])
    assert "region" in str(caught.value.suggestion)


def test_plot_render_keeps_a_picture_and_its_specification(context: ToolContext) -> None:
    keep(context)
    output = call(context, "plot.render", input="q", type="bar", x_col="region", y_col="amount", title="T")
    assert context.result_store.file(context.call_id, "png").startswith(b"\x89PNG")
    assert output.png.size_bytes > 1000
    assert b'"mark"' in context.result_store.file(context.call_id, "vl.json")


def test_python_run_reads_earlier_tables_and_leaves_one(context: ToolContext) -> None:
    keep(context, "sales")
    code = (
        "import pyarrow as pa, pyarrow.compute as pc\n"
        "t = pa.ipc.open_file(IN / 'sales.arrow').read_all()\n"
        "print('rows', t.num_rows)\n"
        "out = pa.table({'n': [t.num_rows]})\n"
        "w = pa.ipc.new_file(str(OUT / 'result.arrow'), out.schema); w.write_table(out); w.close()\n"
    )
    output = call(context, "python.run", code=code, inputs=["sales"])
    assert output.stdout == "rows 3\n"
    assert context.result_store.by_call(context.call_id).to_pydict() == {"n": [3]}
    assert output.jail


def test_python_run_reports_the_codes_own_error(context: ToolContext) -> None:
    with pytest.raises(ToolError) as caught:
        call(context, "python.run", code="1 / 0")
    assert "ZeroDivisionError" in caught.value.message


def test_python_run_is_ended_in_time(context: ToolContext) -> None:
    with pytest.raises(QueryTimeout):
        call(context, "python.run", code="while True: pass", timeout=1)


def test_a_forged_result_file_is_refused(context: ToolContext) -> None:
    with pytest.raises(TypeMismatch):
        call(context, "python.run", code="(OUT / 'result.arrow').write_bytes(b'ARROW1 no')")


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden"])
def test_an_input_is_a_task_and_not_a_path(context: ToolContext, name: str) -> None:
    with pytest.raises(InvalidArguments):
        call(context, "python.run", code="pass", inputs=[name])


def test_a_task_without_a_table_is_said_to_have_none(context: ToolContext) -> None:
    with pytest.raises(InvalidArguments):
        call(context, "plot.render", input="nobody", type="bar", x_col="a", y_col="b")


def test_without_a_jail_code_does_not_run(context: ToolContext) -> None:
    from dataclasses import replace

    def refuse() -> Any:
        raise SandboxUnavailable("none")

    with pytest.raises(SandboxUnavailable):
        call(replace(context, jail=refuse), "python.run", code="print(1)")


def test_policy_sees_a_table_before_it_is_kept(context: ToolContext) -> None:
    from dataclasses import replace

    def refuse(table: pa.Table) -> None:
        raise PatternBlocked("no")

    blocked = replace(context, check_values=refuse)
    with pytest.raises(PatternBlocked):
        call(blocked, "sql.run", query="SELECT region FROM t")
    with pytest.raises(AvermentError):
        context.result_store.by_call(context.call_id)


def test_a_tables_bytes_depend_on_its_content_alone() -> None:
    one = pa.table({"a": pa.chunked_array([[1, 2], [3]]), "s": pa.array(["x", "y", "x"]).dictionary_encode()})
    two = pa.table({"a": [1, 2, 3], "s": ["x", "y", "x"]}).replace_schema_metadata({"made": "elsewhere"})
    assert table_bytes(one) == table_bytes(two)
