"""The analyst with a model: the model leads, the embedded readers witness, and everything is checked.

With ``model_use = first`` a model is asked for every question, with ``unsure`` only where the readers would ask back.
Whatever it submits passes the guard, the policy, the checks of origin and the limits, and is run anew and proven; its
result is held against what the readers read. Where no reader confirms it a model may be asked anew, and the result that
comes up most stands. When it fails, the readers' answer stands, and the ledger says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from averment.agents.analyst.caveats import foresee
from averment.agents.analyst.meaning import PREVIEW_ROWS
from averment.agents.analyst.model_loop.readings import ReadingOutcome, readings_of, same_result
from averment.agents.analyst.model_loop.sight import ModelView, first_prompt
from averment.agents.analyst.model_loop.submission import CheckedSubmission, lifted
from averment.agents.analyst.model_loop.submitted_skill import NAME, SubmittedSkill
from averment.agents.analyst.model_loop.tools import PURPOSE, LoopOutcome, run_loop
from averment.agents.analyst.phrasing import phrase
from averment.agents.analyst.rules import RuleReasoner
from averment.agents.analyst.skill import QUERY
from averment.errors import ModelError
from averment.llm import ModelCall, Proposer, with_fallback
from averment.records.analysis import Plan
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import Conclusion, Planned
from averment.runtime.model_log import used
from averment.runtime.model_loop.privacy import Level, Privacy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptOffer, KeptReading

Use = Literal["first", "unsure", "never"]
LOOP_SECONDS = 180.0
MOST_OFFERS = 4
_NUMBER = re.compile(r"\d[\d.,]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202f]")
BY_PERSON = frozenset({"chosen", "given", "sql"})


class ModelReasoner:
    """A model that plans, with the rules as its witness and in its place."""

    name = "model"

    def __init__(
        self,
        proposer: Proposer,
        *,
        use: Use = "first",
        privacy: Level = "values",
        exceptions: Mapping[str, Level] | None = None,
        seconds: float = LOOP_SECONDS,
        small: Proposer | None = None,
        candidates: int = 1,
    ) -> None:
        """``small`` is a cheaper model for the order of findings, where there is one.

        ``candidates`` are how often it may be asked anew where no reader confirms it; results are voted on.
        """
        self._candidates = candidates
        self._proposer = proposer
        self._small = small or proposer
        self._rules = RuleReasoner()
        self._use: Use = use
        self._privacy: Level = privacy
        self._exceptions: dict[str, Level] = dict(exceptions or {})
        self._seconds = seconds

    def plan(self, work: RunContext) -> Planned:
        """What the model submits, held against what the rules read; the rules' own plan where it comes to nothing."""
        planned = self._rules.plan(work)
        if self._use == "never" or self._is_decided(work, planned):
            return planned
        if self._use == "unsure" and planned.outcome == "planned":
            return planned
        calls: list[ModelCall] = []
        line = work.model_log.counting(self._proposer, calls)
        led = with_fallback(
            lambda: self._led(work, planned, line), lambda: planned, work.model_log.tell_fallback, purpose=PURPOSE
        )
        spent = used(calls)
        reading: KeptReading = {**led.reading, "model": spent}
        instead: dict[str, Any] | None = None
        if led.outcome == planned.outcome == "planned" and _main(led) != _main(planned):
            instead = planned.model_dump(mode="json") | {"reading": {**planned.reading, "model": spent}}
        return led.model_copy(update={"reading": reading, "instead": instead})

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """The rules' repair: what a model submits was tried before it was planned.

        Where the readers have an answer of their own, it comes before a sample and a second repair of a model's query.
        """
        kept = work.services.store.runs.record(work.run_id, "planned", "planned") or {}
        stands_by = bool(kept.get("instead")) and work.state.reasoner == self.name
        if stands_by and (call.attempt_number > 1 or observation.error_category == "resource_exhausted"):
            return None
        return self._rules.repair(work, call, observation)

    def phrase(self, work: RunContext, conclusion: Conclusion) -> Conclusion:
        """The summary of the claims a model chose, in its order, else as the rules tell it."""
        return phrase(work, conclusion, self._small, self._sight(work))

    def learn(self, work: RunContext) -> None:
        """Keep what worked, if a person confirmed it or the readers came to the same without the model."""
        self._rules.learn(work)

    def _is_decided(self, work: RunContext, planned: Planned) -> bool:
        """Whether a person has decided: a plan was handed in or chosen, or something was only told."""
        meant = self._rules.meant(work)
        told = meant.refused is not None or (bool(meant.told) and not meant.asks)
        return told or "plan" in work.state.meaning or planned.reading.get("grade") in BY_PERSON

    def _sight(self, work: RunContext) -> Privacy:
        return Privacy(work, self._privacy, self._exceptions)

    def _led(self, work: RunContext, planned: Planned, line: Proposer) -> Planned:
        """The model's plan, its question, or both readings to choose from."""
        work.model_log.announce()
        question = self._rules.question(work)
        view = ModelView(work, question.profiles, self._rules.schema(work, question), self._sight(work))
        witnesses = readings_of(work, planned)
        values = first_prompt(view, question, self._rules.meant(work).notes)

        def run(candidate: int) -> LoopOutcome:
            return run_loop(view, line, values, witnesses, seconds=self._seconds, candidate=candidate)

        ended = vote(run, self._candidates)
        return self._ended(work, planned, ended, witnesses)

    def _ended(
        self, work: RunContext, planned: Planned, ended: LoopOutcome, witnesses: Sequence[ReadingOutcome]
    ) -> Planned:
        if ended.outcome == "asks":
            return asked_back(work, planned, ended.question, [lifted(work, one) for one in ended.choices], witnesses)
        assert ended.checked is not None
        checked = lifted(work, ended.checked)
        if ended.outcome == "open":
            return asked_back(work, planned, None, [checked], witnesses)
        return self._planned(work, checked, witnesses, ended)

    def _planned(
        self, work: RunContext, checked: CheckedSubmission, witnesses: Sequence[ReadingOutcome], ended: LoopOutcome
    ) -> Planned:
        grade = "agree" if ended.agrees else "model"
        confirmed = "readings" if ended.confirms is not None else ""
        notes = self._rules.meant(work).notes
        others = [each for each in witnesses if each.sure and not ended.agrees]
        record = {"model": True, "witness": [each.said for each in others]}
        if checked.plan is not None:
            led = self._rules.planned(work, checked.plan, grade=grade, odds=None, record=record, confirmed=confirmed)
            kept: KeptReading = {**led.reading, "alternatives": [each.said for each in others]}
            return led.model_copy(update={"reading": kept, "reasoner": self.name})
        body = checked.body
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=SubmittedSkill().tasks(work, body),
            reasoning=f"Interpreted as: {checked.said}.",
        )
        question = self._rules.question(work)
        reading: KeptReading = {
            "skill": NAME,
            "in_words": "; ".join((checked.said, *notes)),
            "read_as": checked.said,
            "told": list(notes),
            "unread": [],
            "alternatives": [each.said for each in others],
            "grade": grade,
            "odds": None,
            "judged": record,
            "recipe": None,
            "confirmed": confirmed,
            "general": self._rules.general(question).model_dump(mode="json"),
            "foreseen": foresee(work, body, question.profiles),
            "reading": body,
        }
        if ended.confirms is not None and ended.confirms.plan is not None:
            reading["teaches"] = ended.confirms.plan
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"), reasoner=self.name)


