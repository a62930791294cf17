"""The embedded reasoner: reads, plans and repairs by rules alone, the same way every time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.cookbook import Cookbook, General, generalise
from averment.agents.analyst.skill import Candidate, Question, Skill
from averment.agents.analyst.skills import standard_skills
from averment.errors import ColumnNotAllowed
from averment.records.analysis import Plan, Recipe
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.spine.agent import Planned

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.tables.profile import TableProfile

SURE = 0.99
"""Below this a reading is not acted on: some word of the question found no place."""

SHOWN_ALTERNATIVES = 3
_SUGGESTED = re.compile(r"[Dd]id you mean `([^`]+)`")
_UNKNOWN = re.compile(r"[\"'`]([^\"'`]+)[\"'`]")


class RuleReasoner:
    """Plans from the best candidate reading; repairs what an error's own suggestion can repair."""

    name = "rules"

    def __init__(self, skills: tuple[Skill, ...] | None = None) -> None:
        self._skills = {skill.name: skill for skill in skills or standard_skills()}
        self._asked: tuple[str, Question] | None = None

    def plan(self, work: Work) -> Planned:
        """Read the question over the permitted columns, and plan it, or ask back."""
        question = self.question(work)
        candidates = self.candidates(question)
        general = self.general(question)
        recalled = self._recall(work, question, general)
        best, recipe = _choose(candidates[0] if candidates else None, recalled)
        if best is None or best.score < SURE:
            return Planned(outcome="clarification_needed", message=self.ask(question, best))
        reading = {
            "general": general.model_dump(mode="json"),
            "recipe": recipe,
            "skill": best.skill,
            "in_words": best.in_words,
            "unread": list(best.unread),
            "score": best.score,
            "alternatives": [other.in_words for other in candidates[1 : SHOWN_ALTERNATIVES + 1] if other.in_words],
            "reading": best.reading,
        }
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=self._skills[best.skill].tasks(work, best.reading),
            reasoning=f"Read as: {best.in_words}." + (f" From the recipe “{recipe['template']}”." if recipe else ""),
        )
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"))

    def question(self, work: Work) -> Question:
        """The request's question over the permitted columns of its tables, profiled once a run."""
        if self._asked is None or self._asked[0] != work.run_id:
            asked = Question(
                text=work.request.intent,
                profiles=tuple(self._profiles(work)),
                catalog=work.catalog,
                engine=work.engine(),
            )
            self._asked = (work.run_id, asked)
        return self._asked[1]

    def general(self, question: Question) -> General:
        """The question with placeholders, for the cookbook."""
        return generalise(question.text, question.profiles)

    def learn(self, work: Work) -> None:
        """Keep what worked as a recipe, or count one more success of the one it came from."""
        self._cookbook(work).keep(work)

    def _recall(self, work: Work, question: Question, general: General) -> tuple[Recipe, Candidate] | None:
        """A recipe may name any column, so it is recalled only where the policy permits all of them."""
        permitted = sum(len(profile.columns) for profile in question.profiles)
        if permitted < sum(len(table.columns) for table in work.catalog.tables):
            return None
        return self._cookbook(work).recall(question.text, general, work.catalog.fingerprint)

    def _cookbook(self, work: Work) -> Cookbook:
        return Cookbook(work.services.recipes, work.services.embedder)

    def candidates(self, question: Question) -> list[Candidate]:
        """The readings of all skills, the best first; of equals the skill that stands first in the list."""
        found = [candidate for skill in self._skills.values() for candidate in skill.read(question)]
        return sorted(found, key=lambda candidate: -candidate.score)

    def repair(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments when the error says which name was meant; otherwise nothing, and the task has failed."""
        data = observation.data or {}
        suggested = _SUGGESTED.search(str(data.get("suggestion", "")))
        wrong = _UNKNOWN.search(observation.error_message or "")
        if call.tool_name != "sql.run" or suggested is None or wrong is None:
            return None
        query = str(call.arguments["query"])
        fixed = re.sub(rf'"?\b{re.escape(wrong.group(1))}\b"?', f'"{suggested.group(1)}"', query)
        return None if fixed == query else {**call.arguments, "query": fixed}

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
        from averment.tables.profile import profile

        engine = work.engine()
        found: list[TableProfile] = []
        for table in work.catalog.tables:
            permitted = [column.name for column in table.columns if work.gate.permits(table.name, column.name)]
            if permitted:
                found.append(profile(engine, table.name, columns=permitted, timeout=work.seconds_left))
        if not found:
            raise ColumnNotAllowed("The policy allows no column of any source.")
        return found


def _choose(
    best: Candidate | None, recalled: tuple[Recipe, Candidate] | None
) -> tuple[Candidate | None, dict[str, Any] | None]:
    """The fresh reading when it is sure, the recalled one when it is not; and the recipe, where it says the same."""
    if recalled is None:
        return best, None
    recipe, candidate = recalled
    note = {
        "recipe_id": recipe.recipe_id,
        "template": recipe.intent_template,
        "success_count": recipe.success_count,
    }
    if best is None or best.score < SURE:
        return candidate, note
    return best, note if (best.skill, best.reading) == (candidate.skill, candidate.reading) else None
