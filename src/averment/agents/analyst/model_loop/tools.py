"""The analyst's tools for a model: what it may look at before it submits, how a submission is taken, and asking back.

Each look gives an observation as JSON values, under the run's level of privacy. A result that is odd is not wrong: the
model is told once, and what it then submits again stands. So is one that differs from what the embedded readers come
to: the model sees both readings, and the one that it keeps to stands; a third one leaves the matter to the person.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from averment.agents.analyst.model_loop.readings import ReadingOutcome, same_result
from averment.agents.analyst.model_loop.sight import ModelView, column_card, step_prompt, table_card
from averment.agents.analyst.model_loop.submission import (
    TRIAL_SECONDS,
    CheckedSubmission,
    Input,
    Submit,
    check_submission,
    guarded_sql,
    run_program,
)
from averment.agents.analyst.model_loop.trials import TrialTask, check_code, trial
from averment.errors import AvermentError, InvalidArguments
from averment.llm.toolsets import Form, ToolCall, compact_schema
from averment.plans.plan import Plan
from averment.runtime.model_loop.tool_loop import LoopLimits, ModelLoop, Outcome, RunSteps, Use
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.llm import Proposer

PURPOSE = "plan"
MOST_STEPS = 8
MOST_CHOICES = 4
SHOWN_ROWS, LOOKED_ROWS, SAMPLE_ROWS = 20, 1_000, 5
MOST_MATCHES, MOST_NEAR, NEAR = 12, 3, 0.72

_ADDED = re.compile(r"\b(?:sum|avg|mean|total)\s*\(\s*(?:(\w+)\.)?\"?(\w+)\"?\s*\)", re.IGNORECASE)
_LITERAL = re.compile(r"\"?(\w+)\"?\s*=\s*'((?:[^']|'')*)'")


class Choice(Form, frozen=True):
    """A reading for the person to choose: a plan or a query."""

    sql: str | None = Field(default=None, max_length=20_000)
    plan: dict[str, Any] | None = None


class Ask(ToolCall, frozen=True):
    """Ask the person: the question can mean several things, or the data cannot answer it. Offer readings to choose."""

    OWN: ClassVar[tuple[str, ...]] = ("question_back",)

    tool: Literal["ask"] = "ask"
    question_back: str = Field(default="", max_length=500)
    choices: list[Choice] = Field(default_factory=list[Choice], max_length=MOST_CHOICES)


class Try(ToolCall, frozen=True):
    """See what a query gives, or code over inputs; nobody is told of it."""

    tool: Literal["try"] = "try"
    sql: str | None = Field(default=None, max_length=20_000)
    code: str | None = Field(default=None, max_length=50_000)
    inputs: list[Input] = Field(default_factory=list[Input], max_length=6)


class LookUpValue(ToolCall, frozen=True):
    """Find the columns that hold a text, also if it is spelled otherwise."""

    tool: Literal["look_up_value"] = "look_up_value"
    text: str = Field(max_length=500)


class SampleRows(ToolCall, frozen=True):
    """See a few rows of a table."""

    tool: Literal["sample_rows"] = "sample_rows"
    table: str


class ProfileColumn(ToolCall, frozen=True):
    """See a table's columns, or one of them in detail."""

    tool: Literal["profile"] = "profile"
    table: str | None = None
    column: str | None = None


class ShowSchema(ToolCall, frozen=True):
    """See all tables, or the columns of one."""

    tool: Literal["schema"] = "schema"
    table: str | None = None


class PlanForm(ToolCall, frozen=True):
    """See the whole form of a plan, or of one of its parts."""

    tool: Literal["plan_form"] = "plan_form"
    part: str | None = None


@dataclass(kw_only=True)
class LoopOutcome:
    """How the loop ended: with a submission that stands, with a question, or with two readings that are both open."""

    outcome: Literal["stands", "asks", "open"]
    checked: CheckedSubmission | None = None
    agrees: bool = False
    confirms: ReadingOutcome | None = None
    """The readers' reading that comes to the same result, where the model had not seen it before."""
    question: str = ""
    choices: list[CheckedSubmission] = field(default_factory=list[CheckedSubmission])


