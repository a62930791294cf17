"""The analyst with a model: rules read first; where they are unsure a model proposes, and everything is checked.

A model sees names, types and, where allowed, the categories of permitted columns, never rows. What it writes passes the
guard, the policy and the limits; its prose has slots where numbers go. When it fails, the rules' answer stands, and the
ledger says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.analyst.caveats import foresee
from averment.agents.analyst.mending import passes, quoted_ways
from averment.agents.analyst.phrasing import phrase
from averment.agents.analyst.rules import RuleReasoner
from averment.agents.analyst.skill import Question
from averment.agents.analyst.skills import skill_named
from averment.errors import AvermentError, ModelNonsense, PatternBlocked, SqlSyntax
from averment.llm import Proposer, render, tell_calls, with_fallback
from averment.records.analysis import Plan
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.spine.agent import Conclusion, Planned

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.tables.profile import ColumnProfile


PERSONAL = ("email", "phone", "ssn", "credit_card", "iban", "ip_address")
"""Values of these kinds never leave this machine, whatever the policy says."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|“[^”]*”")


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
        return with_fallback(lambda: self._propose(work), lambda: planned, work.tell_fallback, purpose="plan")

    def repair(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """The rules' repair, else a model's, which gets the error with its category."""
        fixed = self._rules.repair(work, call, observation)
        if fixed is not None or call.tool_name != "sql.run":
            return fixed
        nothing: dict[str, Any] | None = None
        return with_fallback(
            lambda: self._mend(work, call, observation),
            lambda: nothing,
            work.tell_fallback,
            purpose="repair",
        )

    def phrase(self, work: Work, conclusion: Conclusion) -> Conclusion:
        """The summary in a model's words with the findings' values, else in the rules' words."""
        return phrase(work, conclusion, self._line(work))

    def learn(self, work: Work) -> None:
        """Keep what worked, if it is a plan that leaves no doubt: a model's query alone teaches nothing."""
        self._rules.learn(work)

    def _line(self, work: Work) -> Proposer:
        """The model, whose every call is told to the run's ledger."""
        return tell_calls(self._proposer, work.journal.keep_call)

    def _propose(self, work: Work) -> Planned:
        question = self._rules.question(work)
        prompt = render("plan_analysis", question=question.text, schema=self._schema(work, question))
        proposed = self._line(work).propose(ProposedQuery, purpose="plan", system=prompt.system, prompt=prompt.prompt)
        if proposed.sql is None:
            if not proposed.question_back:
                raise ModelNonsense("The model proposed neither a query nor a question.")
            return Planned(outcome="clarification_needed", message=self._rules.ask(question), reasoner=self.name)
        body = {
            "sql": self._checked(work, proposed.sql),
            "in_words": proposed.in_words or question.text,
            "chart": proposed.chart.model_dump() if proposed.chart else None,
        }
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=skill_named("written").tasks(work, body),
            reasoning="A model proposed this query; it passed the guard and the policy.",
        )
        notes = self._rules.meant(work).notes
        said = f"a query proposed by a model for: {question.text}"
        reading = {
            "skill": "written",
            "in_words": "; ".join((said, *notes)),
            "read_as": said,
            "told": list(notes),
            "foreseen": foresee(body, question.profiles),
            "unread": [],
            "score": 0.0,
            "alternatives": [],
            "recipe": None,
            "reading": body,
        }
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"), reasoner=self.name)

    def _mend(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any]:
        question = self._rules.question(work)
        failure = {
            "query": call.arguments["query"],
            "category": observation.error_category,
            "error": without_values(observation.error_message or "", _names(question)),
            "hint": (observation.data or {}).get("hint"),
        }
        prompt = render("repair_query", question=question.text, failure=failure, schema=self._schema(work, question))
        proposed = self._line(work).propose(ProposedQuery, purpose="repair", system=prompt.system, prompt=prompt.prompt)
        if proposed.sql is None or proposed.sql == call.arguments["query"]:
            raise ModelNonsense("The model proposed no other query.")
        return {**call.arguments, "query": self._checked(work, proposed.sql), "params": []}

    def _checked(self, work: Work, sql: str) -> str:
        """The query if guard and policy let it pass, with names put in quotes where that was all it lacked.

        Raises:
            ModelNonsense: it is refused, and never reaches the plan.
        """
        try:
            work.gate.check_columns(work.engine().check(sql).columns)
        except SqlSyntax as error:
            mended = next((way for way in quoted_ways(work, sql) if passes(work, way)), None)
            if mended is None:
                raise ModelNonsense(f"The proposed query was refused: {error.message}") from error
            return mended
        except AvermentError as error:
            raise ModelNonsense(f"The proposed query was refused: {error.message}") from error
        return sql

    def _schema(self, work: Work, question: Question) -> dict[str, Any]:
        """What a model may know: names, types and roles of permitted columns; categories only where allowed."""
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
        return {"dialect": question.catalog.dialect, "tables": tables}

    def _shown_samples(self, work: Work, column: ColumnProfile) -> list[str]:
        """Values that may leave this machine: a few categories of a dimension, and nothing that looks personal.

        Columns of many values stay at home: they are names, notes and keys more often than not.
        """
        if not self._samples or column.inferred_type != "dimension" or not column.values:
            return []
        import pyarrow as pa

        from averment.tables.patterns import match_names, match_values

        shown = pa.table({column.name: [str(value) for value, _ in column.values]})
        if list(match_names(PERSONAL, [column.name])) or list(match_values(PERSONAL, shown)):
            return []
        try:
            work.gate.check_values(shown)
        except PatternBlocked:
            return []
        return list(column.sample_values)


def _names(question: Question) -> set[str]:
    return {name for profile in question.profiles for name in (profile.table, *(c.name for c in profile.columns))}


def without_values(message: str, names: set[str]) -> str:
    """An error message without what it quotes from the data; names of tables and columns may stay."""
    return _QUOTED.sub(lambda quoted: quoted.group() if quoted.group()[1:-1] in names else "…", message)
