"""The form of one step that a model takes: it looks at something, tries something, submits, or asks back.

One flat form serves every model: those with tools of their own and those that only write JSON. Thoughts have a field so
that a model may think before it answers; nobody keeps them. Keys that are not in the form are passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import Field, model_validator

from averment.charts.spec import ChartType
from averment.llm.forms import Form, ThoughtForm
from averment.plugins import OneOf
from averment.records.run import BuiltInTool

Tool = Literal["submit", "ask", "try_sql", "look_up_value", "profile", "schema", "try_python"]

TASK_TOOLS = ("sql.run", "python.run", "df.transform", "profiler.analyze", "plot.render")
TaskTool = Annotated[str, OneOf("tools", TASK_TOOLS, others=get_args(BuiltInTool))]
"""A tool that a submitted task may use: some of our own, none of which leaves the machine, and those of plugins."""

MOST_TASKS = 8
MOST_CHOICES = 4


class ProposedChart(Form):
    """How a result could be drawn: the fields of a chart's specification that a model may fill in."""

    type: ChartType
    x_col: str
    y_col: str | None = None
    series_col: str | None = None
    box_cols: list[str] | None = Field(default=None, min_length=4, max_length=4)

    def over(self, names: Collection[str], renamed: Mapping[str, str]) -> dict[str, Any] | None:
        """The chart as arguments of ``plot.render`` over columns of those names; None where one is not there.

        ``renamed`` are the columns' new names by those that the model wrote.
        """
        columns = self.model_dump(exclude={"type"}, exclude_none=True)
        drawn = with_names(columns, renamed)
        named = {name for value in drawn.values() for name in ([value] if isinstance(value, str) else value)}
        return {"type": self.type, **drawn} if named <= set(names) else None


def with_names(value: Any, renamed: Mapping[str, str]) -> Any:
    """A value of arguments with the new names of columns in the place of those that the model wrote."""
    if isinstance(value, str):
        return renamed.get(value, value)
    if isinstance(value, list):
        return [with_names(each, renamed) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: with_names(each, renamed) for key, each in cast("dict[str, Any]", value).items()}
    return value


class Input(Form):
    """A table for a program: its name there, and the query that gives it."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    sql: str = Field(max_length=20_000)


class Task(Form):
    """One task of a submitted plan of several."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")
    tool: TaskTool
    arguments: dict[str, Any] = Field(default_factory=dict)
    after: list[str] = Field(default_factory=list, description="Ids of the tasks it needs.")


class Choice(Form):
    """A reading for the person to choose: a plan or a query."""

    sql: str | None = Field(default=None, max_length=20_000)
    plan: dict[str, Any] | None = None


class Step(ThoughtForm):
    """What a model does next."""

    tool: Tool = Field(description="What to do now.")
    sql: str | None = Field(default=None, max_length=20_000, description="One SELECT, for try_sql or submit.")
    plan: dict[str, Any] | None = Field(default=None, description="A plan of averment.plan/1, for submit.")
    code: str | None = Field(default=None, max_length=50_000, description="Python, for try_python or submit.")
    inputs: list[Input] = Field(default_factory=list[Input], max_length=6, description="Tables for the code.")
    tasks: list[Task] = Field(
        default_factory=list[Task], max_length=MOST_TASKS, description="Several tasks to submit together."
    )
    main: str | None = Field(default=None, description="The id of the task whose table answers the question.")
    chart: ProposedChart | None = Field(
        default=None, description="For submit: how the result is best drawn, if at all."
    )
    table: str | None = Field(default=None, description="For schema and profile.")
    column: str | None = Field(default=None, description="For profile.")
    text: str | None = Field(default=None, max_length=500, description="For look_up_value: the words to look for.")
    question_back: str | None = Field(default=None, max_length=500, description="For ask: one plain question.")
    choices: list[Choice] = Field(
        default_factory=list[Choice], max_length=MOST_CHOICES, description="For ask: readings the person may mean."
    )

    @model_validator(mode="before")
    @classmethod
    def _a_bare_answer_names_its_tool(cls, body: Any) -> Any:
        """An answer without a tool is what it holds: a query, plan or program is submitted, a question is asked."""
        if not isinstance(body, dict) or body.get("tool"):
            return body
        if body.get("question_back") and not any(body.get(key) for key in ("sql", "plan", "code", "tasks")):
            return {**body, "tool": "ask"}
        return {**body, "tool": "submit"} if any(body.get(key) for key in ("sql", "plan", "code", "tasks")) else body

    def submitted(self) -> dict[str, Any]:
        """What is submitted, as data; the same submission gives the same."""
        kept = self.model_dump(mode="json", include={"sql", "plan", "code", "inputs", "tasks", "main", "chart"})
        return {name: value for name, value in kept.items() if value not in (None, [], {})}

    def said(self) -> dict[str, Any]:
        """The step without its thoughts, for the record and for the model's next turn."""
        kept = self.model_dump(mode="json", exclude={"thoughts"})
        return {name: value for name, value in kept.items() if value not in (None, [], {})}
