"""The embedded reasoner: reads, plans and repairs by rules alone, the same way every time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.caveats import foresee
from averment.agents.analyst.glossary import Glossary, GlossaryReading, shown_by
from averment.agents.analyst.holes import General, generalise
from averment.agents.analyst.meaning import (
    Tried,
    checked_plan,
    offered,
    question_back,
    reading_of,
    rivals_of,
    schema_of,
    try_plan,
    verdict_on,
)
from averment.agents.analyst.phrasing import phrase
from averment.agents.analyst.profiling import columns_to_read, needed_tables, profile_table
from averment.agents.analyst.recipes import RecalledRecipe, Recipes
from averment.agents.analyst.repair import repair_call
from averment.agents.analyst.skill import Question, Skill
from averment.agents.analyst.skills import standard_skills
from averment.agents.analyst.sql_text import plan_sql
from averment.errors import ColumnNotAllowed, PolicyError, ToolError
from averment.plans.charting import choose_chart
from averment.plans.compile import compile_plan
from averment.plans.readback import read_back
from averment.reading.resolve_joins import resolve_joins
from averment.records.analysis import Plan
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import Conclusion, Planned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan as MeaningPlan
    from averment.reading.judge.verdict import Verdict
    from averment.reading.schema.schema_view import Schema
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import JsonObject, KeptReading
    from averment.tables.profile.profiler import TableProfile


class RuleReasoner:
    """Plans from the best candidate reading; repairs by the category of what went wrong."""

    name = "rules"

    def __init__(self, skills: tuple[Skill, ...] | None = None) -> None:
        self._skills = {skill.name: skill for skill in skills or standard_skills()}
        self._asked: tuple[str, Question, GlossaryReading] | None = None
        self._seen: tuple[str, Schema] | None = None
        self._tried: Tried = {}

    def plan(self, work: RunContext) -> Planned:
        """Read the question over the permitted columns, and plan it, or ask back."""
        question, meant = self.question(work), self.meant(work)
        if meant.refused is not None:
            return Planned(outcome="clarification_needed", message=meant.refused)
        self._glossary(work).keep(work, meant)
        if not meant.asks and meant.told:
            return self._acknowledge(work, meant)
        judged = self._judged(work, question)
        if isinstance(judged, Planned):
            return judged
        recalled = self._recall(work, question, [each.candidate.plan for each in judged.offers])
        if recalled is not None and recalled.plan is not None:
            plan, record = checked_plan(work, recalled.plan.to_json()), judged.record
            return self.planned(work, plan, grade="recipe", odds=None, record=record, recalled=recalled)
        notes = (*meant.notes, *(recalled.in_words() if recalled is not None else ()))
        return Planned(
            outcome="clarification_needed",
            message=_with_notes(question_back(judged, self.schema(work, question), question.text), notes),
            reading={"offers": offered(judged), "left": list(judged.left), "judged": judged.record},
        )

    def _judged(self, work: RunContext, question: Question) -> Planned | Verdict:
        """The plan where one is handed in, remembered or read for certain; else what the judge says."""
        given = work.state.meaning.get("plan")
        if given is not None:
            plan = checked_plan(work, given)
            return self.planned(work, plan, grade=str(work.state.meaning.get("grade", "given")), odds=None, record={})
        chosen = work.services.store.recipes.choices.find(work.catalog.fingerprint, question.text)
        if chosen is not None and "after_plan" not in work.state.meaning:
            if "sql" in chosen:
                return plan_sql(work, str(chosen["sql"]), grade="chosen")
            plan = checked_plan(work, chosen)
            return self.planned(work, plan, grade="chosen", odds=None, record={})
        schema = self.schema(work, question)
        verdict = verdict_on(work, question.text, schema, question.profiles, tried=self._tried)
        if verdict.blocked is not None:
            raise verdict.blocked  # What may not be shown is refused, and not answered by something else.
        if verdict.kind != "answer" or verdict.best is None:
            return verdict
        grade = "agree" if verdict.agreeing > 1 else "one"
        plan, odds = verdict.best.candidate.plan, round(verdict.best.odds, 4)
        recalled = self._recall(work, question)
        if recalled is not None and (recalled.plan is None or recalled.plan.hash != plan.hash):
            recalled = None
        by, record = "readings" if verdict.confirmed else "", verdict.record
        planned = self.planned(work, plan, grade=grade, odds=odds, record=record, recalled=recalled, confirmed=by)
        if recalled is None:
            planned.reading.update(rivals_of(verdict))
        return planned

    def schema(self, work: RunContext, question: Question) -> Schema:
        """The run's tables as the readers see them, with the taught words of the question."""
        schema = self._schema_of(work, question.profiles)
        schema.taught = self.meant(work).meanings
        return schema

    def _schema_of(self, work: RunContext, profiles: Sequence[TableProfile]) -> Schema:
        """The run's tables, gathered once a run."""
        if self._seen is None or self._seen[0] != work.run_id:
            with work.clock.spent_on("reading the tables"):
                self._seen = (work.run_id, schema_of(work, profiles))
        return self._seen[1]

    def planned(
        self,
        work: RunContext,
        plan: MeaningPlan,
        *,
        grade: str,
        odds: float | None,
        record: JsonObject,
        recalled: RecalledRecipe | None = None,
        confirmed: str = "",
    ) -> Planned:
        """A plan as the run's tasks, drawn as the request wants it; ``confirmed`` says by whom, if by anybody."""
        question = self.question(work)
        wanted = work.state.meaning.get("chart")
        plan = plan.model_copy(update={"chart": wanted}) if wanted else plan
        body: JsonObject = {"plan": plan.to_json()}
        reading = reading_of(plan, body, grade=grade, odds=odds, record=record)
        taught = self.meant(work).used_in(plan)
        notes = [known.note for known in taught]
        reading["told"] = notes
        reading["taught"] = [known.meaning.to_json() for known in taught if known.meaning is not None]
        changed = recalled.in_words() if recalled is not None else ()
        reading["in_words"] = "; ".join((read_back(plan), *notes, *changed))
        reading["recipe"] = recalled.note() if recalled is not None else None
        earlier = recalled.recipe.confirmed if recalled is not None and recalled.plan is not None else ""
        reading["confirmed"] = "person" if grade == "chosen" else confirmed or earlier
        reading["general"] = self.general(question).model_dump(mode="json")
        reading["foreseen"] = foresee(work, body, question.profiles)
        if "charts" in work.request.deliverables:
            body["chart"] = self._chart(work, plan)
        skill = self._skills["plan"]
        tasks = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=skill.tasks(work, body),
            reasoning=f"Interpreted as: {reading['in_words']}.",
        )
        return Planned(outcome="planned", reading=reading, plan=tasks.model_dump(mode="json"))

    def _chart(self, work: RunContext, plan: MeaningPlan) -> dict[str, Any] | None:
        """The chart that suits the result: what the judge saw of it, else what a probe shows before it is planned."""
        compiled = compile_plan(plan)
        try:
            table = try_plan(work, compiled, self._tried)
        except (ToolError, PolicyError):
            return None
        return choose_chart(plan, compiled, table, plan.chart)

    def question(self, work: RunContext) -> Question:
        """The request's question over the permitted columns of its tables, profiled once a run."""
        if self._asked is None or self._asked[0] != work.run_id:
            self._tried.clear()
            profiles = tuple(self._profiles(work))
            meant = self._glossary(work).read(work, profiles, lambda: self._schema_of(work, profiles))
            asked = Question(text=meant.text, profiles=profiles, catalog=work.catalog, engine=work.queries.engine())
            self._asked = (work.run_id, asked, meant)
        return self._asked[1]

    def meant(self, work: RunContext) -> GlossaryReading:
        """What was told about words, in this question or before it."""
        self.question(work)
        assert self._asked is not None  # the question was just read
        return self._asked[2]

    def _acknowledge(self, work: RunContext, meant: GlossaryReading) -> Planned:
        """Nothing is asked: what was taught is kept, and what it comes to over these tables is shown."""
        meanings = [each.meaning for each in meant.told if each.meaning is not None]
        schema = self._schema_of(work, self.question(work).profiles)
        plan = resolve_joins(schema, shown_by(meanings[0], schema), keys_named=True)
        if plan is None:
            return Planned(outcome="clarification_needed", message=f"{meanings[0].note()} cannot be computed here.")
        planned = self.planned(work, plan, grade="taught", odds=None, record={})
        body = planned.reading.get("reading", {})
        body["taught"] = [meaning.to_json() for meaning in meanings]
        notes = [meaning.note() for meaning in meanings]
        said = "; ".join((read_back(plan), *notes))
        reading: KeptReading = {**planned.reading, "told": notes, "taught": body["taught"], "in_words": said}
        return planned.model_copy(update={"reading": reading})

    def general(self, question: Question) -> General:
        """The question with placeholders, for the recipes."""
        return generalise(question.text, question.profiles)

    def learn(self, work: RunContext) -> None:
        """Keep what worked as a recipe, or count one more success of the one it came from."""
        self._recipes(work).keep(work)

    def _recall(
        self, work: RunContext, question: Question, offers: Sequence[MeaningPlan] = ()
    ) -> RecalledRecipe | None:
        """A recipe may name any column, so it is recalled only where the policy permits all of them."""
        closed = any(len(columns_to_read(work, table)) < len(table.columns) for table in work.catalog.tables)
        if closed or "after" in work.state.meaning:
            return None
        return self._recipes(work).recall(work, self.general(question), offers)

    def _recipes(self, work: RunContext) -> Recipes:
        return Recipes(work.services.store.recipes, work.services.texts.embedder)

    def _glossary(self, work: RunContext) -> Glossary:
        return Glossary(work.services.store.recipes.corrections)

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments by the category of the error; nothing when no targeted repair is left, and the task failed."""
        return repair_call(work, call, observation)

    def phrase(self, work: RunContext, conclusion: Conclusion) -> Conclusion:
        """The conclusion as it is, or in the words that were kept when the run was made."""
        return phrase(work, conclusion, None)

    def _profiles(self, work: RunContext) -> list[TableProfile]:
        known = json.dumps(work.state.meaning, ensure_ascii=False, default=str)
        taught = self._glossary(work).tables()
        with work.clock.spent_on("reading the tables"):
            found = [
                profile_table(work, table, permitted)
                for table in needed_tables(work, known, taught)
                if (permitted := columns_to_read(work, table))
            ]
        if not found:
            raise ColumnNotAllowed("The policy does not allow any column of these sources.")
        return found


def _with_notes(message: str, notes: tuple[str, ...]) -> str:
    return " ".join([message, *(f"({note[:1].upper()}{note[1:]}.)" for note in notes)])