def _main(planned: Planned) -> dict[str, Any]:
    """How a plan's main task is called."""
    return next(task.arguments for task in planned.parsed().subtasks if task.task_id == QUERY)


def vote(run: Callable[[int], LoopOutcome], candidates: int) -> LoopOutcome:
    """How the first loop ended, or where it stands unconfirmed, the result that most of several loops come to.

    As soon as two come to the same result it stands; where none does, the first stands as it is.

    Raises:
        ModelError: the first loop came to nothing.
    """
    first = run(1)
    if first.outcome != "stands" or first.agrees:
        return first
    found = [first]
    for candidate in range(2, candidates + 1):
        try:
            ended = run(candidate)
        except ModelError:
            break  # What stands already stands.
        if ended.outcome != "stands":
            continue
        if ended.agrees:
            return ended
        same = next((other for other in found if _same(other, ended)), None)
        if same is not None:
            return same
        found.append(ended)
    return first


def _same(one: LoopOutcome, other: LoopOutcome) -> bool:
    if one.checked is None or other.checked is None or one.checked.rows is None or other.checked.rows is None:
        return False
    return same_result(one.checked.rows, other.checked.rows)


def asked_back(
    work: RunContext,
    planned: Planned,
    question: str | None,
    choices: Sequence[CheckedSubmission],
    witnesses: Sequence[ReadingOutcome],
) -> Planned:
    """The question back: a model's words where it asked, then the readings to choose from."""
    offers = _offers(choices, witnesses)
    lead = _question(work, question) if question is not None else "This can mean more than one thing."
    lines = [f"{n}. {offer['read_back']}" for n, offer in enumerate(offers, start=1)]
    message = "\n".join([lead, *(["Choose the interpretation you mean:", *lines] if lines else [])])
    reading: KeptReading = {
        "offers": offers,
        "left": list(planned.reading.get("left", ())),
        "judged": {"model": True},
    }
    return Planned(outcome="clarification_needed", message=message, reading=reading, reasoner="model")


def _question(work: RunContext, asked: str) -> str:
    """The model's question, visibly the model's; one that holds a number of its own is not repeated."""
    said = " ".join(_CONTROL.sub(" ", asked).split())
    if not said or (
        _NUMBER.sub("", said) != said and set(_NUMBER.findall(said)) - set(_NUMBER.findall(work.request.intent))
    ):
        return "A model could not answer this from the data as it is asked."
    return f"A model asks: “{said}”"


def _offers(choices: Sequence[CheckedSubmission], witnesses: Sequence[ReadingOutcome]) -> list[KeptOffer]:
    offers: list[KeptOffer] = []
    for each in choices:
        rows = each.rows or []
        offers.append(
            {
                "read_back": each.said,
                "plan": each.body["plan"] if each.plan is not None else {"sql": _sql(each)},
                "odds": 0.5,
                "columns": list(each.columns),
                "rows": rows[:PREVIEW_ROWS],
                "row_count": len(rows),
            }
        )
    for each in witnesses:
        known = any(same_result(each.rows, offer["rows"]) for offer in offers)
        if each.plan is None or known or (each.left and not each.sure):
            continue
        offers.append(
            {
                "read_back": each.said,
                "plan": each.plan,
                "odds": round(each.odds, 4),
                "columns": list(each.columns),
                "rows": each.rows[:PREVIEW_ROWS],
                "row_count": len(each.rows),
            }
        )
    offered = [offer for offer in offers if offer["plan"] != {"sql": None}][:MOST_OFFERS]
    total = max(1.0, sum(offer["odds"] for offer in offered))
    return [{**offer, "odds": round(offer["odds"] / total, 4)} for offer in offered]


def _sql(checked: CheckedSubmission) -> str | None:
    tasks = checked.body["tasks"]
    return str(tasks[-1]["arguments"]["query"]) if len(tasks) == 1 and tasks[0]["tool"] == "sql.run" else None
