"""The analyst with a model: rules read first; where they are unsure a model proposes, and everything is checked.

A model sees names, types and samples of permitted columns, never rows. What it writes passes the guard, the policy and
the limits, and no sentence of a report is its own. When it fails, the rules' answer stands, and the ledger says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.rules import RuleReasoner
from averment.agents.analyst.skill import Question
from averment.agents.analyst.skills import skill_named
from averment.errors import AvermentError, ModelNonsense, PatternBlocked
from averment.llm import FallbackNote, Proposer, render, with_fallback
from averment.records.analysis import Plan
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.spine.agent import Planned

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.tables.profile import ColumnProfile


class ProposedChart(BaseModel):
    """How a result could be drawn."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["bar", "line", "area", "scatter", "pie"]
    x_col: str
    y_col: str
    series_col: str | None = None


class ProposedQuery(BaseModel):
    """A model's reading of a question: one SELECT, in words, or what it would need to know."""

    model_config = ConfigDict(extra="forbid")

    sql: str | None = Field(default=None, max_length=20_000, description="One SELECT over the given tables.")
    in_words: str = Field(default="", max_length=500, description="What the query answers, in plain words.")
    question_back: str | None = Field(default=None, max_length=500, description="What to ask when it is not clear.")
    chart: ProposedChart | None = None


class ModelReasoner:
    """Rules first; a model where they ask back or have no repair."""

    name = "model"

    def __init__(self, proposer: Proposer, *, samples: bool = True) -> None:
        self._proposer = proposer
        self._rules = RuleReasoner()
        self._samples = samples

    def plan(self, work: Work) -> Planned:
        """The rules' plan when they are sure, else a model's under the same checks, else the rules' question back."""
        planned = self._rules.plan(work)
        if planned.outcome == "planned":
            return planned
        return with_fallback(
            lambda: self._propose(work), lambda: planned, lambda note: tell_fallback(work, note), purpose="plan"
        )

    def repair(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """The rules' repair, else a model's, which gets the error with its category."""
        fixed = self._rules.repair(work, call, observation)
        if fixed is not None or call.tool_name != "sql.run":
            return fixed
        nothing: dict[str, Any] | None = None
        return with_fallback(
            lambda: self._mend(work, call, observation),
            lambda: nothing,
            lambda note: tell_fallback(work, note),
            purpose="repair",
        )

    def learn(self, work: Work) -> None:
        """Keep what worked, whoever read it: next time no model is needed for a question of its kind."""
        self._rules.learn(work)

    def _propose(self, work: Work) -> Planned:
        question = self._rules.question(work)
        prompt = render("plan_analysis", question=question.text, schema=self._schema(work, question))
        proposed = self._proposer.propose(ProposedQuery, purpose="plan", system=prompt.system, prompt=prompt.prompt)
        if proposed.sql is None:
            if not proposed.question_back:
                raise ModelNonsense("The model proposed neither a query nor a question.")
            return Planned(outcome="clarification_needed", message=self._rules.ask(question), reasoner=self.name)
        self._check(work, proposed.sql)
        body = {
            "sql": proposed.sql,
            "in_words": proposed.in_words or question.text,
            "chart": proposed.chart.model_dump() if proposed.chart else None,
        }
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=skill_named("written").tasks(work, body),
            reasoning="A model proposed this query; it passed the guard and the policy.",
        )
        reading = {
            "skill": "written",
            "in_words": f"a query proposed by a model for: {question.text}",
            "unread": [],
            "score": 0.0,
            "alternatives": [],
            "recipe": None,
            "general": self._rules.general(question).model_dump(mode="json"),
            "reading": body,
        }
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"), reasoner=self.name)

    def _mend(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any]:
        question = self._rules.question(work)
        failed = {
            "question": question.text,
            "query": call.arguments["query"],
            "category": observation.error_category,
            "error": observation.error_message,
            "hint": (observation.data or {}).get("hint"),
        }
        prompt = render("plan_analysis", question=orjson.dumps(failed).decode(), schema=self._schema(work, question))
        proposed = self._proposer.propose(ProposedQuery, purpose="repair", system=prompt.system, prompt=prompt.prompt)
        if proposed.sql is None or proposed.sql == call.arguments["query"]:
            raise ModelNonsense("The model proposed no other query.")
        self._check(work, proposed.sql)
        return {**call.arguments, "query": proposed.sql, "params": []}

    def _check(self, work: Work, sql: str) -> None:
        """A proposal that the guard or the policy refuses is nonsense, and never reaches the plan."""
        try:
            work.gate.check_columns(work.engine().check(sql).columns)
        except AvermentError as error:
            raise ModelNonsense(f"The proposed query was refused: {error.message}") from error

    def _schema(self, work: Work, question: Question) -> str:
        """What a model may know: names, types and roles of permitted columns; samples only where they are allowed."""
        tables = [
            {
                "table": profile.table,
                "rows": profile.row_count,
                "columns": [
                    {
                        "name": column.name,
                        "type": column.type,
                        "role": column.inferred_type,
                        "samples": self._shown_samples(work, column),
                    }
                    for column in profile.columns
                ],
            }
            for profile in question.profiles
        ]
        return orjson.dumps({"dialect": question.catalog.dialect, "tables": tables}).decode()

    def _shown_samples(self, work: Work, column: ColumnProfile) -> list[str]:
        """Sample values that may leave this machine: none when they are switched off or match a blocked pattern."""
        if not self._samples or not column.sample_values:
            return []
        import pyarrow as pa

        samples = list(column.sample_values)
        try:
            work.gate.check_values(pa.table({"sample": samples}))
        except PatternBlocked:
            return []
        return samples


def tell_fallback(work: Work, note: FallbackNote) -> None:
    """Write down that the rules answered in a model's place, and why."""
    work.journal.decide(
        f"fallback/{note.purpose}", decision="fallback", rule=note.code, reason=note.reason, purpose=note.purpose
    )
    work.events.tell("model_fell_back", note.purpose, code=note.code, reason=note.reason)