def run_loop(
    view: ModelView,
    proposer: Proposer,
    values: dict[str, Any],
    witnesses: Sequence[ReadingOutcome],
    *,
    seconds: float,
    candidate: int = 1,
) -> LoopOutcome:
    """How a model's loop over one question ends.

    ``candidate`` counts loops over one question: each goes its own way, and keeps its steps apart.

    Raises:
        ModelError: the model fell silent, came to nothing, or its time or budget is used up.
    """
    return ModelLoop(
        proposer,
        RunSteps(view.work, "" if candidate == 1 else f"{candidate}/"),
        AnalystTools(view, witnesses).uses(),
        lambda taken, left: step_prompt(values, taken, left),
        purpose=PURPOSE,
        limits=LoopLimits(steps=MOST_STEPS, seconds=seconds),
        refusal=lambda error: view.privacy.refusal(error, view.names),
    ).run()


class AnalystTools:
    """One loop's tools, and what it has been told so far."""

    def __init__(self, view: ModelView, witnesses: Sequence[ReadingOutcome]) -> None:
        self._view = view
        self._witnesses = list(witnesses)
        self._warned: set[str] = set()
        self._disputed: list[CheckedSubmission] = []

    def uses(self) -> dict[type[ToolCall], Use[LoopOutcome]]:
        """Every tool with what it does."""
        looks: dict[type[ToolCall], Callable[[Any], dict[str, Any]]] = {
            ShowSchema: self._schema,
            ProfileColumn: self._profile,
            LookUpValue: self._values,
            SampleRows: lambda call: self._query(
                f"SELECT * FROM {quote(self._view.profile(call.table).table)} LIMIT {SAMPLE_ROWS}"
            ),
            Try: lambda call: (
                self._query(call.sql or "") if call.code is None else self._program(call.code, call.inputs)
            ),
            PlanForm: plan_form,
        }
        return {Submit: self._submit, Ask: self._ask, **{tool: _seen(look) for tool, look in looks.items()}}

    def _submit(self, call: Submit) -> Outcome[LoopOutcome]:
        checked = check_submission(self._view.work, call)
        agreeing = self._agreeing(checked)
        if agreeing is not None:
            unseen = not self._disputed and "ask" not in self._warned
            return _accepted(
                LoopOutcome(outcome="stands", checked=checked, agrees=True, confirms=agreeing if unseen else None)
            )
        odd = [] if call.key in self._warned else oddities(self._view, checked)
        if odd:
            self._warned.add(call.key)
            then = "Correct it, or submit the same again."
            return Outcome(seen={"odd": odd, "result": self._shown(checked), "then": then})
        other = self._sure()
        if other is None or checked.rows is None:
            return _accepted(LoopOutcome(outcome="stands", checked=checked))
        if not self._disputed:
            self._disputed.append(checked)
            return Outcome(
                seen={
                    "the_readers_come_to_another_result": self._read(other),
                    "yours": {"read_as": checked.said, "result": self._shown(checked)},
                    "then": "Submit yours again, submit what gives theirs, or ask.",
                }
            )
        before = self._disputed[-1].rows
        kept_to = before is not None and same_result(before, checked.rows)
        return _accepted(LoopOutcome(outcome="stands" if kept_to else "open", checked=checked))

    def _ask(self, call: Ask) -> Outcome[LoopOutcome]:
        other = self._sure()
        if other is not None and "ask" not in self._warned:
            self._warned.add("ask")
            then = "Submit what gives it if that is what is meant, or ask again."
            return Outcome(seen={"the_readers_come_to_a_result": self._read(other), "then": then})
        choices: list[CheckedSubmission] = []
        for choice in call.choices:
            try:
                choices.append(check_submission(self._view.work, Submit(sql=choice.sql, plan=choice.plan)))
            except AvermentError:
                continue  # What cannot be run is no choice.
        ended = LoopOutcome(outcome="asks", question=call.question_back, choices=choices)
        return Outcome(seen={"asked": True}, ended=ended)

    def _agreeing(self, checked: CheckedSubmission) -> ReadingOutcome | None:
        """The readers' reading that leaves no word over and comes to the same result, if there is one."""
        rows = checked.rows
        if rows is None or checked.truncated:
            return None
        whole = (each for each in self._witnesses if each.sure or not each.left)
        return next((each for each in whole if same_result(each.rows, rows)), None)

    def _sure(self) -> ReadingOutcome | None:
        return next((each for each in self._witnesses if each.sure), None)

    def _shown(self, checked: CheckedSubmission) -> dict[str, Any]:
        if checked.table is None:
            return {"note": "it was not tried"}
        tasks = checked.body.get("tasks")
        query = tasks[-1]["arguments"]["query"] if tasks and tasks[-1]["tool"] == "sql.run" else None
        reads = {} if query is None else self._view.reads(query)
        return shown_table(self._view, checked.table, reads, truncated=checked.truncated)

    def _read(self, other: ReadingOutcome) -> dict[str, Any]:
        """A reading of the embedded readers, with its result."""
        import pyarrow as pa

        result: dict[str, Any] = {"row_count": len(other.rows), "columns": list(other.columns)}
        try:
            columns = [pa.array(list(column)) for column in zip(*other.rows, strict=True)]
            if columns:
                result = shown_table(self._view, pa.table(columns, names=list(other.columns)), {})
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            pass  # Values of several kinds under one heading; its shape is told.
        return {"read_as": other.said, "result": result}

    def _schema(self, call: ShowSchema) -> dict[str, Any]:
        view = self._view
        if call.table is not None:
            return table_card(view, view.profile(call.table))
        return {"tables": {each.table: [one.name for one in each.columns] for each in view.profiles} | view.unread}

    def _profile(self, call: ProfileColumn) -> dict[str, Any]:
        view = self._view
        profile = view.profile(call.table or (view.profiles[0].table if len(view.profiles) == 1 else ""))
        if call.column is None:
            return table_card(view, profile)
        found = profile.column(call.column)
        if found is None:
            names = ", ".join(each.name for each in profile.columns)
            raise InvalidArguments(f"{profile.table} has no column {call.column}.", hint=f"Columns: {names}.")
        card = column_card(view, profile, found)
        if view.privacy.permits("profiles", profile.table, found.name) and found.quantiles is not None:
            card["quartiles"] = list(found.quantiles)
        if found.values and view.privacy.samples(profile.table, found):
            card["values"] = [[str(value), count] for value, count in found.values[:30]]
            view.privacy.shown.update(str(value) for value, _ in found.values[:30])
        return card

    def _values(self, call: LookUpValue) -> dict[str, Any]:
        """Where a text stands in the data; how near only, where values may not be seen."""
        view, wanted = self._view, " ".join(call.text.casefold().split())
        if not wanted:
            raise InvalidArguments("The search text is empty.", hint="Give text.")
        matches = [
            (near, column.table, column.name, str(value))
            for column in view.schema.columns
            if column.kind == "text" and column.expression is None
            for value in column.values
            if (near := _nearness(wanted, str(value).casefold())) >= NEAR
        ]
        matches.sort(key=lambda one: (-one[0], *one[1:]))
        shown: list[dict[str, Any]] = []
        for near, table, column, value in matches[:MOST_MATCHES]:
            seen = view.may_see(table, column) or value.casefold() == wanted
            view.privacy.shown |= {value} if seen else set()
            shown.append({"column": f"{table}.{column}", "near": round(near, 2)} | ({"value": value} if seen else {}))
        return {"matches": shown} | ({} if shown else {"note": "no column of texts holds it or anything near it"})

    def _query(self, sql: str) -> dict[str, Any]:
        passed = guarded_sql(self._view.work, sql)
        result = self._view.work.queries.probe(passed, row_limit=LOOKED_ROWS, timeout=TRIAL_SECONDS)
        return shown_table(self._view, result.table, self._view.reads(passed), truncated=result.truncated)

    def _program(self, code: str, inputs: Sequence[Input]) -> dict[str, Any]:
        view, names = self._view, [each.name for each in inputs]
        if not names:
            raise InvalidArguments("A program needs at least one input.")
        check_code(code, names)
        limits = {"row_limit": view.work.request.constraints.row_limit, "timeout": TRIAL_SECONDS}
        with trial(view.work) as tried:
            for each in inputs:
                query = {"query": guarded_sql(view.work, each.sql), **limits}
                tried.run(TrialTask(id=each.name, tool="sql.run", arguments=query))
            table, headings = run_program(view.work, tried, code, names)
        reads = [pair for each in inputs for pairs in view.reads(each.sql).values() for pair in pairs]
        return shown_table(view, table.rename_columns(headings), dict.fromkeys(headings, reads))


