"""The embedded reasoner: reads, plans and repairs by rules alone, the same way every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.caveats import foresee
from averment.agents.analyst.cookbook import Cookbook, Recalled
from averment.agents.analyst.holes import General, generalise
from averment.agents.analyst.meaning import (
    checked_plan,
    offered,
    question_back,
    reading_of,
    schema_of,
    verdict_on,
    words_in_tasks,
)
from averment.agents.analyst.mending import mend
from averment.agents.analyst.parts.deferring import defer
from averment.agents.analyst.phrasing import phrase
from averment.agents.analyst.plan_skill import chart_for
from averment.agents.analyst.profiling import profile_table
from averment.agents.analyst.skill import Candidate, Question, Skill
from averment.agents.analyst.skills import OWNERS, standard_skills
from averment.agents.analyst.sql_text import plan_sql
from averment.agents.analyst.wordbook import Meant, Wordbook
from averment.errors import ColumnNotAllowed, PolicyError, ToolError
from averment.records.analysis import Plan
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.spine.agent import Conclusion, Planned
from averment.tables.backend import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan as MeaningPlan
    from averment.reading.judge import Verdict
    from averment.reading.schema import Schema
    from averment.spine.work import Work
    from averment.tables.profile import TableProfile

SURE = 0.99
"""Below this a reading is not acted on: some word of the question found no place."""

SHOWN_ALTERNATIVES = 3
GENERAL = frozenset({"aggregate", "query", "rows", "statistic"})
"""Readers that take any question."""


LEARNED = frozenset({"agree", "one", "chosen", "recipe"})
"""The grades of plans that may become recipes: chosen by a person, or read with every word used."""


class RuleReasoner:
    """Plans from the best candidate reading; repairs by the category of what went wrong."""

    name = "rules"

    def __init__(self, skills: tuple[Skill, ...] | None = None) -> None:
        self._skills = {skill.name: skill for skill in skills or standard_skills()}
        self._asked: tuple[str, Question, Meant] | None = None
        self._seen: tuple[str, Schema] | None = None

    def plan(self, work: Work) -> Planned:
        """Read the question over the permitted columns, and plan it, or ask back."""
        question, meant = self.question(work), self.meant(work)
        if meant.refused is not None:
            return Planned(outcome="clarification_needed", message=meant.refused)
        self._wordbook(work).keep(work, meant)
        if not meant.asks and meant.told:
            return self._acknowledge(work, meant)
        judged = self._judged(work, question, meant)
        if isinstance(judged, Planned):
            return judged
        recalled = self._recall(work, question, [each.candidate.plan for each in judged.offers])
        if recalled is not None and recalled.plan is not None:
            plan, record = checked_plan(work, recalled.plan.to_json()), judged.record
            return self.planned(
                work, plan, grade="recipe", odds=None, record=record, notes=meant.notes, recalled=recalled
            )
        candidates = self.candidates(question)
        best = candidates[0] if candidates else None
        if best is not None and self._is_guess(work, question, judged, best):
            best = None
        if best is not None and best.score >= SURE and not self._accounted(work, question, best):
            best = None
        if best is None or best.score < SURE:
            notes = (*meant.notes, *(recalled.in_words() if recalled is not None else ()))
            return Planned(
                outcome="clarification_needed",
                message=_with_notes(question_back(judged, self.schema(work, question)), notes),
                reading={"offers": offered(judged), "left": list(judged.left), "judged": judged.record},
            )
        notes = meant.notes
        reading = {
            "recipe": None,
            "skill": best.skill,
            "in_words": "; ".join((best.in_words, *notes)),
            "read_as": best.in_words,
            "told": list(meant.notes),
            "unread": list(best.unread),
            "score": best.score,
            "alternatives": [other.in_words for other in candidates[1 : SHOWN_ALTERNATIVES + 1] if other.in_words],
            "reading": best.reading,
            "foreseen": foresee(best.reading, question.profiles),
        }
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=self._skills[best.skill].tasks(work, best.reading),
            reasoning=f"Read as: {reading['in_words']}.",
        )
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"))

    def _judged(self, work: Work, question: Question, meant: Meant) -> Planned | Verdict:
        """The plan where one is handed in, remembered or read for certain; else what the judge says."""
        given = work.meaning.get("plan")
        if given is not None:
            plan = checked_plan(work, given)
            return self.planned(work, plan, grade=str(work.meaning.get("grade", "given")), odds=None, record={})
        chosen = work.services.recipes.choices.find(work.catalog.fingerprint, question.text)
        if chosen is not None and "after_plan" not in work.meaning:
            if "sql" in chosen:
                return plan_sql(work, str(chosen["sql"]), grade="chosen")
            plan = checked_plan(work, chosen)
            return self.planned(work, plan, grade="chosen", odds=None, record={}, notes=meant.notes)
        schema = self.schema(work, question)
        verdict = verdict_on(work, question.text, schema)
        if verdict.kind != "answer" or verdict.best is None:
            return verdict
        grade = "agree" if verdict.agreeing > 1 else "one"
        plan, odds = verdict.best.candidate.plan, round(verdict.best.odds, 4)
        recalled = self._recall(work, question)
        if recalled is not None and (recalled.plan is None or recalled.plan.hash != plan.hash):
            recalled = None
        return self.planned(
            work, plan, grade=grade, odds=odds, record=verdict.record, notes=meant.notes, recalled=recalled
        )

    def _is_guess(self, work: Work, question: Question, judged: Verdict, best: Candidate) -> bool:
        """Whether another reader would only guess: what can be meant in two ways is for the asker to say.

        Readers of one kind of question know their words; readers of all kinds do not settle what the judge leaves open.
        """
        if "after" in work.meaning:
            return True
        if best.skill not in GENERAL:
            return False
        single = len(question.profiles) == 1
        return (judged.kind == "offer" and not judged.left) or (best.skill == "query" and single)

    def _accounted(self, work: Work, question: Question, best: Candidate) -> bool:
        """Whether what another reader planned says something of every word of the question."""
        if best.skill in {"overview", "pivot"}:
            return True  # What they are asked for stands in no task: the whole table, or its form.
        tasks = self._skills[best.skill].tasks(work, best.reading)
        return words_in_tasks(question.text, self.schema(work, question), tasks)

    def schema(self, work: Work, question: Question) -> Schema:
        """The run's tables as the readers see them, gathered once a run."""
        if self._seen is None or self._seen[0] != work.run_id:
            self._seen = (work.run_id, schema_of(work, question.profiles))
        return self._seen[1]

    def planned(
        self,
        work: Work,
        plan: MeaningPlan,
        *,
        grade: str,
        odds: float | None,
        record: dict[str, Any],
        notes: tuple[str, ...] = (),
        recalled: Recalled | None = None,
    ) -> Planned:
        """A plan as the run's tasks."""
        question = self.question(work)
        reading = reading_of(plan, grade=grade, odds=odds, record=record)
        reading["told"] = list(notes)
        changed = recalled.in_words() if recalled is not None else ()
        reading["in_words"] = "; ".join((reading["in_words"], *notes, *changed))
        reading["recipe"] = recalled.note() if recalled is not None else None
        # A follow-up's words say only what changes, and a plan that was handed in has no question of its own.
        reading["learn"] = grade in LEARNED and "after" not in work.meaning
        reading["general"] = self.general(question).model_dump(mode="json")
        body: dict[str, Any] = reading["reading"]
        reading["foreseen"] = foresee(body, question.profiles)
        if "charts" in work.request.deliverables:
            body["chart"] = self._chart(work, plan)
        skill = self._skills["plan"]
        tasks = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=skill.tasks(work, body),
            reasoning=f"Read as: {reading['in_words']}.",
        )
        return Planned(outcome="planned", reading=reading, plan=tasks.model_dump(mode="json"))

    def _chart(self, work: Work, plan: MeaningPlan) -> dict[str, Any] | None:
        """The chart that suits the result, which a probe shows before it is planned."""
        from averment.plans.compile import compile_plan

        composed = compile_plan(plan).compose(work.catalog.dialect)
        try:
            table = work.probe(composed.sql, composed.params, row_limit=2_000, timeout=10.0).table
        except (ToolError, PolicyError):
            return None
        return chart_for(plan, table, plan.chart)

    def question(self, work: Work) -> Question:
        """The request's question over the permitted columns of its tables, profiled once a run.

        Words that were told to mean a column stand for it already.
        """
        if self._asked is None or self._asked[0] != work.run_id:
            profiles = tuple(self._profiles(work))
            meant = self._wordbook(work).read(work, profiles)
            asked = Question(text=meant.text, profiles=profiles, catalog=work.catalog, engine=work.engine())
            self._asked = (work.run_id, asked, meant)
        return self._asked[1]

    def meant(self, work: Work) -> Meant:
        """What was told about words, in this question or before it."""
        self.question(work)
        assert self._asked is not None  # the question was just read
        return self._asked[2]

    def _acknowledge(self, work: Work, meant: Meant) -> Planned:
        """Nothing is asked: what was told is kept, and the column it names is shown."""
        first = meant.told[0].column
        assert first is not None  # a statement without its column is refused before
        said = " and ".join(f"{each.word} = {each.column.column}" for each in meant.told if each.column is not None)
        quoted = quote(first.column)
        body = {
            "sql": f"SELECT count({quoted}) AS {quote('values')}, min({quoted}) AS lowest, max({quoted}) AS highest "
            f"FROM {quote(first.table)}",
            "in_words": f"from now on {said}, over columns like these",
            "lead": f"From now on {said}; {first.column} has",
            "chart": None,
        }
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=self._skills["written"].tasks(work, body),
            reasoning=f"Told: {said}.",
        )
        reading = {
            "recipe": None,
            "skill": "written",
            "in_words": body["in_words"],
            "read_as": body["in_words"],
            "told": [],
            "unread": [],
            "score": 1.0,
            "alternatives": [],
            "reading": body,
        }
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"))

    def general(self, question: Question) -> General:
        """The question with placeholders, for the cookbook."""
        return generalise(question.text, question.profiles)

    def learn(self, work: Work) -> None:
        """Keep what worked as a recipe, or count one more success of the one it came from."""
        self._cookbook(work).keep(work)

    def _recall(self, work: Work, question: Question, offers: Sequence[MeaningPlan] = ()) -> Recalled | None:
        """A recipe may name any column, so it is recalled only where the policy permits all of them."""
        permitted = sum(len(profile.columns) for profile in question.profiles)
        if permitted < sum(len(table.columns) for table in work.catalog.tables) or "after" in work.meaning:
            return None
        return self._cookbook(work).recall(work, self.general(question), offers)

    def _cookbook(self, work: Work) -> Cookbook:
        return Cookbook(work.services.recipes, work.services.embedder)

    def _wordbook(self, work: Work) -> Wordbook:
        return Wordbook(work.services.recipes.corrections)

    def candidates(self, question: Question) -> list[Candidate]:
        """The readings of all skills, the best first; of equals the skill that stands first in the list.

        Sure readings are equals: how far above sure a score lies means something else in each skill. None is sure
        where the skill that owns the question's kind has doubts.
        """
        found = {name: skill.read(question) for name, skill in self._skills.items()}
        return sorted(defer(found, OWNERS), key=lambda candidate: -min(candidate.score, SURE))

    def repair(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments by the category of the error; nothing when no targeted repair is left, and the task failed."""
        return mend(work, call, observation)

    def phrase(self, work: Work, conclusion: Conclusion) -> Conclusion:
        """The conclusion as it is, or in the words that were kept when the run was made."""
        return phrase(work, conclusion, None)

    def ask(self, question: Question, best: Candidate | None = None) -> str:
        """What to ask back: the nearest reading, or the words that are not known."""
        names = ", ".join(column.name for profile in question.profiles for column in profile.columns)
        if best is not None and not best.unread and best.in_words:
            return f"I am not sure. Do you mean: {best.in_words}? Please say it with these columns: {names}."
        if best is not None and best.question_back:
            return best.question_back
        words = ", ".join(f"“{word}”" for word in best.unread) if best is not None and best.unread else "that"
        return f"I do not know what {words} means here. Please say it with these columns: {names}."

    def _profiles(self, work: Work) -> list[TableProfile]:
        found: list[TableProfile] = []
        for table in work.catalog.tables:
            permitted = [column.name for column in table.columns if work.gate.permits(table.name, column.name)]
            if permitted:
                found.append(profile_table(work, table, permitted))
        if not found:
            raise ColumnNotAllowed("The policy allows no column of any source.")
        return found


def _with_notes(message: str, notes: tuple[str, ...]) -> str:
    return " ".join([message, *(f"({note[:1].upper()}{note[1:]}.)" for note in notes)])
