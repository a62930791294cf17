"""What a model may use of plugins' tools, and what their results may hold."""

from typing import Any, Literal

import pyarrow as pa
import pytest

from averment.agents.analyst.model_loop.submission import (
    TASK_TOOLS,
    called,
    check_allowed,
    leaves_table,
    offered,
    written,
)
from averment.agents.analyst.model_loop.trials import check_given
from averment.errors import PlanInvalid, PolicyError, UnknownTool
from averment.tools.registry import Registry, standard_registry
from averment.tools.result_store import StoredTable
from averment.tools.tool import Annotations, Args, Output, Tool


class _Args(Args):
    input: str
    label: str = ""
    method: Literal["fast", "exact"] = "fast"


class _Kept(Output):
    table: StoredTable | None = None


class _Told(Output):
    table: str


def _tool(name: str, output: type[Output] = _Kept, **annotations: Any) -> Tool[Any, Any]:
    def run(args: Any, context: Any) -> Any:
        raise AssertionError("nothing is run here")

    made = Annotations(**annotations)
    return Tool(name=name, description="", args=_Args, output=output, run=run, annotations=made)


REGISTRY = Registry((_tool("x.reads"), _tool("x.tells", _Told), _tool("x.writes", read_only=False)))


def _hosts() -> dict[str, pa.Table]:
    return {"t": pa.table({"host": ["a.example"], "bytes": [900]})}


def test_only_tools_that_change_nothing_are_offered_and_passed() -> None:
    assert [each["tool"] for each in offered(REGISTRY)["tools"]] == ["x.reads", "x.tells"]
    check_allowed(REGISTRY, "x.reads")
    with pytest.raises(PolicyError, match=r"x\.writes may change something"):
        check_allowed(REGISTRY, "x.writes")
    with pytest.raises(UnknownTool):
        check_allowed(REGISTRY, "x.nothing")


def test_our_own_tools_are_told_of_in_the_prompt_itself() -> None:
    assert offered(standard_registry())["tools"] == []


def test_what_leaves_a_table_follows_from_the_tools_output() -> None:
    assert [leaves_table(REGISTRY, name) for name in ("x.reads", "x.tells")] == [True, False]
    own = standard_registry()
    assert {name for name in TASK_TOOLS if leaves_table(own, name)} == {"sql.run", "python.run", "df.transform"}


def test_columns_are_called_by_their_new_names_and_tasks_are_not() -> None:
    given = {"input": "loot", "of": ["loot", {"by": "loot"}], "most": 5}
    assert called(given, {"loot": "bytes"}) == {"input": "loot", "of": ["bytes", {"by": "bytes"}], "most": 5}


def test_a_choice_among_a_few_is_not_a_models_own_word() -> None:
    given = {"input": "t", "label": "Fraud", "method": "exact"}
    assert list(written(REGISTRY, "x.reads", given)) == ["Fraud"]


@pytest.mark.parametrize(
    ("result", "given"),
    [
        ({"kind": ["Fraud at a.example"]}, ["Fraud"]),
        ({"Fraud": [1]}, ["Fraud"]),
        ({"value": [4711]}, [4711]),
        ({"value": [4711.5]}, [4711.5]),
    ],
)
def test_a_result_that_repeats_what_the_model_wrote_is_refused(result: dict[str, Any], given: list[Any]) -> None:
    with pytest.raises(PlanInvalid, match="comes from no source"):
        check_given(pa.table(result), given, _hosts(), "how is it spread")


@pytest.mark.parametrize(
    ("result", "given", "question"),
    [
        ({"host": ["a.example"]}, ["a.example"], ""),
        ({"bytes": [1]}, ["bytes"], ""),
        ({"word": ["highly concentrated"]}, ["host"], ""),
        ({"value": [4711]}, [4711], "more than 4711 bytes"),
        ({"rank": [5]}, [5], ""),
        ({"held": [True]}, [1], ""),
    ],
)
def test_what_stands_in_the_tables_or_the_question_and_a_tools_own_words_pass(
    result: dict[str, Any], given: list[Any], question: str
) -> None:
    check_given(pa.table(result), given, _hosts(), question)