def _seen(look: Callable[[Any], dict[str, Any]]) -> Use[LoopOutcome]:
    return lambda call: Outcome(seen=look(call))


def _accepted(ended: LoopOutcome) -> Outcome[LoopOutcome]:
    return Outcome(seen={"open" if ended.outcome == "open" else "accepted": True}, ended=ended)


def plan_form(call: PlanForm) -> dict[str, Any]:
    """The form of a plan or of one of its parts, as a schema whose references name further parts.

    Raises:
        InvalidArguments: a plan has no such part.
    """
    parts = compact_schema(Plan.model_json_schema())["$defs"]
    statistics = parts["Plan"]["properties"]["statistic"].pop("oneOf")
    parts |= {one["properties"]["kind"]["const"]: one for one in statistics}
    part = parts.get(call.part or "Plan")
    if part is None:
        raise InvalidArguments(f"A plan has no part {call.part}.", hint=f"Parts: {', '.join(sorted(parts))}.")
    return {"part": part} if call.part else {"part": part, "parts": sorted(parts)}


def shown_table(
    view: ModelView, table: pa.Table, reads: dict[str, list[tuple[str, str]]], *, truncated: bool = False
) -> dict[str, Any]:
    """A result as a model may see it: its shape, and its first rows where they may be seen."""
    size = table.num_rows
    columns = [
        {"name": field.name, "type": str(field.type)}
        | ({"empty": table.column(field.name).null_count} if table.column(field.name).null_count else {})
        for field in table.schema
    ]
    seen: dict[str, Any] = {"row_count": f"more than {size}" if truncated else size, "columns": columns}
    rows = view.privacy.cells(table, reads, SHOWN_ROWS)
    return {**seen, "rows": rows} if rows else seen


def _nearness(wanted: str, value: str) -> float:
    if value == wanted:
        return 1.0
    if len(wanted) >= 3 and wanted in value:
        return 0.9
    if len(value) >= 4 and value in wanted:
        return 0.8
    if abs(len(value) - len(wanted)) > max(4, len(wanted) // 2):
        return 0.0
    return difflib.SequenceMatcher(None, wanted, value).ratio()


def oddities(view: ModelView, checked: CheckedSubmission) -> list[dict[str, Any]]:
    """What a careful analyst would look at again, in plain words."""
    found: list[dict[str, Any]] = []
    table = checked.table
    sql = _sql_of(checked)
    if table is None:
        return found
    if table.num_rows == 0:
        found.append({"what": "the result has no row", **_near_values(view, sql)})
    empty = [name for name in table.column_names if table.num_rows and table.column(name).null_count == table.num_rows]
    if empty:
        found.append({"what": f"there is no value at all under {', '.join(empty)}"})
    if checked.truncated and view.work.request.constraints.row_limit <= table.num_rows:
        found.append({"what": "the result was cut at the row limit"})
    multiplied = _multiplied(view, checked, sql)
    if multiplied:
        found.append(
            {"what": f"{multiplied} is added up or averaged after a join in which one of its rows may stand many times"}
        )
    return found


def _sql_of(checked: CheckedSubmission) -> str:
    tasks = checked.body.get("tasks") or []
    return " ".join(str(task["arguments"].get("query", "")) for task in tasks)


def _near_values(view: ModelView, sql: str) -> dict[str, Any]:
    """Literals of the query that stand nowhere in their column, each with the values nearest to it."""
    import difflib

    told: dict[str, list[str]] = {}
    for name, literal in _LITERAL.findall(sql):
        columns = [column for column in view.schema.columns if column.name.casefold() == name.casefold()]
        held = [(column, str(value)) for column in columns for value in column.values]
        if not held or any(value == literal for _, value in held):
            continue
        near = difflib.get_close_matches(literal, [value for _, value in held], n=MOST_NEAR, cutoff=0.5)
        same = [value for _, value in held if value.casefold() == literal.casefold()]
        shown = [value for value in dict.fromkeys(same or near) if _may_see(view, held, value)]
        told[literal] = shown
    return {"not_in_the_data": told} if told else {}


def _may_see(view: ModelView, held: list[tuple[Any, str]], value: str) -> bool:
    column = next(column for column, each in held if each == value)
    seen = view.may_see(column.table, column.name)
    if seen:
        view.privacy.shown.add(value)
    return seen


def _multiplied(view: ModelView, checked: CheckedSubmission, sql: str) -> str | None:
    """A column of the one side of a join that is summed while the many side is joined too."""
    if len(checked.tables) < 2 or re.search(r"\bdistinct\b", sql, re.IGNORECASE):
        return None
    inner = sql.upper().count("SELECT") > 1
    for _, name in _ADDED.findall(sql):
        for one in view.schema.relations:
            if not {one.left, one.right} <= set(checked.tables) or inner:
                continue
            right, left = view.schema.tables[one.right], view.schema.tables[one.left]
            there = any(column.name.casefold() == name.casefold() for column in right.columns)
            here = any(column.name.casefold() == name.casefold() for column in left.columns)
            key = view.schema.column(one.left, one.left_column)
            if there and not here and key is not None and not key.is_unique:
                return name
    return None
